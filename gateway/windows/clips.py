"""Clips: pieces of raw signal, sent only on request and bounded in length and rate.

The last seconds of each healthy period are stored, for comparison with the present signal.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from auscult.contract.message import millis
from auscult.contract.payloads import MAX_PAYLOAD_BYTES, Clip, Command
from auscult.contract.requests import ClipArgs
from auscult.contract.said import Rejection, Said
from auscult.gateway.records import PointId
from auscult.gateway.settings.gateway import GatewaySection
from auscult.gateway.storage.database import Database
from auscult.gateway.storage.store import Store
from auscult.gateway.windows.assembler import Excerpt
from auscult.gateway.windows.pipeline import Pipeline
from auscult.gateway.windows.points import PointPlan

HEADER_BYTES = 4_000
"""More than any header takes."""
AT_ONCE = 10
"""Clips that may be sent at once: two requests for all points of a machine."""
INT16_MAX = 32_767


class ClipError(Rejection):
    """A clip that can't be sent."""


class TokenBucket:
    """A limit per hour, with a few at once.

    Examples
    --------
    >>> bucket = TokenBucket(per_hour=60, at_once=2, now_s=0)
    >>> [bucket.take_token(now_s) for now_s in (0, 0, 0, 60)]
    [True, True, False, True]
    """

    def __init__(self, per_hour: int, at_once: int, now_s: float) -> None:
        self._per_s = per_hour / 3600
        self._size = float(at_once)
        self._tokens, self._at_s = self._size, now_s

    def take_token(self, now_s: float) -> bool:
        """Take a token; False if there is none."""
        self._tokens = min(self._size, self._tokens + (now_s - self._at_s) * self._per_s)
        self._at_s = now_s
        if self._tokens < 1:
            return False
        self._tokens -= 1
        return True


def clip_seconds(
    settings: GatewaySection, plans: Mapping[PointId, PointPlan]
) -> dict[PointId, float]:
    """Return the longest clip of each point whose signal may be sent, s."""
    return {p: settings.clip_max_s for p in plans if _refusal(settings, plans, p) is None}


@dataclass(frozen=True, slots=True)
class HealthyClipsWrite:
    """Stores the last seconds of the healthy period of a baseline."""

    excerpts: Mapping[PointId, Excerpt]
    clocks: Mapping[PointId, str]
    baseline_id: str

    def write_to(self, db: Database) -> None:
        """Write them, in the caller's transaction."""
        for point, excerpt in self.excerpts.items():
            data, scale = _int16(excerpt.samples)
            db.execute(
                "INSERT OR REPLACE INTO healthy_clips (machine, point, baseline_id, clock, t0_ns,"
                " fs_hz, unit, speed_rpm, scale, samples) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    point.machine, point.point, self.baseline_id, self.clocks.get(point, ""),
                    excerpt.t0_ns, excerpt.fs_hz, excerpt.unit, excerpt.speed_rpm, scale,
                    data.tobytes(),
                ],
            )  # fmt: skip


