"""A real PostgreSQL: a cluster of our own in a temporary folder, reached by a socket in it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from itertools import count
from pathlib import Path

import psycopg
import pytest

USER = "postgres"
"""PostgreSQL refuses to run as root; Debian's package has made this one."""
SETTINGS = "-c listen_addresses='' -c max_connections=100"


class Cluster:
    """A server that is stopped when the tests end; `stop` and `start` as an operator would."""

    def __init__(self, *, fsync: bool = False) -> None:
        self._settings = f"{SETTINGS} -c fsync={'on' if fsync else 'off'}"
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
        pg_ctl = str(found[-1]) if found else shutil.which("pg_ctl")
        if pg_ctl is None:
            pytest.fail("PostgreSQL is missing: install the system package 'postgresql'")
        self._pg_ctl = pg_ctl
        # a socket's path must be short, and the folder the server's own
        self.folder = Path(tempfile.mkdtemp(prefix="auscult-pg-", dir="/tmp"))
        if os.geteuid() == 0:
            shutil.chown(self.folder, USER, USER)
        self._numbers = count(1)
        options = f"--auth=trust --encoding=UTF8 --locale=C.UTF-8 --username={USER} --no-sync"
        self._run("initdb", "-o", options)
        self.start()

    def start(self) -> None:
        options = f"{self._settings} -c unix_socket_directories='{self.folder}'"
        self._run("start", "-w", "-t", "60", "-o", options, "-l", str(self.folder / "log"))

    def stop(self, how: str = "fast") -> None:
        self._run("stop", "-w", "-t", "60", "-m", how)

    def remove(self) -> None:
        self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)

    def database(self) -> str:
        """Make an empty database and return its address."""
        name = f"auscult_{next(self._numbers)}"
        with psycopg.connect(self._url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE template0".encode())
        return self._url(name)

    def _url(self, name: str) -> str:
        return f"postgresql:///{name}?host={self.folder}&user={USER}"

    def _run(self, command: str, *more: str) -> None:
        arguments = [self._pg_ctl, command, "-s", "-D", str(self.folder / "data"), *more]
        if os.geteuid() == 0:
            arguments = ["runuser", "-u", USER, "--", *arguments]
        done = subprocess.run(
            arguments, cwd=self.folder, capture_output=True, text=True, timeout=120, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode == 0, f"pg_ctl {command}: {done.stdout}{done.stderr}"
