"""What the reporter says of a window."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

from auscult.gateway.machines.idle import idle_decision, idle_machine
from auscult.gateway.machines.machine import Hearing
from auscult.gateway.messages.topics import Topics
from auscult.gateway.publishing.reporter import Reporter
from auscult.gateway.records import PointId, Window
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.windows.pipeline import HeardWindow
from auscult.gateway.windows.points import plan_points
from auscult.models.records import Condition, Decision, Observation

POINT = PointId("pump", "de")
SETTINGS = GatewaySettings.model_validate({
    "machines": [
        {"id": "pump", "points": [{"id": "de", "kind": "vibration", "unit": "g", "fs_hz": 2000}]}
    ],
})  # fmt: skip
PLANS = plan_points(SETTINGS, {})


def test_a_spectrum_of_a_machine_at_rest_is_not_a_healthy_one(monkeypatch):
    plan = PLANS[POINT]
    window = Window(POINT, 2000.0, "g", 1, (np.ones(plan.window.n_samples, np.float32),), None)
    observation = Observation("de", 1, np.ones(len(plan.spec), np.float32))
    pipeline = SimpleNamespace(latest=lambda _: HeardWindow(window, observation))
    reporter = Reporter(SETTINGS.gateway, Topics("plant", "g"), PLANS, None, pipeline)
    monkeypatch.setattr(reporter, "_point_state", lambda *_: None)
    monkeypatch.setattr(reporter, "machine_state", lambda _: None)
    pump = SimpleNamespace(id="pump", judges=lambda _: SimpleNamespace(baseline_id="b1"))

    def condition_after(decision: Decision, idle: frozenset[str]) -> str:
        hearing = Hearing(
            machine=idle_machine(1),
            points={"de": decision},
            observations={"de": observation},
            idle=idle,
        )
        reporter.report(pump, hearing)
        return reporter.spectrum(POINT, "spectrum", None).message.condition

    normal = Decision("de", 1, Condition.NORMAL, ())
    assert condition_after(normal, frozenset()) == "normal"
    assert condition_after(idle_decision(observation), frozenset({"de"})) == "unknown"
