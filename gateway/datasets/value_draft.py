"""A first `values.toml` from the heads of a folder's tables, for a person to complete.

Only what a table says is written: a unit that is in a column's name, and the quantity that has
this unit. Where it says nothing, ``quantity`` is ``other`` and ``unit`` empty, which `evaluate`
rejects with the key to complete.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from auscult.dsp.quantities import conversion
from auscult.gateway.files.historian import TimeLayout, head_of, numbers_of, times_of
from auscult.gateway.files.records import FileError
from auscult.gateway.files.units import name_and_unit

ENDINGS: Final = (".csv", ".csv.gz", ".txt", ".tsv", ".parquet")
LEAST_SHARE: Final = 0.5
"""Share of a column's cells that are numbers, from which it is a point."""
QUANTITY_OF: Final[Mapping[str, str]] = {
    "mm/s": "velocity_rms", "in/s": "velocity_rms",
    "g": "acceleration_rms", "mg": "acceleration_rms", "m/s2": "acceleration_rms",
    "m/s²": "acceleration_rms", "um": "displacement_rms", "µm": "displacement_rms",
    "degC": "temperature", "°C": "temperature", "degF": "temperature", "°F": "temperature",
    "A": "current", "V": "voltage", "W": "power", "kW": "power", "MW": "power",
    "bar": "pressure", "mbar": "pressure", "kPa": "pressure", "psi": "pressure",
    "l/min": "flow", "m3/h": "flow", "m³/h": "flow", "r/min": "speed", "rpm": "speed",
}  # fmt: skip
"""Quantity of a unit that only one quantity has; of vibration the r.m.s. value, unless the name
says peak."""
ENDS: Final[Mapping[str, str]] = {
    "mm_s": "mm/s", "in_s": "in/s", "m_s2": "m/s2", "mg": "mg", "um": "um", "degc": "degC",
    "degf": "degF", "kw": "kW", "bar": "bar", "mbar": "mbar", "kpa": "kPa", "psi": "psi",
    "l_min": "l/min", "m3_h": "m3/h", "rpm": "r/min",
}  # fmt: skip
"""Units at the end of a name after ``_``."""
SHORT: Final = (("temp", "c", "degC"), ("temp", "f", "degF"), ("current", "a", "A"),
                ("strom", "a", "A"), ("volt", "v", "V"), ("spannung", "v", "V"))  # fmt: skip
"""One letter after ``_`` is a unit only beside the word that it belongs to."""
RUN_NAMES: Final = frozenset({"run", "running", "runs", "on", "betrieb", "laeuft", "läuft"})


@dataclass(frozen=True, slots=True)
class Draft:
    """A drafted `values.toml`, and what a person has to look at."""

    text: str
    open: tuple[str, ...]


def draft(folder: Path, timezone: str = "") -> Draft:
    """Draft `values.toml` for the tables of a folder: a machine each.

    Parameters
    ----------
    folder : Path
    timezone : str
        Zone of times that state none, such as ``Europe/Berlin`` or ``UTC``.

    Raises
    ------
    FileError
        If there is no table, or one has no column of times or of numbers, or its times state no
        zone and none is given; one line with the remedy.
    """
    tables = sorted(p for p in folder.iterdir() if p.name.lower().endswith(ENDINGS))
    if not tables:
        raise FileError("values_no_tables", path=str(folder), endings=ENDINGS)
    found: list[str] = []
    waits: list[str] = []
    for path in tables:
        columns = head_of(path)
        if {"from", "to"} <= columns.keys():
            waits.append(f"{path.name}: known events; name it as events of their machines")
            continue
        text, own = _machine(path, columns, timezone)
        found += [text] if text else []
        waits += own
    if not found:
        raise FileError("values_no_tables", path=str(folder), endings=ENDINGS)
    return Draft("\n".join(found), tuple(waits))


def unit_in(name: str) -> str:
    """Return the unit that a column's name states, empty where it states none.

    >>> unit_in("Bearing [°C]"), unit_in("velocity_x_mm_s"), unit_in("temperature_c"), unit_in("c")
    ('°C', 'mm/s', 'degC', '')
    """
    stated = name_and_unit(name)[1]
    if stated:
        return stated
    lower = name.casefold()
    ends = (unit for end, unit in ENDS.items() if lower.endswith(f"_{end}"))
    short = (unit for word, end, unit in SHORT if word in lower and lower.endswith(f"_{end}"))
    return next(ends, next(short, ""))


