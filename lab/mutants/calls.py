"""A plugin of pytest: the functions that each test calls; a mutant runs only tests that reach it.

`AUSCULT_CALLS` names the file it writes: of each test that passes its seconds, and the functions of
this tree that were called, as `path:qualified name`. Calls in other processes are not seen.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

TREE = f"{Path.cwd()}/auscult/"


class Calls:
    """Watches the calls of one test at a time; what a fixture calls counts for its whole file."""

    def __init__(self, output: Path) -> None:
        self._output = output
        self._tests: dict[str, dict[str, Any]] = {}
        self._called: set[CodeType] = set()
        self._fixtures: dict[str, set[CodeType]] = {}
        self._passed = True
        threading.settrace(self._watch)

    def _watch(self, frame: FrameType, event: str, arg: object) -> None:
        self._called.add(frame.f_code)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self._called, self._passed = set(), True
        sys.settrace(self._watch)
        began = time.monotonic()
        result = yield
        if self._passed:
            seconds = round(time.monotonic() - began, 3)
            self._tests[item.nodeid] = {"seconds": seconds, "calls": named(self._called)}
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Iterator[None]:
        result = yield
        self._fixtures.setdefault(file_of(item.nodeid), set()).update(self._called)
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._passed = self._passed and not report.failed

    def pytest_sessionfinish(self) -> None:
        sys.settrace(None)
        for name, test in self._tests.items():
            test["calls"] = sorted(test["calls"] | named(self._fixtures[file_of(name)]))
        self._output.write_text(json.dumps(self._tests))


def file_of(test: str) -> str:
    """Return the file of a test by its name."""
    return test.partition("::")[0]


def named(called: set[CodeType]) -> set[str]:
    """Return the functions of this tree as `path:qualified name`, comprehensions as their own."""
    return {
        f"{os.path.relpath(os.path.realpath(code.co_filename))}:"
        f"{code.co_qualname.split('.<locals>.<')[0]}"
        for code in called.copy()  # threads add to it
        if code.co_filename.startswith(TREE)
    }


def pytest_configure(config: pytest.Config) -> None:
    if output := os.environ.get("AUSCULT_CALLS"):
        config.pluginmanager.register(Calls(Path(output)))
