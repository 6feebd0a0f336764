"""Malformed messages on Auscult's topics: valid ones damaged in many ways, and random bytes."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

from auscult.contract.payloads import MAX_PAYLOAD_BYTES, Command
from auscult.sparkplug.sparkplug_b_pb2 import Payload
from tests.gateway.outputs.sparkplug.plant import (
    BEARING,
    INVENTORY,
    event,
    machine_state,
    point_state,
    spectrum,
    status,
)

BASE = "auscult/v1/plant/gateway1"
MESSAGES = (
    (f"{BASE}/status", status()),
    (f"{BASE}/inventory", INVENTORY),
    (f"{BASE}/pump-3/state", machine_state()),
    (f"{BASE}/pump-3/DE/state", point_state(reasons=(BEARING,))),
    (f"{BASE}/pump-3/event", event()),
    (f"{BASE}/pump-3/DE/spectrum", spectrum(lines=20)),
)
COMMANDS = ("label", "acknowledge", "shelve", "start_baseline", "roll_back", "request_spectrum",
            "configure", "nonsense")  # fmt: skip
SPARKPLUG = ("NCMD/gateway1", "DCMD/gateway1/pump", "STATE/scada", "NCMD/gateway1/x/y", "DCMD//")
LEVELS = ("", "cmd", "ack", "pump", "de", "é", "\u200b", "x" * 200, "..", "%s", "状態", "state")
VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 1 << 70, 1e308, -0.0, "", "x" * 5000, "\ud800", "\0", [], {}, [[[[]]]],
    {"a": {"b": {"c": []}}}, "NaN", "2026-01-01", 3.7, [None] * 100,
)  # fmt: skip


def malformed(seed: int) -> Iterator[tuple[str, bytes]]:
    """Yield topics and payloads without end, the same for the same seed."""
    rng = random.Random(seed)
    while True:
        kind = rng.random()
        if kind < 0.35:
            topic, message = rng.choice(MESSAGES)
            yield topic, _damaged(message.to_json(), rng)
        elif kind < 0.6:
            topic = f"{BASE}/cmd/{rng.choice(COMMANDS)}"
            yield topic, _damaged(_command(rng), rng)
        elif kind < 0.85:
            yield f"spBv1.0/plant/{rng.choice(SPARKPLUG)}", _damaged_bytes(_sparkplug(rng), rng)
        elif kind < 0.999:
            levels = [rng.choice(LEVELS) for _ in range(rng.randrange(8))]
            yield "/".join(["auscult/v1", *levels]), rng.randbytes(rng.randrange(300))
        else:
            topic = rng.choice((f"{BASE}/cmd/label", "spBv1.0/plant/NCMD/gateway1"))
            yield topic, b"[" * rng.choice((70_000, 400_000, MAX_PAYLOAD_BYTES + 1))


def _command(rng: random.Random) -> bytes:
    args = {"machine": "pump", "event_id": "01J", "verdict": "unsure", "point": "de"}
    chosen = dict(rng.sample(sorted(args.items()), rng.randrange(len(args) + 1)))
    # Expired long ago, so that none of it is ever done.
    command = Command(ts=1, id=str(rng.random()), actor="mallory", expires_ms=2, args=chosen)
    return command.to_json()


def _sparkplug(rng: random.Random) -> bytes:
    payload = Payload(timestamp=rng.getrandbits(63), seq=rng.randrange(300))
    for _ in range(rng.randrange(5)):
        metric = payload.metrics.add(
            name=rng.choice(("Node Control/Rebirth", "Commands/Acknowledge", "x" * 300, "")),
            datatype=rng.randrange(40),
            timestamp=rng.getrandbits(63),
        )
        if rng.random() < 0.5:
            metric.boolean_value = rng.random() < 0.5
        else:
            metric.string_value = "x" * rng.randrange(100)
    return payload.SerializeToString()


def _damaged(payload: bytes, rng: random.Random) -> bytes:
    if rng.random() < 0.4:
        return _damaged_bytes(payload, rng)
    body = json.loads(payload)
    for _ in range(rng.randrange(1, 4)):
        _change(body, rng)
    return json.dumps(body).encode("utf-8", "surrogatepass")


def _change(body: Any, rng: random.Random) -> None:
    """Replace, remove or add one value somewhere in a JSON object."""
    at = body
    while isinstance(at, dict) and at:
        key = rng.choice(sorted(at))
        deeper = at[key]
        if isinstance(deeper, dict) and deeper and rng.random() < 0.6:
            at = deeper
            continue
        match rng.randrange(3):
            case 0:
                at[key] = deepcopy(rng.choice(VALUES))
            case 1:
                del at[key]
            case _:
                at[f"new {rng.random()}"] = deepcopy(rng.choice(VALUES))
        return


def _damaged_bytes(payload: bytes, rng: random.Random) -> bytes:
    damaged = bytearray(payload)
    match rng.randrange(4):
        case 0:
            del damaged[rng.randrange(len(damaged) + 1) :]
        case 1:
            for _ in range(rng.randrange(1, 20)):
                if damaged:
                    damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        case 2:
            at = rng.randrange(len(damaged) + 1)
            damaged[at:at] = rng.randbytes(rng.randrange(1, 50))
        case _:
            return rng.randbytes(rng.randrange(200))
    return bytes(damaged)
