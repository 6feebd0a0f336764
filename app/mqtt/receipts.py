"""Receipts to the gateways: what is stored here need not be sent again, what is lost must be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from pydantic_core import from_json

from auscult.app.store.point_trend import Stored
from auscult.contract.message import now_ms
from auscult.contract.payloads import Receipt
from auscult.contract.topics import Topics, parse_topic
from auscult.link.link import Link, Received
from auscult.link.signing import signed

IDS_AT_ONCE = 500
"""26 characters each: far below the largest message."""
ID_LENGTH = 64


class Receipts:
    """Confirms messages by the `id` in them, also those of a kind that is unknown here.

    A lost receipt does no harm: the message comes again and is confirmed again. A gateway's
    status is answered too, so that the gateway knows that the dashboard receives.

    Parameters
    ----------
    key : Ed25519PrivateKey
        Signs each receipt.
    """

    def __init__(self, key: Ed25519PrivateKey) -> None:
        self._key = key
        self._link: Link | None = None

    def use(self, link: Link) -> None:
        """Send by this link."""
        self._link = link

    def confirm(self, batch: Sequence[tuple[Received, Stored | None]]) -> None:
        """Confirm messages that were stored, or that never can be (None)."""
        ids: defaultdict[Topics, list[str]] = defaultdict(list)
        for received, message in batch:
            address = parse_topic(received.topic)
            if address is None or address.kind == "cmd" or not received.payload:
                continue
            named = ids[Topics(address.site, address.gateway, address.path)]
            if not received.retained and (identity := _id(received.payload, message)):
                named.append(identity)
        for topics, named in ids.items():
            for start in range(0, max(1, len(named)), IDS_AT_ONCE):
                receipt = Receipt(ts=now_ms(), ids=tuple(named[start : start + IDS_AT_ONCE]))
                if self._link is not None:
                    receipt = signed(receipt, topics.receipt, self._key)
                    self._link.publish(topics.receipt, receipt.to_json())


def _id(payload: bytes, message: Stored | None) -> str:
    if message is not None:
        return getattr(message, "id", "")
    try:
        said = from_json(payload.partition(b"\n")[0])
    except ValueError:
        return ""
    identity = said.get("id") if isinstance(said, dict) else None
    return identity if isinstance(identity, str) and 0 < len(identity) <= ID_LENGTH else ""
