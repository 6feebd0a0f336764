"""A class name has one meaning within the contract and the rooms that share it."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOMS = ("dsp", "models", "gateway", "app", "auscult/contract")


def test_no_two_modules_define_a_class_of_the_same_name():
    homes = defaultdict(list)
    for path in (path for room in ROOMS for path in (ROOT / room).rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(str(path.relative_to(ROOT)))
    assert {name: found for name, found in homes.items() if len(found) > 1} == {}
