"""Cards, microphones and MEMS: against the vendors' API by thin fakes, and a real ALSA device."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from auscult.gateway.records import PointId, SampleBlock, SourceFault
from auscult.gateway.settings.gateway import MachineSettings, PointSettings
from auscult.gateway.sources.contract import SourceContext
from auscult.gateway.sources.iio.settings import IioSource
from auscult.gateway.sources.iio.source import IioDevice, Scan, layout
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.sources.mcc172.settings import Mcc172Source
from auscult.gateway.sources.mcc172.source import Mcc172
from auscult.gateway.sources.ni.settings import NiSource
from auscult.gateway.sources.ni.source import NiModule
from auscult.gateway.sources.sound import source as sound
from auscult.gateway.sources.sound.decimation import Decimator
from auscult.gateway.sources.sound.settings import SoundSource
from auscult.gateway.sources.sound.source import SoundCard
from auscult.gateway.sources.support import device
from auscult.link.broker import BrokerSettings
from tests.gateway.sources.fake_devices import (
    FakeDaqhats,
    FakeInputStream,
    FakeMcc172,
    FakeNi,
    FakeSounddevice,
)
from tests.waiting import DEADLINE_S, wait_until


def context(unit: str, fs_hz: float, *ids: str) -> SourceContext:
    more = {"sensitivity_mv": 100, "sensitivity_unit": "g"} if unit == "V" else {}
    points = [PointSettings(id=i, kind="vibration", unit=unit, fs_hz=fs_hz, **more) for i in ids]
    machines = {"pump": MachineSettings(id="pump", points=points)}
    return SourceContext(machines, BrokerSettings(), "t", Path("unused"))


@contextmanager
def running(source, monkeypatch):
    monkeypatch.setattr(device, "RETRY_S", 0.05)
    inlet, stop = Inlet(), threading.Event()
    thread = threading.Thread(target=source.run, args=(inlet, stop))
    thread.start()
    items: list = []

    def blocks(count: int, point: str = "A") -> list[SampleBlock]:
        def enough() -> bool:
            items.extend(inlet.take(0.02))
            return len(of(point)) >= count

        wait_until(enough)
        return of(point)

    def of(point: str) -> list[SampleBlock]:
        wanted = PointId("pump", point)
        return [i for i in items if isinstance(i, SampleBlock) and i.point == wanted]

    blocks.items = items
    try:
        yield blocks
    finally:
        stop.set()
        thread.join(DEADLINE_S)
        assert not thread.is_alive()


CHANNELS = [{"channel": 1, "point": "A"}, {"channel": 0, "point": "B"}]


def test_mcc172_status_words_and_rate(monkeypatch):
    library = FakeDaqhats()
    library.board.script = ["data", "hardware", "data", "buffer", "data", "full"]
    settings = Mcc172Source(type="mcc172", machine="pump", channels=CHANNELS)
    source = Mcc172(settings, context("V", 25_600, "A", "B"), library)
    with running(source, monkeypatch) as blocks:
        a, b = blocks(4), blocks(4, "B")
    assert np.abs(a[0].samples).max() == pytest.approx(2.0, rel=0.01), "channel 1 is point A"
    assert np.abs(b[0].samples).max() == pytest.approx(1.0, rel=0.01)
    assert [x.gap for x in a[:4]] == [True, True, True, False], "each over-run is a gap"
    assert source.overruns == 2
    assert library.board.scans >= 3, "an over-run stops the scan: it is started again"
    assert "samples lost 2 times" in source.status.text
    assert b[3].clipped
    assert not a[3].clipped
    assert ("iepe", 0, 1) in library.board.calls
    assert library.board.calls[-1] == ("iepe", 0, 0), "the supply is switched off at the end"


def test_mcc172_with_a_rate_that_it_does_not_have(monkeypatch):
    settings = Mcc172Source(type="mcc172", machine="pump", channels=CHANNELS)
    source = Mcc172(settings, context("V", 20_000, "A", "B"), FakeDaqhats())
    with running(source, monkeypatch):
        wait_until(lambda: "17067 Hz" in source.status.text)


def test_a_board_that_is_gone_comes_back(monkeypatch):
    library = FakeDaqhats()
    library.board.script = ["data", "gone", "data"]
    settings = Mcc172Source(type="mcc172", machine="pump", channels=CHANNELS)
    source = Mcc172(settings, context("V", 25_600, "A", "B"), library)
    with running(source, monkeypatch) as blocks:
        found = blocks(2)
        assert found[1].gap
        faults = [i for i in blocks.items if isinstance(i, SourceFault)]
        assert {f.point.point for f in faults} == {"A", "B"}
        assert "Incorrect response" in faults[0].said.text
        wait_until(lambda: source.status.text == "ok")


def test_ni_reports_open_sensors_and_overruns(monkeypatch):
    library = FakeNi(pytest.importorskip("nidaqmx.constants"))
    library.script = ["data", "overrun", "data", "gone", "data"]
    settings = NiSource(type="ni", machine="pump", module="cDAQ1Mod1", channels=CHANNELS)
    source = NiModule(settings, context("V", 25_600, "A", "B"), library)
    with running(source, monkeypatch) as blocks:
        found = blocks(3)
        assert [b.gap for b in found[:3]] == [True, True, True]
        assert source.overruns == 1
        library.open_channels = ["cDAQ1Mod1/ai1"]
        wait_until(lambda: "open or short sensor at channel 1" in source.status.text)
        before = len(blocks(3, "B"))
        blocks(before + 2, "B")
        library.open_channels = []
        wait_until(lambda: "open or short" not in source.status.text)
    assert [name for name, _ in library.added[:2]] == ["cDAQ1Mod1/ai1", "cDAQ1Mod1/ai0"]
    assert library.added[0][1]["current_excit_val"] == 0.002


def test_the_fakes_have_the_signatures_of_the_real_packages():
    pytest.importorskip("nidaqmx")
    from nidaqmx.error_codes import DAQmxErrors
    from nidaqmx.stream_readers import AnalogMultiChannelReader
    from nidaqmx.task._in_stream import InStream
    from nidaqmx.task._timing import Timing
    from nidaqmx.task.collections import AIChannelCollection

    from auscult.gateway.sources.ni.source import OVERRUN

    library = FakeNi(None)
    real = inspect.signature(AIChannelCollection.add_ai_accel_chan).parameters
    used = {"min_val", "max_val", "units", "sensitivity", "sensitivity_units",
            "current_excit_source", "current_excit_val"}  # fmt: skip
    assert used <= real.keys()
    assert {"sample_mode", "samps_per_chan"} <= inspect.signature(
        Timing.cfg_samp_clk_timing
    ).parameters.keys()
    ours = inspect.signature(library.read_many_sample).parameters
    theirs = inspect.signature(AnalogMultiChannelReader.read_many_sample).parameters
    assert list(ours) == list(theirs)[1:]
    assert {"excit_fault_chans", "excit_fault_chans_exist"} <= set(dir(InStream))
    assert {e.value for e in DAQmxErrors} >= set(OVERRUN)
    # daqhats 1.4.1 (its library runs on a Raspberry Pi only): mcc172.py, lines 19 to 1177
    assert list(inspect.signature(FakeMcc172.a_in_scan_read_numpy).parameters) == [
        "self", "samples_per_channel", "timeout",
    ]  # fmt: skip


def test_a_microphone_survives_unplugging_and_counts_overruns(monkeypatch):
    monkeypatch.setattr(sound, "SILENT_S", 0.3)
    FakeInputStream.opened.clear()
    library = FakeSounddevice("HDMI", "USB mic (UMIK-1)")
    settings = SoundSource(
        type="sound", machine="pump", device="umik", channels=[{"channel": 1, "point": "A"}]
    )
    source = SoundCard(settings, context("FS", 16_000, "A"), library)
    with running(source, monkeypatch) as blocks:
        wait_until(lambda: FakeInputStream.opened)
        stream = FakeInputStream.opened[-1]
        assert stream.rate == 48_000, "the card takes 48 kHz only: three times the point's rate"
        for _ in range(5):
            stream.play()
        stream.play(overflow=True)
        stream.play(value=1.0)
        found = blocks(7)
        assert [b.gap for b in found] == [True, *[False] * 4, True, False]
        assert [b.clipped for b in found] == [*[False] * 6, True]
        assert found[2].samples == pytest.approx(0.5, abs=1e-3)
        assert found[2].samples.size == 1600
        library.names.remove("USB mic (UMIK-1)")  # unplugged: no callback any more
        wait_until(lambda: "no device umik; found HDMI" in source.status.text)
        library.names.append("USB mic (UMIK-1)")
        wait_until(lambda: len(FakeInputStream.opened) > 1)
        FakeInputStream.opened[-1].play()
        assert blocks(8)[-1].gap
        wait_until(lambda: "no device" not in source.status.text)


@pytest.mark.parametrize(
    ("names", "rates", "words"),
    [
        (("A mic", "B mic"), (48_000,), "several devices: A mic, B mic"),
        (("HDMI",), (48_000,), "no device mic; found HDMI"),
        (("A mic",), (44_100,), "can't record at 16000 Hz or a multiple"),
    ],
)
def test_a_card_that_does_not_fit_is_named(monkeypatch, names, rates, words):
    settings = SoundSource(
        type="sound", machine="pump", device="mic", channels=[{"channel": 0, "point": "A"}]
    )
    library = FakeSounddevice(*names, rates=rates)
    source = SoundCard(settings, context("FS", 16_000, "A"), library)
    with running(source, monkeypatch):
        wait_until(lambda: words in source.status.text)


def test_the_decimator_keeps_the_band_and_removes_what_would_alias():
    fs = 48_000
    t = np.arange(fs) / fs
    wanted, alias = np.sin(2 * np.pi * 5000 * t), np.sin(2 * np.pi * 12_000 * t)
    for x, level in ((wanted, 2**-0.5), (alias, 0.0)):
        decimator = Decimator(3, 1)
        pieces = np.array_split(x.astype(np.float32)[None, :], 37, axis=1)
        out = np.concatenate([decimator.pass_on(p) for p in pieces], axis=1)[0]
        assert out.size == fs / 3
        assert np.std(out[1000:]) == pytest.approx(level, abs=2e-4)


ALSA = """
</usr/share/alsa/alsa.conf>
pcm.auscult_mic {{ type file slave.pcm null file /dev/null infile {fifo} format raw }}
ctl.auscult_mic {{ type hw card 0 }}
"""
RECORDER = """
import sys, threading, time
from pathlib import Path
import numpy as np
from auscult.link.broker import BrokerSettings
from auscult.gateway.sources.sound.settings import SoundSource
from auscult.gateway.settings.gateway import MachineSettings, PointSettings
from auscult.gateway.sources.contract import SourceContext
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.sources.listening import full_scale
from auscult.gateway.sources.sound import KIND
(attached,) = [a for a in KIND.attached() if "auscult_mic" in a.address]
points = [PointSettings(id="A", kind="sound", unit="FS", fs_hz=16_000)]
machines = {"fan": MachineSettings(id="fan", points=points)}
settings = SoundSource(type="sound", machine="fan", device="auscult_mic",
                       channels=[{"channel": 0, "point": "A"}])
