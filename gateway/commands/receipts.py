"""Receipts from the broker: those of a trusted dashboard reach the outbox."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

from auscult.contract.payloads import Receipt
from auscult.contract.said import Said
from auscult.gateway.commands.handler import CommandRejection
from auscult.gateway.commands.origin import Origins
from auscult.gateway.storage.audit import Refusals

log = logging.getLogger(__name__)

TROUBLE_S = 600.0
"""A rejected receipt is reported so long; a dashboard answers each heartbeat with a receipt."""


class ReceiptCheck:
    """Passes receipts on that a trusted dashboard signed, or all of them by setting.

    Parameters
    ----------
    topic : str
        Where this gateway's receipts arrive; the signature covers it.
    origins : Origins
    refusals : Refusals
        Audits the first rejected receipt of each trouble.
    take : callable
        Gets each accepted receipt.
    """

    def __init__(
        self, topic: str, origins: Origins, refusals: Refusals, take: Callable[[Receipt], None]
    ) -> None:
        self._topic = topic
        self._origins = origins
        self._refusals = refusals
        self._take = take
        self._rejected_s = float("-inf")

    @property
    def trouble(self) -> Said | None:
        """Return the report of receipts that were rejected lately."""
        if time.monotonic() - self._rejected_s > TROUBLE_S:
            return None
        return Said("receipts_rejected")

    def receive(self, payload: bytes) -> None:
        """Check a receipt, in the network thread."""
        try:
            receipt = Receipt.read(payload)
        except ValueError as error:
            log.debug("a receipt can't be read: %s", error)
            return
        if not self._origins.trusts(receipt, self._topic):
            try:
                self._origins.check(receipt, self._topic)
            except CommandRejection:
                self._reject()
                return
        self._take(receipt)

    def _reject(self) -> None:
        known, self._rejected_s = self.trouble, time.monotonic()
        if known is None:
            self._refusals.count_rejection("", "receipt", Said("receipts_rejected").text)