class Clips:
    """Makes clips of recent samples and stores healthy ones; the window loop owns it.

    Parameters
    ----------
    settings : GatewaySection
    plans : mapping of PointId to PointPlan
    pipeline : Pipeline
        For the recent samples.
    store : Store
    clocks : mapping of PointId to str, optional
        The sampling clock of each point that shares one.
    """

    def __init__(
        self,
        settings: GatewaySection,
        plans: Mapping[PointId, PointPlan],
        pipeline: Pipeline,
        store: Store,
        clocks: Mapping[PointId, str] | None = None,
    ) -> None:
        self._settings = settings
        self._plans = plans
        self._pipeline = pipeline
        self._store = store
        self._clocks = clocks or {}
        self._bucket = TokenBucket(settings.clips_per_hour, AT_ONCE, time.monotonic())
        self._ended: dict[str, dict[PointId, Excerpt]] = {}

    def cut(self, asked: ClipArgs, command: Command, ts: int) -> Clip:
        """Make a clip.

        Raises
        ------
        ClipError
            If clips are not allowed, there is no signal, or too many were asked for.
        """
        point = PointId(asked.machine, asked.point)
        if refusal := _refusal(self._settings, self._plans, point):
            raise ClipError(refusal)
        fs_hz = self._plans[point].window.fs_hz
        seconds = min(asked.seconds, self._settings.clip_max_s)
        n = min(round(seconds * fs_hz), (MAX_PAYLOAD_BYTES - HEADER_BYTES) // 2)
        if asked.kind == "recent":
            excerpt, baseline_id = self._pipeline.last(point, n), ""
            clock = self._clocks.get(point, "")
        else:
            excerpt, baseline_id, clock = self._healthy(point, n)
        if excerpt is None:
            code = "clip_no_signal" if asked.kind == "recent" else "clip_no_healthy"
            raise ClipError(Said(code, {"point": str(point)}))
        if not self._bucket.take_token(time.monotonic()):
            raise ClipError("clips_too_many", limit=self._settings.clips_per_hour)
        data, scale = _int16(excerpt.samples)
        return Clip(
            ts=ts,
            id=command.id,
            machine=asked.machine,
            point=asked.point,
            kind=asked.kind,
            t0_ms=millis(excerpt.t0_ns),
            t0_ns=excerpt.t0_ns,
            clock=clock,
            fs_hz=excerpt.fs_hz,
            unit=excerpt.unit,
            n=len(data),
            scale=scale,
            actor=command.actor,
            baseline_id=baseline_id,
            speed_rpm=excerpt.speed_rpm,
            samples=data.tobytes(),
        )

    def healthy_ended(self, machine: str) -> None:
        """Keep the last seconds of a complete healthy period."""
        excerpts = {
            point: self._pipeline.last(point, round(seconds * self._plans[point].window.fs_hz))
            for point, seconds in clip_seconds(self._settings, self._plans).items()
            if point.machine == machine
        }
        self._ended[machine] = {
            p: excerpt for p, excerpt in excerpts.items() if excerpt is not None
        }

    def healthy_write(self, machine: str, baseline_id: str) -> HealthyClipsWrite:
        """Return the write of the signal of the healthy period of a baseline."""
        return HealthyClipsWrite(self._ended.pop(machine, {}), self._clocks, baseline_id)

    def _healthy(self, point: PointId, n: int) -> tuple[Excerpt | None, str, str]:
        rows = self._store.read(
            "SELECT baseline_id, clock, t0_ns, fs_hz, unit, speed_rpm, scale, samples"
            " FROM healthy_clips WHERE machine = ? AND point = ?",
            [point.machine, point.point],
        )
        for baseline_id, clock, t0_ns, fs_hz, unit, speed_rpm, scale, samples in rows:
            kept = np.frombuffer(samples, "<i2")[:n].astype(np.float32) * np.float32(scale)
            return Excerpt(t0_ns, kept, fs_hz, unit, speed_rpm), str(baseline_id), str(clock)
        return None, "", ""


def _refusal(
    settings: GatewaySection, plans: Mapping[PointId, PointPlan], point: PointId
) -> Said | None:
    """Return why the signal of a point may not leave, None if it may."""
    if settings.clips == "off":
        return Said("clips_off")
    if point not in plans:
        return Said("clip_of_value", {"point": str(point)})
    if plans[point].settings.kind == "sound" and not settings.sound_clips:
        return Said("clips_no_sound", {"point": str(point)})
    return None


def _int16(samples: NDArray[np.float32]) -> tuple[NDArray[np.int16], float]:
    """Return samples as int16 and their scale; the resolution is 96 dB below the peak."""
    finite = np.nan_to_num(samples, nan=0.0, posinf=0.0, neginf=0.0).astype(np.float64)
    scale = float(np.abs(finite).max(initial=0.0)) / INT16_MAX or 1.0
    return np.rint(finite / scale).astype("<i2"), scale
