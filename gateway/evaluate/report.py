"""The results as tables for a person."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rich.table import Table

from auscult.gateway.evaluate.records import Result

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
    "values": (
        "ready_h",
        "machine_years",
        "events_per_year",
        "alarms_per_year",
        "share_in_alarm",
        "f1",
        "far",
        "mar",
        "found",
        "false_events",
    ),
    "diagnosis": ("inner", "outer", "ball", "healthy"),
}


def tables(results: Sequence[Result]) -> Iterable[Table]:
    """Return one table for each protocol that was run."""
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
                row.machine or "(all)",
                row.point or "(machine)",
                row.detector,
                *(_cell(row.figures.get(name)) for name in columns),
            )
        if "n_faulty" in columns:
            table.caption, table.caption_justify = "\n".join(_withheld(rows)), "left"
        yield table


def _withheld(rows: Sequence[Result]) -> list[str]:
    """Say how many windows have no score, and why."""
    lines = []
    for row in rows:
        own = row.figures
        if causes := own.get("withheld_because"):
            why = ", ".join(f"{cause} {count}" for cause, count in causes.items())
            lines.append(
                f"{row.dataset}/{row.machine} {row.point or '(machine)'} {row.detector}: withheld, "
                f"counted as not flagged: {own['withheld_healthy']} of {own['n_healthy']} healthy "
                f"and {own['withheld_faulty']} of {own['n_faulty']} faulty windows ({why})"
            )
    return lines or ["no window was withheld"]


LABEL_COLUMNS = ("auc", "fpr", "fpr_held_out", "fpr_elsewhere", "tpr")


def label_tables(results: Sequence[Result]) -> Iterable[Table]:
    """Lay out what labels changed, where any were given: two lines for each point."""
    protocols = dict.fromkeys(
        (row.dataset, row.machine, row.protocol) for row in results if "after" in row.figures
    )
    for dataset, machine, protocol in protocols:
        rows = [
            row
            for row in results
            if "after" in row.figures
            and (row.dataset, row.machine, row.protocol) == (dataset, machine, protocol)
        ]
        first = rows[0].figures
        table = Table(
            title=f"{dataset}/{machine}, {protocol}, operating state withheld",
            caption=f"{first['accepted']} updates accepted, {first['rejected']} rejected, median "
            f"{_cell(first['update_ms'])} ms; {first['faults_lost']} of "
            f"{first['faults_confirmed']} confirmed faults lost",
            title_justify="left",
            caption_justify="left",
        )
        for name in ("point", "labels"):
            table.add_column(name)
        for name in LABEL_COLUMNS:
            table.add_column(name.replace("_", " "), justify="right")
        for row in rows:
            for when in ("before", "after"):
                cells = (_cell(row.figures[when][name]) for name in LABEL_COLUMNS)
                point = row.point or "(machine)"
                table.add_row(point if when == "before" else "", when, *cells)
        yield table


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.1f}" if abs(value) >= 10 else f"{value:.4f}"
    if isinstance(value, dict) and "accused" in value:
        return f"{value['accused']} of {value['recordings']} accused"
    if isinstance(value, dict):
        right, wrong = value["named_right"], value["named_wrong"]
        return f"{right} right, {wrong} wrong, {value['unclear']} unclear"
    return str(value)
