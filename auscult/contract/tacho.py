"""A tachometer of a machine as people configure it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from auscult.contract.section import Section
from auscult.contract.train import MEASURED_SHAFT, Id


class TachoSettings(Section):
    """A sampled pulse signal: a light barrier, a proximity probe or a Hall sensor at a mark."""

    id: Id = Field(description="Channel that a source delivers, named as a point is")
    fs_hz: float = Field(
        ge=200,
        le=200_000,
        description="Sampling rate, Hz. With the rate and the card of the vibration points, phases "
        "refer to the mark",
    )
    unit: Literal["V", "g", "m/s2", "Pa", "FS", "as_delivered"] = Field(
        default="V", description="Unit of its samples, as the source delivers them"
    )
    pulses_per_rev: int = Field(
        default=1,
        ge=1,
        le=1024,
        description="Equal marks on the shaft; 1 also gives the phase. A wheel with a missing "
        "tooth is not supported",
    )
    level: float | None = Field(
        default=None,
        description="Level that a pulse crosses, in its unit; default: halfway between lowest and "
        "highest values",
    )
    falling: bool = Field(default=False, description="A pulse begins at the falling edge")
    shaft: Id = Field(
        default=MEASURED_SHAFT,
        description="Shaft with the mark; the speed is converted to the measured shaft",
    )
