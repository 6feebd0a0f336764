"""The messages of each language as Fluent source, from the files of the product and of its plugins.

To parse a whole file takes 0.2 s. It is cut into messages here, so that only those that are used
are parsed; therefore no message refers to another. A message begins at the start of a line; its
further lines are indented.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Final, Literal, get_args

LanguageCode = Literal["en", "de"]
LANGUAGES: Final[tuple[LanguageCode, ...]] = get_args(LanguageCode)
PRODUCT: Final = Path(__file__).parents[2]
PLUGINS: Final = ("sources", "outputs")
"""Kinds of plugins: rooms of the gateway, and entry point groups of other packages."""
_MESSAGE = re.compile(r"^([A-Za-z][\w-]*) =.*(?:\n+[ \t]+\S.*)*", re.MULTILINE | re.ASCII)
_VARIABLE = re.compile(r"\$(\w+)", re.ASCII)
_OPTIONAL = re.compile(r'OPTIONAL\((?:"(?:\\.|[^"\\])*"|[^"()]|\([^()]*\))*\)')


def messages(ftl: str) -> dict[str, str]:
    r"""Cut the text of a Fluent file into its messages by their ids.

    >>> messages("# one\na = b\nc =\n    d { $e }\n")
    {'a': 'a = b', 'c': 'c =\n    d { $e }'}
    """
    return {found[1]: found[0] for found in _MESSAGE.finditer(ftl)}


def files(language: str) -> list[Path]:
    """Return the files of a language: ours, and those of the plugins in this package."""
    found = (PRODUCT / "gateway" / kind for kind in PLUGINS)
    folders = [path for kind in found for path in sorted(kind.glob("*/words"))]
    return _files([Path(__file__).parent, *folders], language)


@cache
def messages_of(language: str) -> dict[str, str]:
    """Return the messages of a language by id."""
    return _read(files(language))


@cache
def _messages_of_others(language: str) -> dict[str, str]:
    """Return the messages of the plugins of other packages, found by their entry points."""
    return _read(_files([*_folders_of_others()], language))


def find(message: str, language: str) -> str | None:
    """Return the Fluent source of a message; None where the language lacks it."""
    return messages_of(language).get(message) or _messages_of_others(language).get(message)


def starting(start: str, language: str) -> dict[str, str]:
    """Return the messages of a language whose ids begin with ``start``, by id."""
    everything = _messages_of_others(language) | messages_of(language)
    return {one: source for one, source in everything.items() if one.startswith(start)}


def codes(language: str) -> dict[str, str]:
    """Return the sentences among the messages of a language: their ids have no hyphen."""
    return {code: source for code, source in messages_of(language).items() if "-" not in code}


def values_of(source: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the names of the values that a message needs, and of those that it may lack.

    >>> values_of('a = { $b }{ OPTIONAL(" (", $c, ")") }')
    (frozenset({'b'}), frozenset({'c'}))
    """
    needed = frozenset(_VARIABLE.findall(_OPTIONAL.sub("", source)))
    return needed, frozenset(_VARIABLE.findall(source)) - needed


def _files(folders: list[Path], language: str) -> list[Path]:
    return [path for folder in folders if (path := folder / f"{language}.ftl").exists()]


def _read(paths: list[Path]) -> dict[str, str]:
    texts = (path.read_text(encoding="utf-8") for path in paths)
    return {code: source for text in texts for code, source in messages(text).items()}


def _folders_of_others() -> Iterator[Path]:
    for kind in PLUGINS:
        for plugin in entry_points(group=f"auscult.{kind}"):
            if plugin.dist is None or plugin.module.startswith("auscult."):
                continue
            place = Path(str(plugin.dist.locate_file(plugin.module.replace(".", "/"))))
            yield (place if place.is_dir() else place.parent) / "words"
