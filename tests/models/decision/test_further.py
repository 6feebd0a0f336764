"""What is added to an open event is reported again; the event's own steady part is not."""

from __future__ import annotations

from auscult.contract.event import ADDED
from auscult.contract.records import DEPARTED
from auscult.models.detector import MachineDetector
from auscult.models.name_plate import NamePlate
from tests.models.simulated_machine import POINTS, SPEC, SimulatedMachine

SHIFT = 0.3
"""Of all levels, as after an overhaul; a fault adds the same to one band in ten."""


def fitted(machine: SimulatedMachine) -> MachineDetector:
    detector = MachineDetector(NamePlate("pump"), dict.fromkeys(POINTS, SPEC))
    for _ in range(300):
        detector.observe(machine.hop())
    detector.adopt(detector.fit_now().run())
    return detector


def reports(detector: MachineDetector, machine: SimulatedMachine, n: int, shift: object) -> int:
    """Return how often something is reported as added while the event is open."""
    found = 0
    for _ in range(n):
        machine_decision = detector.observe(machine.hop(shift=shift)).machine
        found += any(one.said.code in ADDED for one in machine_decision.reasons)
    assert machine_decision.condition in DEPARTED
    return found


def test_what_is_added_to_an_open_event_is_reported_once_also_after_a_restart() -> None:
    machine = SimulatedMachine(1)
    detector = fitted(machine)
    overhaul = SHIFT * machine.rng.normal(size=len(SPEC))
    fault = SHIFT * (machine.rng.uniform(size=len(SPEC)) < 0.1)
    for _ in range(20):
        detector.observe(machine.hop(shift=overhaul))
    assert reports(detector, machine, 500, overhaul) == 0, "it continues"
    resumed = MachineDetector(NamePlate("pump"), dict.fromkeys(POINTS, SPEC))
    resumed.restore(detector.state())
    assert reports(resumed, machine, 100, overhaul + fault) == 1
    assert reports(detector, machine, 100, overhaul / 2) == 0, "it came back in part"
