"""A folder with `values.toml`: the history of overall values of a plant's machines, in tables.

`values.toml` maps columns of a historian's export to points, once for a plant. See
docs/sensors/values.md.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationError, field_validator, model_validator

from auscult.contract.invalid import said_of
from auscult.contract.machines import Id, MachineSettings
from auscult.contract.message import NS_PER_S
from auscult.contract.said import Rejection, Said
from auscult.contract.section import Section, Unit
from auscult.dsp.quantities import INTERVAL_S, QuantityName, usual_interval_s
from auscult.gateway.files.historian import (
    Float64,
    Int64,
    Series,
    TimeLayout,
    read_records,
    read_series,
)
from auscult.gateway.files.records import FileError
from auscult.gateway.records import PointId, PointValue

DESCRIPTION = "values.toml"
RUN_BIT: Final = "running"
"""Id of the point that a column of run bits becomes."""
RUN_BIT_HOLDS: Final = 3
"""Intervals for which a run bit holds, as in the gateway."""


class ValuePoint(Section):
    """A column of a table, or a tag of a long one, as a point."""

    id: Id
    column: str = Field(min_length=1, description="Column; in a long table the tag")
    quantity: QuantityName
    unit: Unit = Field(min_length=1, max_length=16)
    interval_s: float | None = Field(default=None, ge=INTERVAL_S[0], le=INTERVAL_S[1])
    resolution: float = Field(default=0.0, ge=0)
    counter: str = ""


class TableLayout(Section):
    """Where a table holds its times."""

    time: str = Field(default="time", min_length=1, description="Column of the times")
    timezone: str = Field(default="", description="Zone of times that state none; default: UTC")
    time_format: str = Field(default="", description="Form of the times, as Python's strptime")
    tag: str = Field(default="", description="Long table: column of the names")
    value: str = Field(default="", description="Long table: column of the numbers")

    @field_validator("time_format")
    @classmethod
    def _no_directive_twice(cls, value: str) -> str:
        try:
            datetime.strptime("", value)  # noqa: DTZ007
        except re.error as error:
            raise Rejection("values_time_format", value=value) from error
        except ValueError:
            pass  # an empty text is no time
        return value

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if bool(self.tag) != bool(self.value):
            raise Rejection("values_layout")
        return self

    @property
    def layout(self) -> TimeLayout:
        """Return it for the reader."""
        return TimeLayout(self.time, self.timezone, self.time_format, self.tag, self.value)


class Running(TableLayout):
    """What states that the machine runs: a column, or a point that is above a value."""

    table: str = ""
    column: str = ""
    point: str = ""
    above: float = Field(default=0.0, description="The machine runs while the value is above this")

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if bool(self.point) == bool(self.table) or bool(self.table) != bool(self.column):
            raise Rejection("values_running")
        return self


class MachineTable(TableLayout):
    """A machine of `values.toml`."""

    id: Id
    table: str = Field(min_length=1, description="File in the folder")
    points: tuple[ValuePoint, ...] = Field(min_length=1)
    running: Running | None = None
    healthy_rows: int | None = Field(default=None, ge=1, description="The first rows are healthy")
    truth: str = Field(default="", description="Column of 0 and 1: the row is anomalous")
    events: str = Field(default="", description="Table of known events: from, to, what")

    @model_validator(mode="after")
    def _points_fit(self) -> Self:
        ids = [point.id for point in self.points]
        if twice := next((one for one in ids if ids.count(one) > 1), None):
            raise Rejection("values_twice", id=twice)
        if self.running is not None and self.running.point not in ("", *ids):
            raise Rejection("values_no_point", point=self.running.point, points=tuple(ids))
        return self

    @property
    def files(self) -> tuple[tuple[str, str], ...]:
        """Return the keys that name files, with their values."""
        of_bits = self.running.table if self.running is not None else ""
        named = (("table", self.table), ("running.table", of_bits), ("events", self.events))
        return tuple((key, name) for key, name in named if name)


class PlantTables(Section):
    """`values.toml`."""

    machine: tuple[MachineTable, ...] = Field(min_length=1)

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        ids = [machine.id for machine in self.machine]
        if twice := next((one for one in ids if ids.count(one) > 1), None):
            raise Rejection("values_twice", id=twice)
        return self


@dataclass(frozen=True, slots=True)
class KnownEvent:
    """Something that happened to a machine, from ``from_ns`` to ``to_ns`` (UTC)."""

    from_ns: int
    to_ns: int
    what: str


@dataclass(frozen=True, slots=True, eq=False)
class ValueHistory:
    """The history of one machine.

    ``t_ns`` [shape=(n,)] UTC in order, ``values`` [shape=(n, points)] NaN where a row has none,
    ``truth`` [shape=(n,)] whether a row is anomalous, ``run_bit`` the stated run bits.
    """

    table: MachineTable
    t_ns: Int64
    values: Float64
    run_bit: Series | None = None
    truth: NDArray[np.bool_] | None = None
    events: tuple[KnownEvent, ...] | None = None

    @property
    def settings(self) -> MachineSettings:
        """Return the machine as a gateway is configured for it."""
        return MachineSettings.model_validate(self._document())

    def _document(self) -> dict[str, Any]:
        points = []
        running = self.table.running
        for column, point in enumerate(self.table.points):
            times = self.t_ns[np.isfinite(self.values[:, column])]
            own = {
                "id": point.id,
                "kind": "value",
                "quantity": point.quantity,
                "unit": point.unit,
                "interval_s": point.interval_s or usual_interval_s(times),
                "resolution": point.resolution,
                "counter": point.counter,
            }
            if running is not None and running.point == point.id:
                own |= {"state": "running", "running_above": running.above}
            points.append(own)
        if self.run_bit is not None and running is not None:
            points.append(
                {
                    "id": self.run_point,
                    "kind": "value",
                    "quantity": "other",
                    "unit": "bit",
                    "interval_s": usual_interval_s(self.run_bit.t_ns),
                    "state": "running",
                    "running_above": running.above,
                }
            )
        return {"id": self.table.id, "points": points}

    def newest(self) -> Float64:
        """Return the newest value of each point at each row [shape=(n, points)]."""
        known = np.where(np.isfinite(self.values), np.arange(len(self.values))[:, None], -1)
        newest = np.maximum.accumulate(known, axis=0)
        values = np.take_along_axis(self.values, np.maximum(newest, 0), axis=0)
        return np.where(newest >= 0, values, np.nan)

    def running(self) -> NDArray[np.bool_]:
        """Return the rows at which the machine is known to run; all where nothing is stated."""
        running = self.table.running
        if running is None:
            return np.ones(len(self.t_ns), bool)
        if self.run_bit is None:
            ids = [point.id for point in self.table.points]
            above: NDArray[np.bool_] = self.newest()[:, ids.index(running.point)] > running.above
            return above
        bit = self.run_bit
        last = np.searchsorted(bit.t_ns, self.t_ns, side="right") - 1
        holds_ns = RUN_BIT_HOLDS * usual_interval_s(bit.t_ns) * NS_PER_S
        fresh = (last >= 0) & (self.t_ns - bit.t_ns[np.maximum(last, 0)] <= holds_ns)
        return fresh & (bit.values[np.maximum(last, 0)] > running.above)

    @property
    def run_point(self) -> str:
        """Return the id of the point of the run bits."""
        taken = {point.id for point in self.table.points}
        return RUN_BIT if RUN_BIT not in taken else f"{RUN_BIT}-bit"

    def items(self) -> Iterator[tuple[int, list[PointValue]]]:
        """Yield the number of each row and its values, after the run bits since the row before.

        What states the operating state comes first: all values of a row are of one time.
        """
        machine = self.table.id
        running = self.table.running
        order = sorted(
            range(len(self.table.points)),
            key=lambda i: running is None or self.table.points[i].id != running.point,
        )
        points = [
            (i, PointId(machine, self.table.points[i].id), self.table.points[i].unit) for i in order
        ]
        bits: Iterator[PointValue] = iter(())
        if self.run_bit is not None:
            bit = PointId(machine, self.run_point)
            known = np.isfinite(self.run_bit.values)
            stated = zip(
                self.run_bit.t_ns[known].tolist(), self.run_bit.values[known].tolist(), strict=True
            )
            bits = (PointValue(bit, t_ns, value, "bit") for t_ns, value in stated)
        waiting = next(bits, None)
        rows = zip(self.t_ns.tolist(), self.values.tolist(), strict=True)
        for number, (t_ns, row) in enumerate(rows):
            items: list[PointValue] = []
            while waiting is not None and waiting.t_ns <= t_ns:
                items.append(waiting)
                waiting = next(bits, None)
            items += [
                PointValue(point, t_ns, row[i], unit)
                for i, point, unit in points
                if row[i] == row[i]  # not NaN
            ]
            yield number, items


def holds_values(folder: Path) -> bool:
    """Return whether a folder, or the file itself, is described by `values.toml`."""
    return folder.name == DESCRIPTION or (folder / DESCRIPTION).is_file()


def is_file(path: Path) -> bool:
    """Return whether a file exists; a name too long for a file names none."""
    try:
        return path.is_file()
    except OSError:
        return False


def read_description(folder: Path) -> PlantTables:
    """Read `values.toml`; its origin may be unknown, so it names files of its folder only.

    Raises
    ------
    FileError
        One line: file, key, value, limit, remedy.
    """
    path = folder / DESCRIPTION
    try:
        found = PlantTables.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(map(str, first["loc"])) or DESCRIPTION
        raise FileError("values_key", path=str(path), key=key, problem=said_of(first)) from error
    except (OSError, ValueError) as error:
        raise FileError("folder_key", path=str(path), problem=str(error)) from error
    for machine in found.machine:
        check_files(folder, machine)
    return found


def check_files(folder: Path, machine: MachineTable) -> None:
    """Raise a `FileError` where a machine names a file that is not below the folder."""
    for key, name in machine.files:
        if not (folder / name).resolve().is_relative_to(folder.resolve()):
            raise FileError(
                "values_outside", path=str(folder / DESCRIPTION), value=name, folder=str(folder),
                key=f"machine {machine.id}, {key}",
            )  # fmt: skip


class Heads:
    """Reads the first rows of each table once in each layout; what is wrong with one stays."""

    def __init__(self) -> None:
        self._found: dict[tuple[Any, ...], dict[str, Series] | FileError] = {}

    def read(self, path: Path, layout: TimeLayout, wanted: Mapping[str, str]) -> dict[str, Series]:
        """Return the series of a table, as `read_series` does."""
        key = (path, layout, *wanted)
        if key not in self._found:
            try:
                self._found[key] = read_series(path, layout, wanted, head=True)
            except FileError as error:
                self._found[key] = error
        found = self._found[key]
        if isinstance(found, FileError):
            raise found
        return found


def read_history(
    folder: Path, description: PlantTables, machine: str, heads: Heads | None = None
) -> ValueHistory:
    """Read the tables of one machine, or their first rows (``heads``).

    Raises
    ------
    FileError
        If a table, a column or a number is missing; one line: file, key, value, remedy.
    """
    table = next(one for one in description.machine if one.id == machine)
    series = _series(folder, description, table.table, table.layout, heads)
    own = [series[point.column] for point in table.points]
    t_ns, values = _rows(own)
    run_bit = truth = None
    if table.running is not None and table.running.table:
        running = table.running
        bits = _series(folder, description, running.table, running.layout, heads)
        run_bit = bits[running.column]
    if table.truth:
        marks = series[table.truth]
        truth = _at(marks, t_ns) > 0
    events = _events(folder, table, head=heads is not None) if table.events else None
    return ValueHistory(table, t_ns, values, run_bit, truth, events)


def _rows(series: Sequence[Series]) -> tuple[Int64, Float64]:
    """Put series side by side: rows of a wide table stay, others are joined by their times."""
    if all(one.t_ns is series[0].t_ns for one in series):
        return series[0].t_ns, np.column_stack([one.values for one in series])
    t_ns = np.unique(np.concatenate([one.t_ns for one in series]))
    return t_ns, np.column_stack([_at(one, t_ns) for one in series])


def _at(series: Series, t_ns: Int64) -> Float64:
    """Return the values at these times, NaN where there are none."""
    if series.t_ns is t_ns:
        return series.values
    values = np.full(len(t_ns), np.nan)
    # The first of doubled values counts, as in the gateway.
    place = np.searchsorted(t_ns, series.t_ns[::-1])
    place[place == len(t_ns)] = 0
    here = t_ns[place] == series.t_ns[::-1]
    values[place[here]] = series.values[::-1][here]
    return values


def _series(
    folder: Path, description: PlantTables, table: str, layout: TimeLayout, heads: Heads | None
) -> Mapping[str, Series]:
    """Read the columns of a table that any machine needs, once."""
    wanted: dict[str, str] = {}
    first_key = ""
    for machine in description.machine:
        place = f"machine {machine.id}"
        if machine.table == table and machine.layout == layout:
            first_key = first_key or f"{place}, table"
            for point in machine.points:
                wanted.setdefault(point.column, f"{place}, points.{point.id}.column")
            if machine.truth:
                wanted.setdefault(machine.truth, f"{place}, truth")
        running = machine.running
        if running is not None and running.table == table and running.layout == layout:
            first_key = first_key or f"{place}, running.table"
            wanted.setdefault(running.column, f"{place}, running.column")
    _check_file(folder, first_key, table)
    if heads is not None:
        return heads.read(folder / table, layout, wanted)
    return _read(folder / table, layout, tuple(wanted.items()))


@lru_cache(maxsize=2)  # the machines of one table follow each other; a second one has run bits
def _read(path: Path, layout: TimeLayout, wanted: tuple[tuple[str, str], ...]) -> dict[str, Series]:
    return read_series(path, layout, dict(wanted))


def _check_file(folder: Path, key: str, name: str) -> None:
    if not is_file(folder / name):
        raise FileError("values_no_file", path=str(folder / DESCRIPTION), key=key, value=name)


def _events(folder: Path, table: MachineTable, *, head: bool) -> tuple[KnownEvent, ...]:
    _check_file(folder, f"machine {table.id}, events", table.events)
    return read_events(folder / table.events, table.layout, table.id, head=head)


def read_events(
    path: Path, layout: TimeLayout, machine: str, *, head: bool = False
) -> tuple[KnownEvent, ...]:
    """Read a table of known events: columns ``from``, ``to`` and ``what``.

    With a column ``machine``, the rows of this machine.

    Raises
    ------
    FileError
        One line: file, line, value, remedy.
    """
    found = [
        KnownEvent(row["from"], row["to"], row.get("what", ""))
        for row in read_records(path, ("from", "to"), layout, head=head)
        if row.get("machine", machine) == machine
    ]
    if any(one.from_ns > one.to_ns for one in found):
        raise FileError("values_key", path=str(path), key="from", problem=Said("values_order"))
    return tuple(found)