def _machine(
    path: Path, columns: Mapping[str, Sequence[str]], timezone: str
) -> tuple[str, list[str]]:
    """Return the entry of a table, and what is open; empty for a table of run bits alone."""
    time, naive = _times(path, columns)
    if naive and not timezone:
        raise FileError("values_ask_zone", path=str(path), column=time, value=columns[time][0])
    key = _id(path.name.split(".")[0])
    lines = ["[[machine]]", f"id = {_text(key)}", f"table = {_text(path.name)}"]
    lines.append(f"time = {_text(time)}")
    if naive:
        lines.append(f"timezone = {_text(timezone)}")
    others = {name: cells for name, cells in columns.items() if name != time}
    if (long := _long(others)) is not None:
        tag, value = long
        lines += [f"tag = {_text(tag)}", f"value = {_text(value)}"]
        names = list(dict.fromkeys(cell for cell in others[tag] if cell))
        others = dict.fromkeys(names, others[value])
    others = {name: cells for name, cells in others.items() if _is_number(cells)}
    run = next((n for n in others if n.casefold() in RUN_NAMES and _is_bit(others[n])), None)
    points = [name for name in others if name != run]
    if run is not None and not points:
        note = f"{path.name}: run bits; name table and column {run} as running of their machines"
        return "", [note]
    if not points:
        raise FileError("values_no_columns", path=str(path), columns=tuple(columns))
    if any("," in cell for name in points for cell in others[name]):
        lines.append("# Numbers have a decimal comma: 1,5 is read as 1.5.")
    lines.append("points = [")
    waits, taken = [], set[str]()
    for name in points:
        entry, missing = _point(name, taken)
        lines.append(f"    {entry},")
        if missing:
            waits.append(f"{path.name}, {name}: {missing}")
    lines.append("]")
    if run is not None:
        keys = {"table": path.name, "column": run, "time": time}
        keys |= {"timezone": timezone} if naive else {}
        stated = ", ".join(f"{name} = {_text(value)}" for name, value in keys.items())
        lines.append(f"running = {{ {stated} }}")
    return "\n".join([*lines, ""]), waits


def _point(name: str, taken: set[str]) -> tuple[str, str]:
    unit = unit_in(name)
    quantity = QUANTITY_OF.get(unit, "other")
    if "peak" in name.casefold() and quantity in ("velocity_rms", "acceleration_rms"):
        quantity = quantity.replace("rms", "peak")
    if conversion(quantity, unit) is None:
        quantity, unit = "other", ""
    own = _id(name_and_unit(name)[0])
    while own in taken:
        own += "-2"
    taken.add(own)
    missing = "" if unit else "complete quantity and unit"
    if unit and quantity == "other":
        missing = "complete quantity"
    return (
        f"{{ id = {_text(own)}, column = {_text(name)}, quantity = {_text(quantity)}, "
        f"unit = {_text(unit)} }}",
        missing,
    )


def _times(path: Path, columns: Mapping[str, Sequence[str]]) -> tuple[str, bool]:
    """Return the column of the times, and whether they state no zone."""
    for name, cells in columns.items():
        given = [cell for cell in cells if cell]
        if not given:
            continue
        try:
            _, naive = times_of(given, TimeLayout(name))
        except (ValueError, IndexError, OverflowError):
            continue
        return name, bool(naive.any())
    raise FileError("values_no_times", path=str(path), columns=tuple(columns))


def _long(columns: Mapping[str, Sequence[str]]) -> tuple[str, str] | None:
    """Return the columns of names and numbers of a long table, None for a wide one."""
    texts = [name for name, cells in columns.items() if not _is_number(cells)]
    numbers = [name for name, cells in columns.items() if _is_number(cells)]
    if len(texts) == len(numbers) == 1 and len(set(columns[texts[0]])) < len(columns[texts[0]]):
        return texts[0], numbers[0]
    return None


def _is_number(cells: Sequence[str]) -> bool:
    given = [cell for cell in cells if cell.strip()]
    return bool(given) and bool(np.isfinite(numbers_of(given)).mean() >= LEAST_SHARE)


def _is_bit(cells: Sequence[str]) -> bool:
    numbers = numbers_of(cells)
    return set(numbers[np.isfinite(numbers)].tolist()) <= {0.0, 1.0}


def _id(name: str) -> str:
    plain = re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")
    return plain[:32].strip("-") or "point"


def _text(value: str) -> str:
    """Write a string of TOML; its escapes are those of JSON."""
    return json.dumps(value, ensure_ascii=False)
