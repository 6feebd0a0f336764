"""The product as it is installed: `auscult gateway` and `auscult dashboard`, each a process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.waiting import DEADLINE_S


class Auscult:
    """One process of the command; its configuration is written, its log kept in a folder.

    Parameters
    ----------
    command : str
        `gateway` or `dashboard`.
    folder : Path
    configuration : str
        TOML.
    environment : mapping
        Variables beside those of this process.
    """

    def __init__(
        self,
        command: str,
        folder: Path,
        configuration: str,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        config = folder / f"{command}.toml"
        config.write_text(configuration)
        self.log = folder / f"{command}.log"
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "auscult.app.command.main", command, "--config", config],
                stdout=log, stderr=log, env={**os.environ, **(environment or {})},
            )  # fmt: skip

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def stop(self) -> None:
        """End it as systemd would."""
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(DEADLINE_S)
        assert code == 0, f"exit {code}: {self.log.read_text()[-2000:]}"
