"""The origin of commands and receipts: a dashboard whose key is known, or just the broker."""

from __future__ import annotations

import logging
import threading
from pathlib import Path
from typing import Literal

from auscult.contract.payloads import MAX_ACTOR, Command, Receipt
from auscult.durable import write_durably
from auscult.gateway.commands.handler import CommandRejection
from auscult.link import signing

log = logging.getLogger(__name__)

KEY_FILE = "dashboard_key"
REPORTED = " (reported over MQTT)"


class Origins:
    """Decides whether a trusted dashboard sent a command or a receipt; any thread may ask it.

    Without configured keys, the key of the first signed message is stored and trusted from then on.

    Parameters
    ----------
    data_dir : Path
        Holds the stored key, in the file `dashboard_key`.
    keys : sequence of str
        Public keys of dashboards, hexadecimal; empty = trust the first one.
    unsigned : "report" or "reject"
        What happens to commands and receipts without a trusted signature.
    """

    def __init__(
        self, data_dir: Path, keys: tuple[str, ...], unsigned: Literal["report", "reject"]
    ) -> None:
        self._file = data_dir / KEY_FILE
        self._reject = unsigned == "reject"
        self._keys = keys or self._stored()
        self._lock = threading.Lock()

    def trusts(self, message: Command | Receipt, topic: str) -> bool:
        """Tell whether a trusted dashboard signed the message for this topic."""
        if not message.signature or not signing.is_signed(message, topic):
            return False
        with self._lock:
            if not self._keys:
                self._keys = (message.key,)
                write_durably(self._file, f"{message.key}\n".encode("ascii"))
                log.info("commands of the dashboard with the key %s are trusted now", message.key)
        return message.key in self._keys

    def check(self, message: Command | Receipt, topic: str) -> None:
        """Reject an untrusted message if it was changed, or by setting.

        Raises
        ------
        CommandRejection
        """
        if message.signature and not signing.is_signed(message, topic):
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
