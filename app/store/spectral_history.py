"""Spectra of one point side by side: what was healthy, and how they changed over time."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from auscult.app.store import spectra
from auscult.app.store.connection import Database
from auscult.app.store.spectra import Period
from auscult.app.views import CombinedSpectrum, SpectrumBand, Waterfall
from auscult.contract.parts import SpectrumKind
from auscult.contract.payloads import Condition
from auscult.contract.records import RECOVERED, SAME_STATE_LOAD, SAME_STATE_SPEED

BAND_PERCENT = (10, 50, 90)
"""Lower edge, middle and upper edge of the healthy band."""
BAND_LEAST = 3
"""Fewer spectra show no band."""
MAX_COLUMNS = 400
"""Of a waterfall: more than a screen's share of pixels would not be seen."""

MAX_LOOKED_AT = 1000
"""Newest spectra among which a band's are looked for."""


Combination = Literal["average", "peak"]

_LINES = {"f0_hz", "df_hz", "unit"}
BYTES_A_LINE = 4


@dataclass(frozen=True, slots=True)
class _Measured:
    """A spectrum without its values."""

    id: str
    condition: Condition | None
    statement: dict[str, Any]
    size: int
    baseline_id: str

    def same_lines(self, other: _Measured) -> bool:
        """Return whether two have the same frequencies and unit."""
        return all(self.statement[key] == other.statement[key] for key in _LINES)

    def alike(self, other: _Measured) -> bool:
        """Whether two have the same lines, baseline and operating state; the unknown fits all."""
        mine, theirs = self.statement, other.statement
        return (
            self.size == other.size
            and self.baseline_id == other.baseline_id
            and self.same_lines(other)
            and _near(mine.get("speed_rpm"), theirs.get("speed_rpm"), SAME_STATE_SPEED)
            and _near(mine.get("load"), theirs.get("load"), SAME_STATE_LOAD)
        )


def _near(a: float | None, b: float | None, tolerance: float) -> bool:
    return a is None or b is None or abs(a - b) <= tolerance * max(abs(a), abs(b))


@dataclass(frozen=True, slots=True)
class _Stack:
    """Spectra with the same lines and unit, newest first; ``values`` [shape=(spectra, lines)]."""

    f0_hz: float
    df_hz: float
    unit: str
    ids: list[str]
    window_ms: list[int]
    conditions: list[Condition | None]
    values: NDArray[np.float32]


def band(
    db: Database, machine: str, point: str, kind: SpectrumKind, limit: int, like: str | None = None
) -> SpectrumBand:
    """Return the healthy band of a point's spectra, without lines if too few were measured.

    It is of the baseline and the operating state of the spectrum ``like``, else of the newest one.
    """
    known = _measured(db, machine, point, kind)
    shown = next((one for one in known if one.id == like), known[0] if known else None)
    if shown is None:
        return SpectrumBand(spectra=0)
    healthy = [one for one in known if one.condition in RECOVERED and one.alike(shown)][:limit]
    made_of = SpectrumBand(
        spectra=len(healthy),
        baseline_id=shown.baseline_id,
        speed_rpm=shown.statement.get("speed_rpm"),
        load=shown.statement.get("load"),
    )
    if len(healthy) < BAND_LEAST:
        return made_of
    marks = ",".join("?" * len(healthy))
    rows = db.query(f"SELECT vals FROM spectrum WHERE id IN ({marks})", [one.id for one in healthy])
    values = np.stack([np.frombuffer(row["vals"], "<f4") for row in rows])
    low, median, high = np.percentile(values, BAND_PERCENT, axis=0)
    return made_of.model_copy(
        update={
            "f0_hz": shown.statement["f0_hz"],
            "df_hz": shown.statement["df_hz"],
            "unit": shown.statement["unit"],
            "low": _rounded(low),
            "median": _rounded(median),
            "high": _rounded(high),
        }
    )


