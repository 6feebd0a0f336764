"""Machines commissioned from the dashboard: one list, checked whole and stored beside the data.

The machines of the gateway's own file stay unchanged: no command can change them or use their ids.
The commissioned machines are one list beside them, which each `configure` replaces. If the file
later gets a machine with the id of a commissioned one, the file's machine counts.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Callable, Iterator, Sequence
from math import ceil
from pathlib import Path
from typing import Any

from pydantic import Field, TypeAdapter, ValidationError

from auscult.contract import invalid
from auscult.contract.payloads import Command, ProblemPart
from auscult.contract.requests import ConfigureArgs
from auscult.contract.said import Said
from auscult.contract.section import Section
from auscult.contract.times import DAY_S
from auscult.dsp.spec import SpecError
from auscult.durable import write_durably
from auscult.gateway.commands.handler import CommandOutcome, CommandRejection, said_of
from auscult.gateway.machines.restore import detector_settings, limits_of
from auscult.gateway.records import PointId
from auscult.gateway.settings.gateway import (
    AnySource,
    GatewaySettings,
    MachineSettings,
    SourceSettings,
)
from auscult.gateway.settings.source import fed_twice, line_conflicts
from auscult.gateway.settings.value_source import ValueSource
from auscult.gateway.sources.contract import SourceProblem
from auscult.gateway.sources.registry import kind_of
from auscult.gateway.windows.points import PointPlan, ValuePlan, plan_points, plan_values
from auscult.models.baseline.collection import windows_needed
from auscult.models.decision.limits import LimitChecks, LimitError

log = logging.getLogger(__name__)

FILE_NAME = "commissioned.json"
MAX_PROBLEMS = 200
"""Most problems of one answer: enough to see what is wrong with a table."""

LONG_MIN = 120
"""Minutes from which a time is stated in hours."""

_SOURCE: TypeAdapter[SourceSettings] = TypeAdapter(AnySource)


class Commissioning:
    """The command `configure`: checks a list, stores it, and restarts the gateway's run with it.

    Parameters
    ----------
    settings : GatewaySettings
        Settings of the gateway's own file.
    renew : callable
        Gets the removed machines; ends this run of the gateway for the next.
    """

    def __init__(
        self, settings: GatewaySettings, renew: Callable[[list[MachineSettings]], None]
    ) -> None:
        self._settings = settings
        self._renew = renew
        self._file = CommissionedFile(settings.gateway.data_dir)
        self.current = self._file.load()

    def configure(self, _command: Command, asked: ConfigureArgs) -> CommandOutcome:
        """Store a list of machines, or reject it with all that is wrong."""
        wanted = Commissioned(machines=asked.machines, sources=asked.sources)
        same = wanted.version == self.current.version
        if asked.base and asked.base != self.current.version and not same:
            raise CommandRejection("machines_changed")
        if found := problems(asked, self._settings):
            raise CommandRejection(summary(found), problems=found)
        number = len(asked.machines)
        if asked.dry_run:
            new = [one for one in asked.machines if one not in self.current.machines]
            takes = {"takes": baseline_takes(new[0], self._settings)} if len(new) == 1 else {}
            return CommandOutcome(Said("machines_checked", {"count": number, **takes}))
        if same:
            return CommandOutcome(Said("machines_unchanged", {"count": number}))
        kept = {m.id for m in asked.machines}
        gone = [m for m in self.current.machines if m.id not in kept]
        self._file.save(wanted)
        reason = Said("machines_stored", {"count": number})
        return CommandOutcome(reason, then=lambda: self._renew(gone))


class Commissioned(Section):
    """The commissioned machines and their sources."""

    machines: tuple[MachineSettings, ...] = Field(default=())
    sources: tuple[dict[str, Any], ...] = Field(default=())

    @property
    def version(self) -> str:
        """Hash of the content, 16 hex digits."""
        text = json.dumps(self.model_dump(mode="json"), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


class CommissionedFile:
    """`commissioned.json` in the gateway's data folder; a kill leaves the old list or the new one.

    It holds its own hash. A damaged file is logged and skipped; the list before it, which stays
    beside it, is used.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE_NAME
        self._before = self.path.with_suffix(".before.json")

    def load(self) -> Commissioned:
        """Return the newest good list, empty if there never was one."""
        for path in (self.path, self._before):
            try:
                content = json.loads(path.read_bytes())
                version = content.pop("version")
                commissioned = Commissioned.model_validate(content)
            except FileNotFoundError:
                continue
            except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
                log.error("%s can't be used (%s); using the list before it", path, error)
                continue
            if commissioned.version == version:
                return commissioned
            log.error("%s is damaged (its hash is wrong); using the list before it", path)
        return Commissioned()

    def save(self, commissioned: Commissioned) -> None:
        """Replace the list: written beside, synced, renamed."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if self.path.exists():
            _write(self._before, self.load())
        _write(self.path, commissioned)


def effective_settings(settings: GatewaySettings) -> GatewaySettings:
    """Return the settings of a gateway's file with the commissioned machines."""
    return joined(settings, CommissionedFile(settings.gateway.data_dir).load())


