"""The TOML file: the gateway's sections and the dashboard's, checked before anything starts."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path

from pydantic import Field, ValidationError
from pydantic_core import ErrorDetails

from auscult.app.settings import DashboardSettings
from auscult.errors import ConfigurationError
from auscult.gateway.commands.commissioning import wrong_points
from auscult.gateway.settings.gateway import (
    AnySource,
    DetectorSection,
    GatewaySection,
    GatewaySettings,
    MachineSettings,
    SiteSettings,
)
from auscult.gateway.settings.learning import LearningSection
from auscult.gateway.settings.outputs import HasOutputs, Outputs, no_tables
from auscult.gateway.sources.registry import kind_of
from auscult.host.log import LogSettings
from auscult.link.broker import BrokerSettings

LONGEST_SHOWN = 60


class ConfigurationFile(HasOutputs):
    """The whole file: the gateway's part, the dashboard's, or both."""

    site: SiteSettings = Field(default=SiteSettings(), description="The plant")
    log: LogSettings = Field(default=LogSettings(), description="The log of gateway and dashboard")
    gateway: GatewaySection = Field(
        default_factory=dict, validate_default=True, description="The gateway itself"
    )
    mqtt: BrokerSettings = Field(default=BrokerSettings(), description="The MQTT broker")
    detector: DetectorSection = Field(
        default=DetectorSection(), description="Windows and the budget of false alarms"
    )
    learning: LearningSection = Field(
        default=LearningSection(), description="How labels are learned"
    )
    outputs: Outputs = Field(
        default_factory=no_tables, description="Each output has a table of its own"
    )
    machines: tuple[MachineSettings, ...] = Field(default=(), description="The machines")
    sources: tuple[AnySource, ...] = Field(default=(), description="Where samples come from")
    dashboard: DashboardSettings = Field(
        default_factory=dict, validate_default=True, description="The dashboard server"
    )

    def for_gateway(self, path: Path) -> GatewaySettings:
        """Return the gateway's part.

        Raises
        ------
        ConfigurationError
            If machines and sources don't fit together.
        """
        try:
            return GatewaySettings(**{k: getattr(self, k) for k in GatewaySettings.model_fields})
        except ValidationError as error:
            raise ConfigurationError(_one_line(path, error)) from error


def check_sources(path: Path, settings: GatewaySettings) -> None:
    """Reject sources that can't work as they are set, before the gateway starts.

    Raises
    ------
    ConfigurationError
        One line: file, key, remedy.
    """
    machines = {machine.id: machine for machine in settings.machines}
    for number, source in enumerate(settings.sources):
        for problem in kind_of(source).problems(source, machines[source.target]):
            key = _key(("sources", number, *problem.place))
            raise ConfigurationError(f"{path}: {key}: {problem.said}")


def check_points(path: Path, settings: GatewaySettings) -> None:
    """Reject points whose limits name a feature that they do not have, as the gateway does.

    Raises
    ------
    ConfigurationError
        One line: file, key, remedy.
    """
    for number, machine in enumerate(settings.machines):
        for problem in wrong_points(number, machine, settings):
            raise ConfigurationError(f"{path}: {_key(problem.path)}: {problem.text}")


def load(path: Path) -> ConfigurationFile:
    """Read and check a configuration file.

    Relative paths in it are taken from the folder of the file.

    Raises
    ------
    ConfigurationError
        If the file can't be read, is not TOML, or holds an unknown key or a value out of bounds.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ConfigurationError(f"{path}: cannot be read: {reason}") from error
    try:
        content = tomllib.loads(text)
    except RecursionError:
        raise ConfigurationError(f"{path}: arrays or tables are nested too deeply") from None
    except ValueError as error:  # also a number of thousands of digits
        raise ConfigurationError(f"{path}: not valid TOML: {error}") from error
    try:
        return ConfigurationFile.model_validate(content, context={"folder": path.parent})
    except ValidationError as error:
        raise ConfigurationError(_one_line(path, error)) from error


def _one_line(path: Path, error: ValidationError) -> str:
    """Return the first problem as `file: key = value: remedy`, and how many more there are."""
    problems = _own(error.errors(include_url=False))
    first = problems[0]
    key = _key(first["loc"])
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] == "extra_forbidden":
        message = "unknown key; see docs/configuration.md for the ones there are"
        value = ""
    else:
        value = _shown(first["input"])
        if value:  # the line names it already
            name = first["loc"][-1] if first["loc"] else ""
            for named in (f"{name} = {first['input']}: ", f"{name} {first['input']}: "):
                message = message.removeprefix(named)
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    place = f"{key}{value}: " if key else ""  # what concerns several tables has no place
    return f"{path}: {place}{message}{more}"


def _key(place: Iterable[str | int]) -> str:
    """Return the place of a value as the file's reader would write it.

    The tables of outputs are beside the others.

    >>> _key(("sources", 0, "values", 2, "path"))
    'sources[0].values[2].path'
    >>> _key(("outputs", "opcua", "port"))
    'opcua.port'
    """
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return "".join(parts)[1:].removeprefix("outputs.")


def _own(problems: list[ErrorDetails]) -> list[ErrorDetails]:
    """Leave out lists that are too short only because their items have problems."""
    outer = {problem["loc"][:n] for problem in problems for n in range(len(problem["loc"]))}
    return [p for p in problems if p["type"] != "too_short" or p["loc"] not in outer]


def _shown(given: object) -> str:
    """Return ` = value` where it is short."""
    try:
        shown = repr(given)
    except (ValueError, RecursionError):  # a number of thousands of digits, or deep tables
        return ""
    return f" = {shown}" if len(shown) <= LONGEST_SHOWN else ""
