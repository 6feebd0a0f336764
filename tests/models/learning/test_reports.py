"""A missed fault is learned: windows along its direction score higher, and only they."""

import numpy as np
import pytest

from auscult.contract.label import Verdict
from auscult.models.baseline.kind_model import Rescored
from auscult.models.learning.gate import PointContext
from tests.models.learning.world import (
    CALIBRATION,
    COORDINATES,
    INNER_RACE,
    OUTER_RACE,
    World,
    bare_scores,
    positions,
    windows,
)

REPORT = "report-1"
WEAK = (INNER_RACE, 0.3)
"""A shift far below what a single window shows."""


def rescore(z):
    return Rescored(positions(z), bare_scores(z))


CONTEXT = PointContext(COORDINATES, CALIBRATION, CALIBRATION, slots=COORDINATES, rescore=rescore)


class Reporting(World):
    """A world whose windows have z-scores, so that they are kept for reports."""

    context = CONTEXT

    def hops(self, v, state=""):
        for hop, z in zip(super().hops(v, state), v, strict=True):
            kept = [window._replace(z=z) for window in hop]
            self.updater.reports.keep(kept)
            yield kept

    def report(self, *shifts, seed=60, n=60, event_id=REPORT):
        start_ns = self.t_ns + 1
        self.show(windows(n, seed, *shifts))
        points = self.updater.reports.store(event_id, start_ns, self.t_ns)
        assert points == ("de", "nde")
        return self.label(event_id, Verdict.CONFIRMED_FAULT)


@pytest.fixture
def world(tmp_path):
    return Reporting(tmp_path)


def test_a_reported_fault_is_detected_from_then_on(world):
    assert world.beyond(windows(300, 8, WEAK)) < 0.1
    healthy = world.beyond(windows(300, 7))
    update = world.report(WEAK)
    assert update.accepted, update.said.text
    assert world.beyond(windows(300, 8, WEAK)) > 0.3
    assert world.beyond(windows(300, 7)) <= healthy + 0.005
    assert world.beyond(windows(300, 9, (OUTER_RACE, 1.0))) > 0.98, "other faults as before"


def test_a_report_is_undone_by_another_verdict_on_its_event(world):
    world.report(WEAK)
    assert world.label(REPORT, Verdict.UNSURE).accepted
    assert all(head.is_start for head in world.updater.heads.values())


def test_a_report_of_healthy_windows_teaches_nothing(world):
    update = world.report()
    assert not update.accepted
    assert "look like healthy ones" in update.said.text
    assert all(head.is_start for head in world.updater.heads.values())


def test_a_report_survives_a_restart_and_a_repetition(world):
    world.report(WEAK)
    before = world.log_scores(windows(20, 8, WEAK))
    world.updater.save()
    world.open()
    np.testing.assert_array_equal(world.log_scores(windows(20, 8, WEAK)), before)
    assert world.updater.reports.store(REPORT, 0, world.t_ns) == ("de", "nde")


def test_a_time_without_windows_is_known(world):
    assert world.updater.reports.store(REPORT, -10, -5) == ()
    assert world.updater.reports.tried(REPORT, -10, -5) is None


def test_a_preview_of_a_report_changes_nothing(world):
    start_ns = world.t_ns + 1
    world.show(windows(60, 60, WEAK))
    replay = world.updater.reports.tried(REPORT, start_ns, world.t_ns)
    label = world.next_label(REPORT, Verdict.CONFIRMED_FAULT)
    assert world.updater.preview(label, replay).accepted
    assert not world.updater.is_labelled(REPORT)
    assert all(head.is_start for head in world.updater.heads.values())
