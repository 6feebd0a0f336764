"""A first `values.toml` from the heads of a folder's tables, for a person to complete.

Only what a table says is written: a unit that is in a column's name, and the quantity that has
this unit. Where it says nothing, ``quantity`` is ``other`` and ``unit`` empty, which `evaluate`
rejects with the key to complete.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, Final

import numpy as np

from auscult.contract.said import Said
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
NOT_SAID: Final = TimeLayout("")
RUN_NAMES: Final = frozenset({"run", "running", "runs", "on", "betrieb", "laeuft", "läuft"})


Entry = dict[str, Any]
"""A machine of `values.toml`, which may be incomplete."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A drafted `values.toml`, and what a person has to look at."""

    text: str
    open: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TableDraft:
    """What one table says of itself.

    Parameters
    ----------
    entry : dict or None
        Its machine; None for a table of known events, or of run bits alone.
    open : tuple of Said
        What the table does not say.
    decimal_comma : bool
    """

    entry: Entry | None
    open: tuple[Said, ...]
    decimal_comma: bool = False


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
    found: list[str] = []
    waits: list[str] = []
    for path in tables:
        made = draft_of(path, head_of(path), TimeLayout("", timezone))
        if zone := next((one for one in made.open if one.code == "draft_zone"), None):
            raise FileError("values_ask_zone", path=str(path), **zone.values)
        if made.entry is not None:
            found.append(entry_text(made.entry, decimal_comma=made.decimal_comma))
        waits += [f"{path.name}: {one}" for one in made.open]
    if not found:
        raise FileError("values_no_tables", path=str(folder), endings=ENDINGS)
    return Draft("\n".join(found), tuple(waits))


def entry_text(entry: Entry, *, decimal_comma: bool = False) -> str:
    """Write a machine of `values.toml`."""
    lines = ["[[machine]]"]
    for key, value in entry.items():
        if key != "points":
            lines.append(f"{key} = {_toml(value)}")
            continue
        if decimal_comma:
            lines.append("# Numbers have a decimal comma: 1,5 is read as 1.5.")
        lines += ["points = [", *(f"    {_toml(point)}," for point in value), "]"]
    return "\n".join([*lines, ""])


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


def draft_of(
    path: Path, columns: Mapping[str, Sequence[str]], layout: TimeLayout = NOT_SAID
) -> TableDraft:
    """Draft the machine of one table.

    Parameters
    ----------
    path : Path
    columns : mapping of str to sequence of str
        Its head, as `head_of` returns it.
    layout : TimeLayout
        What a person says of it; what is empty is found. With ``time``, an empty ``tag`` says that
        the table is wide.

    Raises
    ------
    FileError
        If it has no column of times or of numbers.
    """
    if {"from", "to"} <= columns.keys():
        return TableDraft(None, (Said("draft_events"),))
    time, naive = _times(path, columns, layout)
    entry: Entry = {"id": _id(path.name.split(".")[0]), "table": path.name, "time": time}
    waits: list[Said] = []
    if naive and layout.timezone:
        entry["timezone"] = layout.timezone
    elif naive:
        waits.append(Said("draft_zone", {"column": time, "value": naive}))
    if layout.time_format:
        entry["time_format"] = layout.time_format
    others: Mapping[str, Sequence[str]] = {n: cells for n, cells in columns.items() if n != time}
    if (long := _long(others, layout)) is not None:
        tag, value = entry["tag"], entry["value"] = long
        others = tags_of(others[tag], others[value])
    others = {name: cells for name, cells in others.items() if is_number(cells)}
    run = next((n for n in others if n.casefold() in RUN_NAMES and _is_bit(others[n])), None)
    points = [name for name in others if name != run]
    if run is not None and not points:
        return TableDraft(None, (Said("draft_run_bits", {"column": run}),))
    if not points:
        raise FileError("values_no_columns", path=str(path), columns=tuple(columns))
    entry["points"] = _points(points)
    waits += _incomplete(entry["points"])
    if run is not None:
        same = ("table", "time", "timezone", "time_format", "tag", "value")
        entry["running"] = {"column": run, **{key: entry[key] for key in same if key in entry}}
    comma = any("," in cell for name in points for cell in others[name])
    return TableDraft(entry, tuple(waits), comma)


