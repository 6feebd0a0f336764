"""MCC 172: two IEPE channels of 24 bits on a Raspberry Pi, by the maker's package `daqhats`."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from auscult.gateway.sources.contract import Attached, SourceContext, SourceKind
from auscult.gateway.sources.mcc172.settings import Mcc172Source
from auscult.gateway.sources.registry import vendor
from auscult.gateway.sources.support.device import Capture, DeviceError, DeviceReader, now_ns

READ_S = 0.1
SYNC_S = 3.0
"""The converters synchronise within a second after the clock is set."""
RANGE_V = 5.0
FULL_SCALE = 0.999
SILENT_S = 2.0


def daqhats_library() -> Any:
    """Import daqhats.

    Raises
    ------
    SourceError
        If the package, or the library that it loads, is missing.
    """
    with vendor("daqhats", "mcc"):
        import daqhats

    return daqhats


class Mcc172(DeviceReader):
    """A `Source` that reads one board; its points are in V, with a sensitivity."""

    def __init__(self, settings: Mcc172Source, context: SourceContext, library: Any) -> None:
        super().__init__(settings, context)
        self._settings = settings
        self._library = library

    @contextmanager
    def opened(self) -> Iterator[_Scan]:
        """Supply the sensors, set the clock, and scan until the end."""
        library, own = self._library, self._settings
        wanted = [one.channel for one in own.channels]
        try:
            board = library.mcc172(own.address)
            for channel in wanted:
                board.iepe_config_write(channel, int(own.iepe))
                board.a_in_sensitivity_write(channel, 1000.0)  # volts; the point has its own
            board.a_in_clock_config_write(library.SourceType.LOCAL, self._plates[0].fs_hz)
            fs_hz = _synchronised(board)
            scan = _Scan(library, board, wanted, fs_hz)
            scan.start()
            try:
                yield scan
            finally:
                board.a_in_scan_stop()
                board.a_in_scan_cleanup()
                for channel in wanted:
                    board.iepe_config_write(channel, 0)
        except (library.HatError, ValueError) as error:
            raise DeviceError(
                "device_failed", device=f"MCC 172 at {own.address}", detail=str(error)
            ) from error


def _synchronised(board: Any) -> float:
    """Wait until the converters run at the new clock; return the true rate."""
    deadline = time.monotonic() + SYNC_S
    while True:
        config = board.a_in_clock_config_read()
        if config.synchronized:
            return float(config.sample_rate_per_channel)
        if time.monotonic() > deadline:
            raise DeviceError("device_silent", device="MCC 172", after_s=SYNC_S)
        time.sleep(0.01)


class _Scan:
    def __init__(self, library: Any, board: Any, wanted: Sequence[int], fs_hz: float) -> None:
        self._library, self._board, self._fs_hz = library, board, fs_hz
        # The board delivers the channels of the mask in rising order.
        order = sorted(wanted)
        self._rows = [order.index(channel) for channel in wanted]
        self._mask = sum(1 << channel for channel in wanted)
        self._heard_s = time.monotonic()

    def start(self) -> None:
        """Start the scan, with a buffer of two seconds."""
        options = self._library.OptionFlags.CONTINUOUS
        self._board.a_in_scan_start(self._mask, round(2 * self._fs_hz), options)

    @property
    def fs_hz(self) -> float:
        return self._fs_hz

    @property
    def units(self) -> Sequence[str]:
        return ["V"] * len(self._rows)

    def read(self) -> Capture | None:
        """Read what the buffer holds; the status words tell of losses.

        After an over-run the scan has stopped at the board: it is started again.
        """
        time.sleep(READ_S)
        result = self._board.a_in_scan_read_numpy(-1, 0)
        arrival_ns = now_ns()
        if result.hardware_overrun or result.buffer_overrun:
            self._restart()
            return self._piece(result.data, arrival_ns, overrun=True)
        if not result.running:
            raise DeviceError("device_failed", device="MCC 172", detail="the scan has stopped")
        if not len(result.data):
            if time.monotonic() - self._heard_s > SILENT_S:
                raise DeviceError("device_silent", device="MCC 172", after_s=SILENT_S)
            return None
        self._heard_s = time.monotonic()
        return self._piece(result.data, arrival_ns, overrun=False)

    def _piece(self, data: Any, arrival_ns: int, *, overrun: bool) -> Capture:
        samples = np.asarray(data, np.float32).reshape(-1, len(self._rows)).T[self._rows]
        if overrun:
            # What came before the loss can't be separated from what came after it.
            samples = samples[:, :0]
        peaks = np.abs(samples).max(axis=1, initial=0.0)
        clipped = frozenset(np.flatnonzero(peaks >= FULL_SCALE * RANGE_V).tolist())
        return Capture(np.ascontiguousarray(samples), arrival_ns, overrun, clipped)

    def _restart(self) -> None:
        self._board.a_in_scan_stop()
        self._board.a_in_scan_cleanup()
        self.start()


class Mcc172Kind(SourceKind[Mcc172Source]):
    """MCC 172 boards."""

    settings = Mcc172Source

    def open(self, settings: Mcc172Source, context: SourceContext) -> Mcc172:
        return Mcc172(settings, context, daqhats_library())

    def attached(self) -> Iterator[Attached]:
        library = daqhats_library()
        for hat in library.hat_list(filter_by_id=library.HatIDs.MCC_172):
            yield Attached("mcc172", str(hat.address), hat.product_name, 2, 51_200.0)


KIND = Mcc172Kind()
