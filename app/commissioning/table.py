"""The table of machines that people import: one row a point, the machine's columns on its first.

All problems are reported at once, each by row and column. Semicolons, a byte order mark and
decimal commas, as spreadsheets write them, are accepted.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, get_args

from pydantic import ValidationError

from auscult.app.commissioning.cells import CellError, Row, cell_of, number_in, parts_of, whole_in
from auscult.app.commissioning.table_sources import (
    MQTT_JSON,
    SOURCE_COLUMNS,
    place_of_source,
    source_cells,
    sources_of,
    target_of,
)
from auscult.app.commissioning.table_train import (
    TRAIN_READERS,
    bearing_cell,
    bearing_in,
    train_cells,
)
from auscult.app.views import CatalogueBearing, RowProblem
from auscult.contract.invalid import said_of
from auscult.contract.machines import MachineSettings, PointSettings
from auscult.contract.payloads import ProblemPart
from auscult.contract.said import Rejection, Said
from auscult.contract.section import Section
from auscult.contract.train import MEASURED_SHAFT

Reader = Callable[[str], Any]
Readers = Mapping[str, Reader]
"""How the cell of a setting is read, where it is not text; by the setting's name."""

MACHINE_COLUMNS = (
    "machine", "machine_name", "area", "template", "power_kw", "speed_rpm", "shaft_height_mm",
    "support", "iso_class", "bearings", "gear_teeth", "shafts", "gears", "belts", "blades",
    "line_hz", "pole_pairs", "baseline_windows", "baseline_days", "baseline_starts",
    "approve_baseline", "consequence_safety", "consequence_production", "consequence_quality",
    "consequence_cost", "downtime_cost_per_h", "spare_part_days",
)  # fmt: skip
POINT_COLUMNS = (
    "point", "point_name", "kind", "unit", "sensitivity_mv", "sensitivity_unit", "fs_hz",
    "envelope_low_hz", "envelope_high_hz", "limits", "direction", "shaft", "point_bearings",
    "quantity", "value_interval_s", "resolution", "counter", "state", "running_above",
)  # fmt: skip
COLUMNS = (*MACHINE_COLUMNS, *POINT_COLUMNS, *SOURCE_COLUMNS)
MAX_ROWS = 10_000

EXAMPLE_ROWS = (
    {
        "machine": "pump-1", "machine_name": "Cooling water pump 1", "area": "Hall 2",
        "power_kw": "55", "speed_rpm": "1480", "support": "rigid", "iso_class": "group2",
        "bearings": "6205-2RS JEM SKF", "approve_baseline": "yes",
        "point": "DE-H", "point_name": "Drive end, horizontal", "kind": "vibration", "unit": "V",
        "sensitivity_mv": "100", "sensitivity_unit": "g", "fs_hz": "25600",
        "limits": "velocity_rms_mm_s>4.5/7.1",
        "topic": "sensors/pump-1/de-h", "tags": "speed_rpm=plc/pump-1#/speed *60",
    },
    {
        "machine": "pump-1", "point": "NDE-H", "point_name": "Non-drive end, horizontal",
        "kind": "vibration", "unit": "V", "sensitivity_mv": "100", "sensitivity_unit": "g",
        "fs_hz": "25600", "topic": "sensors/pump-1/nde-h",
    },
)  # fmt: skip
"""Of the template: a machine with two sensors over MQTT, its speed from a PLC."""

_NAMES = {
    "machine": "id", "machine_name": "name", "point": "id", "point_name": "name",
    "point_bearings": "bearings", "value_interval_s": "interval_s",
}  # fmt: skip
_YES = {"yes": True, "true": True, "1": True, "x": True, "no": False, "false": False, "0": False}


@dataclass
class Table:
    """The content of a table: ``machines`` hold the valid ones, ``problems`` the rest."""

    machines: list[MachineSettings] = field(default_factory=list)
    sources: list[dict[str, Any]] = field(default_factory=list)
    problems: list[RowProblem] = field(default_factory=list)
    rows: dict[str, list[int]] = field(default_factory=dict)
    """Rows of each machine's points in their order; the first also holds the machine."""

    def place(self, problem: ProblemPart, machines: Sequence[str]) -> RowProblem:
        """Return the cell of a problem that the gateway found in `machines` (ids)."""
        match problem.path:
            case ("machines", int(number), "points", int(point), *more):
                rows, column = self.rows.get(machines[number], [0]), _column("point", more)
                return _from_gateway(rows[min(point, len(rows) - 1)], column, problem)
            case ("machines", int(number), *more):
                rows = self.rows.get(machines[number], [0])
                return _from_gateway(rows[0], _column("machine", more), problem)
            case ("sources", int(number), *more) if number < len(self.sources):
                source = self.sources[number]
                where, column = place_of_source(source, more)
                row = self._row(target_of(source), where)
                return _from_gateway(row, column, problem)
        return _from_gateway(0, "", problem)

    def _row(self, name: str, point: str) -> int:
        """Return the row of a machine's point, or its first one."""
        rows = self.rows.get(name, [0])
        points = next(([p.id for p in m.points] for m in self.machines if m.id == name), [])
        return rows[points.index(point)] if point in points else rows[0]


