"""Download of a bundle in pieces; it continues after any interruption, also a power cut."""

from __future__ import annotations

import os
import ssl
import threading
import urllib.error
import urllib.request
from pathlib import Path

from auscult.contract.requests import UpdateArgs
from auscult.contract.said import Rejection
from auscult.file_hash import sha256_of

PIECE_BYTES = 1 << 20
"""A piece takes seconds on a slow line, and a lost one costs little."""
TIMEOUT_S = 30.0
PAUSE_S = (1.0, 60.0)
"""First and longest pause after a failed piece; it doubles."""
GONE = (401, 403, 404, 410)
"""The dashboard no longer offers it."""


class DownloadError(Rejection):
    """The bundle can't be had; trying again would not help."""


def download(asked: UpdateArgs, path: Path, stopping: threading.Event) -> bool:
    """Download a bundle to a file, the part first; False if it was stopped.

    Raises
    ------
    DownloadError
        If the dashboard no longer offers it, or sends other bytes than it announced.
    OSError
        If the disk fails.
    """
    part = part_of(path, asked)
    for earlier in path.parent.glob("*.part"):
        if earlier != part:
            earlier.unlink()
    resumed = have(part) > 0
    while True:
        if not _fill(asked, part, stopping):
            return False
        if sha256_of(part) == asked.sha256:
            break
        part.unlink()
        if not resumed:
            raise DownloadError("update_other_bytes", version=asked.version)
        resumed = False  # a power cut may have spoiled what was there: once more, from the start
    part.replace(path)
    return True


def part_of(path: Path, asked: UpdateArgs) -> Path:
    """Return the file of the bytes so far."""
    return path.with_name(f"{asked.sha256}.part")


def have(part: Path) -> int:
    """Return how many bytes are there."""
    try:
        return part.stat().st_size
    except FileNotFoundError:
        return 0


def _fill(asked: UpdateArgs, part: Path, stopping: threading.Event) -> bool:
    pause_s = PAUSE_S[0]
    while (at := have(part)) < asked.size:
        if stopping.is_set():
            return False
        try:
            piece = _piece(asked, at)
        except urllib.error.HTTPError as error:
            if error.code in GONE:
                raise DownloadError("update_gone", version=asked.version) from error
            piece = b""
        except (OSError, ValueError):
            piece = b""
        if piece:
            with part.open("ab") as file:
                file.write(piece)
                os.fsync(file.fileno())
            pause_s = PAUSE_S[0]
        else:
            if stopping.wait(pause_s):
                return False
            pause_s = min(2 * pause_s, PAUSE_S[1])
    if at > asked.size:
        part.unlink()
        return _fill(asked, part, stopping)
    return True


def _piece(asked: UpdateArgs, at: int) -> bytes:
    end = min(at + PIECE_BYTES, asked.size) - 1
    request = urllib.request.Request(  # noqa: S310 - http or https, by the pattern of the command
        asked.url, headers={"Range": f"bytes={at}-{end}", "Authorization": f"Bearer {asked.key}"}
    )
    # The signed command names the hash, and the bundle is signed: the server need not be known.
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with urllib.request.urlopen(request, timeout=TIMEOUT_S, context=context) as answer:  # noqa: S310
        placed = str(answer.headers.get("Content-Range", "")).startswith(f"bytes {at}-")
        whole = answer.status == 200 and at == 0 and end + 1 == asked.size
        if not placed and not whole:
            raise ValueError("the answer is not the range that was asked for")
        return bytes(answer.read(end + 1 - at))
