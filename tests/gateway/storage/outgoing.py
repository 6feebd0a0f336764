"""Messages for tests of the outbox."""

from __future__ import annotations

import json
import random

from auscult.gateway.storage.outgoing import Lane, Outgoing


def message(name: str, lane: Lane = Lane.EVENT, size: int = 0) -> Outgoing:
    payload = json.dumps({"id": name, "x": random.Random(name).randbytes(size // 2).hex()}).encode()
    return Outgoing(name, "t/m", payload, lane)
