"""The operating state of each baseline window: given, or inferred from the features."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
from numpy.typing import NDArray

from auscult.contract.said import Said
from auscult.dsp.spec import FeatureSpec
from auscult.models.baseline.collection import PointWindows, slots_of
from auscult.models.baseline.held_out import MIN_WINDOWS
from auscult.models.baseline.knots import states_of
from auscult.models.baseline.state_inference import infer_states
from auscult.models.baseline.states import UNKNOWN_STATE, StateMap, state_values
from auscult.models.settings import DetectorSettings

RARE_SHARE: Final = 0.05
"""Share of the windows in operating states with too few of them up to which these are left out."""


def without_rare_states(
    windows: Mapping[str, PointWindows], settings: DetectorSettings
) -> tuple[Mapping[str, PointWindows], tuple[Said, ...]]:
    """Leave out the windows of operating states that occurred rarely; also say which states.

    Their location is too uncertain to compare with. Left out, such a state counts as never seen.
    """
    given = [state for w in windows.values() for state in w.states]
    least = settings.state_windows * len(windows)
    states, index = states_of(given, least, settings.baseline_windows)
    counts = np.bincount(index)
    rare = counts < least
    if states.are_knots or not 0 < counts[rare].sum() <= RARE_SHARE * len(index):
        return windows, ()
    ends = np.cumsum([len(w.states) for w in windows.values()])
    parts = np.split(~rare[index], ends[:-1])
    kept = {point: w.where(rows) for (point, w), rows in zip(windows.items(), parts, strict=True)}
    if any(len(w.features) < MIN_WINDOWS for w in kept.values()):
        return windows, ()
    said = (
        Said("rare_state", {"count": int(counts[k]), **state_values(states.states[k])})
        for k in np.flatnonzero(rare).tolist()
    )
    return kept, tuple(said)


def operating_states(
    specs: Mapping[str, FeatureSpec],
    windows: Mapping[str, PointWindows],
    settings: DetectorSettings,
    infer: bool = True,
) -> tuple[StateMap, dict[str, NDArray[np.intp]]]:
    """Return the operating states of a baseline, and the state of each window of each point.

    The states are the given ones. If none is given, they are inferred from the features of all
    points together. Overall values are left out: one value can't tell a state from a fault.
    """
    given = [state for w in windows.values() for state in w.states]
    states, index = states_of(
        given, settings.state_windows * len(windows), settings.baseline_windows
    )
    ends = np.cumsum([len(w.features) for w in windows.values()])
    state_of = dict(zip(windows, np.split(index, ends[:-1]), strict=True))
    if not infer or states.states != (UNKNOWN_STATE,):
        return states, state_of
    waves = {point: w for point, w in windows.items() if specs[point].kind != "value"}
    common = (
        sorted(set.intersection(*(set(w.t_ns.tolist()) for w in waves.values()))) if waves else []
    )
    few = len(common) < settings.baseline_windows
    if few or 2 * len(common) < max(len(w.t_ns) for w in waves.values()):
        return states, state_of
    together = []
    for point, w in waves.items():
        slots = slots_of(specs[point], w.features)
        at = np.searchsorted(w.t_ns, common)
        together.append(slots.model_units_of(w.features[at], 0))
    inferred = infer_states(np.concatenate(together, axis=1), settings.inferred_state_windows)
    if not inferred.any():
        return states, state_of
    times = np.array(common)
    for point, w in waves.items():
        following = np.minimum(np.searchsorted(times, w.t_ns), len(times) - 1)
        state_of[point] = inferred[following]
    return StateMap.inferred_states(int(inferred.max()) + 1), state_of
