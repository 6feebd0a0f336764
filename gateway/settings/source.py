"""What the settings of every kind of source share; each kind is a plugin.

The entry point group `auscult.sources` names the kinds: the built-in ones in this package's
pyproject.toml, further ones in other packages. A kind is loaded when a configuration names it.
The contract of a plugin is `auscult.gateway.sources.contract`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Annotated, Any, Protocol, cast

from pydantic import BeforeValidator, Field, SerializeAsAny, ValidationInfo

from auscult.contract.machines import Id, MachineSettings
from auscult.contract.said import Rejection, Said
from auscult.contract.section import Section
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
        """Return the id of the configured machine that it delivers to."""
        return self.machine

    @property
    def feeds(self) -> Mapping[PointId, Place]:
        """Return the points that it delivers to, each with its key; all must be configured."""
        return {}

    def _rows(self, table: str, points: Iterable[str]) -> dict[PointId, Place]:
        """Return `feeds` of a table whose rows each name a point of `machine`."""
        return {
            PointId(self.machine, point): (table, row, "point") for row, point in enumerate(points)
        }

    @property
    def feeds_all_samples(self) -> bool:
        """Return whether it delivers to every point of its machine that takes samples."""
        return False

    @property
    def line(self) -> tuple[str, Mapping[str, str | int]]:
        """Line that it shares with other sources, and the keys that all of them must agree on.

        The name is empty where it shares none.
        """
        return "", {}


def each_named_once(**names: Sequence[str]) -> None:
    """Reject what is named twice; keywords say what it is."""
    for what, own in names.items():
        double = {name for name in own if own.count(name) > 1}
        if double:
            raise Rejection("named_twice", what=what, name=min(double))


def fed_twice(
    sources: Iterable[tuple[int, SourceSettings]], machines: Iterable[MachineSettings]
) -> Iterator[tuple[int, Place, Said]]:
    """Find the points that two sources feed: their values would be mixed without a notice.

    Parameters
    ----------
    sources : iterable of (int, SourceSettings)
        With their places in the list, from 0.
    machines : iterable of MachineSettings

    Yields
    ------
    int, Place, Said
        Number of the later source, its key that names the point, and what is wrong.
    """
    first: dict[PointId, tuple[int, str]] = {}
    samples = {
        machine.id: [PointId(machine.id, p.id) for p in machine.points if p.kind != "value"]
        for machine in machines
    }
    for number, source in sources:
        fed = dict(source.feeds)
        if source.feeds_all_samples:
            fed |= dict.fromkeys(samples.get(source.target, ()), ("machine",))
        for point, place in fed.items():
            before, kind = first.setdefault(point, (number, source.type))
            if before != number:
                values: dict[str, str | int] = {
                    "point": str(point),
                    "number": before + 1,
                    "kind": kind,
                    "second": number + 1,
                    "second_kind": source.type,
                }
                yield number, place, Said("point_fed_twice", values)


def line_differs(first: SourceSettings, second: SourceSettings) -> tuple[str, Said] | None:
    """Compare two sources of one line: the key that differs, and what is wrong."""
    line, wanted = first.line
    for key, value in second.line[1].items():
        if value != wanted[key]:
            values: dict[str, str | int] = {
                "line": line, "machine": first.target, "second": second.target,
                "key": key, "value": wanted[key], "second_value": value,
            }  # fmt: skip
            return key, Said("line_differs", values)
    return None


def line_conflicts(
    sources: Iterable[tuple[int, SourceSettings]],
) -> Iterator[tuple[int, Place, Said]]:
    """Find the sources whose settings differ from those of an earlier source of the same line.

    Parameters
    ----------
    sources : iterable of (int, SourceSettings)
        With their places in the list.

    Yields
    ------
    int, Place, Said
        Number of the later source, its key, and what is wrong.
    """
    first: dict[str, SourceSettings] = {}
    for number, source in sources:
        line, _ = source.line
        if line and (found := line_differs(first.setdefault(line, source), source)):
            yield number, (found[0],), found[1]


class HasSettings(Protocol):
    """The part of a kind of source that a configuration needs."""

    @property
    def settings(self) -> type[SourceSettings]:
        """Return the model of the kind's settings."""

    @property
    def page_if_allowed(self) -> bool:
        """Whether the page may set it up where `page_sources` in the gateway's file names it."""


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


def page_kinds() -> tuple[str, ...]:
    """Return the kinds that `page_sources` in the gateway's file may name."""
    found = []
    for name in installed_kinds():
        with suppress(Rejection):  # a kind that can't be loaded can't be set up
            if load_kind(name).page_if_allowed:
                found.append(name)
    return tuple(found)


def _of_its_kind(given: Any, info: ValidationInfo) -> Any:
    if not isinstance(given, dict):
        return given
    kind = load_kind(str(given.get("type", "")))
    return kind.settings.model_validate(given, context=info.context)


AnySource = Annotated[SerializeAsAny[SourceSettings], BeforeValidator(_of_its_kind)]
"""A table of `[[sources]]`; its `type` names the kind whose model checks it."""
