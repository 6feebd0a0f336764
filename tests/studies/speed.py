"""How exact the speed without a tachometer is: ``python -m tests.studies.speed DATA_FOLDER...``.

Windows of two seconds and of 100 revolutions, at most two of each recording. What is true:

- ``measured``: the set states a measured speed;
- ``around``: the speed of 6 s around the window (or of the whole recording) where that is at least
  twice as long and no other speed explains 60 % as much. It is no independent truth, but has a
  finer resolution;
- ``repeated``: the median of the known windows of one state (stated speed and fault; on a rig whose
  drive holds its speed, stated speed), where at least three are known.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from auscult.dsp import shaft_speed as rule
from auscult.gateway.sources.dataset import RecordingLabel, read_manifest

WINDOW_S = 2.0
REVOLUTIONS = 100.0
MOST_WINDOWS = 2
"""Of one recording."""
AROUND_S = 6.0
AROUND_OTHERS = 0.6
MEASURED = {"cwru": (1797.0,), "cwru12k": (1797.0,)}
HELD_SPEED = ("adi_mfs",)
"""Rigs whose speed depends on the setting alone."""
SIGMAS = (4.0, 6.0, 8.0, 10.0)
OTHERS = (0.7, 0.75, 0.8, 0.85, 0.9)
Found = dict[float, tuple[float, float] | None]


@dataclass(slots=True)
class Window:
    """A window with what is found in it by each limit of `OTHERS`, over the stated speed."""

    rig: str
    stated: float
    fault: str
    found: Found
    true: float | None
    truth: str

    def known(self, sigma: float, others: float) -> float | None:
        """Known speed over the stated one."""
        found = self.found[others]
        return found[0] if found is not None and found[1] >= sigma else None

    def wrong(self, sigma: float, others: float) -> bool:
        """Whether the known speed is more than 0.2 % from the true one."""
        known = self.known(sigma, others)
        if known is None or self.true is None:
            return False
        return abs(known / self.true - 1) > rule.KNOWN


def windows(folder: Path, revolutions: float | None) -> Iterator[Window]:
    """Search all windows of a set."""
    data = read_manifest(folder)
    for recording in data.recordings:
        stated = recording.state.speed_rpm
        if recording.label is RecordingLabel.RUN_TO_FAILURE or not stated:
            continue
        vibration = np.array([c.kind == "vibration" for c in recording.channels])
        rows, fs_hz = recording.read()[vibration], recording.fs_hz
        if not len(rows):
            continue
        seconds = WINDOW_S if revolutions is None else revolutions * 60 / stated
        n = int(min(seconds * fs_hz, rows.shape[1]))
        for start in list(range(0, rows.shape[1] - n + 1, n))[:MOST_WINDOWS]:
            found = {one: _found(rows[:, start : start + n], fs_hz, stated, one) for one in OTHERS}
            window = Window(data.name, stated, recording.fault, found, None, "")
            if stated in MEASURED.get(data.name, ()):
                window.true, window.truth = 1.0, "measured"
            else:
                middle, half = start + n // 2, int(AROUND_S * fs_hz / 2)
                around = rows[:, max(0, middle - half) : middle + half]
                if n > half:
                    around = rows
                if around.shape[1] >= 2 * n:
                    there = _found(around, fs_hz, stated, AROUND_OTHERS)
                    sure = there is not None and there[1] >= max(SIGMAS)
                    window.true = there[0] if there is not None and sure else None
                    window.truth = "around"
            yield window


def _found(
    rows: NDArray[np.float32], fs_hz: float, stated: float, others: float
) -> tuple[float, float] | None:
    """Speed over the stated one, and its sigma."""
    shipped = rule.OTHERS, rule.SIGMA
    rule.OTHERS, rule.SIGMA = others, min(SIGMAS)  # type: ignore[misc]
    found = rule.shaft_speed([(row, fs_hz) for row in rows], stated / 60)
    rule.OTHERS, rule.SIGMA = shipped  # type: ignore[misc]
    return None if found is None else (found.hz * 60 / stated, found.sigma)


def repeated(found: Sequence[Window]) -> None:
    """Take the median of the known windows as true where recordings are short."""

    def state(window: Window) -> tuple[str, float, str]:
        held = window.rig in HELD_SPEED
        return window.rig, window.stated, "" if held else window.fault

    for _, same in groupby(sorted(found, key=state), key=state):
        group = list(same)
        known = [one for w in group if (one := w.known(rule.SIGMA, rule.OTHERS)) is not None]
        for window in group:
            if not window.truth and len(known) >= 3:
                window.true, window.truth = float(np.median(known)), "repeated"


def by_speed(found: Sequence[Window], title: str) -> Table:
    """Known and right windows of each set and stated speed."""
    table = Table("set", "stated r/min", "windows", "known", "truth", "with truth", "within 0.2 %",
                  "lowest", "median", "highest", title=title)  # fmt: skip
    limits = rule.SIGMA, rule.OTHERS
    for (rig, stated), same in groupby(found, key=lambda w: (w.rig, w.stated)):
        group = list(same)
        known = [w for w in group if w.known(*limits) is not None]
        held = [w for w in known if w.true is not None]
        spread = ("", "", "")
        if known:
            ratios = np.array([w.known(*limits) for w in known], float)
            low, middle, high = np.quantile(ratios, (0, 0.5, 1))
            spread = (f"{low:.4f}", f"{middle:.4f}", f"{high:.4f}")
        right = len(held) - sum(w.wrong(*limits) for w in held)
        truth = "/".join(sorted({w.truth for w in group if w.truth}))
        table.add_row(rig, f"{stated:g}", str(len(group)), str(len(known)), truth, str(len(held)),
                      str(right), *spread)  # fmt: skip
    return table


def leave_one_rig_out(found: Sequence[Window]) -> Table:
    """Choose both limits on the other rigs (fewest wrong, then most known) and apply them to it."""
    table = Table("rig left out", "sigma", "others", "known", "wrong", "of",
                  title="Limits chosen without the rig")  # fmt: skip
    for rig in dict.fromkeys(w.rig for w in found):
        rest = [w for w in found if w.rig != rig]
        own = [w for w in found if w.rig == rig]
        choices = []
        for sigma in SIGMAS:
            for others in OTHERS:
                wrong = sum(w.wrong(sigma, others) for w in rest)
                known = sum(w.known(sigma, others) is not None for w in rest)
                choices.append((-wrong, known, sigma, others))
        _, _, sigma, others = max(choices)
        known = sum(w.known(sigma, others) is not None for w in own)
        wrong = sum(w.wrong(sigma, others) for w in own)
        table.add_row(rig, f"{sigma:g}", f"{others:g}", str(known), str(wrong), str(len(own)))
    return table


def main(folders: Sequence[str]) -> None:
    """Print how many windows have a known speed, and how many of these are right."""
    console = Console(width=120)
    for revolutions, title in (
        (None, "Windows of 2 s"),
        (REVOLUTIONS, "Windows of 100 revolutions"),
    ):
        found = [w for folder in folders for w in windows(Path(folder), revolutions)]
        found.sort(key=lambda w: (w.rig, w.stated))
        repeated(found)
        console.print(by_speed(found, title))
        console.print(leave_one_rig_out(found))


if __name__ == "__main__":
    main(sys.argv[1:])
