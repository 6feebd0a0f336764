"""Messages for tests of the outbox."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass

from auscult.gateway.storage.database import Database
from auscult.gateway.storage.outgoing import Lane, Outgoing


@dataclass(frozen=True)
class Write:
    """Writes into the database whatever a function does."""

    write_to: Callable[[Database], None]


def message(name: str, lane: Lane = Lane.EVENT, size: int = 0) -> Outgoing:
    payload = json.dumps({"id": name, "x": random.Random(name).randbytes(size // 2).hex()}).encode()
    return Outgoing(name, "t/m", payload, lane)
