"""Analogue inputs of National Instruments, by NI-DAQmx and its package `nidaqmx`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from auscult.contract.said import Said
from auscult.gateway.sources.contract import Attached, SourceContext, SourceKind
from auscult.gateway.sources.ni.settings import NiSource
from auscult.gateway.sources.registry import vendor
from auscult.gateway.sources.support.device import Capture, DeviceError, DeviceReader, now_ns

READ_S = 0.1
BUFFER_S = 4.0
RANGE_V = 5.0
FULL_SCALE = 0.999
SILENT_S = 2.0
OVERRUN = (-200279, -200278, -200010)
"""Samples overwritten before they were read; will never be available; converter's memory full."""


def nidaqmx_library() -> Any:
    """Import nidaqmx.

    Raises
    ------
    SourceError
        If the package is missing.
    """
    with vendor("nidaqmx", "ni"):
        import nidaqmx
        import nidaqmx.constants
        import nidaqmx.errors
        import nidaqmx.stream_readers
        import nidaqmx.system

    return nidaqmx


class NiModule(DeviceReader):
    """A `Source` that reads one module; its points are in V, with a sensitivity."""

    def __init__(self, settings: NiSource, context: SourceContext, library: Any) -> None:
        super().__init__(settings, context)
        self._settings = settings
        self._library = library

    @contextmanager
    def opened(self) -> Iterator[_Task]:
        """Make a task of all channels, with IEPE supply, and start it."""
        library, own = self._library, self._settings
        constants = library.constants
        source = constants.ExcitationSource
        supply = source.INTERNAL if own.iepe_ma else source.NONE
        try:
            with library.Task() as task:
                for one in own.channels:
                    task.ai_channels.add_ai_accel_chan(
                        f"{own.module}/ai{one.channel}",
                        min_val=-RANGE_V,
                        max_val=RANGE_V,
                        units=constants.AccelUnits.G,
                        # 1 V counts as 1: the point's sensitivity makes the physical unit
                        sensitivity=1000.0,
                        sensitivity_units=constants.AccelSensitivityUnits.MILLIVOLTS_PER_G,
                        current_excit_source=supply,
                        current_excit_val=own.iepe_ma / 1000,
                    )
                rate = self._plates[0].fs_hz
                task.timing.cfg_samp_clk_timing(
                    rate,
                    sample_mode=constants.AcquisitionType.CONTINUOUS,
                    samps_per_chan=round(rate * BUFFER_S),
                )
                fs_hz = float(task.timing.samp_clk_rate)
                task.start()
                yield _Task(library, task, [one.channel for one in own.channels], fs_hz)
        except (library.errors.Error, OSError) as error:
            raise DeviceError(
                "device_failed", device=own.module, detail=str(error).splitlines()[0]
            ) from error


class _Task:
    def __init__(self, library: Any, task: Any, channels: Sequence[int], fs_hz: float) -> None:
        self._library, self._task, self._channels = library, task, channels
        self._fs_hz = fs_hz
        self._reader = library.stream_readers.AnalogMultiChannelReader(task.in_stream)
        self._count = max(1, round(READ_S * fs_hz))

    @property
    def fs_hz(self) -> float:
        return self._fs_hz

    @property
    def units(self) -> Sequence[str]:
        return ["V"] * len(self._channels)

    def read(self) -> Capture | None:
        """Wait for a tenth of a second of samples.

        The task is started again where it has lost samples. The excitation fault of a channel is
        an open or short sensor (NI 9234, 9230 and 9232 measure the bias voltage).
        """
        data = np.zeros((len(self._channels), self._count))
        try:
            self._reader.read_many_sample(
                data, number_of_samples_per_channel=self._count, timeout=SILENT_S
            )
        except self._library.errors.DaqReadError as error:
            if error.error_code not in OVERRUN:
                raise
            self._task.stop()
            self._task.start()
            return Capture(np.zeros((len(self._channels), 0), np.float32), now_ns(), overrun=True)
        arrival_ns = now_ns()
        samples = data.astype(np.float32)
        peaks = np.abs(samples).max(axis=1)
        clipped = frozenset(np.flatnonzero(peaks >= FULL_SCALE * RANGE_V).tolist())
        return Capture(samples, arrival_ns, clipped=clipped, faults=self._open_sensors())

    def _open_sensors(self) -> dict[int, Said]:
        """Rows whose supply current can't flow, as the driver reports them; {} without support."""
        stream = self._task.in_stream
        try:
            if not stream.excit_fault_chans_exist:
                return {}
            named = list(stream.excit_fault_chans)
        except self._library.errors.Error:
            return {}
        return {
            row: Said("sensor_open", {"channel": channel})
            for row, channel in enumerate(self._channels)
            if any(name.endswith(f"/ai{channel}") for name in named)
        }


class NiKind(SourceKind[NiSource]):
    """Modules of National Instruments."""

    settings = NiSource

    def open(self, settings: NiSource, context: SourceContext) -> NiModule:
        return NiModule(settings, context, nidaqmx_library())

    def attached(self) -> Iterator[Attached]:
        library = nidaqmx_library()
        try:
            for device in library.system.System.local().devices:
                channels = len(device.ai_physical_chans)
                if channels:
                    yield Attached("ni", device.name, device.product_type, channels)
        except library.errors.Error as error:
            raise DeviceError("device_failed", device="NI-DAQmx", detail=str(error)) from error


KIND = NiKind()
