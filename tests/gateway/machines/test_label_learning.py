"""Which windows the updater is shown, and as what."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from auscult.contract.records import Condition
from auscult.gateway.machines import label_learning
from auscult.gateway.machines.label_learning import MachineLearning
from auscult.models.records import Decision


class Notes:
    """In the updater's place: notes what it is to remember of which event."""

    def __init__(self) -> None:
        self.of_event: list[object] = []
        self.reports = SimpleNamespace(keep=lambda _windows: None)

    def remember(self, windows, event_id, doubtful_since_ns=None):  # type: ignore[no-untyped-def]
        if event_id is not None:
            self.of_event.extend(windows)


def hop(learning: MachineLearning, evidence: dict[str, float], event_id: str | None = None):  # type: ignore[no-untyped-def]
    """Show one window of each point, with the evidence against it."""
    windows = [SimpleNamespace(point=point, t_ns=0) for point in evidence]
    decisions = {
        point: Decision(point, 0, Condition.NORMAL, (), p_value=0.001, evidence=value)
        for point, value in evidence.items()
    }
    learning.offer(windows, decisions, event_id)  # type: ignore[arg-type]
    return windows


def test_what_came_before_an_event_belongs_to_it_unless_it_had_faded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learning, notes = MachineLearning(tmp_path, "pump"), Notes()
    monkeypatch.setattr(label_learning, "contexts_of", lambda _: {})
    monkeypatch.setattr(label_learning, "HeadUpdater", lambda *_: notes)
    learning.begin(SimpleNamespace(baseline_id="b", healthy=[]))  # type: ignore[arg-type]
    faded = hop(learning, {"de": 0.8, "nde": 0.8})
    hop(learning, {"de": 0.1})
    (before,) = hop(learning, {"de": 0.9})
    (first,) = hop(learning, {"de": 1.2}, "event")
    assert [id(w) for w in notes.of_event] == [id(w) for w in (faded[1], before, first)]


def test_a_departure_from_an_older_baseline_is_not_continued(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    learning, taken = MachineLearning(tmp_path, "pump"), []

    class DepartureSum:
        def __init__(self) -> None:
            self.windows: list[object] = []
            taken.append(self.windows)

        def add(self, windows):  # type: ignore[no-untyped-def]
            self.windows.extend(windows)

    label = SimpleNamespace(event_id="earlier")
    updater = SimpleNamespace(
        known_faults=[SimpleNamespace(label=label)], centres_of=None, remember=lambda *_: None
    )
    monkeypatch.setattr(label_learning, "contexts_of", lambda _: {})
    monkeypatch.setattr(label_learning, "HeadUpdater", lambda *_: updater)
    monkeypatch.setattr(label_learning, "DepartureSum", DepartureSum)
    monkeypatch.setattr(label_learning, "resemblance", lambda *_: None)
    warning = Decision(None, 0, Condition.WARNING, (), p_value=0.001, evidence=1.2)
    for baseline_id in ("old", "new"):
        learning.begin(SimpleNamespace(baseline_id=baseline_id, healthy=[]))  # type: ignore[arg-type]
        window = SimpleNamespace(point="de", of=baseline_id)
        learning.recognise(warning, [window], {"de": warning}, "event")  # type: ignore[list-item]
    assert [[window.of for window in one] for one in taken] == [["old"], ["new"]]
