"""Tables: CSV with any of the common separators, and Parquet."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auscult.gateway.files.bounds import check_size
from auscult.gateway.files.records import Column, FileContent, FileError
from auscult.gateway.files.units import name_and_unit

SEPARATORS = ";\t,|"
"""In this order: a comma may be the decimal sign where another separates."""
NUMBER_BYTES = 8
HEAD_LINES = 40
"""Lines in which the table must begin; those before are a description of the recording."""
_NUMBER = re.compile(r"[-+]?(\d+([.,]\d*)?|[.,]\d+)([eE][-+]?\d+)?|[-+]?(nan|inf)", re.IGNORECASE)


def read_csv(path: Path) -> FileContent:
    """Read a table of text.

    Semicolon, tab, comma, bar or blanks separate; the decimal sign is a point, or a comma where
    something else separates. Lines before the numbers are description; the last of them with as
    many cells is the header, a line of units may follow it. Without a header, columns are 1, 2, ….

    Raises
    ------
    FileError
        If a line has another number of cells, or a cell is neither number nor time.
    """
    lines = path.read_text(encoding="utf-8-sig", errors="replace").splitlines()
    while lines and not lines[-1].strip():
        lines.pop()
    first = next((i for i, line in enumerate(lines[:HEAD_LINES]) if _is_data(line)), None)
    if first is None:
        raise FileError("file_no_numbers", path=str(path), lines=HEAD_LINES)
    separator = _separator(lines[first])
    comma = separator != "," and "." not in lines[first] and "," in lines[first]
    width = len(_cells(lines[first], separator))
    names, units, scalars = _header(lines[:first], separator, width)
    body = lines[first:]
    table = _fast(body, separator, comma, width)
    columns = []
    for index in range(width):
        values = (
            _column(path, body, first, index, width, separator, comma)
            if table is None
            else table[:, index]
        )
        columns.append(Column(names[index], values, units[index]))
    return FileContent(tuple(columns), scalars)


def read_parquet(path: Path) -> FileContent:
    """Read Parquet: its columns of numbers and times; a field's metadata may state the unit."""
    from pyarrow import parquet, types

    with parquet.ParquetFile(path) as file:
        wanted = [
            field.name
            for field in file.schema_arrow
            if types.is_integer(field.type)
            or types.is_floating(field.type)
            or types.is_timestamp(field.type)
        ]
        check_size(path, file.metadata.num_rows * len(wanted) * NUMBER_BYTES)
        table = file.read(columns=wanted)
    columns = []
    for field, values in zip(table.schema, table.columns, strict=True):
        meta = {k.decode().lower(): v.decode() for k, v in (field.metadata or {}).items()}
        name, unit = name_and_unit(field.name)
        columns.append(Column(name, values.to_numpy(), meta.get("unit", meta.get("units", unit))))
    return FileContent(tuple(columns))


def _is_data(line: str) -> bool:
    cells = _cells(line, _separator(line))
    filled = [cell for cell in cells if cell]
    return bool(filled) and all(_NUMBER.fullmatch(c) or _time(c) is not None for c in filled)


def _separator(line: str) -> str:
    return next((s for s in SEPARATORS if s in line), " " if " " in line.strip() else ",")


def _cells(line: str, separator: str) -> list[str]:
    if separator == " ":
        return line.split()
    (row,) = csv.reader([line], delimiter=separator)
    cells = [cell.strip() for cell in row]
    # some loggers end each line with a separator
    return cells[:-1] if len(cells) > 1 and not cells[-1] else cells


def _header(
    lines: Sequence[str], separator: str, width: int
) -> tuple[list[str], list[str], dict[str, float]]:
    """Return the names, units and single numbers from the lines before the data."""
    scalars: dict[str, float] = {}
    rows = []
    for line in lines:
        cells = _cells(line.lstrip("#% "), separator) if line.strip() else []
        match = re.fullmatch(r"[#%\s]*([^:=;,\t]+?)\s*[:=;,\t]\s*([-+0-9.eE]+)\s*\D*", line)
        if match and _NUMBER.fullmatch(match[2]):
            scalars[name_and_unit(match[1])[0]] = float(match[2])
        elif len(cells) == width:
            rows.append(cells)
    if not rows:
        return [str(i + 1) for i in range(width)], [""] * width, scalars
    units = [""] * width
    if len(rows) > 1 and _looks_like_units(rows[-1]):
        units = [cell.strip("[]() ") for cell in rows.pop()]
    named = [name_and_unit(cell) for cell in rows[-1]]
    names = [name or str(i + 1) for i, (name, _) in enumerate(named)]
    return names, [u or n for u, (_, n) in zip(units, named, strict=True)], scalars


def _looks_like_units(cells: Sequence[str]) -> bool:
    from auscult.gateway.files.units import known_unit

    plain = [cell.strip("[]() ") for cell in cells]
    return all(u in ("", "s", "ms", "sec") or known_unit(u) for u in plain)


def _fast(
    body: Sequence[str], separator: str, comma: bool, width: int
) -> NDArray[np.float64] | None:
    """Read numbers only, in one go; None where a cell is no number or a line has other cells."""
    lines = (line.replace(",", ".") for line in body) if comma else iter(body)
    if separator != " ":
        lines = (line.rstrip(separator + " ") for line in lines)
    try:
        table = np.loadtxt(lines, delimiter=None if separator == " " else separator, ndmin=2)
    except ValueError:
        return None
    return table if table.shape[1] == width else None


def _column(
    path: Path, body: Sequence[str], first: int, index: int, width: int, separator: str, comma: bool
) -> NDArray[Any]:
    found: list[float] = []
    times = 0
    for number, line in enumerate(body, start=first + 1):
        cells = _cells(line, separator)
        if len(cells) != width:
            raise FileError(
                "file_line_cells", path=str(path), line=number, cells=len(cells), expected=width
            )
        cell = cells[index].replace(",", ".") if comma else cells[index]
        try:
            found.append(float(cell))
            continue
        except ValueError:
            pass
        t_s = _time(cells[index])
        if t_s is None:
            raise FileError("file_cell", path=str(path), line=number, value=cells[index][:40])
        found.append(t_s)
        times += 1
    if times:
        return (np.array(found) * 1e9).astype("int64").astype("datetime64[ns]")
    return np.array(found)


def _time(cell: str) -> float | None:
    """Return the seconds since 1970 of a date with time; without a zone it is UTC."""
    if len(cell) < 10 or not cell[:4].isdigit():
        return None
    try:
        moment = datetime.fromisoformat(cell)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
