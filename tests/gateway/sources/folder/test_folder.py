"""A watched folder: each file once, whole, across restarts; bad ones rejected with the reason."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
import soundfile

from auscult.gateway.records import SampleBlock
from auscult.gateway.settings.gateway import MachineSettings, PointSettings
from auscult.gateway.sources.contract import SourceContext, SourceError
from auscult.gateway.sources.folder import KIND
from auscult.gateway.sources.folder.settings import FolderSource
from auscult.gateway.sources.inlet import Inlet
from auscult.link.broker import BrokerSettings
from tests.waiting import DEADLINE_S, wait_until

FS_HZ = 2000


class Watched:
    """A folder source that runs in a thread, as the gateway runs it."""

    def __init__(self, folder: Path, own: Path, stream_end_ns: int = 0, **more: object) -> None:
        settings = FolderSource.model_validate(
            {
                "type": "folder", "machine": "pump", "folder": folder,
                "channels": {"DE": "1", "NDE": "2"}, "settle_s": 0.1, "give_up_s": 0.3, **more,
            }
        )  # fmt: skip
        points = [
            PointSettings(id=p, kind="vibration", unit="g", fs_hz=FS_HZ) for p in ("DE", "NDE")
        ]
        machines = {"pump": MachineSettings(id="pump", points=points)}
        context = SourceContext(machines, BrokerSettings(), "t", own, stream_end_ns)
        self.source = KIND.open(settings, context)
        self.inlet, self._stop = Inlet(), threading.Event()
        self._thread = threading.Thread(target=self.source.run, args=(self.inlet, self._stop))
        self.items: list = []

    def __enter__(self) -> Watched:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(DEADLINE_S)
        assert not self._thread.is_alive()

    def blocks(self, count: int, point: str = "DE") -> list[SampleBlock]:
        """Wait until so many blocks of a point have come."""

        def enough() -> bool:
            self.items += self.inlet.take(0.05)
            return len(self._of(point)) >= count

        wait_until(enough)
        return self._of(point)

    def _of(self, point: str) -> list[SampleBlock]:
        return [i for i in self.items if isinstance(i, SampleBlock) and i.point.point == point]


def wav(path: Path, value: float, seconds: float = 0.5) -> None:
    samples = np.full((round(FS_HZ * seconds), 2), [value, -value], np.float32)
    soundfile.write(path, samples, FS_HZ, subtype="FLOAT")


def values(blocks: list[SampleBlock]) -> list[float]:
    return [round(float(b.samples[0]), 3) for b in blocks]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "incoming"
    path.mkdir()
    return path


def test_each_file_is_taken_once_across_restarts(folder, tmp_path):
    own = tmp_path / "own"
    wav(folder / "a.wav", 0.1)
    with Watched(folder, own) as watched:
        blocks = watched.blocks(1)
        wav(folder / "b.wav", 0.2)
        assert values(watched.blocks(2)) == [0.1, 0.2]
        assert {b.unit for b in blocks} == {"g"}, "a file without a unit counts in the point's"
        assert values(watched.blocks(2, "NDE")) == [-0.1, -0.2]
    (folder / "a.wav").touch()  # written again with the same content
    wav(folder / "c.wav", 0.3)
    with Watched(folder, own) as watched:
        assert values(watched.blocks(1)) == [0.3]
        wav(folder / "a.wav", 0.4)  # another measurement under the same name
        assert values(watched.blocks(2)) == [0.3, 0.4]
        ends = [b.t0_ns + round(b.samples.size / FS_HZ * 1e9) for b in watched.blocks(2)]
        assert ends[0] <= watched.blocks(2)[1].t0_ns
        assert ends[-1] <= time.time_ns()
        assert watched.source.status.text == "ok"


def _ended_while_reading(folder: Path, own: Path) -> None:
    reading = "auscult.gateway.sources.folder.source.read_signals"
    with (
        mock.patch(reading, side_effect=lambda path, _: path.name == "a.wav" and os._exit(137)),
        Watched(folder, own) as watched,
    ):
        watched.blocks(1)


def test_a_file_that_ends_the_gateway_each_time_stops_no_other(folder, tmp_path):
    own = tmp_path / "own"
    (folder / "0.wav").write_bytes(b"RIFF, half written")  # is tried first, each time
    wav(folder / "a.wav", 0.1)
    for _ in range(3):
        killed = multiprocessing.get_context("fork").Process(
            target=_ended_while_reading, args=(folder, own)
        )
        killed.start()
        killed.join(DEADLINE_S)
        assert killed.exitcode == 137
    wav(folder / "b.wav", 0.2)
    with Watched(folder, own) as watched:
        assert values(watched.blocks(1)) == [0.2]
    assert not (folder / "a.wav").exists()
    reason = (folder / "rejected" / "a.wav.reason.txt").read_text()
    assert "ended 3 times while it read this file" in reason
    assert "shorter files" in reason


def test_a_half_written_file_is_left_until_it_is_whole(folder, tmp_path):
    wav(tmp_path / "whole.wav", 0.5, 2.0)
    whole = (tmp_path / "whole.wav").read_bytes()
    with Watched(folder, tmp_path / "own", give_up_s=30) as watched:
        with (folder / "slow.wav").open("wb") as file:
            for begin in range(0, len(whole), len(whole) // 3):
                file.write(whole[begin : begin + len(whole) // 3])
                file.flush()
                time.sleep(0.4)  # longer than settle_s: a slow copy
                watched.items += watched.inlet.take(0)
                if begin + len(whole) // 3 < len(whole):
                    assert not watched.items
        (block,) = watched.blocks(1)
        assert block.samples.size == 2 * FS_HZ
    assert not (folder / "rejected").exists()


def test_a_bad_file_is_set_aside_with_its_reason_and_others_are_taken(folder, tmp_path):
    (folder / "bad.wav").write_bytes(b"RIFF nothing that follows")
    wav(folder / "mono.wav", 0.1)
    soundfile.write(folder / "mono.wav", np.zeros(2000, np.float32), FS_HZ)
    (folder / "notes.pdf").write_bytes(b"not ours")
    (folder / ".hidden.wav").write_bytes(b"RIFF")
    wav(folder / "copying.wav", 0.9)
    (folder / "copying.wav").rename(folder / "copying.wav.part")
    own = tmp_path / "own"
    with Watched(folder, own) as watched:
        wait_until(lambda: (folder / "rejected" / "mono.wav").exists())
        wait_until(lambda: (folder / "rejected" / "bad.wav").exists())
        wav(folder / "good.wav", 0.2)
        assert values(watched.blocks(1)) == [0.2]
        assert "2 files rejected" in watched.source.status.text
    reason = (folder / "rejected" / "mono.wav.reason.txt").read_text()
    assert "no channel 2; it holds 1" in reason
    assert sorted(p.name for p in folder.iterdir()) == [
        ".hidden.wav", "copying.wav.part", "good.wav", "notes.pdf", "rejected",
    ]  # fmt: skip


def test_a_reason_is_read_whole_at_any_moment(folder, tmp_path):
    why = folder / "rejected" / "a.wav.reason.txt"
    (folder / "a.wav").write_bytes(b"RIFF nothing that follows")
    with Watched(folder, tmp_path / "own") as watched:
        wait_until(why.exists)
        with why.open() as opened:
            first = why.read_text()
            soundfile.write(folder / "a.wav", np.zeros(2000, np.float32), FS_HZ)
            wait_until(lambda: "2 files" in watched.source.status.text)
            assert opened.read() == first, "whoever has opened the old one reads it to its end"
    assert "no channel 2" in why.read_text()
    assert not list(why.parent.glob(".*")), "nothing half written is left"


@pytest.mark.parametrize("endless", [1e308, float("inf"), float("nan"), -1e308])
def test_a_file_of_any_content_or_name_stops_no_other(endless, folder, tmp_path):
    """A time that is no time, and a name in another encoding, as FTP loggers write it."""
    t = np.arange(1000) / FS_HZ
    t[0] = endless
    np.savez(folder / "odd.npz", time=t, **{"1": np.ones(1000), "2": np.ones(1000)})
    wav(folder / "old.wav", 0.25)
    (folder / "old.wav").rename(os.fsdecode(os.fsencode(folder) + b"/L\xfcfter.wav"))
    with Watched(folder, tmp_path, pattern="*") as watched:
        watched.blocks(1)
        wav(folder / "good.wav", 0.5)
        assert values(watched.blocks(2)) == [0.25, 0.5]
        wait_until((folder / "rejected" / "odd.npz").exists)
    with Watched(folder, tmp_path, pattern="*") as watched:
        wav(folder / "later.wav", 0.75)
        assert values(watched.blocks(1)) == [0.75]


def test_times_come_from_the_name_and_never_go_back(folder, tmp_path):
    wav(folder / "20260102_000000.wav", 0.1)
    with Watched(folder, tmp_path / "own", name_time="%Y%m%d_%H%M%S") as watched:
        (block,) = watched.blocks(1)
        assert block.t0_ns == 1_767_312_000_000_000_000
        wav(folder / "20260101_000000.wav", 0.2)
        wav(folder / "29990101_000000.wav", 0.3)
        for name, words in (("20260101_000000", "before what was"), ("29990101_000000", "future")):
            reason = folder / "rejected" / f"{name}.wav.reason.txt"
            wait_until(reason.exists)
            assert words in reason.read_text()


def test_files_are_taken_after_the_clock_was_ahead(folder, tmp_path):
    ahead_ns = time.time_ns() + 365 * 86_400 * 10**9
    with Watched(folder, tmp_path / "own", stream_end_ns=ahead_ns) as watched:
        wav(folder / "a.wav", 0.1)
        (block,) = watched.blocks(1)
    assert abs(block.t0_ns - time.time_ns()) < 60 * 10**9
    assert not (folder / "rejected").exists()


def test_a_missing_folder_is_named_at_once(tmp_path):
    with pytest.raises(SourceError, match="no such folder"):
        Watched(tmp_path / "absent", tmp_path / "own")
