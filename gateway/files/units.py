"""Names of units as files write them, and the units that points have."""

from __future__ import annotations

import re

AS_DELIVERED = "as_delivered"

_KNOWN: dict[str, tuple[str, float]] = {
    "": (AS_DELIVERED, 1.0),
    "-": (AS_DELIVERED, 1.0),
    "as_delivered": (AS_DELIVERED, 1.0),
    "fs": ("FS", 1.0),
    "g": ("g", 1.0),
    "gn": ("g", 1.0),
    "g_n": ("g", 1.0),
    "g's": ("g", 1.0),
    "mg": ("g", 1e-3),
    "m/s2": ("m/s2", 1.0),
    "m/s/s": ("m/s2", 1.0),
    "ms-2": ("m/s2", 1.0),
    "m*s-2": ("m/s2", 1.0),
    "m/sec2": ("m/s2", 1.0),
    "mm/s2": ("m/s2", 1e-3),
    "mm/s": ("mm/s", 1.0),
    "mm/sec": ("mm/s", 1.0),
    "m/s": ("mm/s", 1e3),
    "in/s": ("mm/s", 25.4),
    "in/sec": ("mm/s", 25.4),
    "ips": ("mm/s", 25.4),
    "pa": ("Pa", 1.0),
    "pascal": ("Pa", 1.0),
    "a": ("A", 1.0),
    "ampere": ("A", 1.0),
    "amperes": ("A", 1.0),
    "ma": ("A", 1e-3),
    "v": ("V", 1.0),
    "volt": ("V", 1.0),
    "volts": ("V", 1.0),
    "mv": ("V", 1e-3),
}
_IN_NAME = re.compile(r"^(?P<name>.*?)\s*[\[(](?P<unit>[^\[\]()]*)[\])]\s*$")


def known_unit(written: str) -> tuple[str, float] | None:
    """Return a point's unit and the factor to it; None for a unit that no point has.

    >>> known_unit("m/s²"), known_unit("mg"), known_unit("bar")
    (('m/s2', 1.0), ('g', 0.001), None)
    """
    plain = written.strip().lower().replace("²", "2").replace("**", "").replace("^", "")
    return _KNOWN.get(plain.replace("·", "*").replace(" ", ""))


def name_and_unit(header: str) -> tuple[str, str]:
    """Split a header such as ``Acc X [m/s²]`` into name and unit.

    A letter A in round brackets is taken for a mark: two sensors are often A and B.

    >>> name_and_unit("Acc X [m/s²]"), name_and_unit("a1 (g)"), name_and_unit("plain")
    (('Acc X', 'm/s²'), ('a1', 'g'), ('plain', ''))
    >>> name_and_unit("Sensor (A)"), name_and_unit("Current [A]")
    (('Sensor (A)', ''), ('Current', 'A'))
    """
    match = None if header.rstrip().endswith("(A)") else _IN_NAME.match(header)
    return (match["name"].strip(), match["unit"].strip()) if match else (header.strip(), "")
