"""Caps on what gateways may make: one credential can't fill the database with invented machines."""

from __future__ import annotations

from dataclasses import dataclass


class CapError(ValueError):
    """A message would make one row more than the cap allows."""


@dataclass(frozen=True, slots=True)
class Caps:
    """The most rows of each kind; what is stored already stays."""

    gateways: int = 200
    machines: int = 2000
    """Of one gateway; as many as it can be configured for."""
    points: int = 500
    """Of one machine."""

    def check(self, what: str, count: int, most: int) -> None:
        """Raise if there are as many as the cap allows.

        Raises
        ------
        CapError
        """
        if count >= most:
            raise CapError(f"there are {count} {what} already, the cap is {most}")
