"""Peers on this machine that answer slowly, never, or without end."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Answer = Callable[[socket.socket], None]
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"


@contextmanager
def answering(answer: Answer) -> Iterator[str]:
    """Give host and port of a server that treats each connection by `answer`."""
    server = socket.create_server(("127.0.0.1", 0))
    opened: list[socket.socket] = []

    def serve(connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            answer(connection)

    def accept() -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = server.accept()
                opened.append(connection)
                threading.Thread(target=serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield "{}:{}".format(*server.getsockname())
    finally:
        for one in (server, *opened):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()


def never(connection: socket.socket) -> None:
    """Take everything and say nothing."""
    while connection.recv(65536):
        pass


def drips_head(connection: socket.socket) -> None:
    """Send a header that does not end, a byte a second."""
    connection.recv(65536)
    connection.sendall(HEAD + b"X-Slow: ")
    while True:
        connection.sendall(b"x")
        time.sleep(1)


def drips_body(connection: socket.socket) -> None:
    """State success, then send a body a byte a second."""
    connection.recv(65536)
    connection.sendall(HEAD + b"Content-Length: 1000000\r\n\r\n")
    while True:
        connection.sendall(b" ")
        time.sleep(1)


def huge(connection: socket.socket) -> None:
    """State success, then send a body of 700 MB."""
    connection.recv(65536)
    connection.sendall(HEAD + b"Content-Length: 700000000\r\n\r\n")
    piece = b" " * 1_000_000
    for _ in range(700):
        connection.sendall(piece)


def drips_greeting(connection: socket.socket) -> None:
    """Greet as a mail server, a byte a second."""
    while True:
        connection.sendall(b"2")
        time.sleep(1)


def endless_greeting(connection: socket.socket) -> None:
    """Greet as a mail server in lines without end."""
    lines = (b"220-" + b"x" * 1000 + b"\r\n") * 1000
    while True:
        connection.sendall(lines)