def template() -> str:
    """Return the empty table with an example machine, as CSV."""
    return _written(EXAMPLE_ROWS)


def written(
    machines: Iterable[MachineSettings],
    sources: Iterable[dict[str, Any]],
    catalogue: Sequence[CatalogueBearing] = (),
) -> str:
    """Return machines as a table that can be imported again.

    Bearings that are in the `catalogue` as they are need no more than their name.
    """
    known = {bearing.name.lower(): bearing for bearing in catalogue}
    # A machine may have a source of samples, and one of values.
    by_machine = {(target_of(one), one.get("type") == MQTT_JSON): one for one in sources}
    rows = []
    for machine in machines:
        begun: set[bool] = set()
        for number, point in enumerate(machine.points):
            row = _point_cells(machine, point)
            is_value = point.kind == "value"
            if (source := by_machine.get((machine.id, is_value))) is not None:
                row |= source_cells(source, point.id, first=is_value not in begun)
                begun.add(is_value)
            rows.append(row | _machine_cells(machine, known) if number == 0 else row)
    return _written(rows)


def read(text: str, catalogue: Sequence[CatalogueBearing]) -> Table:
    """Read a table; `catalogue` gives the bearings that it may name."""
    table = Table()
    rows = _rows(text, table)
    bearings = {bearing.name.lower(): bearing for bearing in catalogue}
    grouped: dict[str, list[Row]] = {}
    for number, row in rows:
        if not row.get("machine"):
            table.problems.append(RowProblem.from_said(number, "machine", Said("cell_empty")))
        else:
            grouped.setdefault(row["machine"], []).append((number, row))
    for name, own in grouped.items():
        table.rows[name] = [number for number, _ in own]
        _read_machine(name, own, bearings, table)
    return table


def _rows(text: str, table: Table) -> list[Row]:
    """Return the rows that are not empty, with their number in the file (the head is row 1)."""
    text = text.removeprefix("\ufeff")
    head = text.partition("\n")[0]
    delimiter = max(";,\t", key=head.count)
    reader = csv.DictReader(io.StringIO(text, newline=None), delimiter=delimiter)
    try:
        return _rows_of(reader, table)
    except csv.Error as error:
        row = max(reader.line_num, 1)
        said = Said("table_unreadable", {"problem": str(error)})
        table.problems.append(RowProblem.from_said(row, "", said))
        return []


def _rows_of(reader: csv.DictReader[str], table: Table) -> list[Row]:
    names = [(name or "").strip().lower() for name in reader.fieldnames or ()]
    for name in ("machine", "point", "kind", "unit", "fs_hz"):
        if name not in names:
            table.problems.append(RowProblem.from_said(1, name, Said("column_missing")))
    for name in names:
        if name and name not in COLUMNS:
            table.problems.append(RowProblem.from_said(1, name[:64], Said("column_unknown")))
    if table.problems:
        return []
    reader.fieldnames = names
    rows: list[Row] = []
    for row in reader:
        cells = {k: (v or "").strip() for k, v in row.items() if isinstance(k, str) and k}
        if any(row.get(None) or ()):
            said = Said("cells_beyond_head", {"separator": str(reader.reader.dialect.delimiter)})
            table.problems.append(RowProblem.from_said(reader.line_num, "", said))
        elif any(cells.values()):
            rows.append((reader.line_num, cells))
        if len(rows) > MAX_ROWS:
            said = Said("table_too_long", {"most": MAX_ROWS})
            table.problems.append(RowProblem.from_said(reader.line_num, "", said))
            break
    return rows


def _read_machine(
    name: str,
    rows: list[Row],
    bearings: dict[str, CatalogueBearing],
    table: Table,
) -> None:
    before = len(table.problems)
    first, cells = rows[0]
    table.problems += _contradictions(rows)
    readers: Readers = {
        **_typed_readers(MachineSettings),
        "bearings": lambda cell: [bearing_in(one, bearings) for one in parts_of(cell)],
        **TRAIN_READERS,
        "gear_teeth": lambda cell: [whole_in(one) for one in parts_of(cell)],
    }
    machine = _values(first, cells, MACHINE_COLUMNS, readers, table)
    points = []
    for number, row in rows:
        point = _values(number, row, POINT_COLUMNS, _POINT_READERS, table)
        try:
            points.append(PointSettings.model_validate(point))
        except ValidationError as error:
            table.problems += _invalid(error, number, "point")
    if len(table.problems) > before:
        return
    try:
        settings = MachineSettings.model_validate(machine | {"points": points})
    except ValidationError as error:
        table.problems += _invalid(error, first, "machine")
        return
    table.machines.append(settings)
    try:
        table.sources += sources_of(name, rows)
    except CellError as error:
        table.problems.append(RowProblem.from_said(error.row, error.column, error.said))