source = KIND.open(settings, SourceContext(machines, BrokerSettings(), "t", Path(".")))
inlet, stop = Inlet(), threading.Event()
thread = threading.Thread(target=source.run, args=(inlet, stop), daemon=True)
thread.start()
samples, begin = np.empty(0, np.float32), time.monotonic()
while samples.size < 16_000 and time.monotonic() - begin < 20:
    samples = np.concatenate([samples, *[i.samples for i in inlet.take(0.2)]])
print(full_scale(samples[4000:16_000], 16_000, 1.0), source.status.text, flush=True)
stop.set()
import os; os._exit(0)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="ALSA is of Linux")
def test_a_real_alsa_device_is_recorded_and_calibrated(tmp_path):
    """ALSA's file plugin reads a tone from a pipe: PortAudio, driver and format are real."""
    pytest.importorskip("sounddevice", exc_type=OSError)
    if not Path("/usr/share/alsa/alsa.conf").exists():
        pytest.skip("no ALSA configuration (package libasound2-data)")
    fifo = tmp_path / "tone"
    os.mkfifo(fifo)
    (tmp_path / "asound.conf").write_text(ALSA.format(fifo=fifo))
    environment = os.environ | {"ALSA_CONFIG_PATH": str(tmp_path / "asound.conf")}
    with subprocess.Popen(
        [sys.executable, "-c", RECORDER], env=environment, stdout=subprocess.PIPE, text=True
    ) as recorder:
        # 94 dB as a calibrator makes it: 1 kHz, here a tenth of full scale (r.m.s.)
        t = np.arange(16_000) / 16_000
        tone = (0.1 * np.sqrt(2) * np.sin(2 * np.pi * 1000 * t)).astype("<f4").tobytes()
        feeder = threading.Thread(target=_feed, args=(fifo, tone, recorder), daemon=True)
        feeder.start()
        out, _ = recorder.communicate(timeout=DEADLINE_S)
    value, status = out.split(maxsplit=1)
    assert float(value) == pytest.approx(10.0, rel=1e-3), "1 Pa is a tenth of full scale"
    assert status.strip() == "ok"