def joined(settings: GatewaySettings, commissioned: Commissioned) -> GatewaySettings:
    """Return the settings with the commissioned machines after those of the file."""
    fixed = {m.id.lower() for m in settings.machines}
    machines = tuple(m for m in commissioned.machines if m.id.lower() not in fixed)
    for machine in commissioned.machines:
        if machine.id.lower() in fixed:
            log.warning("commissioned machine %s is in the file too: the file counts", machine.id)
    known = {m.id for m in machines}
    sources = []
    folder = settings.gateway.recordings_dir
    for given in commissioned.sources:
        try:
            source = _SOURCE.validate_python(given, context={"folder": folder})
        except ValidationError as error:
            log.error("a commissioned source can't be used: %s", error)
            continue
        if forbidden := _forbidden(source, settings):
            log.error("a commissioned source can't be used: %s", forbidden.said)
        elif source.target in known:
            sources.append(source)
    return settings.model_copy(
        update={
            "machines": settings.machines + machines,
            "sources": settings.sources + tuple(sources),
        }
    )


def problems(asked: ConfigureArgs, settings: GatewaySettings) -> list[ProblemPart]:
    """Find all that is wrong with a list, given the settings of the gateway's own file."""
    found = list(_wrong_ids(asked, settings))
    fixed = {m.id.lower() for m in settings.machines}
    for number, machine in enumerate(asked.machines):
        if machine.id.lower() not in fixed:
            found += wrong_points(number, machine, settings)
    found += _wrong_sources(asked, settings)
    return found[:MAX_PROBLEMS]


def baseline_takes(machine: MachineSettings, settings: GatewaySettings) -> Said:
    """Say the least measured running time that a machine's baseline needs."""
    asked = settings.model_copy(update={"machines": (machine,)})
    points, values = plan_points(asked, {}).values(), plan_values(asked).values()
    steps = [(one.spec, one.window.hop / one.window.fs_hz) for one in points]
    steps += [(one.spec, one.interval_s) for one in values if not one.spec.is_run_bit]
    detector = detector_settings(settings.detector, machine)
    needed_s = [step * windows_needed(spec, detector, alone=not points) for spec, step in steps]
    minutes = ceil(max([detector.baseline_days * DAY_S, *needed_s]) / 60)
    time, unit = (ceil(minutes / 60), "h") if minutes >= LONG_MIN else (minutes, "min")
    named = machine.name or machine.id
    return Said("baseline_takes", {"machine": named, "time": time, "unit": unit})


def _wrong_ids(asked: ConfigureArgs, settings: GatewaySettings) -> Iterator[ProblemPart]:
    fixed = {m.id.lower() for m in settings.machines}
    seen: set[str] = set()
    for number, machine in enumerate(asked.machines):
        name = machine.id.lower()
        if name in fixed:
            yield _problem(
                Said("machine_in_file", {"machine": machine.id}), "machines", number, "id"
            )
        if name in seen:
            yield _problem(
                Said("machine_id_twice", {"machine": machine.id}), "machines", number, "id"
            )
        seen.add(name)


