"""Other people's programs that tests talk to: started in a process of their own, read by line."""

from __future__ import annotations

import fcntl
import json
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

from tests.waiting import DEADLINE_S, wait_until


def program(name: str) -> str:
    """Where node or npm is; the virtual environment may hold it."""
    found = shutil.which(name) or shutil.which(name, path=str(Path(sys.executable).parent))
    assert found, f"{name} is missing: make setup brings it"
    return found


def install(folder: Path, package: str) -> None:
    """Install what the folder's package-lock.json names, once; tests of other processes wait."""
    with (folder / "package-lock.json").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "node_modules" / package).exists():
            subprocess.run([program("npm"), "ci", "--silent"], cwd=folder, check=True, timeout=240)


class Program:
    """A running program that prints a JSON object a line."""

    def __init__(self, *command: str | Path) -> None:
        self.lines: list[dict[str, Any]] = []
        self.noise: list[str] = []
        self._popen = subprocess.Popen(
            [str(part) for part in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._popen.stdout is not None
        for line in self._popen.stdout:
            if line.startswith("{"):
                self.lines.append(json.loads(line))
            else:
                self.noise.append(line)

    def say(self, *words: object) -> None:
        """Give it a line of input: a JSON array."""
        assert self._popen.stdin is not None
        self._popen.stdin.write(json.dumps(words) + "\n")
        self._popen.stdin.flush()

    def of(self, key: str) -> list[Any]:
        return [line[key] for line in list(self.lines) if key in line]

    def wait_for(self, key: str, count: int = 1) -> list[Any]:
        """Wait until so many lines have the key; returns what they hold."""

        def there() -> bool:
            assert self._popen.poll() is None or len(self.of(key)) >= count, self.summary
            return len(self.of(key)) >= count

        wait_until(there, what=f"{count} × {key} in {self.summary}")
        return self.of(key)

    @property
    def summary(self) -> str:
        return f"{self.lines} {''.join(self.noise)[-3000:]}"

    def end(self) -> None:
        self._popen.kill()
        self._popen.wait()
        self._reader.join(DEADLINE_S)
