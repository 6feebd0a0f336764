"""The MQTT topic tree: `auscult/v1/{site}/{gateway}/…`.

A plant may put its own path before it, such as ISA-95's `{enterprise}/{site}/{area}/{line}`.

| topic below the gateway | message | retained | QoS |
|---|---|---|---|
| `status` | `Status`, also the last will | yes | 1 |
| `configuration` | `Configuration`: all settings of the machines, for commissioning | yes | 1 |
| `inventory` | `Inventory`: machines and points with their name-plate data | yes | 1 |
| `{machine}/state` | `MachineStateMessage` | yes | 1 |
| `{machine}/{point}/state` | `PointStateMessage` | yes | 1 |
| `{machine}/event` | `EventMessage` | no | 1 |
| `{machine}/lesson` | `Lesson`: what a label changed | no | 1 |
| `{machine}/checkpoints` | `Checkpoints`: versions of heads and baselines | yes | 1 |
| `{machine}/{point}/trend` | `Trend` | no | 1 |
| `{machine}/{point}/spectrum` | `SpectrumMessage` | no | 1 |
| `{machine}/{point}/run_up` | `RunUpMessage` | no | 1 |
| `{machine}/{point}/clip` | `Clip`: raw samples, only on request | no | 1 |
| `cmd/{name}` | `Command`, to the gateway | no | 1 |
| `cmd/receipt` | `Receipt`, to the gateway: what the dashboard has stored | no | 1 |
| `ack/{id}` | `Acknowledgement`, from the gateway | no | 1 |
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from auscult.contract.said import Rejection

ROOT = "auscult/v1"

RESERVED_IDS = frozenset(
    {"status", "inventory", "cmd", "ack", "state", "event", "lesson", "checkpoints"}
)
"""Words of the topic tree that no machine or point may be called."""

ID_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_.\-]{0,63}$"
"""Ids are topic levels, file names and SCADA tags at once: no `/ + # :` and no blanks."""


def check_id(value: str) -> str:
    """Return `value` if it may name a site, gateway, machine or point.

    Raises
    ------
    ValueError
        If it holds other characters than letters, digits, ``_ . -``, is longer than 64, starts
        with a sign, or is a word of the topic tree.
    """
    if not re.match(ID_PATTERN, value):
        raise Rejection("id_malformed", id=value[:64])
    if value.lower() in RESERVED_IDS:
        raise Rejection("id_reserved", id=value)
    return value


@dataclass(frozen=True, slots=True)
class Topics:
    """Builds the topics of one gateway.

    >>> Topics("plant", "gw1").point_state("pump-3", "DE-H")
    'auscult/v1/plant/gw1/pump-3/DE-H/state'
    >>> Topics("plant", "gw1", "acme/lyon/hall-2").status
    'acme/lyon/hall-2/auscult/v1/plant/gw1/status'
    """

    site: str
    gateway: str
    path: str = ""
    """The plant's prefix, without a slash at either end."""

    @property
    def base(self) -> str:
        """Return the gateway's own branch, without a slash at the end."""
        front = f"{self.path}/" if self.path else ""
        return f"{front}{ROOT}/{self.site}/{self.gateway}"

    @property
    def status(self) -> str:
        return f"{self.base}/status"

    @property
    def inventory(self) -> str:
        return f"{self.base}/inventory"

    @property
    def configuration(self) -> str:
        return f"{self.base}/configuration"

    def machine_state(self, machine: str) -> str:
        return f"{self.base}/{machine}/state"

    def event(self, machine: str) -> str:
        return f"{self.base}/{machine}/event"

    def lesson(self, machine: str) -> str:
        return f"{self.base}/{machine}/lesson"

    def checkpoints(self, machine: str) -> str:
        return f"{self.base}/{machine}/checkpoints"

    def point_state(self, machine: str, point: str) -> str:
        return f"{self.base}/{machine}/{point}/state"

    def trend(self, machine: str, point: str) -> str:
        return f"{self.base}/{machine}/{point}/trend"

    def spectrum(self, machine: str, point: str) -> str:
        return f"{self.base}/{machine}/{point}/spectrum"

    def run_up(self, machine: str, point: str) -> str:
        return f"{self.base}/{machine}/{point}/run_up"

    def clip(self, machine: str, point: str) -> str:
        return f"{self.base}/{machine}/{point}/clip"

    def command(self, name: str) -> str:
        return f"{self.base}/cmd/{name}"

    @property
    def receipt(self) -> str:
        """Return the commands, so that whoever may command may also confirm."""
        return self.command("receipt")

    @property
    def commands(self) -> str:
        """Return the subscription for all commands to this gateway."""
        return f"{self.base}/cmd/+"

    def acknowledgement(self, command_id: str) -> str:
        return f"{self.base}/ack/{command_id}"


@dataclass(frozen=True, slots=True)
class Address:
    """Where a message came from and what it is: a topic taken apart.

    ``kind`` is the last word of the tree (`status`, `state`, `event` …), or ``cmd`` / ``ack``
    with the command's name or id in ``item``.
    """

    site: str
    gateway: str
    kind: str
    machine: str | None = None
    point: str | None = None
    item: str | None = None
    path: str = ""


_GATEWAY_KINDS = frozenset({"status", "inventory", "configuration"})
_MACHINE_KINDS = frozenset({"state", "event", "lesson", "checkpoints"})
_POINT_KINDS = frozenset({"state", "trend", "spectrum", "run_up", "clip"})
TOPICS = 20_000
"""Topics whose parts are remembered: of 8,000 points, 10 MB."""


@lru_cache(maxsize=TOPICS)
def parse_topic(topic: str) -> Address | None:
    """Parse a topic; None where it is not Auscult's.

    >>> parse_topic("acme/lyon/auscult/v1/plant/gw1/status").path
    'acme/lyon'
    >>> parse_topic("auscult/v1/plant/gw1/pump-3/event").machine
    'pump-3'
    >>> parse_topic("auscult/v1/plant/gw1/pump-3/unheard-of") is None
    True
    """
    front, found, rest = f"/{topic}".partition(f"/{ROOT}/")
    if not found:
        return None
    path = front[1:]
    match rest.split("/"):
        case [site, gateway, kind] if kind in _GATEWAY_KINDS:
            return Address(site, gateway, kind, path=path)
        case [site, gateway, ("cmd" | "ack") as kind, item]:
            return Address(site, gateway, kind, item=item, path=path)
        case [site, gateway, machine, kind] if kind in _MACHINE_KINDS:
            return Address(site, gateway, kind, machine, path=path)
        case [site, gateway, machine, point, kind] if kind in _POINT_KINDS:
            return Address(site, gateway, kind, machine, point, path=path)
    return None


PATH_PATTERN = r"^$|^[A-Za-z0-9][A-Za-z0-9_.\-]{0,63}(/[A-Za-z0-9][A-Za-z0-9_.\-]{0,63}){0,7}$"
"""Up to eight levels of letters, digits and `_ . -`."""
