"""Why a device can't be reached: the cause that libraries hide, with its remedy."""

from __future__ import annotations

import errno
import socket
from importlib import import_module

from auscult.contract.said import Said


def why_unreached(host: str, port: int, after_s: float) -> Said:
    """Connect to a TCP port once more and say what fails; `reach_ended` if nothing does.

    Parameters
    ----------
    host : str
        Name or IP address.
    port : int
    after_s : float
        Longest wait, s.

    Examples
    --------
    >>> with socket.create_server(("127.0.0.1", 0)) as server:
    ...     port = server.getsockname()[1]
    >>> why_unreached("127.0.0.1", port, 1.0).code
    'reach_refused'
    """
    try:
        socket.create_connection((host, port), timeout=after_s).close()
    except OSError as error:
        return said_of_os(error, host, after_s)
    return Said("reach_ended")


def said_of_os(error: OSError, host: str, after_s: float) -> Said:
    """Say what an error of the operating system means for a connection."""
    if isinstance(error, ConnectionRefusedError):
        return Said("reach_refused")
    if isinstance(error, TimeoutError):
        return Said("reach_silent", {"after_s": after_s})
    if isinstance(error, socket.gaierror):
        return Said("reach_no_name", {"host": host})
    if error.errno in (errno.ENETUNREACH, errno.EHOSTUNREACH):
        return Said("reach_no_route", {"host": host})
    return Said("reach_ended")


def why_unopened(port: str) -> Said:
    """Open a serial line once more and say what fails; `reach_ended` if nothing does."""
    try:
        import_module("serial").Serial(port, exclusive=True).close()
    except (OSError, ValueError) as error:  # a SerialException is an OSError
        number = getattr(error, "errno", None)
        if number in (errno.EACCES, errno.EPERM):
            return Said("reach_line_denied", {"port": port})
        if number in (errno.EBUSY, errno.EAGAIN) or "lock" in str(error):
            return Said("reach_line_used", {"port": port})
        if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
            return Said("reach_no_line", {"port": port})
        return Said("text", {"text": str(error)[:100]})
    return Said("reach_ended")