def _feed(fifo: Path, tone: bytes, recorder: subprocess.Popen) -> None:
    while recorder.poll() is None:
        try:
            with fifo.open("wb", buffering=0) as pipe:
                while recorder.poll() is None:
                    for first in range(0, len(tone), 6400):  # a tenth of a second at a time
                        pipe.write(tone[first : first + 6400])
                        time.sleep(0.05)
        except OSError:
            time.sleep(0.05)


class FakeIio:
    """The kernel's files of an ADXL355 in a folder, and a pipe as its device file."""

    def __init__(self, folder: Path) -> None:
        self.sysfs, self.dev = folder / "sys", folder / "dev"
        self.device = self.sysfs / "iio:device0"
        elements = self.device / "scan_elements"
        elements.mkdir(parents=True)
        (self.device / "buffer").mkdir()
        self.dev.mkdir()
        for index, axis in enumerate("xyz"):
            (elements / f"in_accel_{axis}_en").write_text("0")
            (elements / f"in_accel_{axis}_index").write_text(f"{index}\n")
            (elements / f"in_accel_{axis}_type").write_text("be:s20/32>>12\n")
        (elements / "in_timestamp_en").write_text("1")
        files = {"name": "adxl355", "in_accel_scale": "0.000038245", "in_accel_x_offset": "100",
                 "in_accel_sampling_frequency": "4000.000000", "buffer/enable": "0",
                 "buffer/length": "0", "buffer/watermark": "1"}  # fmt: skip
        for name, text in files.items():
            (self.device / name).write_text(f"{text}\n")
        os.mkfifo(self.dev / "iio:device0")

    def read(self, name: str) -> str:
        return (self.device / name).read_text().strip()


