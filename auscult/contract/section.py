"""What every table of the configuration shares, on the gateway's side and the dashboard's."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    JsonValue,
    ValidationInfo,
    field_validator,
)

from auscult.contract.said import Rejection

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
"""Control characters, without tab and line ends."""
_MARKUP = re.compile(r"[<>&\"'\t\r\n]")


class Section(BaseModel):
    """A table of the configuration; unknown keys are refused, and numbers that JSON can't say."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)

    @field_validator("*", mode="before")
    @classmethod
    def _without_control(cls, value: Any) -> Any:
        if isinstance(value, str) and _CONTROL.search(value):
            raise Rejection("text_control")
        return value


def marks(
    *,
    group: str = "",
    unit: str = "",
    widget: str = "",
    kind: str = "",
    variant: str = "",
    initial: str = "",
    required: bool = False,
) -> dict[str, JsonValue]:
    """Return what the JSON Schema of a setting gives a form, as its keywords ``x-…``.

    Parameters
    ----------
    group : str
        The fields of one group are shown together.
    unit : str
        Symbol of the unit, for people.
    widget : str
        Name of the control; empty = the usual one of the type, ``none`` = no form shows it.
    kind : str
        Only points of this kind have it: ``samples`` or ``value``.
    variant : str
        Only the fields of one variant are given, besides those without a variant.
    initial : str
        What a form proposes, where the default does not fit most.
    required : bool
        A form asks for it although it has a default.
    """
    every: dict[str, JsonValue] = {
        "group": group, "unit": unit, "widget": widget, "kind": kind, "variant": variant,
        "initial": initial, "required": required,
    }  # fmt: skip
    return {f"x-{key}": value for key, value in every.items() if value}


def _without_markup(unit: str) -> str:
    if _MARKUP.search(unit):
        raise Rejection("unit_characters")
    return unit


Unit = Annotated[str, AfterValidator(_without_markup)]
"""A unit, which pages, reports and other protocols show."""


def _beside_the_file(path: Path, info: ValidationInfo) -> Path:
    folder = (info.context or {}).get("folder")
    return Path(folder) / path if folder else path


ConfiguredPath = Annotated[Path, AfterValidator(_beside_the_file)]
"""A path in the configuration; a relative one is taken from the folder of the file."""
