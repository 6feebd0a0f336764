"""Realistic messages, built with the payload classes, and a gateway that publishes them."""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from ulid import ULID

from auscult.contract.inventory import Configuration, Inventory, MachinePart, PointPart
from auscult.contract.label import Label, Verdict
from auscult.contract.learning import Checkpoints, Lesson, Metrics, PreviewPart
from auscult.contract.message import Message
from auscult.contract.parts import HandlingPart, Level
from auscult.contract.payloads import (
    Acknowledgement,
    Clip,
    Contribution,
    EventMessage,
    MachineStateMessage,
    PointStateMessage,
    Provenance,
    SpectrumMessage,
    Status,
    Trend,
)
from auscult.contract.records import Coverage, HeadUpdate
from auscult.contract.run_up import CascadePart, CriticalSpeedPart, RunUpMessage
from auscult.contract.said import Said
from auscult.contract.topics import Topics
from auscult.link.broker import BrokerSettings
from auscult.link.link import Link, Received
from tests.reasons import reason
from tests.waiting import DEADLINE_S

IDS = Provenance(
    model_id="sha256:3f9c", baseline_id="base-1", spec_id="feat-9a", checkpoint_id="chk-1"
)
REASON = reason(
    kind="learned",
    condition="alarm",
    text="2–4 kHz band is 14 dB above its baseline",
    point="DE-H",
    value=3.2,
    limit=1.0,
    unit="g",
    contributions=(
        Contribution(
            feature="band_2k_4k_rms", value=1.9, baseline=0.38, unit="g", sigma=11.2,
            change_db=14.0, share=0.62,
        ),
    ),
)  # fmt: skip
COVERAGE = Coverage(
    phase="collecting",
    fraction=0.4,
    windows=80,
    windows_needed=200,
    lacks=(Said("windows", {"count": 120, "point": None}),),
)
READY = Coverage(phase="ready", fraction=1, windows=200, windows_needed=200, settled=True)
FEATURES = ("velocity_rms_mm_s", "crest_factor", "kurtosis", "band_2k_4k_rms")


def now_ms() -> int:
    return time.time_ns() // 1_000_000


def ulid() -> str:
    return str(ULID())


def status(**more: Any) -> Status:
    return Status(**{
        "ts": now_ms(), "state": "online", "version": "0.3.0", "cpu_percent": 12.5,
        "windows_total": 1234, "sources": {"recordings": "ok"}, **more,
    })  # fmt: skip


def inventory(
    *machines: str, points: tuple[str, ...] = ("DE-H", "NDE-H"), ts: int = 0
) -> Inventory:
    return Inventory(
        ts=ts or now_ms(),
        machines=tuple(
            MachinePart(
                id=machine,
                name=f"Machine {machine}",
                area="Hall 2",
                power_kw=15,
                speed_rpm=1480,
                points=tuple(
                    PointPart(id=p, name=f"Point {p}", kind="vibration", unit="g", fs_hz=25_600)
                    for p in points
                ),
            )
            for machine in machines
        ),
    )


def machine_state(machine: str, condition: str = "normal", **more: Any) -> MachineStateMessage:
    return MachineStateMessage(**{
        "ts": now_ms(), "machine": machine, "condition": condition, "quality": "good",
        "coverage": READY, "ids": IDS, **more,
    })  # fmt: skip


def point_state(
    machine: str, point: str, condition: str = "normal", **more: Any
) -> PointStateMessage:
    return PointStateMessage(**{
        "ts": now_ms(), "machine": machine, "point": point, "condition": condition,
        "quality": "good", "window_ms": now_ms() - 1000, "p_value": 0.43, "evidence": 0.2,
        "warning_level": 6.0, "alarm_level": 10.0, "score": 1.1,
        "levels": {"velocity_rms_mm_s": Level(value=1.4, unit="mm/s")}, "ids": IDS, **more,
    })  # fmt: skip


def event(machine: str, event_id: str, phase: str = "start", **more: Any) -> EventMessage:
    now = now_ms()
    return EventMessage(**{
        "ts": now, "id": ulid(), "event_id": event_id, "machine": machine, "phase": phase,
        "condition": "alarm", "started_ms": now, "updated_ms": now, "peak_condition": "alarm",
        "peak_evidence": 12.5, "peak_p_value": 1e-5, "points": ("DE-H",), "reasons": (REASON,),
        "ids": IDS, **({"ended_ms": now} if phase == "end" else {}), **more,
    })  # fmt: skip


