"""Ports for the servers that tests start."""

from __future__ import annotations

import itertools
import os
import random
import socket

FIRST_PORT, LAST_PORT = 20_000, 32_000
"""Below those that Linux gives to outgoing connections (from 32,768 on), which may take a port
between its choice and its use."""
PORTS_OF_A_WORKER = 3_000  # of the four that `make test` starts
_WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:])
_numbers = itertools.count(_WORKER * PORTS_OF_A_WORKER + random.SystemRandom().randrange(1_000))


def free_port() -> int:
    """Return a port of this computer that is free; each only once in a round of 12,000."""
    for number in _numbers:
        port = FIRST_PORT + number % (LAST_PORT - FIRST_PORT)
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) != 0:
                return port
    raise AssertionError
