"""What a part of the campaign counted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import median

TARGET_S = 10.0
"""Longest recovery that meets the target."""


@dataclass
class Outcome:
    """The counts of one kind of fault on one store or part.

    ``lost`` counts items (messages, events, labels …) whose loss was not reported, ``doubled`` and
    ``wrong`` all, of which ``wrong_reported`` came with a report. ``reported`` counts trials with a
    report in log, health or counter; ``failures`` are unexpected errors, each with its trial.
    """

    part: str
    fault: str
    trials: int = 0
    lost: int = 0
    doubled: int = 0
    wrong: int = 0
    wrong_reported: int = 0
    reported: int = 0
    recoveries_s: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    note: str = ""

    @property
    def good(self) -> bool:
        """Return whether it meets the targets: nothing lost, doubled or wrong, back within 10 s."""
        return not (self.lost or self.doubled or self.wrong or self.failures) and (
            self.recovery_s <= TARGET_S
        )

    @property
    def recovery_s(self) -> float:
        """Return the longest recovery; 0 where none was measured."""
        return max(self.recoveries_s, default=0.0)

    def recovered(self, seconds: float) -> None:
        """Add a recovery."""
        self.recoveries_s.append(round(seconds, 2))


HEADER = (
    "| part | fault | trials | lost | doubled | wrong | failed | reported | recovery, s | |\n"
    "|---|---|--:|--:|--:|--:|--:|--:|--:|---|"
)


def table(outcomes: Iterable[Outcome]) -> str:
    """Write the outcomes as a Markdown table."""
    rows = [
        f"| {o.part} | {o.fault} | {o.trials:,} | {o.lost} | {o.doubled} | {_wrong(o)} |"
        f" {len(o.failures)} | {o.reported:,} |"
        f" {_recovery(o)} | {o.note} |"
        for o in outcomes
    ]
    return "\n".join([HEADER, *rows])


def _wrong(outcome: Outcome) -> str:
    silent = outcome.wrong - outcome.wrong_reported
    return f"{outcome.wrong} ({silent} without a report)" if outcome.wrong else "0"


def _recovery(outcome: Outcome) -> str:
    if not outcome.recoveries_s:
        return "–"
    return f"{outcome.recovery_s:.1f} ({median(outcome.recoveries_s):.1f})"
