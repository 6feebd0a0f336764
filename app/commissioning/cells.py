"""Cells of the table of machines: how they are read and written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isfinite, nan
from typing import Any

from auscult.contract.said import Rejection, Said

Row = tuple[int, Mapping[str, str]]
"""A row of the table with its number in the file."""


class CellError(Exception):
    """A cell that can't be used: where it is, and why."""

    def __init__(self, row: int, column: str, said: Said) -> None:
        super().__init__(said.text)
        self.row = row
        self.column = column
        self.said = said


def number_in(cell: str) -> float:
    """Read a number, with a decimal point or comma.

    >>> number_in("0,5")
    0.5
    """
    try:
        number = float(cell.replace(",", "."))
    except ValueError:
        number = nan
    if not isfinite(number):
        raise Rejection("cell_not_number", cell=cell[:64])
    return number


def whole_in(cell: str) -> int:
    """Read a whole number.

    >>> whole_in("12")
    12
    """
    try:
        return int(cell)
    except ValueError:
        raise Rejection("cell_not_whole", cell=cell[:64]) from None


def parts_of(cell: str) -> list[str]:
    """Read several values with `;` or `|` between.

    >>> parts_of("6205; 6206|6207")
    ['6205', '6206', '6207']
    """
    return [part.strip() for part in cell.replace("|", ";").split(";") if part.strip()]


def cell_of(value: object) -> str:
    """Write a value.

    >>> cell_of(25600.0), cell_of(True), cell_of(None)
    ('25600', 'yes', '')
    """
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return "yes" if value else ""
    return _number_text(value) if isinstance(value, float) else str(value)


def _number_text(value: float) -> str:
    """Write a number so that it is the same when it is read again."""
    return str(int(value)) if value.is_integer() else repr(value)


def numbers_of(row: int, cells: Mapping[str, str], names: Mapping[str, str]) -> dict[str, float]:
    """Read the numbers of a row's columns; ``names`` maps them to the keys of a source.

    Raises
    ------
    CellError
    """
    found = {}
    for column, name in names.items():
        if not cells.get(column):
            continue
        try:
            found[name] = number_in(cells[column])
        except Rejection as error:
            raise CellError(row, column, error.said) from error
    return found


def factors_of(row: int, found: re.Match[str]) -> dict[str, float]:
    """Read the scale and the offset of a process value.

    Raises
    ------
    CellError
    """
    factors = {}
    for name in ("scale", "offset"):
        if found[name]:
            try:
                factors[name] = number_in(found[name].replace(" ", ""))
            except Rejection as error:
                raise CellError(row, "tags", error.said) from error
    return factors


def factors_text(tag: Mapping[str, Any]) -> str:
    """Write scale and offset; the defaults 1 and 0 are left out.

    >>> factors_text({"scale": 1e6, "offset": 0.5})
    ' *1000000 +0.5'
    """
    scale, offset = float(tag.get("scale", 1)), float(tag.get("offset", 0))
    sign = "-" if offset < 0 else "+"
    return (f" *{_number_text(scale)}" if scale != 1 else "") + (
        f" {sign}{_number_text(abs(offset))}" if offset else ""
    )
