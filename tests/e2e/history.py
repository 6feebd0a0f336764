"""What a point of the plant has recorded: trends of three hours, healthy spectra and an event's."""

from __future__ import annotations

import random

from auscult.contract.payloads import SpectrumMessage, Trend
from tests.app.messages import now_ms, ulid

MINUTE_MS = 60_000
HISTORY_MINUTES = 180
HEALTHY_SPECTRA = 12
SPECTRA = 2 * HEALTHY_SPECTRA + 3


def trends(machine: str, point: str) -> list[Trend]:
    chance = random.Random(7)
    now = now_ms()
    messages = []
    for i in range(HISTORY_MINUTES):
        start = now - (HISTORY_MINUTES - i) * MINUTE_MS
        grown = max(0.0, (i - 140) / 40)
        velocity = 1.4 + 1.7 * grown + chance.gauss(0, 0.05)
        evidence = max(0.0, chance.gauss(0.6, 0.4)) + 14 * grown
        values = {
            "velocity_rms_mm_s": velocity,
            "kurtosis": 3.1 + 4 * grown + chance.gauss(0, 0.1),
            **{f"band_0{i}": 0.2 + i * 0.3 * grown + abs(chance.gauss(0, 0.02)) for i in range(3)},
            "evidence": evidence,
        }
        condition = "alarm" if evidence > 10 else "warning" if evidence > 6 else "normal"
        messages.append(
            Trend(
                ts=start + MINUTE_MS,
                id=ulid(),
                machine=machine,
                point=point,
                start_ms=start,
                end_ms=start + MINUTE_MS,
                windows=60,
                condition=condition,  # type: ignore[arg-type]
                values={k: (v * 0.92, v, v * 1.1) for k, v in values.items()},
                units={"velocity_rms_mm_s": "mm/s", "kurtosis": "",
                       "evidence": "", **{f"band_0{i}": "g" for i in range(3)}},
            )
        )  # fmt: skip
    return messages


def spectra(machine: str, point: str, event_id: str) -> list[SpectrumMessage]:
    """Return healthy spectra over the hours, then those of the event."""
    now = now_ms()
    healthy = [
        _spectrum(machine, point, None, kind, 24.7, now - (20 - i) * 9 * MINUTE_MS, strength, i)
        for kind, strength in (("spectrum", 0.12), ("envelope", 0.01))
        for i in range(HEALTHY_SPECTRA)
    ]
    of_event = [
        _spectrum(machine, point, event_id, kind, hz, now - 20 * MINUTE_MS, 0.3, 3)
        for kind, hz in (("spectrum", 31.0), ("spectrum", 24.7), ("envelope", 76.0))
    ]
    return healthy + of_event


def _spectrum(
    machine: str,
    point: str,
    event_id: str | None,
    kind: str,
    fundamental_hz: float,
    window_ms: int,
    strength: float,
    seed: int,
) -> SpectrumMessage:
    chance = random.Random(seed)
    df_hz = 1.25
    strength *= 1.0 if event_id else 1.0 + chance.random() / 6
    values = [abs(chance.gauss(0.004, 0.002)) for _ in range(1600)]
    for k in range(1, 9):
        line = round(k * fundamental_hz / df_hz)
        for offset, share in ((-1, 0.4), (0, 1.0), (1, 0.4)):
            values[line + offset] += strength * share / k
    return SpectrumMessage(
        ts=now_ms(),
        id=ulid(),
        machine=machine,
        point=point,
        event_id=event_id,
        kind=kind,  # type: ignore[arg-type]
        window_ms=window_ms,
        f0_hz=0,
        df_hz=df_hz,
        values=tuple(values),
        unit="g",
        fs_hz=25_600,
        window="hann",
        averages=8,
        overlap=0.5,
        band_hz=(2000, 8000) if kind == "envelope" else None,
        speed_rpm=1480,
        condition="alarm" if event_id else "normal",
    )
