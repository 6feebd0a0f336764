"""`[[sources]]` of type `http`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from auscult.contract.section import marks
from auscult.gateway.settings.value_source import ValueSettings, ValueSource


def _token(value: str) -> str:
    return value.lower()


class HttpSource(ValueSource):
    """Takes a machine's overall values by HTTP POST, with a token."""

    type: Literal["http"] = Field(description="Kind of source")
    host: str = Field(
        default="127.0.0.1",
        description="Address to listen at; 0.0.0.0 = all",
        json_schema_extra=marks(initial="0.0.0.0", required=True),  # noqa: S104
    )
    port: int = Field(default=8430, ge=0, le=65_535, description="Port; 0 = a free one")
    token_sha256: Annotated[str, AfterValidator(_token)] = Field(
        pattern=r"^[0-9a-fA-F]{64}$",
        description="SHA-256 of the token: `printf %s TOKEN | sha256sum`",
        json_schema_extra=marks(widget="token"),
    )
    values: tuple[ValueSettings, ...] = Field(
        min_length=1, max_length=5000, description="Its values"
    )

    @property
    def targets(self) -> Sequence[ValueSettings]:
        return self.values
