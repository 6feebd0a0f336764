"""The command `publish_states`: publish again what the broker retains."""

from __future__ import annotations

from auscult.contract.payloads import Command
from auscult.contract.requests import PublishStatesArgs
from auscult.gateway.commands.handler import CommandOutcome
from auscult.gateway.publishing.retained import RetainedStates


class StatesCommand:
    """Handler; it runs in the thread of the command queue."""

    def __init__(self, states: RetainedStates) -> None:
        self._states = states

    def publish_states(self, _command: Command, _asked: PublishStatesArgs) -> CommandOutcome:
        """Publish each state again, as after a new connection."""
        self._states.connected()
        return CommandOutcome()
