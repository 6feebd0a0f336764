"""Spectra of one point side by side: what was healthy, and how they changed over time."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from app.store.connection import Database
from app.views import SpectrumBand, Waterfall
from gateway.messages.payloads import Condition

HEALTHY: tuple[Condition, ...] = ("normal", "learning")
BAND_PERCENT = (10, 50, 90)
"""Lower edge, middle and upper edge of the healthy band."""
BAND_LEAST = 3
"""Fewer spectra show no band."""
MAX_COLUMNS = 400
"""Of a waterfall: more than a screen's share of pixels would not be seen."""

Kind = Literal["spectrum", "envelope"]


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


def band(db: Database, machine: str, point: str, kind: Kind, limit: int) -> SpectrumBand:
    """Return the healthy band of a point's spectra, without lines if too few were measured."""
    stack = _stack(db, machine, point, kind, limit, HEALTHY)
    if stack is None or len(stack.ids) < BAND_LEAST:
        return SpectrumBand(spectra=len(stack.ids) if stack else 0)
    low, median, high = np.percentile(stack.values, BAND_PERCENT, axis=0)
    return SpectrumBand(
        f0_hz=stack.f0_hz,
        df_hz=stack.df_hz,
        unit=stack.unit,
        spectra=len(stack.ids),
        low=_rounded(low),
        median=_rounded(median),
        high=_rounded(high),
    )


def waterfall(db: Database, machine: str, point: str, kind: Kind, limit: int) -> Waterfall:
    """Return a point's newest spectra in at most `MAX_COLUMNS` columns.

    No peak is lost: a column is the largest of its lines.
    """
    stack = _stack(db, machine, point, kind, limit)
    if stack is None:
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


def _stack(
    db: Database,
    machine: str,
    point: str,
    kind: Kind,
    limit: int,
    conditions: tuple[Condition, ...] | None = None,
) -> _Stack | None:
    """Read the newest spectra that have the same lines as the very newest."""
    marks = ",".join("?" * len(conditions or ()))
    only = f" AND condition IN ({marks})" if conditions else ""
    rows = list(
        db.query(
            "SELECT id, window_ms, statement, vals FROM spectrum"
            f" WHERE machine_id = ? AND point = ? AND kind = ?{only}"
            " ORDER BY window_ms DESC, id DESC LIMIT ?",
            (machine, point, kind, *(conditions or ()), limit),
        )
    )
    if not rows:
        return None
    statements = [json.loads(row["statement"]) for row in rows]
    newest, size = statements[0], len(rows[0]["vals"])
    alike = [
        i
        for i, (row, statement) in enumerate(zip(rows, statements, strict=True))
        if len(row["vals"]) == size
        and all(statement[key] == newest[key] for key in ("f0_hz", "df_hz", "unit"))
    ]
    return _Stack(
        f0_hz=newest["f0_hz"],
        df_hz=newest["df_hz"],
        unit=newest["unit"],
        ids=[rows[i]["id"] for i in alike],
        window_ms=[rows[i]["window_ms"] for i in alike],
        conditions=[statements[i].get("condition") for i in alike],
        values=np.stack([np.frombuffer(rows[i]["vals"], "<f4") for i in alike]),
    )


def _rounded(values: NDArray[np.floating]) -> list[float]:
    """Round to the four digits that a picture can show."""
    return [float(f"{value:.4g}") for value in values.tolist()]