def tags_of(tags: Sequence[str], values: Sequence[str]) -> dict[str, list[str]]:
    """Return the values of each tag of a long table."""
    found: dict[str, list[str]] = {}
    for tag, value in zip(tags, values, strict=True):
        if tag:
            found.setdefault(tag, []).append(value)
    return found


def _points(names: Sequence[str]) -> list[Entry]:
    points: list[Entry] = []
    for name in names:
        points.append(_point(name, {one["id"] for one in points}))
    return points


def _incomplete(points: Sequence[Entry]) -> Iterator[Said]:
    for point in points:
        if not point["unit"]:
            yield Said("draft_unit", {"column": point["column"]})
        elif point["quantity"] == "other":
            yield Said("draft_quantity", {"column": point["column"]})


def _point(name: str, taken: set[str]) -> Entry:
    unit = unit_in(name)
    quantity = QUANTITY_OF.get(unit, "other")
    if "peak" in name.casefold() and quantity in ("velocity_rms", "acceleration_rms"):
        quantity = quantity.replace("rms", "peak")
    if conversion(quantity, unit) is None:
        quantity, unit = "other", ""
    plain = _id(name_and_unit(name)[0])
    numbered = (f"{plain}-{number}" for number in count(2))
    own = plain if plain not in taken else next(one for one in numbered if one not in taken)
    return {"id": own, "column": name, "quantity": quantity, "unit": unit}


def _times(path: Path, columns: Mapping[str, Sequence[str]], layout: TimeLayout) -> tuple[str, str]:
    """Return the column of the times, and the first of them that states no zone, else empty."""
    for name, cells in columns.items():
        given = [cell for cell in cells if cell]
        if not given or layout.time not in ("", name):
            continue
        try:
            _, naive = times_of(given, replace(layout, time=name))
        except (ValueError, IndexError, OverflowError):
            continue
        return name, given[int(naive.argmax())] if naive.any() else ""
    raise FileError("values_no_times", path=str(path), columns=tuple(columns))


def _long(columns: Mapping[str, Sequence[str]], layout: TimeLayout) -> tuple[str, str] | None:
    """Return the columns of names and numbers of a long table, None for a wide one."""
    if layout.time:  # a person has said how it is read
        given = layout.tag, layout.value
        return given if set(given) <= columns.keys() else None
    texts = [name for name, cells in columns.items() if not is_number(cells)]
    numbers = [name for name, cells in columns.items() if is_number(cells)]
    if len(texts) == len(numbers) == 1 and len(set(columns[texts[0]])) < len(columns[texts[0]]):
        return texts[0], numbers[0]
    return None


def is_number(cells: Sequence[str]) -> bool:
    """Return whether at least `LEAST_SHARE` of the filled cells are numbers."""
    given = [cell for cell in cells if cell.strip()]
    return bool(given) and bool(np.isfinite(numbers_of(given)).mean() >= LEAST_SHARE)


def _is_bit(cells: Sequence[str]) -> bool:
    numbers = numbers_of(cells)
    return set(numbers[np.isfinite(numbers)].tolist()) <= {0.0, 1.0}


def _id(name: str) -> str:
    plain = re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")
    return plain[:32].strip("-") or "point"


def _toml(value: Any) -> str:
    """Write a value of TOML; numbers and the escapes of strings are those of JSON."""
    if isinstance(value, dict):
        return f"{{ {', '.join(f'{key} = {_toml(one)}' for key, one in value.items())} }}"
    return json.dumps(value, ensure_ascii=False)
