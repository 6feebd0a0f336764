"""The words of all languages: each code has them, and both readers make the same text of them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from fluent.runtime import FluentResource
from fluent.syntax import ast, visitor

from auscult.contract.said import Said
from auscult.contract.words import LANGUAGES, catalogue, values_of, words_in

TABLE = json.loads(Path(__file__).with_name("words.json").read_text(encoding="utf-8"))
"""Sentences and their text in each language; web/src/i18n/words.test.ts reads the same file."""
FUNCTIONS = {"DAY", "OPTIONAL", "PERCENT", "QUANTITY", "STATE", "WHEN", "WORD"}


def test_every_language_has_the_same_messages_with_the_same_values() -> None:
    english = catalogue.messages_of("en")
    for language in LANGUAGES:
        other = catalogue.messages_of(language)
        assert sorted(english.keys() ^ other.keys()) == []
        differ = [
            name for name in english if not everything(other[name]) <= everything(english[name])
        ]
        assert differ == [], f"{language}.ftl uses values that are not sent"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_message_is_fluent_and_calls_known_functions(language: str) -> None:
    for path in catalogue.files(language):
        resource = FluentResource(path.read_text(encoding="utf-8"))
        names = [one.id.name for one in resource.body if isinstance(one, ast.Message)]
        assert not [one.content for one in resource.body if isinstance(one, ast.Junk)], path
        assert len(names) == len(set(names)), f"{path} has a code twice"
        assert set(names) <= catalogue.messages_of(language).keys(), "the cut finds each message"
        called = Called()
        called.visit(resource)
        assert called.functions <= FUNCTIONS
        assert called.messages == set(), "messages are parsed one by one"


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("row", TABLE, ids=lambda row: row["code"])
def test_a_sentence_has_the_words_of_the_table(row: dict[str, Any], language: str) -> None:
    said = quoted(row)
    assert isinstance(said, Said)
    assert said.render(language) == row[language]


def test_the_table_calls_every_function() -> None:
    sources = [catalogue.messages_of("en")[row["code"]] for row in TABLE]
    assert {name for name in FUNCTIONS if any(f"{name}(" in one for one in sources)} == FUNCTIONS


@pytest.mark.parametrize("value", [10**400, -math.inf, math.nan, 5e-324])
def test_any_number_has_a_text(value: float) -> None:
    """What a request contains is in the sentence of its rejection."""
    said = Said("belt_too_short", {"length": value, "least": value})
    assert all(said.render(language) for language in LANGUAGES)


def test_a_value_may_be_longer_than_fluent_allows() -> None:
    columns = tuple(f"column {n}" for n in range(1000))
    text = Said("file_no_column", {"path": "a.csv", "column": "x", "columns": columns}).text
    assert text.endswith("column 998, column 999")


def test_a_plugin_brings_its_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = tmp_path / "gateway" / "sources" / "mine" / "words"
    words.mkdir(parents=True)
    (words / "en.ftl").write_text("mine_lost = lost { $what }\n", encoding="utf-8")
    monkeypatch.setattr(catalogue, "PRODUCT", tmp_path)
    catalogue.messages_of.cache_clear()
    try:
        assert Said("mine_lost", {"what": "it"}).render("de") == "lost it", "English, where alone"
    finally:
        monkeypatch.undo()
        catalogue.messages_of.cache_clear()


def test_a_plugin_of_another_package_brings_its_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "their_source"
    (package / "words").mkdir(parents=True)
    (package / "__init__.py").touch()
    (package / "words" / "en.ftl").write_text("their_lost = lost { $what }\n", encoding="utf-8")
    (package / "words" / "de.ftl").write_text("their_lost = { $what } ist weg\n", encoding="utf-8")
    info = tmp_path / "their_source-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: their-source\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[auscult.sources]\ntheirs = their_source:KIND\n")
    monkeypatch.syspath_prepend(tmp_path)
    catalogue._messages_of_others.cache_clear()
    lost = Said("their_lost", {"what": "the cable"})
    try:
        assert lost.render("de") == "the cable ist weg"
        sent = Said("value_at", {"place": "url", "cause": lost}).portable
    finally:
        monkeypatch.undo()
        catalogue._messages_of_others.cache_clear()
    assert sent.render("de") == "url: lost the cable", "English where the plugin is not installed"


def test_german_names_what_a_limit_is_on() -> None:
    """A mail in German said "velocity r.m.s. jenseits der Grenze"."""
    values = {
        "title": "velocity r.m.s.", "feature": "velocity_rms_mm_s", "unit": "mm/s",
        "level": "alarm", "point": "",
    }  # fmt: skip
    text = "Schwinggeschwindigkeit, effektiv jenseits der Grenze „Alarm“"
    assert Said("case_limit", values).render("de") == text
    band = values | {"title": "band 1.57–1.84 kHz", "feature": "band_12", "unit": "g"}
    assert Said("case_limit", band).render("de") == "Band 1,57–1,84 kHz jenseits der Grenze „Alarm“"
    assert "velocity" in Said("case_limit", values).text
    assert words_in("de").feature("value", "value", "bar") == "Wert"


def test_a_number_has_the_decimal_sign_of_the_language() -> None:
    values = {"low_hz": 0.5, "high_hz": 1234.5678, "kurtosis": 2.25}
    assert "0,5 bis 1235 Hz" in words_in("de").text("kurtogram_band", values)


class Called(visitor.Visitor):  # type: ignore[misc]
    """Collects the functions and other messages that a resource names."""

    def __init__(self) -> None:
        self.functions: set[str] = set()
        self.messages: set[str] = set()

    def visit_FunctionReference(self, node: ast.FunctionReference) -> None:
        self.functions.add(node.id.name)
        self.generic_visit(node)

    def visit_MessageReference(self, node: ast.MessageReference) -> None:
        self.messages.add(node.id.name)

    def visit_TermReference(self, node: ast.TermReference) -> None:
        self.messages.add(node.id.name)


def everything(source: str) -> frozenset[str]:
    """Return the names of all values of a message."""
    needed, optional = values_of(source)
    return needed | optional


def quoted(value: Any) -> Any:
    """Return a row of the table, or a value of it, as a sender has it."""
    if isinstance(value, dict):
        values = value.get("values", {})
        return Said(value["code"], {name: quoted(one) for name, one in values.items()})
    return tuple(quoted(one) for one in value) if isinstance(value, list) else value
