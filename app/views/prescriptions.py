"""Prescriptions: what to check first, by fault and class of machine."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from auscult.app.views.base import View

MachineClass = Literal["pump", "fan", "compressor", "gearbox", "motor", "any"]
Words = Annotated[str, Field(max_length=300)]
# Without defaults the models are the same in requests and answers.


class Bilingual(View):
    """A text in English and German."""

    en: Words = Field(min_length=1)
    de: Words = Field(description="Empty = as in English")


class CheckStep(View):
    """One thing to check."""

    text: Bilingual
    detail: Bilingual | None = Field(description="What to look for")
    minutes: int | None = Field(ge=1, le=1440)


class PrescriptionBody(View):
    """What to do about a fault."""

    action: Bilingual | None = Field(description="Whether to keep running")
    steps: list[CheckStep] = Field(min_length=1, max_length=12)
    source: str = Field(max_length=500, description="Standard, handbook or author")


class Prescription(PrescriptionBody):
    """What to do about a fault on a class of machine."""

    fault: str = Field(
        description="Class of the fault, `unclear`, `limit`, or the quantity of a value"
    )
    machine_class: MachineClass
    origin: Literal["shipped", "own"]
    actor: str = Field(default="", description="Who wrote an own one")
    changed_ms: int | None = None


class PrescriptionList(View):
    """All prescriptions; an own one replaces the shipped one."""

    items: list[Prescription]
