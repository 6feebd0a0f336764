"""A receiver of requests on this machine, as a webhook or a maintenance system is one."""

from __future__ import annotations

import http.server
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple


class Posted(NamedTuple):
    """A request that came."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


@contextmanager
def receiving(
    status: Callable[[list[Posted]], int] = lambda came: 200,
    answer: bytes = b"{}",
    tls: ssl.SSLContext | None = None,
) -> Iterator[tuple[list[Posted], str]]:
    """Give the requests that come, and host and port; `status` answers the newest of them."""
    came: list[Posted] = []

    class Receiver(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            came.append(Posted(self.path, dict(self.headers), body))
            self.send_response(status(came))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: Any) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield came, f"127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
