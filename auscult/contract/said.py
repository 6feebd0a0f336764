"""`Said`: a sentence as a code with values, and `Rejection`: an error that carries one.

Every sentence that reaches a person is a `Said`. No code reads prose: branch on ``said.code``.
The English words are made here, from the templates in `auscult.contract.phrases`; the page words
the same code in its own language.

Add a sentence
--------------
1. Add ``"my_code": "machine {machine} has no point {point}"`` to a topic file of
   `auscult.contract.phrases`. Say what happened, where, the limit or the cause, and the remedy.
2. Use it: ``Said("my_code", {"machine": m, "point": p})``, or, to reject what a caller asked for,
   ``raise Rejection("my_code", machine=m, point=p)``. Derive an exception from `Rejection` where
   callers catch one kind of it. Write the code as a literal: a test collects it from the source.
3. Run ``python -m lab.documents``. It writes web/src/i18n/codes.json, which gives the page its
   English. Add the German to the file of the topic in web/src/i18n/said; without it
   the page does not compile.
4. A message that carries the text carries the `Said` beside it (field ``said`` or ``…_said``).

Templates
---------
``{name}`` is replaced by the value: text, a number with three digits, a list joined by commas, or
another sentence. A part after the colon says how:

====================  ============================================================================
``{power:kW}``        a number with this unit
``{value:in unit}``   a number with the unit that the value ``unit`` names
``{share:percent}``   0..1 as per cent
``{at_ms:day}``       UTC milliseconds as a date
``{role:word}``       a word of `auscult.contract.phrases.WORDS`, or a list of them
``{faults:or}``       words joined by "or"
``{parts:;}``         sentences joined by semicolons
``{n:# day|# days}``  one form for 1, one for all other numbers; ``#`` is the number
``{kind:? (#)}``      left out where the value is empty; ``#`` is the value
``{:state}``          an operating state from ``speed_rpm``, ``load`` and ``tags``; a name is their
                      prefix (``{nearest_:state}``)
``{:when}``           a time ahead from ``expected_s``, ``earliest_s`` and ``latest_s``
====================  ============================================================================
"""

from __future__ import annotations

import logging
import string
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from auscult.contract.phrases import PHRASES, WORDS
from auscult.contract.phrases.german import PHRASES_DE, WORDS_DE, title_de
from auscult.errors import InputError

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence as a code of the catalogue with its values, which may quote further sentences."""

    code: str
    values: Mapping[str, SaidValue] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The sentence in English.

        >>> Said("silent", {"after_s": 30}).text
        'no window for more than 30 s'
        """
        return self.render()

    @property
    def known(self) -> bool:
        """Whether this program has words for it; a newer one may have sent it."""
        quoted = (one for value in self.values.values() for one in _quoted(value))
        return self.code in PHRASES and all(one.known for one in quoted)

    @property
    def german(self) -> str:
        """The sentence in German, in English where `auscult.contract.phrases.german` has none."""
        template = PHRASES_DE.get(self.code)
        if template is None:
            return self.text
        values = dict(self.values)
        if "title" in values and "feature" in values:
            named = (str(values.get(name, "")) for name in ("title", "feature", "unit"))
            values["title"] = title_de(*named)
        return _filled(template, values, GERMAN)

    def render(self, **more: Any) -> str:
        """Return the sentence in English, with ``more`` values than its own."""
        template = PHRASES.get(self.code)
        try:
            if template is None:
                raise KeyError(self.code)  # noqa: TRY301 - one place decides what a gap means
            return _filled(template, {**self.values, **more}, ENGLISH)
        except (KeyError, TypeError, ValueError) as error:
            if STRICT:
                raise
            log.error("no English words for %r: %r", self.code, error)
            return f"{self.code} {dict(self.values)}" if self.values else self.code

    def __str__(self) -> str:
        return self.text

    def __hash__(self) -> int:
        return hash(self.code)


SaidValue = str | int | float | tuple[str, ...] | Said | tuple[Said, ...] | None
"""What varies in a sentence. Reasons quote no sentence: receivers before 0.2 reject that."""


class Rejection(InputError):  # noqa: N818 - the base of our errors, and the glossary's word
    """What a caller asked for is rejected, and why.

    Parameters
    ----------
    code : str or Said
        Why, as a code of the catalogue with its ``values``, or as a whole sentence.

    Examples
    --------
    >>> raise Rejection("point_unknown", machine="pump", point="x")
    Traceback (most recent call last):
    auscult.contract.said.Rejection: machine pump has no point x
    """

    def __init__(self, code: str | Said, /, **values: Any) -> None:
        self.said = Said(code, values) if isinstance(code, str) else code
        super().__init__(self.said.text)


