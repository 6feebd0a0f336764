"""The mapping of one table at a time, for the page: its head, a draft, the check, `values.toml`.

Of a table only the head is read. Tables lie below the gateway's `recordings_dir`; a name that leads
out of it, also by a link, is rejected.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, partial
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from pydantic import ValidationError

from auscult.contract import invalid
from auscult.contract.payloads import ProblemPart
from auscult.contract.said import Said
from auscult.contract.tables import TableColumn, TableHead
from auscult.durable import write_durably
from auscult.gateway.datasets.value_draft import (
    ENDINGS,
    NOT_SAID,
    TableDraft,
    draft_of,
    entry_text,
    is_number,
    tags_of,
)
from auscult.gateway.datasets.value_tables import (
    DESCRIPTION,
    Heads,
    MachineTable,
    PlantTables,
    check_files,
    holds_values,
    is_file,
    read_description,
    read_history,
)
from auscult.gateway.files.historian import TimeLayout, has_more_rows, head_of, numbers_of, times_of
from auscult.gateway.files.records import FileError

MOST_FILES: Final = 20_000
"""Files of a folder that are looked through for tables."""
MOST_TABLES: Final = 500
MOST_COLUMNS: Final = 500
SHOWN_CELLS: Final = 3
SHOWN_CHARS: Final = 40
MOST_NAME: Final = 200
"""Longest name of a column that is offered."""
_ENTRY = re.compile(r"(?m)^[ \t]*\[\[[ \t]*machine[ \t]*\]\]")
"""The head of an entry of `values.toml`."""


def tables_below(folder: Path) -> TableHead:
    """List the tables below a folder, by their paths in it."""
    files = islice(folder.rglob("*"), MOST_FILES) if folder.is_dir() else ()
    found = sorted(
        path.relative_to(folder).as_posix()
        for path in files
        if path.name.lower().endswith(ENDINGS) and path.name != "manifest.csv" and path.is_file()
    )
    return TableHead(tables=tuple(found[:MOST_TABLES]), left_out=len(found[MOST_TABLES:]))


def head_with_mapping(folder: Path, table: str, layout: TimeLayout = NOT_SAID) -> TableHead:
    """Return the head of a table, with its machines of `values.toml` or a draft of them.

    Parameters
    ----------
    folder : Path
    table : str
        Path in it.
    layout : TimeLayout
        What a person says of the table. In `values.toml` it replaces how its machines are read;
        their other keys stay.

    Raises
    ------
    FileError
        If the table lies outside the folder or can't be read, or `values.toml` is invalid.
    """
    place = _Place.of(folder, table)
    every = head_of(place.path)
    head = {name: every[name] for name in islice(every, MOST_COLUMNS) if len(name) <= MOST_NAME}
    entries = [_read_as(layout, _document(one)) for one in place.own]
    stored = bool(entries)
    waits: tuple[Said, ...] = ()
    if not stored:
        try:
            made = draft_of(place.path, head, layout)
        except FileError as error:
            made = TableDraft(None, (error.said,))
        entries, waits = [], made.open
        if made.entry is not None:
            made.entry["table"] = place.table
            if "running" in made.entry:
                made.entry["running"]["table"] = place.table
            entries = [made.entry]
    return TableHead(
        columns=tuple(_columns(head)),
        tags=tuple(_columns(_tags(head, entries[0]))) if entries else (),
        left_out=len(every) - len(head),
        table=place.table,
        machines=tuple(entries),
        version=place.version,
        more_rows=bool(entries and entries[0].get("tag")) and has_more_rows(place.path),
        stored=stored,
        open=waits,
    )


def mapping_problems(
    folder: Path, table: str, machines: Sequence[Mapping[str, Any]]
) -> list[ProblemPart]:
    """Find what is wrong with the machines of a table: in themselves, and against its head.

    Raises
    ------
    FileError
        If the table lies outside the folder or can't be read, or `values.toml` is invalid.
    """
    place = _Place.of(folder, table)
    others = [_document(one) for one in place.others]
    try:
        wanted = PlantTables.model_validate({"machine": [*machines, *others]})
    except ValidationError as error:
        return _problems(error)
    head = head_of(place.path)
    heads = Heads()
    first_naive = cache(partial(_first_naive, head))
    found: list[ProblemPart] = []
    for number, machine in enumerate(wanted.machine[: len(machines)]):
        if machine.table != place.table:
            values = {"value": machine.table, "table": place.table}
            found.append(_said(Said("values_other_table", values), "machines", number, "table"))
            continue
        try:
            check_files(place.folder, machine)
            _ = read_history(place.folder, wanted, machine.id, heads).settings
        except FileError as error:
            found.append(_said(error.said, "machines", number))
        except ValidationError as error:
            found += _problems(error, "machines", number)
        for said, *at in _unlike_the_head(
            machine, head, first_naive(machine.layout), str(place.path)
        ):
            found.append(_said(said, "machines", number, *at))
    return found


def changed_since(
    version: str, folder: Path, table: str, machines: Sequence[Mapping[str, Any]]
) -> bool:
    """Return whether `values.toml` has other machines of a table than these and a known version.

    Parameters
    ----------
    version : str
        `TableHead.version` of the known ones; empty = any.
    folder : Path
    table : str
    machines : sequence of mapping
        Without a problem.
    """
    place = _Place.of(folder, table)
    wanted = PlantTables.model_validate({"machine": machines}).machine
    return version not in ("", place.version) and wanted != place.own


def write_mapping(folder: Path, table: str, machines: Sequence[Mapping[str, Any]]) -> Path:
    """Put the machines of a table into `values.toml`; its other lines stay unchanged.

    The nearest `values.toml` above the table is its home, else a new one beside it.

    Raises
    ------
    FileError
        If `values.toml` can't be written, or not piece by piece.
    """
    place = _Place.of(folder, table)
    own = PlantTables.model_validate({"machine": machines}).machine
    file = place.folder / DESCRIPTION
    text = file.read_text(encoding="utf-8") if place.machines else ""
    starts = [match.start() for match in _ENTRY.finditer(text)]
    head, *entries = [text[a:b] for a, b in pairwise([0, *starts, len(text)])]
    new = {one.id: entry_text(_document(one)) for one in own}
    try:
        for number, entry in enumerate(entries):
            (old,) = PlantTables.model_validate(tomllib.loads(entry)).machine
            if place.holds(old):
                written = new.pop(old.id, "")
                if old not in own:
                    entries[number] = written + entry[_tail_of(entry) :]
        text = "".join([head, *entries]).strip("\n")
        text = "\n\n".join(piece.strip("\n") for piece in (text, *new.values()) if piece) + "\n"
        found = PlantTables.model_validate(tomllib.loads(text)).machine
    except ValueError:
        found = ()
    if {one.id: one for one in found} != {one.id: one for one in (*place.others, *own)}:
        raise FileError("values_by_hand", path=str(file))
    try:
        write_durably(file, text.encode(), file.stat().st_mode if place.machines else None)
    except OSError as error:
        raise FileError("values_not_written", path=str(file), detail=error.strerror) from error
    return file


@dataclass(frozen=True, slots=True)
class _Place:
    """A table, and the folder of the `values.toml` that describes it."""

    path: Path
    folder: Path
    machines: tuple[MachineTable, ...]

    @classmethod
    def of(cls, root: Path, table: str) -> Self:
        root = root.resolve()
        path = _inside(root, root / table)
        if not is_file(path) or not path.name.lower().endswith(ENDINGS):
            raise FileError("table_unknown", value=table, folder=str(root), endings=ENDINGS)
        above = [one for one in path.parents if one.is_relative_to(root)]
        folder = next((one for one in above if holds_values(one)), path.parent)
        if not holds_values(folder):
            return cls(path, folder, ())
        _inside(root, folder / DESCRIPTION)
        return cls(path, folder, read_description(folder).machine)

    @property
    def table(self) -> str:
        return self.path.relative_to(self.folder).as_posix()

    def holds(self, machine: MachineTable) -> bool:
        """Return whether a machine is of this table, however its path is written."""
        return (self.folder / machine.table).resolve() == self.path

    @property
    def version(self) -> str:
        """Hash of the machines of this table, 16 hex digits."""
        text = json.dumps([_document(one) for one in self.own], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def own(self) -> tuple[MachineTable, ...]:
        return tuple(self._named(one) for one in self.machines if self.holds(one))

    def _named(self, machine: MachineTable) -> MachineTable:
        """Return a machine of this table, whose path has one form."""
        running = machine.running
        if running is not None and (self.folder / running.table).resolve() == self.path:
            running = running.model_copy(update={"table": self.table})
        return machine.model_copy(update={"table": self.table, "running": running})

    @property
    def others(self) -> tuple[MachineTable, ...]:
        return tuple(one for one in self.machines if not self.holds(one))


def _inside(root: Path, path: Path) -> Path:
    """Return a path without links, which lies below the root."""
    found = path.resolve()
    if not found.is_relative_to(root):
        raise FileError("table_outside", value=str(path), folder=str(root))
    return found


def _document(machine: MachineTable) -> dict[str, Any]:
    given = machine.model_dump(mode="json", exclude_defaults=True)
    return {"id": machine.id, "table": machine.table, "time": machine.time, **given}


def _read_as(layout: TimeLayout, entry: dict[str, Any]) -> dict[str, Any]:
    """Return a stored machine, read as a person says; its run bits in the same table too."""
    if layout == NOT_SAID:
        return entry
    every = asdict(layout)
    given = {key: value for key, value in every.items() if value}
    kept = {key: value for key, value in entry.items() if key == "time" or key not in every}
    running = entry.get("running", {})
    if running.get("table") == entry["table"]:
        bits = {key: value for key, value in running.items() if key not in every}
        kept["running"] = {"time": entry["time"], **bits, **given}
    return {**kept, **given}


def _tail_of(entry: str) -> int:
    """Return where the blank lines and comments after the last key begin."""
    lines = entry.splitlines(keepends=True)
    keys = [n for n, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")]
    return len("".join(lines[: keys[-1] + 1]))


def _tags(head: Mapping[str, list[str]], entry: Mapping[str, Any]) -> dict[str, list[str]]:
    tag, value = entry.get("tag", ""), entry.get("value", "")
    return tags_of(head[tag], head[value]) if tag in head and value in head else {}


def _columns(cells_of: Mapping[str, Sequence[str]]) -> Iterator[TableColumn]:
    for name, cells in cells_of.items():
        filled = [cell[:SHOWN_CHARS] for cell in cells if cell][:SHOWN_CELLS]
        yield TableColumn(name=name, cells=tuple(filled), numbers=is_number(cells))


def _first_naive(head: Mapping[str, list[str]], layout: TimeLayout) -> str:
    """Return the first time if times state no zone, else empty."""
    given = [cell for cell in head.get(layout.time, ()) if cell]
    # Several forms in one column, or no times: the reader says which.
    with contextlib.suppress(ValueError, IndexError, OverflowError):
        if times_of(given, layout)[1].any():
            return given[0]
    return ""


def _unlike_the_head(
    machine: MachineTable, head: Mapping[str, list[str]], naive: str, path: str
) -> Iterator[tuple[Said, *tuple[str | int, ...]]]:
    """Find times without a zone, and points without a number in their filled cells."""
    if naive and not machine.timezone:
        yield Said("draft_zone", {"column": machine.time, "value": naive}), "timezone"
    cells_of = _tags(head, machine.model_dump()) if machine.tag else head
    for row, point in enumerate(machine.points):
        filled = [cell for cell in cells_of.get(point.column, ()) if cell]
        if filled and not np.isfinite(numbers_of(filled)).any():
            values = {"path": path, "key": f"points.{point.id}.column", "column": point.column}
            yield Said("values_no_number", values), "points", row, "column"


def _problems(error: ValidationError, *within: str | int) -> list[ProblemPart]:
    """Return each problem with its place; a list is not too short because of a wrong item."""
    every = error.errors(include_url=False)
    places = [one["loc"] for one in every]
    found = []
    for one, place in zip(every, places, strict=True):
        inner = [other for other in places if other != place and other[: len(place)] == place]
        if not (inner and one["type"] == "too_short"):
            at = ("machines", *(*within, *place)[1:])
            found.append(_said(invalid.said_of(one), *at))
    return found


def _said(said: Said, *path: str | int) -> ProblemPart:
    return ProblemPart(path=path, text=said.text, said=said.portable)
