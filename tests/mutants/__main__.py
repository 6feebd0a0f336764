"""Seeded small mutations of the core: do the fast tests notice? `make mutants`, not in CI.

Each mutant is one change of an operator, comparison, constant or condition in a copy of the tree.
It is killed if the tests of its room fail. Survivors are listed with file, line and change: each is
a gap in the tests, a design number, or equivalent.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
EQUIVALENTS = Path(__file__).with_name("equivalents.txt")
"""Mutants that change nothing a user relies on, one a line as they are printed, with the reason."""
TESTS = {
    "dsp/*.py": ["tests/dsp"],
    "models/baseline/*.py": ["tests/models/baseline", "tests/models/test_detector.py"],
    "models/decision/*.py": ["tests/models/decision", "tests/models/test_detector.py"],
    "models/learning/*.py": ["tests/models/learning"],
    "gateway/storage/*.py": ["tests/gateway/storage", "tests/gateway/test_supervision.py"],
    "gateway/commands/*.py": ["tests/gateway/commands", "tests/gateway/learning"],
    "gateway/windows/*.py": ["tests/gateway/windows"],
    "app/people/*.py": [
        "tests/app/test_people.py",
        "tests/app/test_attempts.py",
        "tests/app/test_tokens.py",
        "tests/app/test_sessions.py",
        "tests/app/test_rights.py",
        "tests/app/test_admission.py",
    ],
    "app/store/*.py": [
        "tests/app/test_store.py",
        "tests/app/test_trends.py",
        "tests/app/test_commands.py",
        "tests/app/test_cases.py",
        "tests/app/test_damage.py",
    ],
    "auscult/backup/*.py": ["tests/backup"],
}
"""What is mutated, and the tests that must notice."""
TIMEOUT_S = 900.0
COMPARISONS = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
}
OPERATORS = {ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.Pow: "*"}


@dataclass(frozen=True)
class Mutant:
    """One change: the text between two offsets of a file becomes another."""

    path: Path
    line: int
    start: int
    end: int
    old: str
    new: str
    tests: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {' '.join(self.old.split())} -> {self.new}"

    @property
    def stable(self) -> str:
        """How `equivalents.txt` names it: by the text of its line, which moves with edits."""
        text = (ROOT / self.path).read_text().splitlines()[self.line - 1].strip()
        return f"{self.path}: {text}: {' '.join(self.old.split())} -> {self.new}"


def mutants() -> Iterator[Mutant]:
    """Find all mutants of the listed files."""
    for pattern, tests in TESTS.items():
        for path in sorted(ROOT.glob(pattern)):
            text = path.read_text()
            offsets = [0]
            for line in text.encode().splitlines(keepends=True):
                offsets.append(offsets[-1] + len(line))
            data = text.encode()

            def at(line: int, column: int, offsets: list[int] = offsets) -> int:
                return offsets[line - 1] + column

            for node in ast.walk(ast.parse(text)):
                for first, last, new in _changes(node, data, at):
                    old = data[first:last].decode()
                    where = path.relative_to(ROOT)
                    yield Mutant(where, node.lineno, first, last, old, new, tuple(tests))


def _changes(node: ast.AST, data: bytes, at) -> Iterator[tuple[int, int, str]]:  # type: ignore[no-untyped-def]
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS and len(node.ops) == 1:
        first = at(node.left.end_lineno, node.left.end_col_offset)
        last = at(node.comparators[0].lineno, node.comparators[0].col_offset)
        if b"(" not in data[first:last] and b")" not in data[first:last]:
            yield first, last, f" {COMPARISONS[type(node.ops[0])]} "
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        if isinstance(node.left, ast.Constant) and isinstance(node.left.value, str):
            return
        first = at(node.left.end_lineno, node.left.end_col_offset)
        last = at(node.right.lineno, node.right.col_offset)
        if not set(b"()\n") & set(data[first:last]):
            yield first, last, f" {OPERATORS[type(node.op)]} "
    if isinstance(node, ast.BoolOp):
        first = at(node.values[0].end_lineno, node.values[0].end_col_offset)
        last = at(node.values[1].lineno, node.values[1].col_offset)
        if not set(b"()\n") & set(data[first:last]):
            yield first, last, " or " if isinstance(node.op, ast.And) else " and "
    if isinstance(node, ast.If | ast.While) and not isinstance(node.test, ast.Constant):
        first = at(node.test.lineno, node.test.col_offset)
        last = at(node.test.end_lineno, node.test.end_col_offset)
        yield first, last, f"not ({data[first:last].decode()})"
    if isinstance(node, ast.Constant) and type(node.value) in (int, float) and node.end_lineno:
        first = at(node.lineno, node.col_offset)
        last = at(node.end_lineno, node.end_col_offset)
        yield first, last, repr(node.value * 2 if node.value else 1)


def nearest_first(mutant: Mutant, tree: Path) -> list[str]:
    """Return the test files of a mutant, those named like its file first: most kill at once."""
    files: list[Path] = []
    for test in mutant.tests:
        path = tree / test
        files += sorted(path.rglob("test_*.py")) if path.is_dir() else [path]
    near = [file for file in files if mutant.path.stem.rstrip("s") in file.stem]
    return [str(file.relative_to(tree)) for file in dict.fromkeys(near + files)]


def survives(mutant: Mutant, copy: Path) -> bool | None:
    """Run the tests of a mutant; None where it takes too long (which a person would notice)."""
    path = copy / mutant.path
    whole = path.read_bytes()
    path.write_bytes(whole[: mutant.start] + mutant.new.encode() + whole[mutant.end :])
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-x", "--no-header", "-p", "no:cacheprovider",
             "-m", "not slow and not long and not e2e and not image and not interop",
             *nearest_first(mutant, copy)],
            cwd=copy, env=os.environ | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True, timeout=TIMEOUT_S, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None
    finally:
        path.write_bytes(whole)
    if done.returncode not in (0, 1, 2):  # 1: a test failed; 2: a module can't be imported
        raise SystemExit(f"pytest ended with {done.returncode}: {done.stdout.decode()[-2000:]}")
    return done.returncode == 0


def sampled(found: list[Mutant], number: int, seed: int) -> list[Mutant]:
    """Draw as many of each room, so that small rooms are tested as well as large ones."""
    chance = random.Random(seed)
    rooms: dict[Path, list[Mutant]] = {}
    for mutant in found:
        rooms.setdefault(mutant.path.parent, []).append(mutant)
    for room in rooms.values():
        chance.shuffle(room)
    chosen = []
    while len(chosen) < min(number, len(found)):
        for room in rooms.values():
            if room and len(chosen) < number:
                chosen.append(room.pop())
    return chosen


def main() -> None:
    """Sample, run, report; exit code 1 below the share that must be killed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=40)
    parser.add_argument("--seed", type=int, default=16)
    parser.add_argument("--only", default="", help="part of the path")
    parser.add_argument("--least", type=float, default=0.85)
    asked = parser.parse_args()
    equivalents = {line.split("  #")[0] for line in EQUIVALENTS.read_text().splitlines()}
    found = [mutant for mutant in mutants() if asked.only in str(mutant.path)]
    chosen = sampled(found, asked.number, asked.seed)
    print(f"{len(chosen)} of {len(found)} mutants, seed {asked.seed}", flush=True)
    killed = equivalent = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "tree"
        ignored = shutil.ignore_patterns(
            ".git", ".venv*", "node_modules", "__pycache__", "dist", "auscult-data", ".mypy_cache"
        )
        shutil.copytree(ROOT, copy, symlinks=True, ignore=ignored)
        for mutant in chosen:
            alive = survives(mutant, copy)
            same = alive and mutant.stable in equivalents
            equivalent += bool(same)
            killed += not alive
            word = "equivalent" if same else "SURVIVED" if alive else "killed"
            print(f"{word:10}  {mutant}", flush=True)
    counted = len(chosen) - equivalent
    print(f"killed {killed} of {counted}: {killed / counted:.0%}; equivalent: {equivalent}")
    raise SystemExit(killed / counted < asked.least)


if __name__ == "__main__":
    main()
