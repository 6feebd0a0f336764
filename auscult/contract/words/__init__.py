"""Words of gateway, dashboard and page: a Project Fluent file for each language.

``en.ftl`` and ``de.ftl`` beside this module have a message for each code. A source or an output
brings its own as ``words/en.ftl`` and ``words/de.ftl`` in its folder; the folders of other packages
are found through the entry points that name their plugins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from auscult.contract.words.catalogue import LANGUAGES as LANGUAGES
from auscult.contract.words.catalogue import LanguageCode as LanguageCode
from auscult.contract.words.catalogue import codes as codes
from auscult.contract.words.catalogue import find as find
from auscult.contract.words.catalogue import messages_of as messages_of
from auscult.contract.words.catalogue import starting as starting
from auscult.contract.words.catalogue import values_of as values_of

if TYPE_CHECKING:
    from auscult.contract.words.language import Language


def words_in(language: str) -> Language:
    """Return the words of a language, one of `LANGUAGES`."""
    # Fluent takes 0.1 s to import: a program that has said nothing yet runs without it
    from auscult.contract.words.language import words_of

    return words_of(language)
