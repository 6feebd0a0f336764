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
from auscult.gateway.sources.simulator.settings import SimulatorSource
from tests.waiting import DEADLINE_S

READ_AND_ANSWER_S = 300
"""A newcomer who opens the case from the overview reads, listens and answers."""


STORY_S = 600
"""What the README says a newcomer sees within ten minutes."""


def _sources(kind):
    sources = load(DEMO_CONFIGURATION).for_gateway(DEMO_CONFIGURATION).sources
    return [source for source in sources if isinstance(source, kind)]


def test_a_recorded_fault_of_the_demo_lasts_until_it_is_answered():
    sources = _sources(RecordingsSource)
    assert {source.machine for source in sources} == {"gearbox", "motor"}
    for source in sources:
        played = playlist(read_manifest(source.manifest), source)
        broken = [duration_ns(one) for one in played if one.label is not RecordingLabel.HEALTHY]
        assert played[-len(broken)].label is not RecordingLabel.HEALTHY, "one stretch, not many"
        assert source.present_from == "first_fault", "it plays in real time at any pace"
        assert sum(broken) / 1e9 >= READ_AND_ANSWER_S


def test_the_plant_of_the_demo_has_a_story_in_two_areas_and_says_what_is_simulated():
    configuration = load(DEMO_CONFIGURATION).for_gateway(DEMO_CONFIGURATION)
    simulated = {source.machine: source for source in _sources(SimulatorSource)}
    areas = {machine.id: machine.area for machine in configuration.machines}
    assert len(set(areas.values())) == 2
    assert {name for name, area in areas.items() if "simulated" in area} == simulated.keys()
    failing = {
        name: source
        for name, source in simulated.items()
        if source.fault != "none" or any(one.sensor_fault != "none" for one in source.points)
    }
    assert len(simulated) - len(failing) >= 6, "healthy machines"
    begins_s = {name: source.healthy_s / source.pace for name, source in failing.items()}
    assert min(begins_s, key=begins_s.get) == "pump-1", "the first case is the one that is sure"
    assert begins_s["pump-1"] < 30
    assert max(begins_s.values()) < STORY_S / 2
    fan = simulated["fan-1"]
    assert fan.repaired_s >= READ_AND_ANSWER_S
    assert begins_s["fan-1"] + fan.repaired_s < STORY_S, "the repair can be checked"


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