def trend(machine: str, point: str, start_ms: int, value: float = 1.0, **more: Any) -> Trend:
    return Trend(**{
        "ts": start_ms + 60_000, "id": ulid(), "machine": machine, "point": point,
        "start_ms": start_ms, "end_ms": start_ms + 60_000, "windows": 60, "condition": "normal",
        "values": dict.fromkeys(FEATURES, (value - 0.5, value, value + 0.5)),
        "units": dict(zip(FEATURES, ("mm/s", "", "", "g"), strict=True)), **more,
    })  # fmt: skip


def spectrum(machine: str, point: str, **more: Any) -> SpectrumMessage:
    return SpectrumMessage(**{
        "ts": now_ms(), "id": ulid(), "machine": machine, "point": point, "kind": "spectrum",
        "window_ms": now_ms(), "f0_hz": 0.0, "df_hz": 2.0,
        "values": tuple(i / 4096 for i in range(512)), "unit": "g", "fs_hz": 25_600,
        "window": "hann", "averages": 8, "overlap": 0.5, **more,
    })  # fmt: skip


LOST = Said("gate_fault_lost", {"events": ("01J0LOST",)})


def metrics(**more: Any) -> Metrics:
    return Metrics(**{
        "false_alarm_rate": 0.01, "faults_detected": 2, "faults_total": 2,
        "labelled_false_alarms_silenced": 0, "labelled_false_alarms_total": 1,
        "alarms_per_week": 3.0, "threshold": 9.1, **more,
    })  # fmt: skip


def lesson_part(label_id: str, accepted: bool = True) -> HeadUpdate:
    return HeadUpdate(
        label_id=label_id, checkpoint_id="chk-2", parent_id="chk-1", accepted=accepted,
        said=Said("done") if accepted else LOST, before=metrics(),
        after=metrics(false_alarm_rate=0.001, alarms_per_week=0.2), weights_change_norm=0.02,
        duration_ms=18.0,
    )  # fmt: skip


def label(label_id: str, event_id: str, verdict: Verdict | str, **more: Any) -> Label:
    return Label(**{
        "label_id": label_id, "event_id": event_id, "machine": "pump-3", "verdict": verdict,
        "actor": "Eva", "created_ms": now_ms(), **more,
    })  # fmt: skip


def lesson(machine: str, event_id: str, label_id: str, **more: Any) -> Lesson:
    return Lesson(**{
        "ts": now_ms(), "id": ulid(), "label_id": label_id, "machine": machine,
        "event_id": event_id, "verdict": "false_alarm", "actor": "eva",
        "lesson": lesson_part(label_id), **more,
    })  # fmt: skip


def clip(machine: str, point: str, samples: bytes = b"\1\0" * 1000, **more: Any) -> Clip:
    return Clip(**{
        "ts": now_ms(), "id": ulid(), "machine": machine, "point": point, "kind": "recent",
        "t0_ms": now_ms(), "fs_hz": 1000.0, "unit": "g", "n": len(samples) // 2, "scale": 1e-3,
        "actor": "eva", "samples": samples, **more,
    })  # fmt: skip


def run_up(machine: str, point: str, **more: Any) -> RunUpMessage:
    return RunUpMessage(**{
        "ts": now_ms(), "id": ulid(), "machine": machine, "point": point,
        "start_ms": now_ms() - 60_000, "end_ms": now_ms(), "rising": True, "unit": "µm",
        "speed_rpm": (300.0, 1000.0, 3300.0), "amplitude": (2.0, 96.5, 12.0),
        "phase_deg": (-4.0, -90.0, -176.0),
        "critical_speeds": (
            CriticalSpeedPart(rpm=1000, amplitude=96.5, amplification=10, turn_deg=90),
        ),
        "cascade": CascadePart(
            speed_rpm=(300.0, 3300.0), order_step=0.5, unit="g",
            values=((0.0, 0.25, 0.5), (0.0, 1.0, 0.125)),
        ),
        **more,
    })  # fmt: skip


def turning(
    machine: str, point: str, phase_deg: float, late: int = 0, begin_s: int = 0, **more: Any
) -> Clip:
    """Return a clip of a shaft at 24.6 Hz that began `late` samples after its angle was 0."""
    fs_hz, n = 5120.0, 25_600
    t = (np.arange(n) + late) / fs_hz
    wave = 8000 * np.cos(2 * np.pi * 24.6 * t + np.radians(phase_deg))
    wave += 2000 * np.cos(2 * np.pi * 49.2 * t) + 300 * np.random.default_rng(
        abs(int(phase_deg)) + late
    ).normal(size=n)
    return clip(
        machine, point, wave.astype("<i2").tobytes(), fs_hz=fs_hz, speed_rpm=1480.0, scale=5e-5,
        t0_ns=begin_s * 10**9 + round(late / fs_hz * 1e9), **more,
    )  # fmt: skip


def handling(state: str, changes: int = 0, **more: Any) -> HandlingPart:
    return HandlingPart(**{"state": state, "changes": changes, **more})


