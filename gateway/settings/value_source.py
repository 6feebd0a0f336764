"""What the settings of sources of overall values share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Self

from pydantic import Field, model_validator

from auscult.contract.machines import Id
from auscult.contract.section import Section, Unit, marks
from auscult.gateway.records import PointId
from auscult.gateway.settings.source import Place, SourceSettings, each_named_once


class ValueSettings(Section):
    """A point of kind `value` that a source delivers to."""

    point: Id = Field(description="Configured point of kind `value`")
    unit: Unit = Field(
        default="",
        max_length=16,
        description="Unit as delivered; empty = that of the point",
        json_schema_extra=marks(widget="none"),
    )
    scale: float = Field(
        default=1.0, description="Multiplies the number", json_schema_extra=marks(widget="none")
    )
    offset: float = Field(
        default=0.0, description="Added after that", json_schema_extra=marks(widget="none")
    )


class ValueSource(SourceSettings):
    """Base of the sources of overall values."""

    @property
    @abstractmethod
    def targets(self) -> Sequence[ValueSettings]:
        """Return the values."""

    @property
    def feeds(self) -> Mapping[PointId, Place]:
        return self._rows("values", [value.point for value in self.targets])

    @model_validator(mode="after")
    def _each_once(self) -> Self:
        each_named_once(point=[value.point for value in self.targets])
        return self
