"""Sends malformed messages at a set rate, as raw MQTT: a client library would be the limit.

`python -m tests.robustness.flood PORT RATE SECONDS SEED` prints how many messages went out.
"""

from __future__ import annotations

import itertools
import socket
import sys
import time

from tests.robustness.malformed import malformed

PREPARED = 20_000
"""Different messages, made beforehand and sent round and round."""
STEP_S = 0.02


def _length(n: int) -> bytes:
    out = bytearray()
    while True:
        n, byte = divmod(n, 128)
        out.append(byte | (0x80 if n else 0))
        if not n:
            return bytes(out)


def packet(topic: str, payload: bytes) -> bytes:
    """A PUBLISH of MQTT 3.1.1 with QoS 0."""
    name = topic.encode()
    body = len(name).to_bytes(2) + name + payload
    return b"\x30" + _length(len(body)) + body


def connect(port: int) -> socket.socket:
    """A connection that the broker has accepted."""
    link = socket.create_connection(("127.0.0.1", port))
    link.sendall(b"\x10\x11\x00\x04MQTT\x04\x02\x00\x00\x00\x05flood")
    assert link.recv(4) == b"\x20\x02\x00\x00"
    return link


def flood(port: int, rate: int, seconds: float, seed: int) -> int:
    """Send `rate` messages a second; returns how many went out."""
    made = itertools.islice(malformed(seed), PREPARED)
    # An empty topic, or one with a wildcard, would only end this connection.
    packets = [packet(topic, payload) for topic, payload in made if len(payload) < 100_000]
    cycle = itertools.cycle(packets)
    link = connect(port)
    sent, start = 0, time.monotonic()
    while (passed := time.monotonic() - start) < seconds:
        due = int(rate * passed) - sent
        link.sendall(b"".join(itertools.islice(cycle, due)))
        sent += due
        time.sleep(STEP_S)
    link.close()
    return sent


if __name__ == "__main__":
    print(flood(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4])))
