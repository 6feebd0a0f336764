"""Rolling bearings: fault frequencies as orders of shaft speed."""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, radians
from typing import Final

from auscult.errors import InputError

FAULTS: Final = ("bpfo", "bpfi", "bsf", "ftf")
"""Outer race, inner race, rolling element, cage: all results list them in this order."""


@dataclass(frozen=True, slots=True)
class Bearing:
    """Fault orders of a bearing (multiples of shaft speed), None where unknown.

    Parameters
    ----------
    name : str
        Designation, for example ``6205``.
    bpfo, bpfi, bsf, ftf : float or None
        Ball-pass orders of the outer and inner race, ball spin, and cage (outer race fixed).

    References
    ----------
    Randall and Antoni, "Rolling element bearing diagnostics – a tutorial", MSSP 25 (2011), eq. 1–4.

    Examples
    --------
    >>> b = Bearing.from_geometry(9, 7.94, 39.04, name="6205")
    >>> round(b.bpfo, 2), round(b.bpfi, 2), round(b.bsf, 2), round(b.ftf, 3)
    (3.58, 5.42, 2.36, 0.398)
    """

    name: str
    bpfo: float | None = None
    bpfi: float | None = None
    bsf: float | None = None
    ftf: float | None = None

    def __post_init__(self) -> None:
        for fault in FAULTS:
            order = getattr(self, fault)
            if order is not None and not 0 < order < 1000:
                raise InputError(
                    f"bearing {self.name!r}: {fault} = {order} is not an order of shaft speed "
                    f"in 0..1000; give Hz divided by shaft Hz"
                )
            # One form of each number: it is part of a `spec_id`.
            object.__setattr__(self, fault, None if order is None else float(order))

    @classmethod
    def from_geometry(
        cls,
        n_balls: int,
        ball_d: float,
        pitch_d: float,
        contact_deg: float = 0.0,
        *,
        name: str = "bearing",
    ) -> Bearing:
        """Orders from the number of balls, ball and pitch diameter (one unit), contact angle."""
        ratio = ball_d / pitch_d * cos(radians(contact_deg))
        return cls(
            name=name,
            bpfo=n_balls / 2 * (1 - ratio),
            bpfi=n_balls / 2 * (1 + ratio),
            bsf=pitch_d / (2 * ball_d) * (1 - ratio**2),
            ftf=(1 - ratio) / 2,
        )

    def order(self, fault: str) -> float | None:
        """Order of one of `FAULTS`."""
        order: float | None = getattr(self, fault)
        return order
