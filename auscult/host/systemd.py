"""Messages to systemd: ready, alive, stopping (sd_notify(3)); without systemd they do nothing."""

from __future__ import annotations

import os
import socket


def notify(state: str) -> None:
    """Send a state such as ``READY=1`` or ``WATCHDOG=1`` to the service manager, if any."""
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as sender:
        try:
            sender.connect(address.replace("@", "\0", 1))
            sender.sendall(state.encode())
        except OSError:
            return  # systemd notices the missing message itself
