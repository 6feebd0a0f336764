"""`Said`: a sentence as a code with values, and `Rejection`: an error that carries one.

Every sentence that reaches a person is a `Said`. No code reads prose: branch on ``said.code``.
Codes and values travel; the words are made at the edge, from `auscult.contract.words`: one Project
Fluent file for each language, which gateway, dashboard and page share.

Add a sentence
--------------
1. Add a line to ``words/en.ftl`` and one to ``words/de.ftl``, those beside this file, or those in
   the folder of your source or output: ``my_code = machine { $machine } has no point { $point }``.
   The head of en.ftl says what a line may hold.
2. Use it: ``Said("my_code", {"machine": m, "point": p})``, or, to reject what a caller asked for,
   ``raise Rejection("my_code", machine=m, point=p)``. Derive an exception from `Rejection` where
   callers catch one kind of it. Write the code as a literal: a test collects it from the source.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from auscult.contract.words import find, messages_of, words_in
from auscult.errors import InputError

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence as a code of the catalogue with its values, which may quote further sentences."""

    code: str
    values: Mapping[str, SaidValue] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """Return the sentence in English.

        >>> Said("silent", {"after_s": 30}).text
        'no window for more than 30 s'
        """
        return self.render()

    @property
    def known(self) -> bool:
        """Return whether this program has words for it; a newer one may have sent it."""
        quoted = (one for value in self.values.values() for one in _quoted(value))
        return find(self.code, "en") is not None and all(one.known for one in quoted)

    @property
    def portable(self) -> Said:
        """Return the sentence for receivers that have the words of this package only.

        What a plugin of another package says becomes its English text.
        """
        if self.code not in messages_of("en"):
            return Said("text", {"text": self.text})
        return Said(self.code, {name: _portable(value) for name, value in self.values.items()})

    def render(self, language: str = "en", /, **more: Any) -> str:
        """Return the sentence in a language, with ``more`` values than its own.

        >>> Said("silent", {"after_s": 30}).render("de")
        'seit mehr als 30 s kein Messwert'
        """
        words = words_in(language if find(self.code, language) else "en")
        values = {
            name: _worded(value, words.name) for name, value in {**self.values, **more}.items()
        }
        if "title" in values and "feature" in values:
            named = (str(values.get(name, "")) for name in ("title", "feature", "unit"))
            values["title"] = words.feature(*named)
        try:
            return words.text(self.code, values)
        except (KeyError, TypeError, ValueError) as error:
            if STRICT:
                raise
            log.error("no words for %r: %r", self.code, error)
            return f"{self.code} {dict(self.values)}" if self.values else self.code

    def __str__(self) -> str:
        return self.text

    def __hash__(self) -> int:
        return hash(self.code)


def said_of_older(sent: Any) -> Any:
    """Read what versions up to 0.3 sent: the sentence in English as `reason`, mostly its code too.

    The text stands in for a code that has no words here.
    """
    if not isinstance(sent, dict) or not (text := sent.get("reason")):
        return sent
    said = sent.get("said")
    if isinstance(said, dict):
        said = Said(str(said.get("code")), said.get("values") or {})
    if isinstance(said, Said) and said.known:
        return sent
    return {**sent, "said": Said("text", {"text": text})}


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
        super().__init__(self.said)

    def __str__(self) -> str:
        return self.said.text


STRICT = False
"""Whether a gap in the catalogue is an error (in tests), or is logged and shown raw."""


def _worded(value: Any, language: str) -> Any:
    if isinstance(value, Said):
        return value.render(language)
    if isinstance(value, tuple | list):
        return [_worded(one, language) for one in value]
    return value


def _portable(value: Any) -> Any:
    if isinstance(value, Said):
        return value.portable
    if isinstance(value, tuple):
        return tuple(_portable(one) for one in value)
    return value


def _quoted(value: SaidValue) -> list[Said]:
    return [
        one for one in (value if isinstance(value, tuple) else (value,)) if isinstance(one, Said)
    ]
