"""Answers of January hold in June, after the slow movement of months."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from auscult.contract.label import Label, Verdict
from auscult.contract.records import DEPARTED
from auscult.gateway.machines.label_learning import MachineLearning
from auscult.models.detector import MachineDetector
from auscult.models.name_plate import NamePlate
from auscult.models.records import Observation
from lab.studies.vibration_months import DB, DENSE_S, POINT, SPEC, START_S, Simulated

DAY_NS = 86_400 * 10**9
BURST, STEP_S = 12, 7200.0
GAIN_DB, WARM_DB = 1.0, 0.5


class Plant:
    """A machine with its detector and what it learned; a burst of windows a day."""

    def __init__(self, folder: Path) -> None:
        rng = np.random.default_rng(5)
        self.warm, self.load, self.damage = rng.normal(size=(3, len(SPEC)))
        self.damage *= rng.uniform(size=len(SPEC)) < 0.15
        self.source = Simulated(3)
        self.day = 0
        self.detector = MachineDetector(NamePlate("pump"), {POINT: SPEC})
        self.learning = MachineLearning(folder, "pump")
        for k in range(400):
            self.detector.observe(self.window(k, 0.0))
        self.detector.adopt(self.detector.fit_now().run())
        assert self.detector.model is not None
        self.updater = self.learning.begin(self.detector.model)

    def window(self, k: int, shift: object) -> Sequence[Observation]:
        (x,) = self.source.draw(later=False, faulty=False).values()
        slow = GAIN_DB * self.day / 150 + WARM_DB * np.sin(self.day / 25) * self.warm
        moved = (x * np.exp(DB * slow + shift)).astype(np.float32)
        t_ns = round((START_S + k * (STEP_S if self.day else DENSE_S)) * 1e9) + self.day * DAY_NS
        return [Observation(POINT, t_ns, moved)]

    def burst(self, shift: object = 0.0, event_id: str | None = None) -> tuple[bool, bool]:
        """Play a day; return whether it ends in a departure, and whether a fault is recognised."""
        self.day += 1
        departs = recognised = False
        for k in range(BURST):
            decided = self.detector.observe(self.window(k, shift))
            windows = self.detector.scored_windows()
            departs = decided.machine.condition in DEPARTED
            said = self.learning.recognise(decided.machine, windows, decided.points, event_id)
            recognised = any(r.said.code.startswith("resembles") for r in said.reasons)
            self.learning.offer(windows, decided.points, event_id if departs else None)
        return departs, recognised

    def answer(self, event_id: str, verdict: Verdict) -> None:
        label = Label(
            label_id=f"label-{event_id}", event_id=event_id, machine="pump", verdict=verdict,
            kind="outer" if verdict is Verdict.CONFIRMED_FAULT else None, actor="ada",
            created_ms=self.day,
        )  # fmt: skip
        update = self.updater.learn(label)
        assert update.accepted, update.said.text
        self.detector.set_heads(self.updater.heads)
        self.detector.reset_evidence()


def test_answers_of_january_hold_in_june(tmp_path: Path) -> None:
    plant = Plant(tmp_path)
    at_load, damaged = 0.3 * plant.load, 0.4 * plant.damage
    for event_id, shift, verdict in (
        ("work", at_load, Verdict.FALSE_ALARM), ("fault", damaged, Verdict.CONFIRMED_FAULT),
    ):  # fmt: skip
        for _ in range(3):
            departs, _ = plant.burst(shift, event_id)
        assert departs
        plant.answer(event_id, verdict)
        plant.burst()
    for _ in range(150):
        departs, _ = plant.burst()
        assert not departs, plant.day
    assert plant.burst(at_load) == (False, False), "normal was answered"
    plant.burst()
    assert plant.burst(damaged, "again") == (True, True), "the fault, by its name"
    plant.detector.reset_evidence()
    assert plant.burst(at_load + damaged, "both")[0], "the fault where normal was answered"