def waterfall(
    db: Database, machine: str, point: str, kind: SpectrumKind, period: Period
) -> Waterfall:
    """Return a point's spectra of a period in at most `MAX_COLUMNS` columns.

    No peak is lost: a column is the largest of its lines.
    """
    stack = _stack(db, machine, point, kind, period)
    if stack is None or not stack.values.size:
        return Waterfall()
    lines = stack.values.shape[1]
    step = -(-lines // MAX_COLUMNS)
    columns = np.maximum.reduceat(stack.values, np.arange(0, lines, step), axis=1)
    return Waterfall(
        f0_hz=stack.f0_hz,
        df_hz=stack.df_hz * step,
        unit=stack.unit,
        spectrum_ids=stack.ids[::-1],
        window_ms=stack.window_ms[::-1],
        condition=stack.conditions[::-1],
        rows=[_rounded(row) for row in columns[::-1]],
    )


def _measured(db: Database, machine: str, point: str, kind: SpectrumKind) -> list[_Measured]:
    """List the newest spectra, each with the baseline that it belongs to.

    What was measured in a healthy period belongs to the baseline that came of it: the next one.
    """
    known = db.records(
        "spectrum",
        _read,
        "SELECT id, condition, statement, length(vals) AS size FROM spectrum"
        " WHERE machine_id = ? AND point = ? AND kind = ?"
        " ORDER BY window_ms DESC, id DESC LIMIT ?",
        (machine, point, kind, MAX_LOOKED_AT),
    )
    found: list[_Measured] = []
    for one in known:
        before = found[-1].baseline_id if found else ""
        found.append(replace(one, baseline_id=one.baseline_id or before))
    return found


def _read(row: dict[str, Any]) -> _Measured:
    statement, size = json.loads(row["statement"]), row["size"]
    if not statement.keys() >= _LINES or size % BYTES_A_LINE:
        raise ValueError("its lines are not stated")
    condition = Condition(row["condition"]) if row["condition"] else None
    return _Measured(row["id"], condition, statement, size, statement.get("baseline_id") or "")


def combined(
    db: Database, machine: str, point: str, kind: SpectrumKind, how: Combination, period: Period
) -> CombinedSpectrum | None:
    """Return the average or the highest values of a period's spectra, None if there are none.

    Of spectra with the lines, the baseline and the operating state of the newest one.
    """
    rows = _rows(db, machine, point, kind, period)
    if not rows:
        return None
    newest = rows[0][0]
    alike = [row for row in rows if row[0].alike(newest)]
    values = np.stack([values for _, _, values in alike])
    # amplitudes average by their power; a squared envelope is a power already
    made = (
        values.max(axis=0)
        if how == "peak"
        else values.mean(axis=0, dtype=float)
        if kind == "envelope"
        else np.sqrt(np.square(values, dtype=float).mean(axis=0))
    )
    shown = spectra.view(db, newest.id)
    if shown is None:
        return None
    return CombinedSpectrum(
        **{**dict(shown), "values": _rounded(made)},
        spectra=len(alike),
        left_out=len(rows) - len(alike),
        first_ms=alike[-1][1],
    )


_Row = tuple[_Measured, int, NDArray[np.float32]]


def _rows(db: Database, machine: str, point: str, kind: SpectrumKind, period: Period) -> list[_Row]:
    """Read the spectra that show a period with their times and values, newest first."""
    ids = spectra.ids_in(db, machine, point, kind, period)
    rows = db.records(
        "spectrum",
        lambda row: (_read(row), row["window_ms"], np.frombuffer(row["vals"], "<f4")),
        "SELECT id, condition, window_ms, statement, vals, length(vals) AS size FROM spectrum"
        f" WHERE id IN ({','.join('?' * len(ids))}) ORDER BY window_ms DESC, id DESC",
        ids,
    )
    return list(rows) if ids else []


def _stack(
    db: Database, machine: str, point: str, kind: SpectrumKind, period: Period
) -> _Stack | None:
    """Read the spectra of a period that have the same lines as its newest."""
    read = _rows(db, machine, point, kind, period)
    if not read:
        return None
    newest = read[0][0]
    alike = [row for row in read if row[0].size == newest.size and row[0].same_lines(newest)]
    return _Stack(
        f0_hz=newest.statement["f0_hz"],
        df_hz=newest.statement["df_hz"],
        unit=newest.statement["unit"],
        ids=[one.id for one, _, _ in alike],
        window_ms=[at_ms for _, at_ms, _ in alike],
        conditions=[one.condition for one, _, _ in alike],
        values=np.stack([values for _, _, values in alike]),
    )


def _rounded(values: NDArray[np.floating]) -> list[float]:
    """Round to the four digits that a picture can show."""
    return [float(f"{value:.4g}") for value in values.tolist()]
