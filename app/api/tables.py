"""Tables as files, piece by piece: CSV as a stream, Parquet through a temporary file."""

from __future__ import annotations

import csv
import io
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from auscult.app.api.problems import ProblemError

Rows = list[dict[str, Any]]


_STARTS = "=+-@＝＋－＠\t\r\n"
"""Begin a formula in spreadsheets, also in full width and after blanks."""


def csv_lines(pieces: Iterable[Rows], columns: Sequence[str]) -> Iterator[str]:
    """Give the table as CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, columns)
    writer.writeheader()
    for rows in pieces:
        writer.writerows({k: _harmless(v) for k, v in row.items()} for row in rows)
        yield text.getvalue()
        text.seek(0)
        text.truncate()
    yield text.getvalue()


def parquet_file(pieces: Iterable[Rows], columns: dict[str, str]) -> Path:
    """Write the table as Parquet to a new file, which the caller removes.

    Parameters
    ----------
    pieces : iterable of rows
    columns : dict
        Column names and their Arrow types (`string`, `int64`, `float64`).

    Raises
    ------
    ProblemError
        If the library is not installed.
    """
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise ProblemError("parquet_missing", status=501) from None
    schema = pa.schema([(name, getattr(pa, kind)()) for name, kind in columns.items()])
    with tempfile.NamedTemporaryFile(suffix=".parquet", delete=False) as file:
        path = Path(file.name)
    try:
        with parquet.ParquetWriter(path, schema, compression="zstd") as writer:
            for rows in pieces:
                writer.write_table(pa.Table.from_pylist(rows, schema))
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return path


def _harmless(value: object) -> object:
    """Return a cell that no spreadsheet takes for a formula."""
    if not isinstance(value, str) or not value.strip():
        return value
    risky = value[0] in _STARTS or value.lstrip()[0] in _STARTS[:8]
    return f"'{value}" if risky else value