def wrong_points(
    number: int, machine: MachineSettings, settings: GatewaySettings
) -> Iterator[ProblemPart]:
    """Find the points of a machine whose features or limits can't be made."""
    for row, point in enumerate(machine.points):
        alone = machine.model_copy(update={"points": (point,)})
        try:
            asked = settings.model_copy(update={"machines": (alone,)})
            plans: dict[PointId, PointPlan | ValuePlan] = {
                **plan_points(asked, {}),
                **plan_values(asked),
            }
            plan = plans[PointId(machine.id, point.id)]
            LimitChecks({point.id: limits_of(plan)}, {point.id: plan.spec}, windows=1)
        except LimitError as error:
            yield _problem(said_of(error), "machines", number, "points", row, "limits")
        except (SpecError, ValueError) as error:
            yield _problem(said_of(error), "machines", number, "points", row)


def _wrong_sources(asked: ConfigureArgs, settings: GatewaySettings) -> Iterator[ProblemPart]:
    machines = {m.id: m for m in asked.machines}
    supplied: set[tuple[str, str]] = set()
    good: list[tuple[int, SourceSettings]] = []
    folder = settings.gateway.recordings_dir
    for number, given in enumerate(asked.sources):
        try:
            source = _SOURCE.validate_python(given, context={"folder": folder})
        except ValidationError as error:
            for one in error.errors(include_url=False):
                yield _problem(invalid.said_of(one), "sources", number, *one["loc"])
            continue
        if forbidden := _forbidden(source, settings):
            yield _problem(forbidden.said, "sources", number, *forbidden.place)
            continue
        machine = machines.get(source.target)
        if machine is None:
            unlisted = Said("source_machine_unlisted", {"machine": source.target})
            yield _problem(unlisted, "sources", number, "machine")
            continue
        # One source for a machine's samples, and one of each kind for its overall values.
        kind = source.target, source.type if isinstance(source, ValueSource) else "samples"
        if kind in supplied:
            twice = Said("source_twice", {"machine": source.target})
            yield _problem(twice, "sources", number, "machine")
        supplied.add(kind)
        for problem in kind_of(source).problems(source, machine):
            yield _problem(problem.said, "sources", number, *problem.place)
        good.append((number, source))
    for number, place, said in fed_twice(good, asked.machines):
        yield _problem(said, "sources", number, *place)
    of_file = [(-1, source) for source in settings.sources]
    for number, place, said in line_conflicts(of_file + good):
        yield _problem(said, "sources", number, *place)


def checked_source(
    given: dict[str, Any], machine: MachineSettings, settings: GatewaySettings
) -> SourceSettings:
    """Return one source of a machine.

    Raises
    ------
    CommandRejection
        The first that is wrong with it, or why the page may not use it.
    """
    asked = ConfigureArgs(machines=(machine,), sources=(given,))
    if found := list(_wrong_sources(asked, settings)):
        within = [one.model_copy(update={"path": _place(one.path)}) for one in found]
        raise CommandRejection(summary(within), problems=found)
    folder = settings.gateway.recordings_dir
    return _SOURCE.validate_python(given, context={"folder": folder})


def _place(path: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Return the place within the only source; none where the source as a whole is wrong."""
    place = path[2:]
    return () if place == ("type",) else place


def _forbidden(source: SourceSettings, settings: GatewaySettings) -> SourceProblem | None:
    """Find what keeps the page from setting up a source; the gateway's file may allow its kind."""
    kind = kind_of(source)
    if kind.page_if_allowed and source.type not in settings.gateway.page_sources:
        return SourceProblem(("type",), Said("source_not_from_page", {"kind": source.type}))
    return kind.forbidden(source, settings.gateway.recordings_dir)


def _problem(said: Said, *path: str | int) -> ProblemPart:
    return ProblemPart(path=path, text=said.text, said=said.portable)


def summary(found: Sequence[ProblemPart]) -> Said:
    """Return the first problem, and how many more there are."""
    first = found[0]
    place, cause = ".".join(map(str, first.path)), first.said or said_of(ValueError(first.text))
    said = Said("value_at", {"place": place, "cause": cause}) if place else cause
    return said if len(found) == 1 else Said("and_more", {"first": said, "more": len(found) - 1})


def _write(path: Path, commissioned: Commissioned) -> None:
    content = {"version": commissioned.version, **commissioned.model_dump(mode="json")}
    write_durably(path, json.dumps(content, indent=1).encode())
