"""Sentences and texts in the reader's language, for messages and reports."""

from __future__ import annotations

from auscult.app.views import Bilingual, Measured
from auscult.contract.said import Said


def worded(said: Said, language: str) -> str:
    """Return a sentence with a capital first letter."""
    text = said.render(language)
    return text[:1].upper() + text[1:]


def text_of(words: Bilingual, language: str) -> str:
    """Return a text, in English where it has no German."""
    return (words.de if language == "de" else "") or words.en


def value_of(measured: Measured, language: str) -> str:
    """Return a value with how far it is beyond its limit, or from what is expected."""
    value = Said("measured_value", {"value": measured.value, "unit": measured.unit})
    return f"{value.render(language)}, {measured.said.render(language)}"


def number(formatted: str, language: str) -> str:
    """Return a number with the decimal sign of the language.

    >>> number(f"{2.345:.1f}", "de")
    '2,3'
    """
    return formatted.replace(".", ",") if language == "de" else formatted
