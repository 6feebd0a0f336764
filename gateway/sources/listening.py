"""Opens the sources of a configuration for a moment: what arrives, and what is wrong with it."""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from auscult.contract.machines import PointSettings
from auscult.contract.said import Rejection, Said
from auscult.gateway.records import PointId, SampleBlock, SourceFault
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.sources.contract import Source, SourceContext
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.sources.registry import kind_of
from auscult.gateway.sources.threads import SourceThreads

CLOSE_S = 2.0
"""Longest wait for a source to close."""
KEPT_S = 1.0
"""Newest signal of each point that level and spectrum are made of."""
DYNAMIC_DB = 60.0
REFERENCE_PA = 20e-6
TONE_SHARE = 0.9
"""Share of the power that the reference tone must have."""
TONE_HZ_RANGE = (150.0, 1100.0)
"""Calibrators give 1000, 250, 159.2 or 160 Hz."""


@dataclass(slots=True)
class PointRow:
    """What came of one point."""

    point: PointId
    unit: str = ""
    fs_hz: float = 0.0
    samples: NDArray[np.float32] | None = None
    length_s: float = 0.0
    lost: int = 0
    value: float | None = None
    """The last overall value, in `unit`."""
    problem: str = "nothing arrived"
    _next: int | None = None

    @property
    def rms(self) -> float:
        """Return the r.m.s. of the newest second, without its mean."""
        return 0.0 if self.samples is None else float(np.std(self.samples))

    @property
    def peak(self) -> float:
        """Return the largest magnitude of the newest second."""
        return 0.0 if self.samples is None else float(np.abs(self.samples).max(initial=0.0))

    def spectrum(self, columns: int) -> list[float]:
        """Return levels from 0 Hz to half the rate: 1 = the highest, 0 = 60 dB below it or less."""
        if self.samples is None or self.samples.size < 2 * columns:
            return [0.0] * columns
        x = self.samples - self.samples.mean()
        power = np.abs(np.fft.rfft(x * np.hanning(x.size))) ** 2
        edges = np.linspace(1, power.size, columns + 1).astype(int)
        bands = np.maximum.reduceat(power, edges[:-1])
        with np.errstate(divide="ignore"):
            db = 10 * np.log10(bands / max(float(bands.max()), 1e-30))
        return [float(v) for v in np.clip(1 + db / DYNAMIC_DB, 0, 1)]

    def add(self, block: SampleBlock) -> None:
        """Take one block."""
        if self._next is not None and (block.gap or block.sequence != self._next):
            self.lost += 1
        self._next = block.sequence + 1
        self.unit, self.fs_hz, self.problem = block.unit, block.fs_hz, ""
        self.length_s += block.samples.size / block.fs_hz
        joined = (
            block.samples if self.samples is None else np.concatenate([self.samples, block.samples])
        )
        self.samples = joined[-round(KEPT_S * block.fs_hz) :]

    def compare(self, plate: PointSettings) -> None:
        """Note what differs from the configuration."""
        if self.unit and self.unit != plate.unit:
            values: Mapping[str, str] = {"unit": self.unit, "configured": plate.unit}
            self.problem = Said("wrong_unit", values).text
        elif self.fs_hz and abs(self.fs_hz - plate.fs_hz) > 1e-6 * plate.fs_hz:
            rates = {"fs_hz": self.fs_hz, "configured_hz": plate.fs_hz}
            self.problem = Said("wrong_rate", rates).text


