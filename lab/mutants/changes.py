"""All mutants of the listed files: one change of an operator, comparison, constant or condition."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = {
    "dsp": ["tests/dsp", "tests/models/decision"],
    "models/baseline": [
        "tests/models/baseline",
        "tests/models/test_detector.py",
        "tests/models/test_values.py",
    ],
    "models/decision": ["tests/models/decision", "tests/models/test_detector.py"],
    "models/learning": ["tests/models/learning"],
    "gateway/storage": ["tests/gateway/storage", "tests/gateway/test_supervision.py"],
    "gateway/commands": ["tests/gateway/commands", "tests/gateway/learning"],
    "gateway/windows": ["tests/gateway/windows"],
    "app/command": [
        "tests/app/command",
        "tests/app/test_backup.py",
        "tests/app/test_enrolment.py",
        "tests/app/test_move.py",
        "tests/gateway/datasets/test_plain_folder.py",
        "tests/gateway/sources/simulator/test_simulator.py",
    ],
    "app/people": [
        "tests/app/test_people.py",
        "tests/app/test_attempts.py",
        "tests/app/test_tokens.py",
        "tests/app/test_sessions.py",
        "tests/app/test_rights.py",
        "tests/app/test_admission.py",
        "tests/app/test_sites.py",
    ],
    "app/store": [
        "tests/app/test_store.py",
        "tests/app/test_trends.py",
        "tests/app/test_commands.py",
        "tests/app/test_cases.py",
        "tests/app/test_damage.py",
        "tests/app/test_duplicate_gateway.py",
        "tests/app/test_lost_alarms.py",
        "tests/app/test_notification.py",
        "tests/app/test_report.py",
        "tests/app/test_rollouts.py",
    ],
    "auscult/backup": ["tests/backup"],
}
"""What is mutated, and the tests that must notice, beside the examples in the docstrings."""
COMPARISONS = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
OPERATORS = {ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.Pow: "*"}


@dataclass(frozen=True)
class Mutant:
    """One change: the text between two offsets of a file becomes another."""

    room: str
    path: Path
    reached: tuple[str, ...]
    """Qualified names of the functions that show it; one that ends in a dot: all of a class, an
    empty one: all of the file."""
    line: int
    start: int
    end: int
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self._change}"

    @property
    def stable(self) -> str:
        """How `equivalents.txt` names it: by the text of its line, which moves with edits."""
        text = (ROOT / self.path).read_text().splitlines()[self.line - 1].strip()
        return f"{self.path}: {text}: {self._change}"

    @property
    def _change(self) -> str:
        return f"{' '.join(self.old.split())} -> {self.new.strip()}"


def mutants() -> Iterator[Mutant]:
    """Find all mutants of the listed rooms."""
    for room in ROOMS:
        for path in sorted((ROOT / room).glob("*.py")):
            data = path.read_bytes()
            offsets = [0]
            for row in data.splitlines(keepends=True):
                offsets.append(offsets[-1] + len(row))

            def at(line: int, column: int, offsets: list[int] = offsets) -> int:
                return offsets[line - 1] + column

            for node, reached in _within(ast.parse(data), "", ("",)):
                for first, last, new in _changes(node, data, at):
                    old = data[first:last].decode()
                    where = path.relative_to(ROOT)
                    line = data[:first].count(b"\n") + 1
                    yield Mutant(room, where, reached, line, first, last, old, new)


def _within(
    node: ast.AST, scope: str, reached: tuple[str, ...]
) -> Iterator[tuple[ast.AST, tuple[str, ...]]]:
    """Yield all nodes with the functions that show a change of them.

    That is their own function; of a default the function that has it, of a constant those that name
    it, of a class its methods. What a function keeps (`functools.cache`) may have been computed for
    another test, so its whole file counts.
    """
    if isinstance(node, ast.If) and "__main__" in ast.unparse(node.test):
        return  # a command of developers; its output is compared with the stored file
    yield node, reached
    inside, inner = reached, scope
    if isinstance(node, ast.ClassDef):
        inside, inner = (f"{scope}{node.name}.",), f"{scope}{node.name}."
    elif isinstance(node, FUNCTIONS):
        kept = any("cache" in ast.unparse(one) for one in node.decorator_list)
        inside = ("",) if kept else (f"{scope}{node.name}",)
        inner = f"{scope}{node.name}.<locals>."
    for child in ast.iter_child_nodes(node):
        if isinstance(node, ast.Module) and isinstance(child, ast.Assign | ast.AnnAssign):
            yield from _within(child, scope, _naming(node, child) or reached)
        else:
            yield from _within(child, inner, inside)


def _naming(module: ast.Module, constant: ast.Assign | ast.AnnAssign) -> tuple[str, ...]:
    """Return the functions of a module that name a constant of it."""
    targets = constant.targets if isinstance(constant, ast.Assign) else [constant.target]
    names = {one.id for one in targets if isinstance(one, ast.Name)}
    found = []
    for top in module.body:
        for one in top.body if isinstance(top, ast.ClassDef) else [top]:
            if isinstance(one, FUNCTIONS) and names & {
                name.id for name in ast.walk(one) if isinstance(name, ast.Name)
            }:
                own = f"{top.name}." if isinstance(top, ast.ClassDef) else ""
                found.append(f"{own}{one.name}")
    return tuple(found)


def _changes(
    node: ast.AST, data: bytes, at: Callable[[int, int], int]
) -> Iterator[tuple[int, int, str]]:
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS and len(node.ops) == 1:
        between = _between(node.left, node.comparators[0], data, at)
        if between:
            yield *between, f" {COMPARISONS[type(node.ops[0])]} "
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        text = isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
        between = _between(node.left, node.right, data, at)
        if between and not text:
            yield *between, f" {OPERATORS[type(node.op)]} "
    if isinstance(node, ast.BoolOp):
        between = _between(node.values[0], node.values[1], data, at)
        if between:
            yield *between, " or " if isinstance(node.op, ast.And) else " and "
    if isinstance(node, ast.If | ast.While | ast.IfExp) and not isinstance(node.test, ast.Constant):
        first, last = _place(node.test, at)
        yield first, last, f"(not ({data[first:last].decode()}))"
    if isinstance(node, ast.Constant):
        value = node.value
        if isinstance(value, int | float) and not isinstance(value, bool):
            yield *_place(node, at), repr(value * 2 if value else 1)


def _place(node: ast.expr, at: Callable[[int, int], int]) -> tuple[int, int]:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset)


def _between(
    left: ast.expr, right: ast.expr, data: bytes, at: Callable[[int, int], int]
) -> tuple[int, int] | None:
    """Return the place of an operator; None where brackets or line ends are beside it."""
    first, last = _place(left, at)[1], _place(right, at)[0]
    return None if set(b"()\n") & set(data[first:last]) else (first, last)


def sampled(found: list[Mutant], number: int, seed: int) -> list[Mutant]:
    """Draw as many of each room, so that small rooms are tested as well as large ones."""
    chance = random.Random(seed)
    rooms: dict[str, list[Mutant]] = {}
    for mutant in found:
        rooms.setdefault(mutant.room, []).append(mutant)
    for room in rooms.values():
        chance.shuffle(room)
    chosen: list[Mutant] = []
    while len(chosen) < min(number, len(found)):
        for room in rooms.values():
            if room and len(chosen) < number:
                chosen.append(room.pop())
    return chosen
