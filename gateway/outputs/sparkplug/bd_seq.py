"""The birth/death number, which goes up by one with each CONNECT and outlives a restart."""

from __future__ import annotations

import logging
from pathlib import Path

from auscult.durable import write_durably

log = logging.getLogger(__name__)

MODULUS = 256


class BdSeq:
    """Numbers for the last wills: 0 to 255, then 0 again.

    Parameters
    ----------
    file : Path
        Holds the last number used; replaced as a whole, so that a power cut leaves the old one
        or the new one.
    """

    def __init__(self, file: Path) -> None:
        self._file = file
        self._last = self._read()

    @property
    def next(self) -> int:
        """Return the number that the next CONNECT carries."""
        return 0 if self._last is None else (self._last + 1) % MODULUS

    def use(self) -> int:
        """Take the next number: a CONNECT with it is about to be sent."""
        number = self.next
        self._write(number)
        self._last = number
        return number

    def _read(self) -> int | None:
        try:
            number = int(self._file.read_text(encoding="ascii"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError):
            log.warning("%s is unreadable: the birth/death number starts at 0 again", self._file)
            return None
        return number if 0 <= number < MODULUS else None

    def _write(self, number: int) -> None:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        write_durably(self._file, str(number).encode())