class FakeGateway:
    """Publishes as a gateway does and answers commands by `answer`, which may be replaced.

    ``commands`` holds (name, command as a dict) of all that came, doubles too; ``receipts`` the
    ids that the dashboard has confirmed.
    """

    def __init__(
        self, broker: BrokerSettings, site: str = "plant", gateway: str = "gw1", path: str = ""
    ) -> None:
        self.topics = Topics(site, gateway, path)
        self.commands: list[tuple[str, dict[str, Any]]] = []
        self.receipts: list[str] = []
        self.answer: Callable[[str, dict[str, Any]], Acknowledgement | None] = acknowledge
        self._delivered = itertools.count(1)
        self.delivered = 0
        self.link = Link(
            broker,
            f"{site}-{gateway}",
            on_message=self._command,
            subscriptions=[self.topics.commands],
        )
        self.link.start()
        assert self.link.wait_connected(DEADLINE_S)

    def send(self, topic: str, message: Message | bytes, retain: bool = False) -> None:
        payload = message if isinstance(message, bytes) else message.payload()
        deadline = time.monotonic() + 20
        while not self.link.publish(topic, payload, retain=retain, on_delivered=self._count):
            assert time.monotonic() < deadline, "the broker is away"
            time.sleep(0.05)

    def publish(self, message: Message) -> None:  # noqa: C901 - one case a kind of message
        """Send a message to the topic it belongs on, retained where the tree says so."""
        t = self.topics
        match message:
            case Status():
                self.send(t.status, message, retain=True)
            case Inventory():
                self.send(t.inventory, message, retain=True)
            case Configuration():
                self.send(t.configuration, message, retain=True)
            case MachineStateMessage(machine=m):
                self.send(t.machine_state(m), message, retain=True)
            case PointStateMessage(machine=m, point=p):
                self.send(t.point_state(m, p), message, retain=True)
            case EventMessage(machine=m):
                self.send(t.event(m), message)
            case Lesson(machine=m):
                self.send(t.lesson(m), message)
            case Checkpoints(machine=m):
                self.send(t.checkpoints(m), message, retain=True)
            case Trend(machine=m, point=p):
                self.send(t.trend(m, p), message)
            case SpectrumMessage(machine=m, point=p) | Clip(machine=m, point=p):
                kind = t.clip if isinstance(message, Clip) else t.spectrum
                self.send(kind(m, p), message)
            case RunUpMessage(machine=m, point=p):
                self.send(t.run_up(m, p), message)
            case Acknowledgement(id=i):
                self.send(t.acknowledgement(i), message)
            case _:
                raise AssertionError(message)

    @property
    def actions(self) -> list[tuple[str, dict[str, Any]]]:
        """Commands that change something: not what was only asked."""
        return [one for one in self.commands if not one[0].startswith("preview_")]

    def arguments_of(self, name: str) -> list[dict[str, Any]]:
        """Arguments of each command with this name, oldest first."""
        return [command["args"] for named, command in self.commands if named == name]

    def say_hello(self, *machines: str) -> None:
        self.publish(status())
        self.publish(inventory(*machines))
        for machine in machines:
            self.publish(machine_state(machine))
            self.publish(point_state(machine, "DE-H"))
            self.publish(point_state(machine, "NDE-H"))

    def stop(self) -> None:
        self.link.stop()

    def _count(self) -> None:
        self.delivered = next(self._delivered)

    def _command(self, received: Received) -> None:
        name, command = received.topic.rpartition("/")[2], json.loads(received.payload)
        if name == "receipt":
            self.receipts += command["ids"]
            return
        self.commands.append((name, command))
        answer = self.answer(name, command)
        if answer is not None:
            threading.Thread(target=self.publish, args=(answer,)).start()


def acknowledge(name: str, command: dict[str, Any]) -> Acknowledgement:
    """Do as asked."""
    return Acknowledgement(
        ts=now_ms(),
        id=command["id"],
        command=name,
        ok=True,
        reason="done",
        lesson=lesson_part(command["id"]) if name in ("label", "report_fault") else None,
        preview=preview_part(command) if name.startswith("preview_") else None,
    )


def preview_part(command: dict[str, Any], accepted: bool = True) -> PreviewPart:
    """Foresee what a label would do."""
    effect = replace(lesson_part(command["id"], accepted), checkpoint_id="")
    verdict = command["args"].get("verdict", "confirmed_fault")
    known = verdict in ("confirmed_fault", "false_alarm")
    return PreviewPart(
        verdict=verdict, said=Said("preview_noted"), effect=effect if known else None
    )


def ignore(name: str, command: dict[str, Any]) -> None:
    """Say nothing."""
