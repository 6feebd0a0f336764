"""What the settings of every kind of source share; each kind is a plugin.

The entry point group `auscult.sources` names the kinds: the built-in ones in this package's
pyproject.toml, further ones in other packages. A kind is loaded when a configuration names it.
The contract of a plugin is `auscult.gateway.sources.contract`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Annotated, Any, Protocol, cast

from pydantic import BeforeValidator, Field, SerializeAsAny, ValidationInfo

from auscult.gateway.messages.machines import Id
from auscult.gateway.messages.said import Rejection
from auscult.gateway.messages.section import Section
from auscult.gateway.records import PointId

GROUP = "auscult.sources"
"""The entry point group."""

Place = tuple[str | int, ...]
"""Leads to a key of the settings, e.g. ``("waveforms", 0, "point")``."""


class SourceSettings(Section):
    """Base of the settings of a source; a table of `[[sources]]`."""

    type: str = Field(description="Kind of source")
    machine: Id = Field(description="Configured machine that it delivers to")

    @property
    def target(self) -> str:
        """Id of the configured machine that it delivers to."""
        return self.machine

    @property
    def feeds(self) -> Mapping[PointId, Place]:
        """Points that it delivers to, each with the key that names it; all must be configured."""
        return {}


class HasSettings(Protocol):
    """The part of a kind of source that a configuration needs."""

    @property
    def settings(self) -> type[SourceSettings]:
        """Model of the kind's settings."""


@cache
def installed_kinds() -> dict[str, EntryPoint]:
    """Return the entry point of each installed kind, by the name in `type`."""
    return {point.name: point for point in sorted(entry_points(group=GROUP))}


@cache
def load_kind(name: str) -> HasSettings:
    """Load the plugin of a kind.

    Raises
    ------
    Rejection
        If no kind of this name is installed, or its package can't be imported.
    """
    point = installed_kinds().get(name)
    if point is None:
        raise Rejection("source_kind_unknown", kind=name, kinds=tuple(installed_kinds()))
    try:
        kind = point.load()
    except (ImportError, AttributeError) as error:
        raise Rejection("source_kind_broken", kind=name, detail=str(error)) from error
    return cast(HasSettings, kind)


def _of_its_kind(given: Any, info: ValidationInfo) -> Any:
    if not isinstance(given, dict):
        return given
    kind = load_kind(str(given.get("type", "")))
    return kind.settings.model_validate(given, context=info.context)


AnySource = Annotated[SerializeAsAny[SourceSettings], BeforeValidator(_of_its_kind)]
"""A table of `[[sources]]`; its `type` names the kind whose model checks it."""
