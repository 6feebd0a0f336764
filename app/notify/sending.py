"""Sends in a process of its own, within a time and a memory that no peer can exceed.

A thread that waits for a peer can't be ended, and most of Apprise's services read an answer whole
and limit only the pause between two bytes. A process can be ended, and has its own memory. It is
forked from a small server that has Apprise loaded: 7 ms and 3 MB a message.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import resource
import socket
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from auscult.contract.said import Rejection

if TYPE_CHECKING:
    import requests

TOTAL_S: Final = 25.0
"""Longest time for one message, from the look-up of the name to the end of the answer."""
ANSWER_S: Final = 5.0
"""Longest time for the body of an answer whose status is known."""
MOST_ANSWER: Final = 1_000_000
"""Bytes read of an answer's body; the rest is left."""
MOST_RECEIVED: Final = 4_000_000
"""Bytes that one sending may receive by HTTP or SMTP, headers and TLS included."""
MOST_MEMORY: Final = 64 * 2**20
"""Bytes that one sending may allocate, whatever its protocol."""
MOST_TEXT: Final = 300
"""Characters of a cause, and of an answer."""
PIECE: Final = 65_536

_forked: Final = multiprocessing.get_context("forkserver")
_forked.set_forkserver_preload(["auscult.app.notify.loaded"])


class SendError(Exception):
    """A message was not delivered.

    Parameters
    ----------
    text : str
        Why; without a secret.
    answer : str
        What the peer answered, for administrators: it may be any server inside the plant.
    """

    def __init__(self, text: str, answer: str = "") -> None:
        super().__init__(text, answer)
        self.answer = answer

    def __str__(self) -> str:
        return str(self.args[0])


def within_limits(stopped: Connection, send: Callable[..., str], *arguments: Any) -> str:
    """Call `send` in a process of its own and return its result.

    Parameters
    ----------
    stopped : Connection
        Readable when the sending is to end early.
    send : callable
        At the top level of a module; raises `SendError` or `Rejection`.
    *arguments
        Must be picklable.

    Raises
    ------
    SendError
        If it fails or is rejected, takes longer than `TOTAL_S`, or needs more than `MOST_MEMORY`.
    """
    receiving, answering = _forked.Pipe(duplex=False)
    process = _forked.Process(target=_run, args=(answering, send, arguments), daemon=True)
    with receiving:
        try:
            with answering:
                process.start()
        except (OSError, EOFError) as error:
            raise SendError(f"no process to send with: {type(error).__name__}") from error
        try:
            ready = wait([receiving, stopped], TOTAL_S)
            if not ready:
                raise SendError(f"no complete answer within {TOTAL_S:g} s")
            if receiving not in ready:
                raise SendError("the dashboard was stopped")
            result = receiving.recv()
        except EOFError:
            raise SendError(
                f"the sending ended early: the answer may exceed {MOST_MEMORY // 2**20} MB"
            ) from None
        finally:
            process.kill()
            process.join()
            process.close()
    if isinstance(result, Exception):
        raise result
    return str(result)


def beginning(answer: requests.Response, *_: Any, **__: Any) -> Iterator[bytes]:
    """Give the first `MOST_ANSWER` bytes of a body, or what comes of it within `ANSWER_S`."""
    end, left = time.monotonic() + ANSWER_S, MOST_ANSWER
    while left > 0 and time.monotonic() < end:
        piece = answer.raw.read1(min(left, PIECE), decode_content=True)
        if not piece:
            return
        left -= len(piece)
        yield piece


def _run(answering: Connection, send: Callable[..., str], arguments: tuple[Any, ...]) -> None:
    # what libraries log here holds parts of the address
    logging.getLogger().addHandler(logging.NullHandler())
    logging.raiseExceptions = False
    _limit_answers()
    _limit_memory()
    result: Any
    try:
        result = send(*arguments)
    except SendError as error:
        result = error
    except Rejection as error:
        result = SendError(str(error))
    except MemoryError:
        result = SendError(f"the answer exceeds {MOST_MEMORY // 2**20} MB")
    except Exception as error:  # a plugin's own fault
        result = SendError(type(error).__name__)
    answering.send(result)
    answering.close()
    os._exit(0)  # a thread of Apprise may still wait for its peer


def _limit_answers() -> None:
    """Limit what all services of Apprise read in this process."""
    import requests  # only this process needs it

    answers: Any = requests.Response
    answers.iter_content = beginning  # their `content` is read by it
    readinto, received = socket.SocketIO.readinto, 0

    def counted(self: socket.SocketIO, b: Any) -> int | None:
        nonlocal received
        received += (count := readinto(self, b)) or 0
        if received > MOST_RECEIVED:
            raise OSError(f"the answer exceeds {MOST_RECEIVED / 1e6:g} MB")
        return count

    streams: Any = socket.SocketIO
    streams.readinto = counted


def _limit_memory() -> None:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[5])
    most = pages * resource.getpagesize() + MOST_MEMORY
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))
