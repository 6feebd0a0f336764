"""Thin fakes of the vendors' packages, with the documented results and status words.

`test_devices.py` compares their signatures with the real packages where these are installed.
"""

from __future__ import annotations

from collections import namedtuple
from enum import IntEnum
from types import SimpleNamespace
from typing import ClassVar

import numpy as np

ClockConfig = namedtuple("ClockConfig", "clock_source sample_rate_per_channel synchronized")
ScanRead = namedtuple("ScanRead", "running hardware_overrun buffer_overrun triggered timeout data")


class HatError(Exception):
    """daqhats.HatError."""


class FakeMcc172:
    """daqhats.mcc172 1.4.1: two channels, rates of 51.2 kHz / n."""

    def __init__(self, address=0):
        self.calls: list[tuple] = []
        self.scans = 0
        self.script: list[str] = []
        self.channels = 0
        self.synced_after = 2
        self.at = 0

    def iepe_config_write(self, channel, mode):
        self.calls.append(("iepe", channel, mode))

    def a_in_sensitivity_write(self, channel, value):
        self.calls.append(("sensitivity", channel, value))

    def a_in_clock_config_write(self, clock_source, sample_rate_per_channel):
        self.rate = 51_200 / round(51_200 / sample_rate_per_channel)

    def a_in_clock_config_read(self):
        self.synced_after -= 1
        return ClockConfig(0, self.rate, self.synced_after <= 0)

    def a_in_scan_start(self, channel_mask, samples_per_channel, options):
        self.channels = channel_mask.bit_count()
        self.scans += 1

    def a_in_scan_read_numpy(self, samples_per_channel, timeout):
        state = self.script.pop(0) if self.script else "data"
        if state == "gone":
            raise HatError("Incorrect response.")
        n = 0 if state == "empty" else round(self.rate / 10)
        t = np.arange(self.at, self.at + n)
        self.at += n
        rows = [(c + 1) * np.sin(t / 7) for c in range(self.channels)]
        if state == "full":
            rows[0] = np.clip(100 * rows[0], -5.0, 5.0)
        data = np.array(rows).T.ravel()
        return ScanRead(
            state != "stopped", state == "hardware", state == "buffer", True, False, data
        )

    def a_in_scan_stop(self):
        self.calls.append(("stop",))

    def a_in_scan_cleanup(self):
        self.calls.append(("cleanup",))


class FakeDaqhats:
    """The module daqhats."""

    HatError = HatError
    SourceType = IntEnum("SourceType", "LOCAL MASTER SLAVE", start=0)
    OptionFlags = SimpleNamespace(CONTINUOUS=0x10)
    HatIDs = SimpleNamespace(MCC_172=0x0145)

    def __init__(self):
        self.board = FakeMcc172()

    def mcc172(self, address):
        return self.board

    def hat_list(self, filter_by_id=0):
        return [SimpleNamespace(address=0, id=filter_by_id, product_name="MCC 172 IEPE HAT")]


class DaqError(Exception):
    """nidaqmx.errors.Error."""


class DaqReadError(DaqError):
    """nidaqmx.errors.DaqReadError."""

    def __init__(self, message, error_code):
        super().__init__(message)
        self.error_code = error_code


class FakeNi:
    """The module nidaqmx: one module whose rate is coerced, with scripted reads."""

    errors = SimpleNamespace(Error=DaqError, DaqReadError=DaqReadError)

    def __init__(self, constants):
        self.constants = constants
        self.script: list[str] = []
        self.starts = 0
        self.open_channels: list[str] = []
        self.added: list[tuple] = []
        self.rate = 0.0
        self.stream_readers = SimpleNamespace(AnalogMultiChannelReader=self._reader)

    def Task(self):
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    @property
    def ai_channels(self):
        return self

    @property
    def timing(self):
        return self

    @property
    def samp_clk_rate(self):
        return self.rate

    @property
    def in_stream(self):
        return SimpleNamespace(
            excit_fault_chans_exist=bool(self.open_channels), excit_fault_chans=self.open_channels
        )

    def add_ai_accel_chan(self, physical_channel, **more):
        self.added.append((physical_channel, more))

    def cfg_samp_clk_timing(self, rate, **more):
        self.rate = 51_200 / round(51_200 / rate)

    def start(self):
        self.starts += 1

    def stop(self):
        pass

    def _reader(self, stream):
        return self

    def read_many_sample(self, data, number_of_samples_per_channel=-1, timeout=10.0):
        state = self.script.pop(0) if self.script else "data"
        if state == "overrun":
            raise DaqReadError("samples are no longer available", -200279)
        if state == "gone":
            raise DaqReadError("device not available", -88705)
        data[:] = np.sin(np.arange(data.shape[1]) / 7)
        return data.shape[1]


class FakeInputStream:
    """sounddevice.InputStream: the test calls its callback."""

    opened: ClassVar[list[FakeInputStream]] = []

    def __init__(self, device, channels, samplerate, blocksize, dtype, callback):
        self.channels, self.rate, self.blocksize, self.callback = (
            channels, samplerate, blocksize, callback,
        )  # fmt: skip

    def __enter__(self):
        FakeInputStream.opened.append(self)
        return self

    def __exit__(self, *_):
        pass

    def play(self, *, overflow=False, value=0.5):
        data = np.full((self.blocksize, self.channels), value, np.float32)
        self.callback(data, self.blocksize, None, SimpleNamespace(input_overflow=overflow))


class FakeSounddevice:
    """The module sounddevice, with devices that come and go."""

    class PortAudioError(Exception):
        """sounddevice.PortAudioError."""

    InputStream = FakeInputStream

    def __init__(self, *names, rates=(48_000,)):
        self.names, self.rates = list(names), rates
        self._listed = list(names)

    def _terminate(self):
        pass

    def _initialize(self):
        self._listed = list(self.names)

    def query_devices(self, index=None):
        devices = [
            {"index": i, "name": n, "max_input_channels": 2, "default_samplerate": 48_000.0}
            for i, n in enumerate(self._listed)
        ]
        return devices if index is None else devices[index]

    def check_input_settings(self, device, channels, dtype, samplerate):
        if samplerate not in self.rates or channels > 2:
            raise self.PortAudioError("Invalid sample rate")
