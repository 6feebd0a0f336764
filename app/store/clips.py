"""Clips: requested pieces of raw signals, as received."""

from __future__ import annotations

import io
import json
import wave
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auscult.app.identity import machine_id
from auscult.app.store import machines
from auscult.app.store.connection import Database
from auscult.app.store.received import Origin
from auscult.app.views import ClipView
from auscult.contract.parts import ClipKind
from auscult.contract.payloads import Clip

INT16_MAX = 32_767
MAX_RATE_HZ = 1_000_000_000
"""A WAV file holds rates of at most 2**31 bytes a second."""
LOUD = 0.9
"""A sound's peak, as a share of full scale, where no scale is asked for."""

COMPARED = 8
"""Newest clips of a point that are searched for one of the same time at another point."""


def store(db: Database, origin: Origin, message: Clip) -> str | None:
    """Store a clip; return its id, None if it is stored already."""
    machines.known_point(db, origin, message.machine, message.point)
    cursor = db.execute(
        "INSERT INTO clip (id, machine_id, point, kind, t0_ms, asked_ms, header, samples)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (
            message.id,
            machine_id(origin.site, origin.gateway, message.machine),
            message.point,
            message.kind,
            message.t0_ms,
            message.ts,
            message.model_dump_json(),
            message.samples,
        ),
    )
    return message.id if cursor.rowcount else None


def view(db: Database, identity: str) -> ClipView | None:
    """Return what is known of a clip, None if there is none of that id."""
    return next(iter(_views(db, "id = ?", (identity,))), None)


def view_newest(db: Database, machine: str | None, point: str | None, limit: int) -> list[ClipView]:
    """Return the newest clips, of one machine or point or of all."""
    wanted = {"machine_id": machine, "point": point}
    given = {key: value for key, value in wanted.items() if value is not None}
    where = " AND ".join(f"{key} = ?" for key in given) or "true"
    return _views(db, f"{where} ORDER BY asked_ms DESC, id DESC LIMIT ?", (*given.values(), limit))


def sound(db: Database, identity: str, full_scale: float | None) -> bytes | None:
    """Return a clip as a WAV file without its constant part, None if there is none of that id.

    ``full_scale`` is the physical value that is full scale of the sound, so that two clips can be
    compared; without it the clip's own peak is nearly that.
    """
    read = partial(_wav, full_scale=full_scale)
    return next(db.records("clip", read, "SELECT * FROM clip WHERE id = ?", (identity,)), None)


def _wav(row: dict[str, Any], full_scale: float | None) -> bytes:
    header = json.loads(row["header"])
    signal = np.frombuffer(row["samples"], "<i2").astype(np.float64) * header["scale"]
    signal -= signal.mean()
    loudest = full_scale or float(np.abs(signal).max()) / LOUD or 1.0
    data = np.rint(np.clip(signal / loudest, -1, 1) * INT16_MAX).astype("<i2")
    file = io.BytesIO()
    with wave.open(file, "wb") as wav:
        wav.setnchannels(1)
        wav.setsampwidth(2)
        wav.setframerate(min(max(round(header["fs_hz"]), 1), MAX_RATE_HZ))
        wav.writeframes(data.tobytes())
    return file.getvalue()


@dataclass(frozen=True, slots=True)
class Recorded:
    """Samples of a clip: float64 [shape=(n,)] in `unit`, the first at ``t0_ns``."""

    id: str
    clock: str
    t0_ns: int
    fs_hz: float
    unit: str
    speed_rpm: float | None
    samples: NDArray[np.float64]

    @property
    def end_ns(self) -> int:
        """End of the last sample."""
        return self.t0_ns + round(1e9 * self.samples.size / self.fs_hz)


def recorded(db: Database, machine: str, point: str, kind: ClipKind) -> list[Recorded]:
    """Return the newest clips of a point whose time is known to the ns, newest first."""
    rows = db.query(
        "SELECT id, header, samples FROM clip WHERE machine_id = ? AND point = ? AND"
        " kind = ? ORDER BY asked_ms DESC, id DESC LIMIT ?",
        (machine, point, kind, COMPARED),
    )
    return [one for one in db.damage.readable("clip", rows, _recorded) if one is not None]


def _recorded(row: dict[str, Any]) -> Recorded | None:
    header = json.loads(row["header"])
    if header.get("t0_ns") is None:
        return None
    return Recorded(
        id=row["id"],
        clock=header.get("clock", ""),
        t0_ns=header["t0_ns"],
        fs_hz=header["fs_hz"],
        unit=header["unit"],
        speed_rpm=header.get("speed_rpm"),
        samples=np.frombuffer(row["samples"], "<i2").astype(np.float64) * header["scale"],
    )


def _views(db: Database, where: str, values: tuple[Any, ...]) -> list[ClipView]:
    rows = db.query(f"SELECT id, machine_id, header, samples FROM clip WHERE {where}", values)
    return list(db.damage.readable("clip", rows, _view))


def _view(row: dict[str, Any]) -> ClipView:
    header = json.loads(row["header"])
    samples = np.frombuffer(row["samples"], "<i2").astype(np.float64) * header["scale"]
    samples -= samples.mean()
    return ClipView(
        id=row["id"],
        machine_id=row["machine_id"],
        asked_ms=header["ts"],
        duration_s=header["n"] / header["fs_hz"],
        peak=float(f"{np.abs(samples).max():.7g}"),
        rms=float(f"{np.sqrt(np.mean(samples**2)):.7g}"),
        **{key: header[key] for key in _SAID},
    )


_SAID = (
    "point", "kind", "t0_ms", "fs_hz", "unit", "n", "actor", "baseline_id", "speed_rpm",
)  # fmt: skip