def test_iio_scale_offset_watermark_and_entries_that_are_no_multiple_of_three(
    tmp_path, monkeypatch
):
    fake = FakeIio(tmp_path)
    settings = IioSource(
        type="iio", machine="pump", device="adxl355", sysfs=fake.sysfs, dev=fake.dev,
        channels=[{"axis": "z", "point": "A"}, {"axis": "x", "point": "B"},
                  {"axis": "y", "point": "C"}],
    )  # fmt: skip
    source = IioDevice(settings, context("m/s2", 4000, "A", "B", "C"))
    n = 500
    raw = np.stack([np.arange(n) * 3, -np.arange(n) * 5, np.full(n, 25_000)]).T
    words = (raw.astype(np.int64) << 12).astype(">i4").tobytes()
    # entries of the FIFO: any number of 4-byte values, and once half a value
    cuts = [0, 4, 16, 20, 400, 402, 1000, len(words)]
    with running(source, monkeypatch) as blocks:
        wait_until(lambda: fake.read("buffer/enable") == "1")
        with (fake.dev / "iio:device0").open("wb", buffering=0) as pipe:
            for first, last in pairwise(cuts):
                pipe.write(words[first:last])
                time.sleep(0.02)
            wait_until(lambda: blocks(1) and sum(b.samples.size for b in blocks(1)) == n)
            z, x, y = (np.concatenate([b.samples for b in blocks(1, p)]) for p in "ABC")
            assert fake.read("buffer/watermark") == "400", "0.1 s at 4 kHz"
            assert fake.read("scan_elements/in_accel_y_en") == "1"
            assert fake.read("scan_elements/in_timestamp_en") == "0"
    np.testing.assert_allclose(z, 25_000 * 0.000038245, rtol=1e-6)
    np.testing.assert_allclose(x, (np.arange(n) * 3 + 100) * 0.000038245, rtol=1e-6)
    np.testing.assert_allclose(y, -np.arange(n) * 5 * 0.000038245, rtol=1e-6, atol=1e-9)
    assert fake.read("buffer/enable") == "0", "the buffer is stopped at the end"


@pytest.mark.parametrize(
    ("kind", "data", "value"),
    [
        ("le:s12/16>>4", b"\xf0\xff", -1),
        ("be:s20/24>>4", b"\x80\x00\x00", -(2**19)),
        ("le:u16/16>>0", b"\xff\xff", 65_535),
        ("le:s64/64>>0", b"\xfe" + 7 * b"\xff", -2),
    ],
)
def test_iio_types_are_read_as_the_kernel_writes_them(kind, data, value):
    scan = Scan.parse(0, kind)
    assert scan.values(np.frombuffer(data, np.uint8)[None, :], 0).tolist() == [value]
    assert layout([scan])[1] == scan.size
