"""What every table of the configuration shares, on the gateway's side and the dashboard's."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationInfo


class Section(BaseModel):
    """A table of the configuration; unknown keys are refused, and numbers that JSON can't say."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)


def _beside_the_file(path: Path, info: ValidationInfo) -> Path:
    if "\0" in str(path):
        raise ValueError("a path has no NUL character; remove it")
    folder = (info.context or {}).get("folder")
    return Path(folder) / path if folder else path


ConfiguredPath = Annotated[Path, AfterValidator(_beside_the_file)]
"""A path in the configuration; a relative one is taken from the folder of the file."""
