"""Decides on the overall values of one machine, for months: what departs, and against what.

Three comparisons, each against what the machine's own healthy past shows of the same comparison:

- **within a campaign**: a block of 3, 12, 48 or 192 rows against those before it, up to a pause of
  6 hours;
- **against earlier runs**: a block against the level of the last stretches;
- **between runs**: the last 1 to 32 stretches against those before (`Stretches`).

Few independent contrasts make wide limits (Student's t), so a new machine is warned about only when
it does what no beginning does. A departure is never learned. One that stays at its level for seven
stretches settles: a warning ends as a step, and its level is the reference from then on, with the
old spread. An alarm, or a fault that a person confirmed, lasts: further departures are compared
with the new level, but it becomes the reference only when a person says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from auscult.models.settings import SECONDS_PER_YEAR
from auscult.models.values.contrasts import WANDERS, Contrasts
from auscult.models.values.least_changes import ChartLimit, MonitorLimits, WindowLimit
from auscult.models.values.stretches import WHOLE_BLOCKS, WINDOWS, Stretches, StretchWindow

Float64 = NDArray[np.float64]

DAY_S: Final = 86_400.0
BLOCK: Final = 3
"""Rows of the shortest block, by their median: one spike or one mixed row has no effect."""
RATIO, SCALES = 4, 4
"""Blocks of one scale that make one of the next, and scales within a run."""
BEFORE, MOST_BEFORE = 8, 24
"""Fewest and most blocks of the reference within a run."""
REFERENCE: Final = 8
"""Stretches of the level that a block is compared with."""
RUN_GAP_S: Final = 6 * 3600.0
"""A longer pause begins another campaign."""
OFTEN_S: Final = 60.0
"""Decisions closer than this are one: a machine does not change by itself in this time."""
BETWEEN: Final = 0.5
"""Share of the budget for comparisons between runs."""
ALARM: Final = 0.2
"""Share of the budget for alarms."""
LASTS: Final = 3
"""Blocks in a row that must depart from earlier runs."""
SETTLES: Final = 7
"""Stretches at a new level after which what follows is compared with it."""
RETURNS: Final = 2
"""Stretches whose median must be back at the old level to end a departure that lasts."""
BACK: Final = 0.5
"""Share of a departure below which it is over …"""
BACK_SIGMA: Final = 4.0
"""… if it is also less than so many spreads."""
JOINS_SIGMA: Final = 3.0
"""OpenDeparture of a further value, in spreads, that holds an open event."""
WIDER: Final = 1.6
"""Factor by which the limits of a value widen with each event that ended by itself, beyond those
that the budget and `FREE` allow: events keep the budget in the long run, whatever the values do
(adaptive conformal inference: Gibbs and Candès 2021)."""
FREE: Final = 2.0
"""Events of a value that widen no limit yet."""
JUMP: Final = 3.0
"""Distance from all blocks so far, in units of their range, that is a departure at once …"""
FIRST_BLOCKS: Final = 16
"""… after so many blocks."""
EARLY: Final = 2.0
"""Further factors `WIDER` while runs differ, and too few of them are known."""
READY_DAYS, READY_STRETCHES, READY_CAMPAIGNS = 7.0, 5, 5
"""A baseline is complete after a week with five stretches in five campaigns, or seven stretches."""

Compared = Literal["gone", "unchanged", "new"]
"""After work: nothing departs; what departed before still does; something else departs."""


@dataclass
class OpenDeparture:
    """What departs, and from what; ``weights`` and ``levels`` [shape=(d,)]."""

    channel: int
    kind: str
    """``run``, ``runs`` (against earlier ones) or ``level`` (between runs)"""
    scale: int
    reference: Float64
    now: Float64
    since_s: float
    alarm: bool
    held: dict[int, list[Any]] = field(default_factory=dict)
    """Of each channel that holds it open: weights, reference, departure, spread."""
    blocks: list[Float64] = field(default_factory=list)
    stretches: list[Float64] = field(default_factory=list)
    ends_s: list[float] = field(default_factory=list)
    confirmed: bool = False
    """Whether a person confirmed a fault: it is never the reference; its end widens no limit."""
    moved: Float64 | None = None
    """How far the levels were moved once it settled; None before."""
    added: int = 0
    """Stretches since then."""


class ValueMonitor:
    """Follows rows of all values of one machine while it runs.

    Parameters
    ----------
    least : np.ndarray [shape=(d,)]
        Least spread of each value: its resolution.
    drives : np.ndarray [shape=(d,), dtype=bool]
        See `Contrasts`.
    seasonal_c : np.ndarray [shape=(d,)]
        See `Stretches`.
    least_jump : np.ndarray [shape=(d,)]
        Least distance from all that was ever seen that is a departure at once.
    budget : float
        False events a year.
    """

    def __init__(
        self,
        least: Float64,
        drives: NDArray[np.bool_],
        seasonal_c: Float64,
        least_jump: Float64,
        budget: float,
    ) -> None:
        self.d = len(least)
        self._budget = budget
        self.factor = 1.0
        """Of all limits, ≥ 1: the plant's account sets it."""
        self._within = [Contrasts(least, drives) for _ in range(SCALES)]
        self._against = Contrasts(least, drives)
        self._beyond = np.zeros(2 * self.d, np.int64)
        self._least_jump = least_jump
        self.lowest, self.highest = np.full(self.d, np.inf), np.full(self.d, -np.inf)
        """Of the blocks so far."""
        self._blocks = 0
        self.stretches = Stretches(least, seasonal_c)
        self.open: OpenDeparture | None = None
        self.lasting: OpenDeparture | None = None
        """A departure that settled and that no person answered as normal. Its level is what further
        ones, `open`, are compared with."""
        self.became: OpenDeparture | None = None
        """A warning that became the reference with the last row."""
        self.learns = True
        """Whether all values are of a stated healthy period, so that nothing is decided."""
        self.account = np.full(self.d, -FREE)
        """Events of each value that ended by themselves, less those that the budget allows."""
        self.evidence = np.zeros(self.d)
        """Share of the warning level of each value."""
        self.moved = np.zeros(self.d)
        """How far accepted steps moved the reference since commissioning."""
        self.first: Float64 | None = None
        """Level of the first `REFERENCE` stretches."""
        self.rows, self.campaigns = 0, 0
        self._first_s = self._last_s = self._stretch_s = 0.0
        self._of_stretch: list[Float64] = []
        self._restart()

    def _restart(self) -> None:
        self._part: list[Float64] = []
        self._past: list[list[Float64]] = [[] for _ in range(SCALES)]
        self._made: list[list[Float64]] = [[] for _ in range(SCALES)]
        self._reset()

    def _reset(self) -> None:
        for one in (*self._within, self._against):
            one.reset()
        self._beyond[:] = 0
        self.evidence[:] = 0.0

    # ------------------------------------------------------------------ what it knows

    @property
    def days(self) -> float:
        """Return the days since the first row."""
        return (self._last_s - self._first_s) / DAY_S

    @property
    def complete(self) -> bool:
        """Return whether days, stretches and campaigns suffice for all comparisons."""
        stretches = len(self.stretches)
        many = self.campaigns >= READY_CAMPAIGNS or stretches >= READY_DAYS
        return self.days >= READY_DAYS and stretches >= READY_STRETCHES and many

    @property
    def wider(self) -> Float64:
        """Return the factor of the limits of each value [shape=(d,)], ≥ 1."""
        unsure = self.campaigns > 1 and not self.complete
        return np.asarray(self._by_events * WIDER ** (EARLY * unsure))

    @property
    def _wider_of_channels(self) -> Float64:
        wider = self.wider
        return np.concatenate((wider, wider))

    @property
    def _by_events(self) -> Float64:
        """Return the part of `wider` that false events caused [shape=(d,)]."""
        return np.asarray(self.factor * WIDER ** np.maximum(self.account, 0.0))

    def missing(self) -> tuple[float, int, int]:
        """Return the days, stretches and campaigns that the baseline still waits for."""
        stretches, campaigns = len(self.stretches), 0
        needed = READY_STRETCHES
        if self.campaigns > 1:
            campaigns = READY_CAMPAIGNS - self.campaigns if stretches < READY_DAYS else 0
        else:
            needed = round(READY_DAYS)
        return max(0.0, READY_DAYS - self.days), max(0, needed - stretches), max(0, campaigns)

    @property
    def level(self) -> Float64:
        """Return the level of the reference [shape=(d,)], without what lasts unanswered."""
        return self.stretches.level(REFERENCE) - self._unanswered

    @property
    def _unanswered(self) -> Float64:
        """Return how far the levels were moved by what lasts unanswered [shape=(d,)]."""
        lasting = self.lasting
        return np.zeros(self.d) if lasting is None or lasting.moved is None else lasting.moved

    @property
    def usual(self) -> bool:
        """Return whether nothing departs, so that what follows is learned."""
        return self.open is None and self.lasting is None

    @property
    def event(self) -> OpenDeparture | None:
        """Return the departure whose event is open."""
        return self.lasting or self.open

    def limits(self) -> MonitorLimits:
        """Return the present limits of all comparisons, for what they would find."""
        charts, unknown, wider = list[ChartLimit](), np.full(self.d, np.inf), self.wider
        for scale, own in enumerate(self._within):
            width = BLOCK * RATIO**scale
            blocks = min(MOST_BEFORE, int(self.rows / max(self.campaigns, 1) / width) - 1)
            if own.known and blocks >= BEFORE:
                level = own.level(self._within_p(width))
                charts.append(
                    ChartLimit(own.sigma * np.tile(wider, 2), own.freedom, level, blocks, width)
                )
        against, at_once, own = unknown, unknown, self._against
        if own.known and len(self.stretches) >= 2:
            size = own.sigma * np.tile(wider * self._against_limit(), 2)
            against = np.minimum(np.where(own.explained, np.inf, size[: self.d]), size[self.d :])
        if self._blocks >= FIRST_BLOCKS:
            spans = self.highest - self.lowest
            at_once = self._by_events * np.maximum(JUMP * spans, self._least_jump) + spans / 2
        windows = [
            WindowLimit(one.length, one.unit * wider * self._window_limits(one)[0])
            for one in (self.stretches.windows(own.rest()) if self.complete else ())
        ]
        rows_a_day = max(self.rows, 1) / max(len(self.stretches), 1)
        return MonitorLimits(charts, against, LASTS * BLOCK, at_once, windows, rows_a_day)

    # ------------------------------------------------------------------ rows

    def begin_run(self) -> None:
        """Begin another run: its first block holds no row of the run before."""
        self._part = []

    def push(self, t_s: float, row: Float64) -> None:
        """Follow a row of values [shape=(d,), NaN = none] of the running machine, UTC s."""
        if self.rows and t_s == self._last_s:
            return  # the same moment again: a clock was set back
        self.became = None
        if not self.rows or not 0 <= t_s - self._last_s <= RUN_GAP_S:
            self._restart()
            self._end_stretch()
            self.campaigns += 1
            self._stretch_s = t_s
        elif t_s - self._stretch_s >= DAY_S:
            self._end_stretch()
            self._stretch_s = t_s
        if not self.rows or t_s < self._first_s:
            self._first_s = t_s
        allowed = self._budget * max(t_s - self._last_s, 0.0) / SECONDS_PER_YEAR
        if self.rows and self.account.max() > -FREE:
            self.account = np.maximum(self.account - allowed, -FREE)
        self._last_s = t_s
        self.rows += 1
        self._part.append(row)
        if len(self._part) == BLOCK:
            block = nanmedian(np.array(self._part))
            self._part = []
            self._of_stretch.append(block)
            if self.open is not None and self._is_back(self.open, block):
                self._end(None if self.lasting is not None else self.open)
            self._compare_with_all(block)
            self._block(0, block)

    def _compare_with_all(self, block: Float64) -> None:
        """Raise a block that lies far beyond all blocks so far, however few they are."""
        lowest, highest = self.lowest, self.highest
        if not np.isfinite(block).all():
            return
        beyond = np.maximum(block - highest, lowest - block)
        out = beyond.max() > 0.0
        if out and self._blocks >= FIRST_BLOCKS and not self.learns and self.open is None:
            limit = np.maximum(JUMP * (highest - lowest), self._least_jump)
            beyond /= np.maximum(limit, 1e-12)
            worst = int(np.argmax(beyond))
            if beyond[worst] > self._by_events[worst]:
                past, weights = np.clip(block, lowest, highest), np.eye(self.d)[worst]
                self._raise(worst, "runs", 0, past, block, weights, alarm=True)
        if self.usual:
            self._blocks += 1
            if out:
                self.lowest, self.highest = np.minimum(lowest, block), np.maximum(highest, block)

    def _block(self, scale: int, block: Float64) -> None:
        past, width = self._past[scale], BLOCK * RATIO**scale
        if len(past) >= BEFORE:
            self._compare_within(scale, block, np.add.reduce(past) / len(past), width)
        if scale == 0 and len(self.stretches) >= 2:
            self._compare_with_runs(block)
        if np.isfinite(block).all() and (self.open is None or self.open.kind == "level"):
            past.append(block)
            del past[:-MOST_BEFORE]
        if scale + 1 < SCALES:
            made = self._made[scale + 1]
            made.append(block)
            if len(made) == RATIO:
                self._made[scale + 1] = []
                self._block(scale + 1, np.mean(made, axis=0))

    def _p_value(self, a_year: float, share: float) -> float:
        """Return the p-value of a test with this share of the budget."""
        a_year = min(a_year, SECONDS_PER_YEAR / OFTEN_S)
        return min(0.05, share * self._budget / (a_year * self.d * 2))

    def _a_year(self, count: float, least_s: float) -> float:
        return count / max(self.days * DAY_S, least_s) * SECONDS_PER_YEAR

    def _within_p(self, width: int) -> float:
        return self._p_value(self._a_year(self.rows, OFTEN_S) / width, (1 - BETWEEN) / 2 / SCALES)

    def _against_limit(self, share: float = 1.0) -> float:
        """Return the limit of a block against earlier runs, in spreads, at a share of budget."""
        p_value = self._p_value(self._a_year(len(self.stretches), DAY_S), (1 - BETWEEN) / 2)
        return float(-stdtrit(min(len(self.stretches) - 1.0, 20.0), share * p_value))

    def _window_limits(self, window: StretchWindow) -> tuple[float, float]:
        """Return warning and alarm limit of the last stretches, in spreads."""
        a_year = self._a_year(len(self.stretches), DAY_S) / window.length
        p_value = self._p_value(a_year, BETWEEN / len(WINDOWS))
        warning, alarm = (float(-stdtrit(window.freedom, p)) for p in (p_value, ALARM * p_value))
        return warning, alarm

    def _compare_within(self, scale: int, block: Float64, past: Float64, width: int) -> None:
        own, contrast = self._within[scale], block - past
        if not np.isfinite(contrast).all():
            return
        if not own.known or self.learns:
            if self.open is None:
                own.add(contrast)
            return
        p_value = self._within_p(width)
        learns = self.usual
        z = own.channels(contrast) / self._wider_of_channels
        warning, alarm = own.chart(z, contrast, p_value, p_value * ALARM, learns=learns)
        d = self.d
        by_value = np.maximum(warning[:d], warning[d:])
        self.evidence = by_value if scale == 0 else np.maximum(self.evidence, by_value)
        worst = int(np.argmax(warning))
        if warning[worst] >= 1:
            self._raise(worst, "run", scale, past, block, own, alarm=bool(alarm[worst] >= 1))
            if self.open is not None:
                for channel in np.flatnonzero(warning >= 1).tolist():
                    self._join(self.open, channel, own, block)

    def _compare_with_runs(self, block: Float64) -> None:
        own, past = self._against, self.stretches.level(REFERENCE)
        contrast = block - past
        if not np.isfinite(contrast).all():
            return
        if own.known and not self.learns:
            size = np.abs(own.channels(contrast)) / self._wider_of_channels
            self._beyond = np.where(size > self._against_limit(), self._beyond + 1, 0)
            if self._beyond.max() >= LASTS:
                worst = int(np.argmax(np.where(self._beyond >= LASTS, size, 0.0)))
                alarm = bool(size[worst] > self._against_limit(ALARM))
                self._raise(worst, "runs", 0, past, block, own, alarm=alarm)
        if self.usual or (self.open is None and not own.known):
            own.add(contrast)

    def _end_stretch(self) -> None:
        blocks, self._of_stretch = self._of_stretch, []
        if len(blocks) < 2:
            return
        level = nanmedian(np.array(blocks))
        if not np.isfinite(level).all():
            return
        if self.lasting is not None and self._is_back(self.lasting, level):
            self._return(self.lasting)
            return
        if self.open is not None:
            self.open.stretches.append(level)
            self.open.ends_s.append(self._last_s)
            if len(self.open.stretches) >= SETTLES:
                self._settle(self.open)
            return
        self.stretches.add(level, min(1.0, len(blocks) / WHOLE_BLOCKS), self._last_s)
        if self.first is None and len(self.stretches) >= REFERENCE:
            self.first = np.median(self.stretches.levels[:REFERENCE], axis=0)
        if self.lasting is not None:
            self.lasting.added += 1
        if self.complete and not self.learns:
            self._compare_levels()

    def _compare_levels(self) -> None:
        compared = self._against.rest()
        for window in self.stretches.windows(compared):
            limit, alarm = self._window_limits(window)
            sizes = np.abs(window.z) / self.wider
            worst = int(np.argmax(sizes))
            if sizes[worst] <= limit:
                continue
            before, now, weights = window.before, window.now, compared[worst]
            beyond = bool(sizes[worst] > alarm)
            self._raise(worst, "level", window.length, before, now, weights, alarm=beyond)
            levels, ends_s = self.stretches.take(window.length)
            assert self.open is not None  # noqa: S101
            self.open.stretches, self.open.ends_s = list(levels), ends_s.tolist()
            return

    # ------------------------------------------------------------------ an open departure

    def _raise(
        self, channel: int, kind: str, scale: int, past: Float64, now: Float64,
        own: Contrasts | Float64, *, alarm: bool,
    ) -> None:  # fmt: skip
        if self.open is None:
            self._of_stretch = []  # its stretches hold no block from before
            self.open = OpenDeparture(channel, kind, scale, past, now, self._last_s, alarm)
            weights = own.weights(channel) if isinstance(own, Contrasts) else own
            by = float(weights @ (now - past))
            sigma = (
                float(own.sigma[channel]) if isinstance(own, Contrasts) else abs(by) / BACK_SIGMA
            )
            self.open.held[channel] = [weights, float(weights @ past), by, sigma]
        self.open.alarm |= alarm

    def _join(self, one: OpenDeparture, channel: int, own: Contrasts, block: Float64) -> None:
        """Let a further value hold the event open, unless it wanders."""
        if channel in one.held or one.kind == "level":
            return
        if own.correlation[channel % self.d] > WANDERS:
            return
        weights = own.weights(channel)
        by, sigma = float(weights @ (block - one.reference)), float(own.sigma[channel])
        if abs(by) > JOINS_SIGMA * sigma:
            one.held[channel] = [weights, float(weights @ one.reference), by, sigma]

    def _is_back(self, one: OpenDeparture, block: Float64) -> bool:
        """Follow a departure; return whether all its values are back."""
        lasts = one.moved is not None
        wanted = 12 if one.kind == "level" else max(LASTS, RATIO**one.scale)
        wanted = RETURNS if lasts else wanted
        if not np.isfinite(block).all():
            return False
        one.blocks.append(block)
        del one.blocks[:-wanted]
        if len(one.blocks) < wanted:
            return False
        one.now = np.median(one.blocks, axis=0)
        for channel in [*one.held]:
            weights, reference, by, sigma = one.held[channel]
            now = float(weights @ one.now) - reference
            if now * np.sign(by) > abs(by) and not lasts:
                one.held[channel][2] = by = now
            if now / by >= BACK:
                continue
            if abs(now) < BACK_SIGMA * sigma:
                del one.held[channel]
            else:
                one.held[channel][2] = now
        return not one.held

    def _end(self, event: OpenDeparture | None) -> None:
        """End what is open; an event that ended by itself widens the limits of its value."""
        if event is not None and not event.confirmed:
            self.account[event.channel % self.d] += 1.0
        self.open = None
        self._of_stretch = []
        self._reset()

    # ------------------------------------------------------------------ a new level

    def _settle(self, one: OpenDeparture) -> None:
        """Compare what follows with the level of the open departure.

        A warning becomes the reference, unless an event lasts already: its person answers for both.
        """
        if self.lasting is None and not (one.alarm or one.confirmed):
            self.became = one
            self.accept()
            return
        lasting = self.lasting or one
        level = np.median(one.stretches, axis=0)
        for channel, (weights, _, _, sigma) in one.held.items():
            reference = float(weights @ lasting.reference)
            by = float(weights @ level) - reference
            if one is lasting or abs(by) > JOINS_SIGMA * sigma:
                lasting.held[channel] = [weights, reference, by, sigma]
        lasting.moved = self._move(one) + (0.0 if lasting.moved is None else lasting.moved)
        lasting.added += len(one.stretches)
        lasting.alarm |= one.alarm
        lasting.now, lasting.blocks = level, []
        self.lasting = lasting
        self._restart_at_level()

    def accept(self) -> None:
        """Make the level of all that departs the reference, with the spread of the old one."""
        self.moved += self._unanswered
        self.lasting = None
        if self.open is not None:
            self.moved += self._move(self.open)
        self._restart_at_level()

    def confirm(self) -> None:
        """Take what departs as a fault: it is never the reference, and its end widens no limit."""
        for one in (self.lasting, self.open):
            if one is not None:
                one.confirmed = True

    def _move(self, one: OpenDeparture) -> Float64:
        """Compare with the level of a departure from now on; return how far levels moved."""
        whole = [block for block in self._of_stretch if np.isfinite(block).all()]
        levels, by = one.stretches or whole or one.blocks or [one.now], np.zeros(self.d)
        seen = one.blocks or [one.now]
        self.lowest = np.minimum(self.lowest, np.min(seen, axis=0))
        self.highest = np.maximum(self.highest, np.max(seen, axis=0))
        if len(self.stretches):
            past = self.stretches.levels[-4 * SETTLES :]
            by = np.median(levels, axis=0) - np.median(past, axis=0)
            held = np.isin(np.arange(self.d), [channel % self.d for channel in one.held])
            # What the others seem to have moved is noise, unless it exceeds their spread.
            by = np.where(held | (np.abs(by) > past.std(axis=0)), by, 0.0)
            self.stretches.move(by)
        for level, end_s in zip(one.stretches, one.ends_s, strict=True):
            self.stretches.add(level, 1.0, end_s)
        return by

    def _return(self, lasting: OpenDeparture) -> None:
        """End what lasts: compare with the levels before it, without the stretches since."""
        if lasting.added < len(self.stretches):
            self.stretches.take(lasting.added)
        self.stretches.move(-self._unanswered)
        self.lasting = None
        self._end(lasting)

    def _restart_at_level(self) -> None:
        self.open = None
        self._of_stretch = []
        self._restart()

    def compare(self, block: Float64, since_s: float) -> Compared:
        """Compare a block after work at `since_s` with the reference and with what departed before.

        The work may be none: then it is whether what departed still does.
        ``block`` [shape=(d,)], NaN where a value is unknown: nothing is said of it.
        """
        if len(self.stretches):
            block = np.where(np.isfinite(block), block, self.level)
        for one in (self.lasting, self.open):
            # What joined may have done so after the work.
            if one is not None and one.since_s <= since_s and one.channel in one.held:
                weights, reference, by, _ = one.held[one.channel]
                if (float(weights @ block) - reference) / by >= BACK:
                    return "unchanged"
        own = self._against
        if not own.known or len(self.stretches) < 2:
            return "gone"
        size = np.abs(own.channels(block - self.level)) / self._wider_of_channels
        return "new" if (size > self._against_limit()).any() else "gone"

    def reset(self) -> None:
        """Discard evidence and what departs, for example after maintenance."""
        if self.lasting is not None:
            self.lasting.confirmed = True  # no event that ended by itself
            self._return(self.lasting)
        self._restart_at_level()

    # ------------------------------------------------------------------ resuming

    def to_arrays(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Convert to JSON and arrays."""
        arrays = {f"stretches/{name}": a for name, a in self.stretches.to_arrays().items()}
        for number, own in enumerate((*self._within, self._against)):
            arrays |= {f"contrasts/{number}/{name}": a for name, a in own.to_arrays().items()}
        for name, many in (("past", self._past), ("made", self._made)):
            for scale, blocks in enumerate(many):
                arrays[f"{name}/{scale}"] = self._stacked(blocks)
        arrays["part"], arrays["of_stretch"] = map(self._stacked, (self._part, self._of_stretch))
        arrays |= {"beyond": self._beyond.copy(), "evidence": self.evidence.copy()}
        arrays |= {"moved": self.moved.copy(), "account": self.account.copy()}
        arrays["seen"] = np.array([self.lowest, self.highest])
        if self.first is not None:
            arrays["first_level"] = self.first.copy()
        meta: dict[str, Any] = {
            "rows": self.rows, "blocks": self._blocks, "campaigns": self.campaigns,
            "learns": self.learns, "times_s": [self._first_s, self._last_s, self._stretch_s],
        }  # fmt: skip
        for name, one in (("open", self.open), ("lasting", self.lasting)):
            if one is None:
                continue
            meta[name] = [one.channel, one.kind, one.scale, one.since_s, one.alarm]
            meta[f"{name}_ends_s"], meta[f"{name}_confirmed"] = one.ends_s, one.confirmed
            arrays[f"{name}/levels"] = np.array([one.reference, one.now])
            arrays[f"{name}/blocks"] = self._stacked(one.blocks)
            arrays[f"{name}/stretches"] = self._stacked(one.stretches)
            arrays[f"{name}/held"] = np.array(
                [[channel, *own[1:], *own[0]] for channel, own in one.held.items()]
            )
            if one.moved is not None:
                meta[f"{name}_added"], arrays[f"{name}/moved"] = one.added, one.moved.copy()
        return meta, arrays

    def _stacked(self, blocks: list[Float64]) -> NDArray[np.float32]:
        return np.array(blocks, np.float32).reshape(-1, self.d)

    def restore(self, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        """Resume from `to_arrays`."""

        def under(prefix: str) -> dict[str, NDArray[Any]]:
            own = {n: a for n, a in arrays.items() if n.startswith(prefix)}
            return {name.removeprefix(prefix): array for name, array in own.items()}

        self.stretches.restore(under("stretches/"))
        for number, own in enumerate((*self._within, self._against)):
            own.restore(under(f"contrasts/{number}/"))
        self._past = [_blocks(arrays[f"past/{scale}"]) for scale in range(SCALES)]
        self._made = [_blocks(arrays[f"made/{scale}"]) for scale in range(SCALES)]
        self._part, self._of_stretch = _blocks(arrays["part"]), _blocks(arrays["of_stretch"])
        self._beyond, self.evidence = arrays["beyond"].copy(), arrays["evidence"].copy()
        self.moved, self.account = arrays["moved"].copy(), arrays["account"].copy()
        self.lowest, self.highest = arrays["seen"].copy()
        self.first = arrays.get("first_level")
        self._blocks = meta["blocks"]
        self.rows, self.campaigns, self.learns = meta["rows"], meta["campaigns"], meta["learns"]
        self._first_s, self._last_s, self._stretch_s = meta["times_s"]
        self.open, self.lasting = (
            _departure(name, meta, under(f"{name}/")) if name in meta else None
            for name in ("open", "lasting")
        )


def _blocks(rows: NDArray[Any]) -> list[Float64]:
    return list(rows.astype(np.float64))


def _departure(
    name: str, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
) -> OpenDeparture:
    channel, kind, scale, since_s, alarm = meta[name]
    reference, now = arrays["levels"]
    held = {int(own[0]): [own[4:].copy(), *own[1:4].tolist()] for own in arrays["held"]}
    older = meta.get("confirmed", False)  # of version 0.4.dev
    return OpenDeparture(
        channel, kind, scale, reference, now, since_s, alarm, held,
        _blocks(arrays["blocks"]), _blocks(arrays["stretches"]), list(meta[f"{name}_ends_s"]),
        meta.get(f"{name}_confirmed", older), arrays.get("moved"), meta.get(f"{name}_added", 0),
    )  # fmt: skip


def nanmedian(rows: Float64) -> Float64:
    """Return the median of rows without NaN, NaN where a column has no number."""
    if np.isfinite(rows).all():  # a fifth of the time of numpy.median
        ordered, n = np.sort(rows, axis=0), len(rows)
        return np.asarray((ordered[(n - 1) // 2] + ordered[n // 2]) / 2)
    return np.array([np.median(own) if (own := c[np.isfinite(c)]).size else np.nan for c in rows.T])
