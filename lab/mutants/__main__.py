"""Seeded small mutations of the core: do the fast tests notice? `make mutants`, not in CI.

Each mutant is one change of an operator, comparison, constant or condition in a copy of the tree.
The tests of its room run once without a change, to learn which of them pass and what they call. A
mutant is killed if a test that calls its function fails. Survivors are listed with file, line and
change: each is a gap in the tests, a design number, or equivalent.

    python -m lab.mutants --only dsp --number 30 --seed 7 --calls FOLDER

`--calls` keeps what tests call, for further samples of the same tree.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from lab.mutants.changes import ROOMS, ROOT, Mutant, mutants, sampled

EQUIVALENTS = Path(__file__).with_name("equivalents.txt")
"""Mutants that change nothing a user relies on, one a line as they are printed, with the reason."""
FAST = "not slow and not nightly and not e2e and not image and not interop"
LEAST_S = 120.0
MOST_S = 300.0
"""Seconds of tests, as they took while their calls were watched, that are run for a mutant."""
TIMES = 10.0
"""A mutant that takes more than this many times its tests' own time is killed: a person notices."""
Tests = dict[str, dict[str, Any]]


def pytest(copy: Path, tests: list[str], timeout_s: float | None, **more: str) -> tuple[int, str]:
    """Run tests in the copy; give the exit code and what was printed."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider",
         "-p", "lab.mutants.calls", "-m", FAST, *tests],
        cwd=copy, env=os.environ | {"PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1"} | more,
        capture_output=True, timeout=timeout_s, check=False, text=True,
    )  # fmt: skip
    return done.returncode, done.stdout


def calls_of(room: str, copy: Path, kept: Path) -> Tests:
    """Return what the tests of a room call; those that fail without a mutant are left out."""
    output = kept / f"{room.replace('/', '-')}.json"
    if not output.exists():
        examples = room if room.startswith("auscult") else f"auscult/{room}"
        code, said = pytest(copy, [*ROOMS[room], examples], None, AUSCULT_CALLS=str(output))
        if code not in (0, 1):
            output.unlink(missing_ok=True)
            raise SystemExit(f"pytest ended with {code}: {said[-2000:]}")
        print(f"{room}: {said.strip().splitlines()[-1]}", flush=True)
    tests: Tests = json.loads(output.read_text())
    return tests


def reaching(mutant: Mutant, tests: Tests) -> list[str]:
    """Return the tests that reach a mutant, the quickest first, as many as `MOST_S` allows.

    Those of the file of its name count as such: parameters of tests come from constants that no
    test calls. Where none is known to reach it, all of its room's tests are tried.
    """
    own = tuple(f"{mutant.path}:{name}" for name in mutant.reached)
    whole = tuple(name for name in own if name.endswith((".", ":")))
    found = [
        name
        for name, test in tests.items()
        if any(call in own or (whole and call.startswith(whole)) for call in test["calls"])
        or f"/test_{mutant.path.stem}.py::" in name
    ]
    chosen: list[str] = []
    total_s = 0.0
    for name in sorted(found or tests, key=lambda name: float(tests[name]["seconds"])):
        total_s += float(tests[name]["seconds"])
        if chosen and total_s > MOST_S:
            break
        chosen.append(name)
    return chosen


def killer(mutant: Mutant, copy: Path, tests: Tests) -> str | None:
    """Return what notices a mutant: the test that fails first; None where it survives."""
    names = reaching(mutant, tests)
    path = copy / mutant.path
    whole = path.read_bytes()
    path.write_bytes(whole[: mutant.start] + mutant.new.encode() + whole[mutant.end :])
    least_s = LEAST_S + TIMES * sum(float(tests[name]["seconds"]) for name in names)
    try:
        code, said = pytest(copy, ["-x", *names], least_s)
    except subprocess.TimeoutExpired:
        return "takes too long"
    finally:
        path.write_bytes(whole)
    if code == 0:
        return None
    if code not in (1, 2):  # 1: a test failed; 2: a module can't be imported
        raise SystemExit(f"{mutant}: pytest ended with {code}: {said[-2000:]}")
    failed = re.search(r"^(?:FAILED|ERROR) (\S+)", said, re.MULTILINE)
    return failed[1] if failed else f"exit code {code}"


def main() -> None:
    """Sample, run, report; exit code 1 below the share that must be killed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--number", type=int, default=40)
    parser.add_argument("--skip", type=int, default=0, help="mutants that another run had")
    parser.add_argument("--seed", type=int, default=16)
    parser.add_argument("--only", default="", help="part of the path")
    parser.add_argument("--least", type=float, default=0.85)
    parser.add_argument("--calls", type=Path, help="folder that keeps what tests call")
    parser.add_argument("--list", action="store_true", help="only print the sample")
    asked = parser.parse_args()
    equivalents = {line.split("  #")[0] for line in EQUIVALENTS.read_text().splitlines()}
    found = [mutant for mutant in mutants() if asked.only in str(mutant.path)]
    chosen = sampled(found, asked.number, asked.seed)[asked.skip :]
    print(f"{len(chosen)} of {len(found)} mutants, seed {asked.seed}", flush=True)
    if asked.list:
        print(*chosen, sep="\n")
        return
    killed = equivalent = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "tree"
        ignored = shutil.ignore_patterns(
            ".git", ".venv*", "node_modules", "__pycache__", "dist", "auscult-data", ".mypy_cache"
        )
        shutil.copytree(ROOT, copy, symlinks=True, ignore=ignored)
        kept = (asked.calls or Path(folder)).resolve()
        kept.mkdir(parents=True, exist_ok=True)
        for mutant in chosen:
            noticed = killer(mutant, copy, calls_of(mutant.room, copy, kept))
            same = noticed is None and mutant.stable in equivalents
            equivalent += same
            killed += noticed is not None
            word = "equivalent" if same else "killed" if noticed else "SURVIVED"
            print(f"{word:10}  {mutant}{f'   by {noticed}' if noticed else ''}", flush=True)
    counted = max(len(chosen) - equivalent, 1)
    print(f"killed {killed} of {counted}: {killed / counted:.0%}; equivalent: {equivalent}")
    raise SystemExit(killed / counted < asked.least)


if __name__ == "__main__":
    main()
