"""`[[sources]]` of type `http_json`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from auscult.contract.section import marks
from auscult.gateway.settings.value_source import ValueSettings, ValueSource
from auscult.gateway.sources.support.url import reachable


class JsonPathSettings(ValueSettings):
    """A value in the JSON that a device answers."""

    path: str = Field(
        default="",
        max_length=200,
        description="JMESPath expression (`apower`) or, beginning with `/`, JSON pointer to the "
        "value; empty = the whole answer",
    )


class HttpJsonSource(ValueSource):
    """Reads a machine's overall values from the JSON of a device, by HTTP GET."""

    type: Literal["http_json"] = Field(description="Kind of source")
    url: Annotated[str, reachable("http://HOST:PORT/PATH")] = Field(
        pattern=r"^http://[^\/?#@\s]+(/\S*)?$",
        max_length=500,
        description="Address of the JSON, e.g. `http://10.0.0.9/rpc/Switch.GetStatus?id=0`",
        json_schema_extra=marks(initial="http://"),
    )
    timeout_s: float = Field(
        default=2.0,
        gt=0,
        le=60,
        description="Longest wait for the device, s",
        json_schema_extra=marks(unit="s"),
    )
    values: tuple[JsonPathSettings, ...] = Field(
        min_length=1, max_length=1000, description="Its values"
    )

    @property
    def targets(self) -> Sequence[ValueSettings]:
        return self.values
