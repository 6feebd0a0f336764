"""Sound cards, USB and I2S microphones, by PortAudio."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auscult.gateway.sources.contract import (
    Attached,
    SourceContext,
    SourceKind,
    SourceProblem,
)
from auscult.gateway.sources.registry import vendor
from auscult.gateway.sources.sound.decimation import Decimator
from auscult.gateway.sources.sound.settings import SoundSource
from auscult.gateway.sources.support.device import Capture, DeviceError, DeviceReader, now_ns

FACTORS = (1, 2, 3, 4, 6, 8, 12)
"""A card that can't take the point's rate records at a multiple; Auscult lowers it."""
BLOCK_S = 0.1
WAITING = 100
"""Blocks that wait for the reader: 10 s."""
SILENT_S = 2.0
"""A stream without a callback for this has lost its device: PortAudio does not tell."""
FULL_SCALE = 0.999

_open_streams = 0
_lock = threading.Lock()


def portaudio() -> Any:
    """Import sounddevice.

    Raises
    ------
    SourceError
        If the package or PortAudio is missing.
    """
    with vendor("sounddevice", "sound"):
        import sounddevice

    return sounddevice


class SoundCard(DeviceReader):
    """A `Source` that records from a sound card."""

    def __init__(self, settings: SoundSource, context: SourceContext, library: Any) -> None:
        super().__init__(settings, context)
        self._settings = settings
        self._library = library

    @contextmanager
    def opened(self) -> Iterator[_Stream]:
        """Find the device by its name, negotiate the rate, and record."""
        global _open_streams  # noqa: PLW0603 - PortAudio's list of devices is global too
        library, own = self._library, self._settings
        with _lock:
            if _open_streams == 0:
                # PortAudio lists devices once, when it starts; so one plugged later is found.
                library._terminate()
                library._initialize()
            _open_streams += 1
        try:
            index, name = _find(library, own.device)
            rows = [one.channel for one in own.channels]
            fs_hz = self._plates[0].fs_hz
            factor = _factor(library, index, max(rows) + 1, fs_hz, name)
            stream = _Stream(own, fs_hz, factor, rows)
            try:
                with library.InputStream(
                    device=index, channels=max(rows) + 1, samplerate=fs_hz * factor,
                    blocksize=round(BLOCK_S * fs_hz * factor), dtype="float32",
                    callback=stream.take,
                ):  # fmt: skip
                    yield stream
            except library.PortAudioError as error:
                raise DeviceError("device_failed", device=name, detail=str(error)) from error
        finally:
            with _lock:
                _open_streams -= 1


class _Stream:
    """A recording: PortAudio's thread fills the queue, the source's reads it."""

    def __init__(
        self, settings: SoundSource, fs_hz: float, factor: int, rows: Sequence[int]
    ) -> None:
        self._name = settings.device
        self._rows = list(rows)
        self._factor = factor
        self._decimator = Decimator(factor, len(rows))
        self._gains = np.array([c.full_scale or 1.0 for c in settings.channels], np.float32)
        self._units = ["Pa" if c.full_scale else "FS" for c in settings.channels]
        self._fs_hz = fs_hz
        self._queue: queue.Queue[tuple[NDArray[np.float32], int, bool]] = queue.Queue(WAITING)
        self._missed = False
        self._heard_s = time.monotonic()

    @property
    def fs_hz(self) -> float:
        return self._fs_hz

    @property
    def units(self) -> Sequence[str]:
        return self._units

    def take(self, data: NDArray[np.float32], _frames: int, _time: Any, status: Any) -> None:
        """Take a block in PortAudio's thread; `status` reports an overflow before it."""
        missed = self._missed or bool(status and status.input_overflow)
        try:
            self._queue.put_nowait((data[:, self._rows].T.copy(), now_ns(), missed))
            self._missed = False
        except queue.Full:
            self._missed = True

    def read(self) -> Capture | None:
        try:
            samples, arrival_ns, overrun = self._queue.get(timeout=0.25)
        except queue.Empty:
            if time.monotonic() - self._heard_s > SILENT_S:
                raise DeviceError("device_silent", device=self._name, after_s=SILENT_S) from None
            return None
        self._heard_s = time.monotonic()
        if overrun:
            self._decimator = Decimator(self._factor, len(self._rows))
        peaks = np.abs(samples).max(axis=1, initial=0.0)
        clipped = frozenset(np.flatnonzero(peaks >= FULL_SCALE).tolist())
        lowered = self._decimator.pass_on(samples) * self._gains[:, None]
        return Capture(lowered, arrival_ns, overrun, clipped)


def _find(library: Any, wanted: str) -> tuple[int, str]:
    """Return number and name of the one input whose name holds a text."""
    inputs = [
        (int(one["index"]), str(one["name"]))
        for one in library.query_devices()
        if one["max_input_channels"] > 0
    ]
    found = [one for one in inputs if wanted.lower() in one[1].lower()]
    exact = [one for one in found if one[1] == wanted]
    if len(exact or found) == 1:
        return (exact or found)[0]
    names = tuple(name for _, name in found or inputs)
    code = "device_ambiguous" if found else "device_absent"
    raise DeviceError(code, device=wanted, devices=names)


def _factor(library: Any, index: int, channels: int, fs_hz: float, name: str) -> int:
    """Return the smallest multiple of the rate that the card takes."""
    for factor in FACTORS:
        try:
            library.check_input_settings(
                device=index, channels=channels, dtype="float32", samplerate=fs_hz * factor
            )
        except (library.PortAudioError, ValueError):
            continue
        return factor
    info = library.query_devices(index)
    raise DeviceError(
        "device_rate", device=name, fs_hz=fs_hz, usual_hz=float(info["default_samplerate"]),
        channels=int(info["max_input_channels"]),
    )  # fmt: skip


class SoundKind(SourceKind[SoundSource]):
    """Sound cards."""

    settings = SoundSource

    def open(self, settings: SoundSource, context: SourceContext) -> SoundCard:
        return SoundCard(settings, context, portaudio())

    def forbidden(self, settings: SoundSource, recordings_dir: Path) -> SourceProblem | None:
        """Allow it: a microphone reaches no other host."""
        del settings, recordings_dir
        return None

    def attached(self) -> Iterator[Attached]:
        for one in portaudio().query_devices():
            if one["max_input_channels"] > 0:
                yield Attached(
                    "sound", str(one["name"]), str(one["name"]), int(one["max_input_channels"]),
                    float(one["default_samplerate"]),
                )  # fmt: skip


KIND = SoundKind()
