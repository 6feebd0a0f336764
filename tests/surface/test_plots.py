"""The plots of a notebook show what the detector decided, and reject what can't be drawn."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from matplotlib.figure import Figure

import auscult


@pytest.fixture(scope="module")
def decisions() -> tuple[auscult.Decision, ...]:
    rng = np.random.default_rng(0)
    table = auscult.features(rng.standard_normal(60 * 2048), 2048, unit="g")
    worse = auscult.features(
        3 * rng.standard_normal(20 * 2048), 2048, unit="g", t0_s=float(table.t_ns[-1]) / 1e9 + 1
    )
    detector = auscult.Detector(seed=0).fit(table)
    return detector.decide(table[:50]) + detector.decide(worse)


def test_evidence_and_events_are_drawn(decisions):
    axes = auscult.plot_decisions(decisions, ax=Figure().subplots())
    evidence, warning, alarm = axes.get_lines()
    assert evidence.get_ydata()[0] < warning.get_ydata()[0] < alarm.get_ydata()[0]
    assert evidence.get_ydata()[-1] > alarm.get_ydata()[-1]
    alarms = axes.collections[-1].get_paths()
    began = next(one.t_ns for one in decisions if one.condition is auscult.Condition.ALARM)
    assert alarms[0].vertices[:, 0].min() == (began - decisions[0].t_ns) / 1e9


def test_reasons_are_named_with_their_change(decisions):
    axes = auscult.plot_reasons(decisions[-1], ax=Figure().subplots())
    strongest = decisions[-1].reasons[0].contributions[0]
    assert any(strongest.change in one.get_text() for one in axes.get_yticklabels())


def test_what_cannot_be_drawn_is_rejected_in_words(decisions, monkeypatch):
    with pytest.raises(auscult.InputError, match="names a feature"):
        auscult.plot_reasons(decisions[0])
    with pytest.raises(auscult.InputError, match=r"last 0\.5 s, a window 1 s"):
        auscult.plot_spectrum(np.zeros(500), 1000, ax=Figure().subplots())
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(auscult.AuscultError, match="pip install matplotlib"):
        auscult.plot_decisions(decisions)
