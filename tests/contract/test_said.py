"""Sentences as code and values: the catalogue is complete, in use, and rendered as documented."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from auscult.contract import said
from auscult.contract.phrases import PHRASES
from auscult.contract.said import Rejection, Said, fields

ROOT = Path(__file__).parents[2]
ROOMS = (
    "dsp", "models", "gateway", "app", "auscult/contract", "auscult/link", "auscult/host"
)  # fmt: skip
OF_A_REASON = {"value", "limit", "unit", "fault", "point", "matched", "missing", "changes"}
"""What `Reason.text` adds to the values of its sentence."""


class Use(NamedTuple):
    """One place in the source that makes a sentence."""

    where: str
    code: str
    values: frozenset[str] | None
    """Names of its values; None where they are not written out."""


def test_every_code_in_the_source_is_in_the_catalogue() -> None:
    unknown = [f"{use.where}: {use.code}" for use in uses() if use.code not in PHRASES]
    assert unknown == [], "add them to auscult/models/phrases"


def test_every_use_gives_the_values_that_its_template_needs() -> None:
    gaps = [
        f"{use.where}: {use.code} lacks {sorted(lacking)}"
        for use in uses()
        if use.values is not None
        and (lacking := needed(PHRASES.get(use.code, "")) - use.values - OF_A_REASON)
    ]
    assert gaps == []


def test_every_code_of_the_catalogue_is_used() -> None:
    written = {
        node.value
        for path, tree in trees().items()
        if "phrases" not in path.parts
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert sorted(PHRASES.keys() - written) == []


@pytest.mark.parametrize(
    ("template", "values", "text"),
    [
        ("{a}, {b}, {c}", {"a": 1480.0, "b": 0.0123456, "c": 12}, "1480, 0.0123, 12"),
        ("{a:kW}", {"a": 75.0}, "75 kW"),
        ("{a:in unit}", {"a": 3.1, "unit": "mm/s"}, "3.1 mm/s"),
        ("{a:in unit}", {"a": 3.1, "unit": ""}, "3.1"),
        ("{a:percent}", {"a": 0.005}, "0.5%"),
        ("{a:day}", {"a": 1_700_000_000_000}, "14 November 2023"),
        ("{a:word}", {"a": ("bias", "spikes")}, f"{said.WORDS['bias']}, {said.WORDS['spikes']}"),
        ("{a:or}", {"a": ("rub", "gear")}, "rub or gear damage"),
        ("{n:# day|# days}", {"n": 1}, "1 day"),
        ("{n:# day|# days}", {"n": 0}, "0 days"),
        ("x{kind:? (#)}", {}, "x"),
        ("x{kind:? (#)}", {"kind": ""}, "x"),
        ("x{kind:? (#)}", {"kind": ("a", "b")}, "x (a, b)"),
        ("{:state}", {"speed_rpm": 1480.0, "load": 40.0, "tags": ("recipe B",)},
         "1480 r/min, load 40, recipe B"),
        ("{n_:state}", {"n_speed_rpm": None, "n_load": None, "n_tags": ()},
         "an unknown speed and load"),
        ("{:when}", {"expected_s": 12 * 86_400, "earliest_s": 9 * 86_400, "latest_s": 20 * 86_400},
         "in about 12 days (9 to 20 days)"),
        ("{:when}", {"expected_s": 7200, "earliest_s": 3600, "latest_s": None},
         "in about 2 hours (1 hours at the earliest)"),
        ("{a:;}", {"a": (Said("no_symptom"), Said("not_running"))},
         f"{PHRASES['no_symptom']}; {PHRASES['not_running']}"),
    ],
)  # fmt: skip
def test_a_template_is_filled(monkeypatch, template, values, text) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setitem(PHRASES, "tried", template)  # type: ignore[arg-type]
    assert Said("tried", values).text == text


def test_a_gap_is_an_error_in_tests_and_shown_raw_in_production(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(KeyError):
        _ = Said("no_such_code").text
    with pytest.raises(KeyError):
        _ = Said("silent").text
    monkeypatch.setattr(said, "STRICT", False)
    assert Said("no_such_code", {"a": 1}).text == "no_such_code {'a': 1}"
    assert Said("silent").text == "silent"


def test_a_rejection_carries_its_sentence() -> None:
    error = Rejection("iso_too_large", power_kw=60_000)
    assert error.said == Said("iso_too_large", {"power_kw": 60_000})
    assert str(error) == error.said.text
    assert Rejection(error.said).said is error.said


def needed(template: str) -> frozenset[str]:
    """List the values that a template uses."""
    names: set[str] = set()
    for name, spec in fields(template):
        if spec == "state":
            names |= {f"{name}{part}" for part in ("speed_rpm", "load", "tags")}
        elif spec == "when":
            names |= {"expected_s", "earliest_s", "latest_s"}
        else:
            names |= {name, *([spec[3:]] if spec.startswith("in ") else ())}
    return frozenset(names)


@cache
def trees() -> dict[Path, ast.Module]:
    """Parse the rooms."""
    installers = sorted((ROOT / "docker" / "bundle").glob("auscult-*"))
    rooms = [sorted((ROOT / room).rglob("*.py")) for room in ROOMS]
    return {
        path: ast.parse(path.read_text(encoding="utf-8"))
        for path in (*itertools.chain(*rooms), *installers)
    }


def uses() -> list[Use]:
    """Find each `Said("…", {…})` and `Rejection("…", …)`, also of derived exceptions."""
    parsed = trees()
    kinds = {"Said", "Rejection"}
    bases = [
        (node.name, {base.id for base in node.bases if isinstance(base, ast.Name)})
        for tree in parsed.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    ]
    while more := {name for name, of in bases if of & kinds} - kinds:
        kinds |= more
    return [use for path, tree in parsed.items() for use in _uses(path, tree, kinds)]


def _uses(path: Path, tree: ast.AST, kinds: set[str]) -> Iterator[Use]:
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args):
            continue
        if node.func.id not in kinds:
            continue
        where = f"{path.relative_to(ROOT)}:{node.lineno}"
        for code in _codes(node.args[0]):
            yield Use(where, code, _values(node))


def _codes(first: ast.expr) -> list[str]:
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        return [first.value]
    if isinstance(first, ast.IfExp):
        return [*_codes(first.body), *_codes(first.orelse)]
    return []


def _values(call: ast.Call) -> frozenset[str] | None:
    given = [keyword.arg for keyword in call.keywords]
    if len(call.args) > 1:
        if not isinstance(call.args[1], ast.Dict):
            return None
        given += [getattr(key, "value", None) for key in call.args[1].keys]
    return None if None in given or "values" in given else frozenset(map(str, given))


def test_german_names_what_a_limit_is_on() -> None:
    """A mail in German said "velocity r.m.s. jenseits der Grenze"."""
    values = {
        "title": "velocity r.m.s.", "feature": "velocity_rms_mm_s", "unit": "mm/s",
        "level": "alarm", "point": "",
    }  # fmt: skip
    text = "Schwinggeschwindigkeit, effektiv jenseits der Grenze „Alarm“"
    assert Said("case_limit", values).german == text
    band = values | {"title": "band 1.57–1.84 kHz", "feature": "band_12", "unit": "g"}
    assert Said("case_limit", band).german == "Band 1,57–1,84 kHz jenseits der Grenze „Alarm“"
    assert "velocity" in Said("case_limit", values).text
