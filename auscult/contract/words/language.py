"""Text from a message of `auscult.contract.words` and its values, by Project Fluent.

The functions that messages may call are the same in web/src/i18n/words.ts; both pass the table
tests/words.json. Here spaces and minus signs are plain, for readers of MQTT and mail.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from typing import Any, Final

from babel import Locale
from babel.dates import format_date
from babel.numbers import get_decimal_symbol
from fluent.runtime import FluentBundle, FluentResource, resolver
from fluent.runtime.types import FluentNone, FluentType, fluent_number

from auscult.contract.words.catalogue import find, values_of

LOCALES: Final = {"en": "en_GB", "de": "de_DE"}
LENGTHS_S: Final = {"months": 30 * 86_400, "days": 86_400, "hours": 3600, "minutes": 60}
LARGE: Final = 1e21
"""Babel formats numbers of at most 28 digits."""
RAISED: Final = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
BANDS: Final = {
    "band": "band-plain",
    "envelope": "band-envelope",
    "fluctuation of band": "band-fluctuation",
}
_BAND = re.compile(r"(fluctuation of band|envelope|band) ([\d.–]+ k?Hz)(?: \((\S+) × shaft\))?")
_SPACE = re.compile(r"[^A-Za-z0-9_]+")
_OWN_BAND = re.compile(r"r\.m\.s\. ([\d.–]+ k?Hz)")

# lists of columns, devices or problems are longer than the library's limit of 2,500 characters
resolver.MAX_PART_LENGTH = 100_000


class Listed(FluentType):
    """Several values, joined by commas."""

    def __init__(self, items: Sequence[Any]) -> None:
        self.items = [_typed(item) for item in items]

    def format(self, locale: Locale) -> str:
        return ", ".join(_text(item, locale) for item in self.items)


class Large(FluentType):
    """A number with more digits than Babel formats, as a power of ten; a dash for infinity."""

    def __init__(self, value: float) -> None:
        self._value = Decimal(value)

    def format(self, locale: Locale) -> str:
        if not self._value.is_finite():
            return "–"
        mantissa, exponent = f"{self._value:.2e}".split("e+")
        return f"{_text(_typed(float(mantissa)), locale)} × 10{exponent.translate(RAISED)}"


class Language:
    """The words of one language.

    Parameters
    ----------
    name : str
        One of `auscult.contract.words.LANGUAGES`.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._locale = Locale.parse(LOCALES[name])
        functions: dict[str, Callable[..., Any]] = {
            "DAY": self._day,
            "OPTIONAL": self._optional,
            "PERCENT": self._percent,
            "QUANTITY": self._quantity,
            "STATE": self._state,
            "WHEN": self._when,
            "WORD": self._word,
        }
        self._bundle = FluentBundle([LOCALES[name]], functions=functions, use_isolating=False)
        self._values: dict[str, tuple[frozenset[str], frozenset[str]]] = {}

    def text(self, message: str, values: Mapping[str, Any]) -> str:
        """Return the text of a message.

        Parameters
        ----------
        message : str
            Its id; of a sentence the code.
        values : mapping
            Text, numbers, lists of them, or None, by name. More than the message uses may be there.

        Raises
        ------
        KeyError
            The language lacks the message, or ``values`` lacks a value that it needs.
        ValueError
            The message does not fit its values.
        """
        needed, optional = self._load(message)
        if lacking := needed - values.keys():
            raise KeyError(*sorted(lacking))
        given = {name: _typed(values.get(name)) for name in needed | optional}
        pattern = self._bundle.get_message(message).value
        if pattern is None:
            raise KeyError(message)
        text, errors = self._bundle.format_pattern(pattern, given)
        if errors:
            raise ValueError(f"{message}: {errors[0]}")
        return str(text)

    def word(self, code: str) -> str:
        """Return the words of a code, such as a fault class; the code itself where it has none."""
        message = "word-" + _SPACE.sub("-", code)
        return self.text(message, {}) if find(message, self.name) else code

    def feature(self, title: str, feature: str, unit: str) -> str:
        """Return the name of a feature whose English name is ``title``.

        >>> words_of("de").feature("velocity r.m.s.", "velocity_rms_mm_s", "mm/s")
        'Schwinggeschwindigkeit, effektiv'
        >>> words_of("de").feature("envelope 37.5–47 Hz (1.7 × shaft)", "envelope_band_10", "g")
        'Hüllkurve 37,5–47 Hz (1,7 × Drehfrequenz)'
        """
        if self.name == "en":
            return title
        suffix = unit.replace("/", "_").replace("²", "2").replace("µ", "u").replace("°", "")
        named = "feature-" + feature.removesuffix(f"_{suffix.lower()}")
        if find(named, self.name):
            return self.text(named, {})
        sign = get_decimal_symbol(self._locale)
        if band := _BAND.fullmatch(title):
            place, order = band[2].replace(".", sign), (band[3] or "").replace(".", sign)
            return self.text(BANDS[band[1]], {"range": place, "order": order})
        if own := _OWN_BAND.fullmatch(title):
            return f"{self.text('feature-rms', {})} {own[1].replace('.', sign)}"
        return title.replace("× shaft speed", "× Drehzahl")

    def _load(self, message: str) -> tuple[frozenset[str], frozenset[str]]:
        if message not in self._values:
            source = find(message, self.name)
            if source is None:
                raise KeyError(message)
            self._bundle.add_resource(FluentResource(source))
            self._values[message] = values_of(source)
        return self._values[message]

    def _text(self, value: Any) -> str:
        return _text(value, self._locale)

    def _quantity(self, value: Any, unit: Any) -> str:
        name = self._text(unit)
        return f"{self._text(value)} {name}" if name else self._text(value)

    def _percent(self, share: float) -> str:
        space = " " if self.name == "de" else ""
        return f"{self._text(_typed(100.0 * share))}{space}%"

    def _day(self, at_ms: float) -> str:
        return format_date(datetime.fromtimestamp(at_ms / 1e3, UTC), "long", locale=self._locale)

    def _word(self, code: Any, joint: str = ", ") -> str:
        items = code.items if isinstance(code, Listed) else [code]
        return joint.join(self.word(self._text(item)) for item in items)

    def _optional(self, *parts: Any) -> str:
        texts = [self._text(part) for part in parts]
        return "".join(texts) if all(texts) else ""

    def _state(self, speed_rpm: Any, load: Any, tags: Any) -> str:
        parts = [
            "" if speed_rpm == "" else self.text("state-speed", {"speed_rpm": speed_rpm}),
            "" if load == "" else self.text("state-load", {"load": load}),
            *(self._tag(self._text(tag)) for tag in tags.items),
        ]
        return ", ".join(filter(None, parts)) or self.text("state-unknown", {})

    def _tag(self, tag: str) -> str:
        """Return a tag in words: a name, which may be a word, and its value."""
        name, space, value = tag.rpartition(" ")
        return f"{self.word(name)}{space}{value}" if space else tag

    def _when(self, expected_s: float, earliest_s: float, latest_s: Any) -> str:
        long = (unit for unit, length in LENGTHS_S.items() if expected_s >= 2 * length)
        unit = next(long, "minutes")

        def times(seconds: float) -> float:
            return float(f"{seconds / LENGTHS_S[unit]:.2g}")

        values = {"unit": unit, "expected": times(expected_s), "earliest": times(earliest_s)}
        if latest_s == "":
            return self.text("when-open", values)
        return self.text("when-until", values | {"latest": times(latest_s)})


@cache
def words_of(name: str) -> Language:
    """Return the words of a language."""
    return Language(name)


def _typed(value: Any) -> Any:
    """Return a value as Fluent takes it; numbers of three significant digits, whole ones of all."""
    if value is None:
        return ""
    if isinstance(value, tuple | list):
        return Listed(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value if isinstance(value, str | FluentType) else str(value)
    if not abs(value) < LARGE:
        return Large(value)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, int) or abs(value) >= 100:
        return fluent_number(value, useGrouping=False, maximumFractionDigits=0)
    return fluent_number(value, useGrouping=False, maximumSignificantDigits=3)


def _text(value: Any, locale: Locale) -> str:
    if isinstance(value, FluentNone):
        return ""
    return value.format(locale) if isinstance(value, FluentType) else str(value)