class Listening:
    """Runs the sources of a configuration without a gateway; nothing is stored or published."""

    def __init__(self, settings: GatewaySettings) -> None:
        self._inlet, self._stop = Inlet(), threading.Event()
        self._folder = tempfile.TemporaryDirectory(prefix="auscult-")
        machines = {machine.id: machine for machine in settings.machines}
        self._plates = {PointId(m.id, p.id): p for m in settings.machines for p in m.channels}
        self._received = {point: PointRow(point) for point in self._plates}
        self._sources: list[Source] = []
        self._broken: dict[str, Said] = {}
        client_id = f"auscult-sensors-{time.time_ns() % 10**9}"
        for number, source in enumerate(settings.sources):
            context = SourceContext(
                machines, settings.mqtt, client_id,
                Path(self._folder.name) / str(number),
            )  # fmt: skip
            try:
                self._sources.append(kind_of(source).open(source, context))
            except Rejection as error:
                self._broken[f"{source.type}:{source.target}"] = error.said
        self._threads = SourceThreads(self._sources)

    def __enter__(self) -> Self:
        self._threads.start(self._inlet, self._stop)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self._stop.set()
        self._inlet.close()
        self._threads.join(CLOSE_S)
        self._folder.cleanup()

    @property
    def statuses(self) -> dict[str, Said]:
        """Return each source with its state or fault."""
        running = {source.name: source.status for source in self._sources}
        return {**running, **self._threads.failed, **self._broken}

    @property
    def well(self) -> bool:
        """Return whether every source is well, and every point has samples as configured."""
        usual = ("source_ok", "source_ended")
        return all(said.code in usual for said in self.statuses.values()) and not any(
            row.problem for row in self.rows()
        )

    def take(self, seconds: float) -> None:
        """Listen for so long."""
        end_s = time.monotonic() + seconds
        while (left_s := end_s - time.monotonic()) > 0:
            for item in self._inlet.take(left_s):
                received = self._received.get(item.point)
                if received is None:
                    continue
                if isinstance(item, SourceFault):
                    received.problem = item.said.text
                elif isinstance(item, SampleBlock):
                    received.add(item)
                else:
                    received.unit, received.value, received.problem = item.unit, item.value, ""

    def rows(self) -> Iterator[PointRow]:
        """Yield what came of each configured point."""
        for point, received in self._received.items():
            received.compare(self._plates[point])
            yield received

    def calibration(self, name: str, level: float) -> str:
        """Return the line of the configuration that a reference tone gives.

        Raises
        ------
        Rejection
            If the point is unknown, nothing arrived, the tone does not stand out, or it is clipped.
        """
        received = next((h for h in self._received.values() if str(h.point) == name), None)
        if received is None:
            raise Rejection("point_not_configured", point=name)
        if received.samples is None:
            raise Rejection("calibration_no_tone", point=name, share=0.0)
        true_rms = REFERENCE_PA * 10 ** (level / 20)
        return f"full_scale = {full_scale(received.samples, received.fs_hz, true_rms, name):.5g}"


def full_scale(
    samples: NDArray[np.float32], fs_hz: float, true_rms: float, name: str = ""
) -> float:
    """Return the physical value of digital full scale, from a tone whose r.m.s. is known.

    Parameters
    ----------
    samples : np.ndarray [shape=(n,), dtype=float32]
        In digital full scale (−1..1), at least half a second.
    fs_hz : float
    true_rms : float
        Physical r.m.s. of the tone.

    Raises
    ------
    Rejection
        If the tone is not 90 % of the power, or reaches full scale.

    Examples
    --------
    >>> tone = 0.1 * np.sqrt(2) * np.sin(2 * np.pi * 1000 * np.arange(48000) / 48000)
    >>> round(full_scale(tone.astype(np.float32), 48000, 1.0), 4)  # 94 dB
    10.0
    """
    if float(np.abs(samples).max(initial=0.0)) >= 0.999:
        raise Rejection("calibration_clipped", point=name)
    x = samples - samples.mean()
    power = np.abs(np.fft.rfft(x * np.hanning(x.size))) ** 2
    hz = np.fft.rfftfreq(x.size, 1 / fs_hz)
    inside = (hz >= TONE_HZ_RANGE[0]) & (hz <= TONE_HZ_RANGE[1])
    peak = hz[inside][int(power[inside].argmax())] if inside.any() else 0.0
    tone = power[np.abs(hz - peak) < max(5.0, 0.03 * peak)].sum()
    share = float(tone / max(float(power.sum()), 1e-30))
    if share < TONE_SHARE:
        raise Rejection("calibration_no_tone", point=name, share=share)
    return true_rms / float(np.sqrt(np.mean(x**2) * share))
