"""Tables of historians: times and numbers of named columns, from CSV (gzip) or Parquet.

A wide table has a column for each value, a long one a row for each value with its tag. Rows may be
doubled and in any order; cells without a number (`Bad Input`, blank) are gaps.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice, zip_longest
from math import nan
from pathlib import Path
from typing import Any, Final, TextIO
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np
from numpy.typing import NDArray

from auscult.contract.times import HOUR_NS
from auscult.gateway.files.bounds import check_size
from auscult.gateway.files.records import FileError
from auscult.gateway.files.tables import HEAD_LINES, SEPARATORS
from auscult.gateway.records import TRUTH

Float64 = NDArray[np.float64]
Int64 = NDArray[np.int64]

BLOCK: Final = 4096
"""Rows of a CSV that are text at a time: text takes ten times the memory of numbers."""
HEAD_ROWS: Final = 1000
"""Lines that show what a table holds."""
HEAD_CHARS: Final = 2**20
"""Longest head: a file that is no table may have no line end."""
EPOCH_NS: Final = ((1e11, 10**9), (1e14, 10**6), (1e17, 10**3), (1e20, 1))
"""Largest number of an epoch in s, ms, µs and ns (until the year 5138), and its unit in ns."""
LEAST_EPOCH: Final = 1e8
"""A smaller number is no epoch: spreadsheets count days since 1900."""
DAMAGED: Final = (OSError, EOFError, csv.Error, zlib.error)
"""What reading a damaged or foreign file raises."""


@dataclass(frozen=True, slots=True)
class TimeLayout:
    """Where a table holds times and values.

    Parameters
    ----------
    time : str
        Column of the times.
    timezone : str
        Zone of times that state none, such as ``Europe/Berlin``; empty = UTC.
    time_format : str
        Form of the times for `datetime.strptime`; empty = ISO 8601, day.month.year or epoch.
    tag, value : str
        In a long table, the columns of names and numbers; empty for a wide one.
    """

    time: str
    timezone: str = ""
    time_format: str = ""
    tag: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """Values in order of time; ``t_ns`` [shape=(n,)] UTC, ``values`` [shape=(n,)] NaN for a gap."""

    t_ns: Int64
    values: Float64


def read_series(
    path: Path, layout: TimeLayout, wanted: Mapping[str, str], *, head: bool = False
) -> dict[str, Series]:
    """Read columns of a wide table, or tags of a long one.

    Parameters
    ----------
    path : Path
        ``.csv``, ``.csv.gz`` (any ending that is not Parquet) or ``.parquet``.
    layout : TimeLayout
    wanted : mapping of str to str
        Columns or tags, each with the key that names it, for messages.
    head : bool
        Read the first rows only; a series without a value in them is empty.

    Raises
    ------
    FileError
        One line: file, key, value, remedy.
    """
    long = bool(layout.tag)
    keys = {layout.time: "time"}
    others = [(layout.tag, "tag"), (layout.value, "value")] if long else wanted.items()
    for name, key in others:
        if name in keys:
            raise FileError(
                "values_column_taken", path=str(path), key=key, column=name, taken=keys[name]
            )
        keys[name] = key
    names = list(keys)
    tags = Tags(layout.tag)
    try:
        if path.suffix.lower() == ".parquet":
            columns = _read_parquet(path, keys, tags, head=head)
        else:
            columns = _read_csv(path, layout, keys, tags, head=head)
    except DAMAGED as error:
        detail = str(error).splitlines()[0]
        raise FileError("recording_damaged", path=str(path), format="CSV", detail=detail) from error
    t_ns = _utc(path, columns[0], layout)
    if not long:
        order = np.argsort(t_ns, kind="stable")
        times = t_ns[order]
        found = {
            name: Series(times, values[order])
            for name, values in zip(names[1:], columns[1:], strict=True)
        }
    else:
        of_row, values = columns[1], columns[2]
        order = np.lexsort((t_ns, of_row))
        starts = np.searchsorted(of_row[order], np.arange(1, len(tags.codes)))
        parts = dict(zip(tags.codes, np.split(order, starts), strict=True))
        for tag, key in wanted.items():
            if tag not in parts and not head:
                raise _no_column(path, key, tag, list(parts))
        none = np.array([], np.intp)
        rows = {tag: parts.get(tag, none) for tag in wanted}
        found = {tag: Series(t_ns[own], values[own]) for tag, own in rows.items()}
    for name, key in wanted.items():
        if not head and not np.isfinite(found[name].values).any():
            raise FileError("values_no_number", path=str(path), key=key, column=name)
    return found


def head_of(path: Path) -> dict[str, list[str]]:
    """Read the first rows of a table as text, by column; of a CSV the header is found.

    Raises
    ------
    FileError
        If the file can't be read, or no line is a header with rows below it.
    """
    try:
        if path.suffix.lower() == ".parquet":
            return _parquet_head(path)
        with _opened(path, head=True) as lines:
            found = _csv_head([line.rstrip("\r\n") for line in lines])
    except DAMAGED as error:
        detail = str(error).splitlines()[0]
        raise FileError("recording_damaged", path=str(path), format="CSV", detail=detail) from error
    if found:
        return found
    raise FileError("values_no_header", path=str(path), lines=HEAD_LINES)


def has_more_rows(path: Path) -> bool:
    """Return whether a table that `head_of` reads has rows after its first ones."""
    if path.suffix.lower() == ".parquet":
        from pyarrow import parquet

        return bool(parquet.read_metadata(path).num_rows > HEAD_ROWS)
    with _opened(path) as lines:
        first = lines.read(HEAD_CHARS)
    rest = islice(io.StringIO(first, newline=""), HEAD_ROWS, None)
    return len(first) == HEAD_CHARS or any(line.strip() for line in rest)


def _csv_head(head: Sequence[str]) -> dict[str, list[str]]:
    """Return the cells by column; empty where no line is a header with rows below it."""
    for number, line in enumerate(head[:HEAD_LINES]):
        for separator in SEPARATORS:
            names = [cell.strip() for cell in next(csv.reader([line], delimiter=separator), [])]
            if names and not names[-1]:  # a separator at the end of each line
                names.pop()
            if len(names) < 2 or not all(names) or any(_is_float(name) for name in names):
                continue
            own = len(names)
            rows = [
                row[:own] if row[own:] == [""] else row
                for row in csv.reader(head[number + 1 :], delimiter=separator)
                if any(row)
            ]
            if rows and len(rows[0]) == len(names):
                columns = zip(*(row for row in rows if len(row) == len(names)), strict=True)
                found: dict[str, list[str]] = {}
                for name, column in zip(names, columns, strict=True):
                    found.setdefault(name, [cell.strip() for cell in column])
                return found
    return {}


def read_records(
    path: Path, times: Sequence[str], layout: TimeLayout, *, head: bool = False
) -> list[dict[str, Any]]:
    """Read all rows of a small CSV: text by column, and UTC ns in the columns `times`.

    Raises
    ------
    FileError
        One line: file, line or column, value, remedy.
    """
    with _opened(path, head=head) as lines:
        names, separator, line = _header(path, lines, times[0])
        for column in times:
            if column not in names:
                raise _no_column(path, "events", column, names)
        rows = [row for row in csv.reader(lines, delimiter=separator) if any(row)]
    records: list[dict[str, Any]] = [
        dict(zip_longest(names, [cell.strip() for cell in row[: len(names)]], fillvalue=""))
        for row in rows
    ]
    for column in times:
        own = replace(layout, time=column)
        for number, record in enumerate(records, start=line):
            moment = _times(path, [record[column]], own, number)
            record[column] = int(_utc(path, moment, own)[0])
    return records


class Tags:
    """Numbers the tags of a long table in the order of their appearance: text takes much memory.

    Parameters
    ----------
    column : str
        Name of the column; empty in a wide table.
    """

    def __init__(self, column: str) -> None:
        self._column = column
        self.codes: dict[str, int] = {}

    def are(self, column: str) -> bool:
        """Return whether this column holds the tags."""
        return bool(self._column) and column == self._column

    def of(self, cells: Sequence[str]) -> NDArray[np.int32]:
        """Return the number of each cell."""
        codes = self.codes
        return np.array([codes.setdefault(cell.strip(), len(codes)) for cell in cells], np.int32)


def times_of(cells: Sequence[str], layout: TimeLayout) -> tuple[Int64, NDArray[np.bool_]]:
    """Return times in ns since 1970, and which of them state no zone.

    Raises
    ------
    ValueError
        If a cell is no time.

    >>> times_of(["2022-11-18T00:13:57Z", "18.11.2022 01:13:57"], TimeLayout("t"))[0].tolist()
    [1668730437000000000, 1668734037000000000]
    """
    if layout.time_format:
        try:
            return _of_moments([datetime.strptime(cell, layout.time_format) for cell in cells])  # noqa: DTZ007
        except re.error as error:  # a directive comes twice
            raise ValueError(layout.time_format) from error
    if epochs := _epochs(cells):
        return np.array(epochs, np.int64), np.zeros(len(epochs), bool)
    zoned = bool(cells) and all(cell.endswith("Z") for cell in cells)
    plain = [cell[:-1] for cell in cells] if zoned else list(cells)
    if all(len(cell) >= 10 and "+" not in cell and cell[4] == cell[7] == "-" for cell in plain):
        try:
            fast = np.array(plain, "datetime64[ns]").astype(np.int64)
        except ValueError:
            pass
        else:
            if not any("-" in cell[10:] or cell.endswith("Z") for cell in plain):
                return fast, np.full(len(fast), not zoned)
    return _of_moments([datetime.fromisoformat(_iso(cell)) for cell in cells])


def _iso(cell: str) -> str:
    """Return a time in ISO 8601; dots between day, month and year are unambiguous."""
    if cell[2:3] == cell[5:6] == ".":
        return f"{cell[6:10]}-{cell[3:5]}-{cell[:2]}{cell[10:]}"
    return cell


def _of_moments(moments: Sequence[datetime]) -> tuple[Int64, NDArray[np.bool_]]:
    naive = np.array([moment.tzinfo is None for moment in moments], bool)
    utc = [
        moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
        for moment in moments
    ]
    plain = np.array([moment.replace(tzinfo=None) for moment in utc], "datetime64[us]")
    return plain.astype("datetime64[ns]").astype(np.int64), naive


def _epochs(cells: Sequence[str]) -> list[int]:
    """Return times that are numbers, in ns; empty where the first is none."""
    try:
        first = abs(float(cells[0])) if cells else 0.0
    except ValueError:
        return []
    unit = next((ns for most, ns in EPOCH_NS if first < most), 0)
    if first < LEAST_EPOCH or not unit:
        raise ValueError(cells[0])
    return [
        int(cell) * unit if cell.lstrip("-").isdigit() else round(float(cell) * unit)
        for cell in cells
    ]


def _utc(path: Path, times: tuple[Int64, NDArray[np.bool_]], layout: TimeLayout) -> Int64:
    """Turn local times, in the order of the file, into UTC."""
    t_ns, naive = times
    if not layout.timezone or not naive.any():
        return t_ns
    try:
        zone = ZoneInfo(layout.timezone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise FileError("values_zone", path=str(path), value=layout.timezone) from error
    hours, of = np.unique(t_ns // HOUR_NS, return_inverse=True)
    local = [datetime.fromtimestamp(int(hour) * 3600, UTC).replace(tzinfo=zone) for hour in hours]
    offsets = [[_offset_ns(one.replace(fold=fold)) for one in local] for fold in (0, 1)]
    first, second = (np.array(one, np.int64)[of] for one in offsets)
    # In autumn an hour comes twice: its second pass begins where the times fall back.
    doubled = (first != second) & naive
    fell = np.zeros(len(t_ns), bool)
    fell[1:] = doubled[1:] & doubled[:-1] & (np.diff(t_ns) < 0)
    since = np.maximum.accumulate(np.where(fell, np.arange(len(t_ns)), -1))
    left = np.maximum.accumulate(np.where(~doubled, np.arange(len(t_ns)), -1))
    offset = np.where(doubled & (since > left), second, first)
    return np.where(naive, t_ns - offset, t_ns)


def _offset_ns(moment: datetime) -> int:
    offset = moment.utcoffset()
    assert offset is not None  # noqa: S101
    return round(offset.total_seconds() * 1e9)


def numbers_of(cells: Sequence[str]) -> Float64:
    """Return numbers [shape=(n,)], NaN for a cell without one.

    >>> numbers_of(["1.5", "1,5", "1.234,5", "1,234.5", "", "Bad Input", "on"]).tolist()
    [1.5, 1.5, 1234.5, 1234.5, nan, nan, 1.0]
    """
    try:
        found = np.array([float(cell) if cell else nan for cell in cells])
    except ValueError:
        found = np.array([_number(cell) for cell in cells])
    found[~np.isfinite(found)] = nan
    return found


def _is_float(cell: str) -> bool:
    try:
        float(cell.replace(",", "."))
    except ValueError:
        return False
    return True


def _number(cell: str) -> float:
    text = cell.strip().casefold()
    if text in TRUTH:
        return TRUTH[text]
    if "," in text:
        # The decimal sign is the last of the two.
        decimal_comma = text.rfind(",") > text.rfind(".")
        text = text.replace(".", "").replace(",", ".") if decimal_comma else text.replace(",", "")
    try:
        return float(text)
    except ValueError:
        return nan


def _no_column(path: Path, key: str, column: str, columns: Sequence[str]) -> FileError:
    return FileError(
        "values_no_column", path=str(path), key=key, value=column, columns=tuple(columns[:40])
    )


# ---------------------------------------------------------------------- CSV


@contextmanager
def _opened(path: Path, *, head: bool = False) -> Iterator[TextIO]:
    text: Any = gzip.open if path.suffix.lower() == ".gz" else open
    with text(path, "rt", encoding="utf-8-sig", errors="replace", newline="") as lines:
        yield _first_lines(path, lines) if head else lines


def _first_lines(path: Path, lines: TextIO) -> TextIO:
    first = lines.read(HEAD_CHARS)
    if "\0" in first:
        raise FileError("values_no_text", path=str(path))
    if len(first) == HEAD_CHARS:  # its last line may be cut
        first = first[: first.rfind("\n") + 1]
    return io.StringIO("".join(islice(io.StringIO(first, newline=""), HEAD_ROWS)), newline="")


def _read_csv(
    path: Path, layout: TimeLayout, keys: Mapping[str, str], tags: Tags, *, head: bool
) -> list[Any]:
    """Read the columns of these names: times, then numbers, of tags their own."""
    with _opened(path, head=head) as lines:
        names, separator, line = _header(path, lines, layout.time)
        for column, key in keys.items():
            if column not in names:
                raise _no_column(path, key, column, names)
        at = [names.index(column) for column in keys]
        parts: list[list[Any]] = [[] for _ in at]
        naive: list[NDArray[np.bool_]] = []
        rows = csv.reader(lines, delimiter=separator)
        while block := list(islice(rows, BLOCK)):
            kept = [row for row in block if len(row) > at[0] and row[at[0]].strip()]
            if kept:
                cells = list(zip_longest(*kept, fillvalue=""))
                blank = ("",) * len(kept)
                times = [cell.strip() for cell in cells[at[0]]]
                t_ns, without_zone = _times(path, times, layout, line)
                parts[0].append(t_ns)
                naive.append(without_zone)
                for part, index, column in zip(parts[1:], at[1:], list(keys)[1:], strict=True):
                    own = cells[index] if index < len(cells) else blank
                    part.append(tags.of(own) if tags.are(column) else numbers_of(own))
            line += len(block)
    if not naive:
        raise FileError("values_empty", path=str(path))
    columns: list[Any] = [np.concatenate(part) for part in parts]
    return [(columns[0], np.concatenate(naive)), *columns[1:]]


def _header(path: Path, lines: TextIO, time: str) -> tuple[list[str], str, int]:
    """Return the names of the columns, the separator, and the number of the line after them."""
    first: list[str] = []
    for number, line in enumerate(islice(lines, HEAD_LINES), start=1):
        for separator in SEPARATORS:
            cells = [cell.strip() for cell in next(csv.reader([line], delimiter=separator), [])]
            if time in cells:
                return cells, separator, number + 1
            if len(cells) > len(first):
                first = cells
    raise _no_column(path, "time", time, first)


def _times(
    path: Path, cells: Sequence[str], layout: TimeLayout, line: int
) -> tuple[Int64, NDArray[np.bool_]]:
    try:
        return times_of(cells, layout)
    except (ValueError, IndexError, OverflowError):
        pass
    for number, cell in enumerate(cells, start=line):
        try:
            times_of([cell], layout)
        except (ValueError, IndexError, OverflowError):
            raise FileError(
                "values_time", path=str(path), line=number, value=cell[:40], column=layout.time
            ) from None
    return _mixed(cells, layout)


def _mixed(cells: Sequence[str], layout: TimeLayout) -> tuple[Int64, NDArray[np.bool_]]:
    """Read times of several forms one by one."""
    each = [times_of([cell], layout) for cell in cells]
    return np.concatenate([t for t, _ in each]), np.concatenate([n for _, n in each])


# ---------------------------------------------------------------------- Parquet


def _parquet_head(path: Path) -> dict[str, list[str]]:
    try:
        from pyarrow import ArrowException, parquet, types
    except ModuleNotFoundError as error:
        raise FileError("package_missing", package="pyarrow", extra="files") from error
    try:
        with parquet.ParquetFile(path) as file:
            batch = next(file.iter_batches(HEAD_ROWS), None)
    except ArrowException as error:
        detail = str(error).splitlines()[0][:200]
        raise FileError(
            "recording_damaged", path=str(path), format="Parquet", detail=detail
        ) from error
    if batch is None or not batch.num_rows:
        raise FileError("values_empty", path=str(path))
    found = {}
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if types.is_timestamp(column.type):
            zone = "Z" if column.type.tz is not None else ""
            times = column.to_numpy(zero_copy_only=False).astype("datetime64[us]")
            found[name] = [f"{one}{zone}" for one in times.astype(str).tolist()]
        else:
            found[name] = _arrow_text(column)
    return found


def _read_parquet(path: Path, keys: Mapping[str, str], tags: Tags, *, head: bool) -> list[Any]:
    try:
        from pyarrow import ArrowException, Table, parquet
    except ModuleNotFoundError as error:
        raise FileError("package_missing", package="pyarrow", extra="files") from error
    try:
        with parquet.ParquetFile(path) as file:
            names = file.schema_arrow.names
            for column, key in keys.items():
                if column not in names:
                    raise _no_column(path, key, column, names)
            if head:
                rows = next(file.iter_batches(HEAD_ROWS, columns=list(keys)), None)
                if rows is None:
                    raise FileError("values_empty", path=str(path))
                table = Table.from_batches([rows])
            else:
                check_size(path, file.metadata.num_rows * len(keys) * 8)
                table = file.read(columns=list(keys))
    except ArrowException as error:
        detail = str(error).splitlines()[0][:200]
        raise FileError(
            "recording_damaged", path=str(path), format="Parquet", detail=detail
        ) from error
    time, *others = keys
    return [
        _arrow_times(path, table.column(time), time),
        *(
            tags.of(_arrow_text(table.column(name)))
            if tags.are(name)
            else _arrow_numbers(table.column(name))
            for name in others
        ),
    ]


def _arrow_times(path: Path, column: Any, name: str) -> tuple[Int64, NDArray[np.bool_]]:
    from pyarrow import types

    if types.is_timestamp(column.type):
        t_ns = column.to_numpy().astype("datetime64[ns]").astype(np.int64)
        return t_ns, np.full(len(t_ns), column.type.tz is None)
    cells = [str(cell) for cell in column.to_pylist()]
    return _times(path, cells, TimeLayout(name), 1)


def _arrow_text(column: Any) -> list[str]:
    return ["" if cell is None else str(cell) for cell in column.to_pylist()]


def _arrow_numbers(column: Any) -> Float64:
    from pyarrow import types

    kind = column.type
    if not (types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind)):
        return numbers_of(_arrow_text(column))
    numbers: Float64 = column.cast("float64").to_numpy().astype(np.float64)
    return np.where(np.isfinite(numbers), numbers, nan)
