"""Cells of the table of machines: what stands in one, and what is written into one."""

from __future__ import annotations


class CellError(ValueError):
    """A cell that can't be used; it says which, the message what is wrong."""

    def __init__(self, row: int, column: str, text: str) -> None:
        super().__init__(text)
        self.row = row
        self.column = column


def number_in(cell: str) -> float:
    """Read a number, with a decimal point or comma.

    >>> number_in("0,5")
    0.5
    """
    try:
        return float(cell.replace(",", "."))
    except ValueError:
        raise ValueError(f"{cell!r} is not a number") from None


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
    return f"{value:g}" if isinstance(value, float) else str(value)
