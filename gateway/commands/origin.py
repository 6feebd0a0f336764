"""The origin of a command: a dashboard whose key is known, this computer, or just the broker."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Literal

from auscult.durable import write_durably
from auscult.gateway.commands.handler import CommandRejection
from auscult.gateway.messages import signing
from auscult.gateway.messages.payloads import MAX_ACTOR, Command

log = logging.getLogger(__name__)

KEY_FILE = "dashboard_key"
REPORTED = " (reported over MQTT)"


class Origins:
    """Decides in whose name a command from the broker is done.

    Without configured keys, the key of the first signed command is stored and trusted from then on.

    Parameters
    ----------
    data_dir : Path
        Holds the stored key, in the file `dashboard_key`.
    keys : sequence of str
        Public keys of dashboards, hexadecimal; empty = trust the first one.
    unsigned : "report" or "reject"
        What happens to commands without a trusted signature.
    """

    def __init__(
        self, data_dir: Path, keys: tuple[str, ...], unsigned: Literal["report", "reject"]
    ) -> None:
        self._file = data_dir / KEY_FILE
        self._reject = unsigned == "reject"
        self._keys = keys or self._stored()

    def trusts(self, command: Command, topic: str) -> bool:
        """Tell whether a trusted dashboard signed the command for this topic."""
        if not command.signature or not signing.is_signed(command, topic):
            return False
        if not self._keys:
            self._keys = (command.key,)
            write_durably(self._file, f"{command.key}\n".encode("ascii"))
            log.info("commands of the dashboard with the key %s are trusted now", command.key)
        return command.key in self._keys

    def check(self, command: Command, topic: str) -> None:
        """Reject an untrusted command if it was changed, or by setting.

        Raises
        ------
        CommandRejection
        """
        if command.signature and not signing.is_signed(command, topic):
            raise CommandRejection("command_changed")
        if self._reject:
            raise CommandRejection("command_unsigned")

    def _stored(self) -> tuple[str, ...]:
        try:
            return tuple(self._file.read_text(encoding="ascii").split())
        except FileNotFoundError:
            return ()


def reported(command: Command) -> Command:
    """Return the command with an actor that is marked as only what its sender wrote."""
    actor = command.actor[: MAX_ACTOR - len(REPORTED)] + REPORTED
    return command.model_copy(update={"actor": actor})
