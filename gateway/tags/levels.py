"""The levels each point has had so far: kept, so that the first birth after a start is complete.

Which levels a point has is only seen in its first measurement. Without this file each start
would be born twice, and kept readings of levels would find no metric to go to.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from pathlib import Path

from auscult.durable import write_durably

log = logging.getLogger(__name__)


class KnownLevels:
    """Level name to unit, by machine and point.

    Parameters
    ----------
    file : Path
        JSON; replaced as a whole at each change.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._levels = self._read()

    def levels_of(self, machine: str, point: str) -> Mapping[str, str]:
        """Return what is known of a point."""
        return self._levels.get(machine, {}).get(point, {})

    def learn(self, machine: str, point: str, levels: Mapping[str, str]) -> bool:
        """Add levels; True if one was new or has another unit now."""
        known = self._levels.setdefault(machine, {}).setdefault(point, {})
        if all(known.get(name) == unit for name, unit in levels.items()):
            return False
        known.update(levels)
        self._write()
        return True

    def _read(self) -> dict[str, dict[str, dict[str, str]]]:
        try:
            content = json.loads(self._file.read_text(encoding="utf-8"))
            return {
                str(machine): {
                    str(point): {str(name): str(unit) for name, unit in levels.items()}
                    for point, levels in points.items()
                }
                for machine, points in content.items()
            }
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, AttributeError):
            log.warning("%s is unreadable: the levels are learned again", self._file)
            return {}

    def _write(self) -> None:
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            write_durably(self._file, json.dumps(self._levels).encode())
        except OSError:
            log.exception("%s cannot be written: the next start learns the levels", self._file)
