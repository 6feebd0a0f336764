"""What a SCADA host asks of the gateway, over Sparkplug or OPC UA: the gateway's own commands."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel

from auscult.contract.payloads import Command
from auscult.contract.requests import CommandSpec

HostRight = Literal[
    "acknowledge", "label", "report_fault", "shelve", "out_of_service", "start_baseline",
    "stop_baseline", "roll_back", "request_spectrum",
]  # fmt: skip
"""What hosts can be allowed to ask for; `shelve` and `out_of_service` are both ways."""
COMMAND_VALID_MS = 300_000
"""A command was checked for its age when it came in; it may wait this long to be done."""


OnAction = Callable[["HostAction"], str]
"""Queues a host's request without waiting; returns why it is rejected, or an empty string."""
OnRefused = Callable[[str, str, str], None]
"""Gets each request of a host that was rejected before it became a command: actor, what, why."""


@dataclass(frozen=True, slots=True)
class HostAction:
    """A command with its arguments; ``t_ms`` is when it was given, UTC, ``actor`` who gave it."""

    spec: CommandSpec[Any]
    args: BaseModel
    t_ms: int
    actor: str

    @property
    def id(self) -> str:
        """Return the id of the command that it becomes.

        It is made of what was asked and when, so that the same request is done once only.
        """
        asked = f"{self.spec.name}:{self.args.model_dump_json()}:{self.actor}:{self.t_ms}"
        return f"host-{hashlib.sha256(asked.encode()).hexdigest()[:24]}"

    @property
    def command(self) -> Command:
        """Return the gateway's own command."""
        return Command(
            ts=self.t_ms,
            id=self.id,
            actor=self.actor,
            expires_ms=self.t_ms + COMMAND_VALID_MS,
            args=self.args.model_dump(mode="json"),
        )
