"""Sentences as code and values: the source uses the catalogue, all of it, with its values."""

from __future__ import annotations

import ast
import itertools
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from auscult.contract import said, words
from auscult.contract.said import Rejection, Said
from auscult.contract.words import codes, values_of

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
    unknown = [f"{use.where}: {use.code}" for use in uses() if use.code not in codes("en")]
    assert unknown == [], "add them to auscult/contract/words/en.ftl and de.ftl"


def test_every_use_gives_the_values_that_its_template_needs() -> None:
    gaps = [
        f"{use.where}: {use.code} lacks {sorted(lacking)}"
        for use in uses()
        if use.values is not None
        and (lacking := values_of(codes("en").get(use.code, ""))[0] - use.values - OF_A_REASON)
    ]
    assert gaps == []


def test_every_code_of_the_catalogue_is_used() -> None:
    written = {
        node.value
        for tree in trees().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert sorted(codes("en").keys() - written) == []


def test_what_one_source_or_output_says_is_in_its_folder() -> None:
    shared = words.catalogue.messages((ROOT / "auscult/contract/words/en.ftl").read_text("utf-8"))
    users: dict[str, set[Path | None]] = defaultdict(set)
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and node.value in shared:
                users[node.value].add(_plugin(path))
    assert {code: by for code, by in users.items() if len(by) == 1 and None not in by} == {}


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


def _plugin(path: Path) -> Path | None:
    """Return the folder of the source or output that a module belongs to."""
    return next((one for one in path.parents if (one / "example.toml").exists()), None)


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
