"""The results as tables for a person."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rich.table import Table

from gateway.evaluate.records import Result

COLUMNS = {
    "healthy_vs_faulty": ("auc", "fpr", "tpr", "n_baseline", "n_healthy", "n_faulty"),
    "hold_out": ("auc", "fpr", "tpr", "n_baseline", "n_healthy", "n_faulty"),
    "hold_out_half": ("auc", "fpr", "tpr", "n_baseline", "n_healthy", "n_faulty"),
    "run_to_failure": (
        "first_warning_lead_min",
        "first_alarm_lead_min",
        "condition_at_end",
        "warning_share_20_50",
        "alarm_share_20_50",
    ),
    "diagnosis": ("inner", "outer", "ball"),
}


def tables(results: Sequence[Result]) -> Iterable[Table]:
    """One table for each protocol that was run."""
    for protocol, columns in COLUMNS.items():
        rows = [result for result in results if result.protocol == protocol]
        if not rows:
            continue
        table = Table(title=protocol, title_justify="left")
        for name in ("data set", "machine", "point", "detector"):
            table.add_column(name)
        for name in columns:
            table.add_column(name.replace("_", " "), justify="right")
        for row in rows:
            table.add_row(
                row.dataset,
                row.machine,
                row.point or "(machine)",
                row.detector,
                *(_cell(row.figures.get(name)) for name in columns),
            )
        yield table


LABEL_COLUMNS = ("auc", "fpr", "fpr_held_out", "fpr_elsewhere", "tpr")
LABEL_COUNTS = ("false_alarms_left", "update_ms", "accepted", "rejected", "faults_lost")


def label_table(results: Sequence[Result]) -> Table | None:
    """Lay out what labels changed, where any were given."""
    rows = [result for result in results if "after" in result.figures]
    if not rows:
        return None
    table = Table(title="before → after labels, operating state withheld", title_justify="left")
    for name in ("data set", "machine", "protocol", "point"):
        table.add_column(name)
    for name in (*LABEL_COLUMNS, *LABEL_COUNTS):
        table.add_column(name.replace("_", " "), justify="right")
    for row in rows:
        before, after = row.figures["before"], row.figures["after"]
        table.add_row(
            row.dataset,
            row.machine,
            row.protocol,
            row.point or "(machine)",
            *(f"{_cell(before[name])} → {_cell(after[name])}" for name in LABEL_COLUMNS),
            *(_cell(row.figures[name]) for name in LABEL_COUNTS),
        )
    return table


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.1f}" if abs(value) >= 10 else f"{value:.4f}"
    if isinstance(value, dict):
        right, wrong = value["named_right"], value["named_wrong"]
        return f"{right} right, {wrong} wrong, {value['unclear']} unclear"
    return str(value)
