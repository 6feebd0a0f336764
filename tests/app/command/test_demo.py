"""What the demo plays, without playing it."""

import multiprocessing
import pickle
import signal
import threading
import time

import pytest

from auscult.app.command import demo
from auscult.app.command.configuration import load
from auscult.app.command.demo import DEMO_CONFIGURATION
from auscult.gateway.datasets.dataset import RecordingLabel, read_manifest
from auscult.gateway.sources.recordings.playback import duration_ns, playlist
from auscult.gateway.sources.recordings.settings import RecordingsSource
from tests.waiting import DEADLINE_S

READ_AND_ANSWER_S = 300
"""A newcomer who opens the case from the overview reads, listens and answers."""


def test_a_fault_of_the_demo_lasts_until_it_is_answered():
    sources = load(DEMO_CONFIGURATION).for_gateway(DEMO_CONFIGURATION).sources
    assert {source.machine for source in sources} == {"gearbox", "motor"}
    for source in sources:
        assert isinstance(source, RecordingsSource)
        played = playlist(read_manifest(source.manifest), source)
        broken = [duration_ns(one) for one in played if one.label is not RecordingLabel.HEALTHY]
        assert played[-len(broken)].label is not RecordingLabel.HEALTHY, "one stretch, not many"
        assert source.present_from == "first_fault", "it plays in real time at any pace"
        assert sum(broken) / 1e9 >= READ_AND_ANSWER_S


def _part(ready, on_stop) -> None:
    signal.signal(signal.SIGTERM, on_stop)
    ready.set()
    time.sleep(60)


def test_a_part_that_ignores_its_end_is_killed(monkeypatch):
    monkeypatch.setattr(demo, "STOP_S", 0.5)
    fork = multiprocessing.get_context("fork")
    parts, began = [], [fork.Event(), fork.Event()]
    for ready, on_stop in zip(began, (signal.SIG_DFL, signal.SIG_IGN), strict=True):
        parts.append(fork.Process(target=_part, args=(ready, on_stop)))
        parts[-1].start()
    never = fork.Process(target=_part)
    assert all(ready.wait(DEADLINE_S) for ready in began)
    demo._end([*parts, never])
    assert [part.exitcode for part in parts] == [-signal.SIGTERM, -signal.SIGKILL]


def test_a_part_that_ends_by_itself_ends_the_demo():
    ended = multiprocessing.get_context("fork").Process(target=int, name="gateway")
    ended.start()
    ended.join()
    with pytest.raises(demo.DemoError, match="gateway ended by itself"):
        demo._watch([ended], threading.Event())
    stop = threading.Event()
    stop.set()
    demo._watch([ended], stop)  # whoever stops the demo ends its parts


def test_the_port_of_the_demo_needs_no_rights():
    assert demo._free_port() >= 1024


def test_the_settings_reach_the_processes_of_the_demo(tmp_path):
    for settings in demo._settings(tmp_path, 8420, 1.0):
        assert pickle.loads(pickle.dumps(settings)) == settings