UNSTATED = "an unknown speed and load"
"""An operating state of which nothing is stated."""
STRICT = False
"""Whether a gap in the catalogue is an error (in tests), or is logged and shown raw."""


@dataclass(frozen=True, slots=True)
class _Language:
    """How a language writes values."""

    words: Mapping[str, str]
    joints: Mapping[str, str]
    units: tuple[str, str, str, str]
    """Months, days, hours, minutes."""
    about: str
    earliest: str
    between: str
    comma: str = "."


ENGLISH = _Language(
    WORDS,
    {"word": ", ", "or": " or ", ";": "; "},
    ("months", "days", "hours", "minutes"),
    "in about {} {}",
    " ({} {} at the earliest)",
    " ({} to {} {})",
)
GERMAN = _Language(
    {**WORDS, **WORDS_DE},
    {"word": ", ", "or": " oder ", ";": "; "},
    ("Monaten", "Tagen", "Stunden", "Minuten"),
    "in etwa {} {}",
    " (frühestens in {} {})",
    " ({} bis {} {})",
    ",",
)
_LENGTHS = (30 * 86_400, 86_400, 3600, 60)


def fields(template: str) -> list[tuple[str, str]]:
    """List the names of a template's values, each with how it is written."""
    return [
        (n, spec or "") for _, n, spec, _ in string.Formatter().parse(template) if n is not None
    ]


def _filled(template: str, values: Mapping[str, Any], language: _Language) -> str:
    return "".join(
        literal if name is None else literal + _value(name, spec or "", values, language)
        for literal, name, spec, _ in string.Formatter().parse(template)
    )


def _value(name: str, spec: str, values: Mapping[str, Any], language: _Language) -> str:
    if spec == "state":
        return _state(name, values)
    if spec == "when":
        return _when(values, language)
    if spec.startswith("?"):
        # an older version stored the sentence without the optional values of today
        value = values.get(name)
        if value in (None, "", ()):
            return ""
        return _filled(spec[1:], values, language).replace("#", _plain(value, language))
    value = values[name]
    if "|" in spec:
        one, many = spec.split("|")
        return (one if value == 1 else many).replace("#", _plain(value, language))
    if spec in language.joints:
        parts = (value,) if isinstance(value, str | Said) else value
        return language.joints[spec].join(language.words.get(str(p), str(p)) for p in parts)
    unit = str(values[spec[3:]]) if spec.startswith("in ") else spec
    return _measure(value, unit, language)


def _measure(value: Any, unit: str, language: _Language) -> str:
    match unit:
        case "":
            return _plain(value, language)
        case "percent":
            return f"{_plain(100.0 * value, language)}%"
        case "day":
            return datetime.fromtimestamp(value / 1e3, UTC).strftime("%-d %B %Y")
        case _:
            return f"{_plain(value, language)} {unit}"


def _quoted(value: SaidValue) -> list[Said]:
    return [
        one for one in (value if isinstance(value, tuple) else (value,)) if isinstance(one, Said)
    ]


def _plain(value: Any, language: _Language) -> str:
    if isinstance(value, tuple | list):
        return ", ".join(_plain(one, language) for one in value)
    if isinstance(value, float):
        text = f"{value:.0f}" if 100 <= abs(value) < 1e9 else f"{value:.3g}"
        return text.replace(".", language.comma)
    return "" if value is None else str(value)


def _state(prefix: str, values: Mapping[str, Any]) -> str:
    speed_rpm, load = values[f"{prefix}speed_rpm"], values[f"{prefix}load"]
    parts = [] if speed_rpm is None else [f"{speed_rpm:.0f} r/min"]
    parts += [] if load is None else [f"load {load:g}"]
    return ", ".join([*parts, *values[f"{prefix}tags"]]) or UNSTATED


def _when(values: Mapping[str, Any], language: _Language) -> str:
    expected, latest = values["expected_s"], values["latest_s"]
    place = next((i for i, length in enumerate(_LENGTHS) if expected >= 2 * length), 3)
    unit, length = language.units[place], _LENGTHS[place]

    def of(seconds: float) -> str:
        return f"{seconds / length:.2g}".replace(".", language.comma)

    start = language.about.format(of(expected), unit)
    if latest is None:
        return start + language.earliest.format(of(values["earliest_s"]), unit)
    return start + language.between.format(of(values["earliest_s"]), of(latest), unit)