def _contradictions(rows: list[Row]) -> Iterable[RowProblem]:
    """Find cells of a machine's later rows that contradict its first row."""
    first, cells = rows[0]
    for number, row in rows[1:]:
        for column in (*MACHINE_COLUMNS[1:], "recordings", "recorded_machine", "tags"):
            if row.get(column) and row[column] != cells.get(column):
                values = {"first": first, "other": cells.get(column)}
                yield RowProblem.from_said(number, column, Said("cell_contradicts", values))


def _values(
    number: int,
    cells: Mapping[str, str],
    columns: Sequence[str],
    readers: Readers,
    table: Table,
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for column in columns:
        cell = cells.get(column, "")
        if not cell:
            continue
        key = _NAMES.get(column, column)
        try:
            values[key] = readers.get(key, str)(cell)
        except Rejection as error:
            table.problems.append(RowProblem.from_said(number, column, error.said))
    return values


def _yes(cell: str) -> bool:
    if cell.lower() not in _YES:
        raise Rejection("cell_not_yes_or_no", cell=cell)
    return _YES[cell.lower()]


def _limits(cell: str) -> list[dict[str, Any]]:
    """Read `feature>warning/alarm` or `feature<warning/alarm`, several with `;` or `|` between."""
    limits = []
    for one in parts_of(cell):
        sign = ">" if ">" in one else "<"
        feature, found, levels = one.partition(sign)
        if not found:
            raise Rejection("cell_limit_form", cell=one)
        warning, _, alarm = levels.partition("/")
        limits.append(
            {
                "feature": feature.strip(),
                "direction": "above" if sign == ">" else "below",
                "warning": number_in(warning) if warning.strip() else None,
                "alarm": number_in(alarm) if alarm.strip() else None,
            }
        )
    return limits


def _typed_readers(settings: type[Section]) -> Readers:
    """Return how a cell of each setting that is a number or a truth value is read."""
    by_type: dict[Any, Reader] = {bool: _yes, int: whole_in, float: number_in}
    return {
        name: by_type[one]
        for name, field in settings.model_fields.items()
        for one in (field.annotation, *get_args(field.annotation))
        if one in (bool, int, float)
    }


_POINT_READERS: Readers = {
    **_typed_readers(PointSettings),
    "limits": _limits,
    "bearings": parts_of,
}


def _invalid(error: ValidationError, row: int, what: str) -> Iterable[RowProblem]:
    for one in error.errors(include_url=False, include_input=False):
        yield RowProblem.from_said(row, _column(what, one["loc"]), said_of(one))


def _column(what: str, path: Sequence[str | int]) -> str:
    name = str(path[0]) if path else what
    return {"id": what, "name": f"{what}_name"}.get(name, name)


def _from_gateway(row: int, column: str, problem: ProblemPart) -> RowProblem:
    said = problem.said or Said("value_other", {"problem": problem.text})
    return RowProblem.from_said(row, column, said)


def _machine_cells(
    machine: MachineSettings, known: Mapping[str, CatalogueBearing]
) -> dict[str, str]:
    lists = {"points", "bearings", "gear_teeth", "shafts", "gears", "belts", "blades"}
    given = machine.model_dump(exclude=lists, exclude_none=True)
    cells = {column: given.get(_NAMES.get(column, column)) for column in MACHINE_COLUMNS}
    return {
        **{column: cell_of(value) for column, value in cells.items()},
        "bearings": ";".join(bearing_cell(bearing, known) for bearing in machine.bearings),
        **train_cells(machine),
        "gear_teeth": ";".join(map(str, machine.gear_teeth)),
    }


def _point_cells(machine: MachineSettings, point: PointSettings) -> dict[str, str]:
    given = point.model_dump(exclude={"limits", "bearings"}, exclude_none=True)
    cells = {column: cell_of(given.get(_NAMES.get(column, column))) for column in POINT_COLUMNS}
    cells["machine"] = machine.id
    cells["point_bearings"] = ";".join(point.bearings)
    cells["shaft"] = "" if point.shaft == MEASURED_SHAFT else point.shaft
    cells["limits"] = ";".join(
        f"{limit.feature}{'>' if limit.direction == 'above' else '<'}"
        f"{cell_of(limit.warning)}/{cell_of(limit.alarm)}"
        for limit in point.limits
    )
    return cells


def _written(rows: Iterable[dict[str, str]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, restval="", lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
