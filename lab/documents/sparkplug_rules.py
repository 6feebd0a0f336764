"""The rules of Sparkplug for edge nodes, each with the tests that prove it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.gateway.outputs.sparkplug.rules import NOT_OURS, RULES

TESTS = Path(__file__).parents[2] / "tests/gateway/outputs/sparkplug"
HEAD = """# Sparkplug rules and tests

Each rule of the specification for edge nodes, and the test that fails when it is broken. Most tests
read the wire of a whole session over a real Mosquitto, with MQTT 3.1.1 and 5.0.

| rule `tck-id-…` | in short | test |
|---|---|---|
"""


def tests_by_rule() -> dict[str, list[str]]:
    """Return each rule with the tests that prove it."""
    found: dict[str, list[str]] = {rule: [] for rule in RULES}
    for file in sorted(TESTS.glob("test_*.py")):
        for test in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(test, ast.FunctionDef):
                for rule in _proved(test):
                    found[rule].append(f"{file.stem}::{test.name}")
    return found


def _proved(test: ast.FunctionDef) -> Iterator[str]:
    """Yield the rules that a test names in `@proves(…)`."""
    for decorator in test.decorator_list:
        match decorator:
            case ast.Call(func=ast.Name(id="proves"), args=arguments):
                yield from (ast.literal_eval(one) for one in arguments)


def page() -> str:
    """Return the page."""
    rows = [
        f"| `{rule}` | {RULES[rule]} | {', '.join(f'`{t}`' for t in tests)} |\n"
        for rule, tests in tests_by_rule().items()
    ]
    others = [f"| `{rules}` | {why} |\n" for rules, why in NOT_OURS.items()]
    return (
        HEAD
        + "".join(rows)
        + "\nRules that bind others:\n\n| rules | why |\n|---|---|\n"
        + "".join(others)
    )


def files() -> dict[str, str]:
    """Return the page by its path."""
    return {"docs/sparkplug-rules.md": page()}
