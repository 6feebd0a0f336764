"""The command `update`: the dashboard offers a new version of this program."""

from __future__ import annotations

from auscult.contract.payloads import Command
from auscult.contract.requests import UpdateArgs
from auscult.contract.said import Said
from auscult.gateway.commands.handler import CommandOutcome, CommandRejection
from auscult.gateway.commands.origin import REPORTED
from auscult.gateway.updates.updates import Updates


class UpdateCommand:
    """Handler; it runs in the thread of the command queue."""

    def __init__(self, updates: Updates) -> None:
        self._updates = updates

    def update(self, command: Command, asked: UpdateArgs) -> CommandOutcome:
        """Begin to download; only a dashboard whose key is trusted may ask for it."""
        if command.actor.endswith(REPORTED):
            raise CommandRejection("command_unsigned")
        self._updates.offer(asked)
        return CommandOutcome(Said("update_offered", {"version": asked.version}))
