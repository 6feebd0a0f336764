"""Photos from phones: bounded, decoded and encoded again, so that nothing but pixels remains."""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from typing import Final

from PIL import Image, ImageOps

from auscult.gateway.messages.said import Rejection

MOST_BYTES: Final = 12_000_000
"""Largest upload: a phone's full picture."""
MOST_PIXELS: Final = 64_000_000
"""Larger pictures are rejected before they are decoded (a bomb of compression)."""
LONGEST_SIDE: Final = 1600
QUALITY: Final = 82
FORMATS: Final = ("JPEG", "PNG", "WEBP")


@dataclass(frozen=True, slots=True)
class Photo:
    """A JPEG without metadata."""

    image: bytes
    width: int
    height: int


def encoded(upload: bytes) -> Photo:
    """Return the picture as a JPEG of at most `LONGEST_SIDE` pixels, upright and without metadata.

    Raises
    ------
    Rejection
        If it is no picture of a known format, or too large.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            upright = _upright(upload)
    except (OSError, SyntaxError, Image.DecompressionBombError, Warning) as error:
        raise Rejection("photo_unreadable", formats=", ".join(FORMATS)) from error
    upright.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    # a new picture: `upright` may carry EXIF, ICC, XMP and comments in `info`
    bare = Image.frombytes("RGB", upright.size, upright.tobytes())
    target = io.BytesIO()
    bare.save(target, "JPEG", quality=QUALITY, optimize=True)
    return Photo(target.getvalue(), bare.width, bare.height)


def _upright(upload: bytes) -> Image.Image:
    picture = Image.open(io.BytesIO(upload), formats=FORMATS)
    if picture.width * picture.height > MOST_PIXELS:
        raise Rejection("photo_too_large", limit=MOST_PIXELS // 1_000_000)
    picture.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))
    return ImageOps.exif_transpose(picture).convert("RGB")
