"""Photos from phones: bounded, decoded and encoded again, so that nothing but pixels remains."""

from __future__ import annotations

import asyncio
import io
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from auscult.contract.said import Rejection

if TYPE_CHECKING:
    from PIL import Image

MOST_BYTES: Final = 12_000_000
"""Largest upload: a phone's full picture."""
MOST_PIXELS: Final = 64_000_000
"""Larger pictures are rejected before they are decoded (a bomb of compression)."""
MOST_PIXELS_WHOLE: Final = 16_000_000
"""The same for what can only be decoded whole: PNG, WebP and JPEG of several passes take up to 6
bytes a pixel, and the dashboard has 512 MB. JPEG of one pass is decoded small."""
MOST_SCANS: Final = 64
"""Passes of a JPEG; programs write about ten. Each costs a pass over the picture."""
LONGEST_SIDE: Final = 1600
QUALITY: Final = 82
START_OF_SCAN: Final = b"\xff\xda"
"""Marker before each pass; the data of a pass can't hold it (ITU-T T.81, B.1.1.5)."""
FORMATS: Final = ("JPEG", "PNG", "WEBP")


@dataclass(frozen=True, slots=True)
class Photo:
    """A JPEG without metadata."""

    image: bytes
    width: int
    height: int


_ONE = ThreadPoolExecutor(1, "photo")
"""One picture is decoded at a time, so that uploads together take the memory of one."""


async def encoded_in_turn(upload: bytes) -> Photo:
    """Return the picture as `encoded` does, after those that came before.

    Raises
    ------
    Rejection
        If it is no picture of a known format, or too large.
    """
    return await asyncio.get_running_loop().run_in_executor(_ONE, encoded, upload)


def encoded(upload: bytes) -> Photo:
    """Return the picture as a JPEG of at most `LONGEST_SIDE` pixels, upright and without metadata.

    Raises
    ------
    Rejection
        If it is no picture of a known format, or too large.
    """
    from PIL import Image

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            upright = _small(upload)
    except Rejection:
        raise
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError, Warning) as error:
        raise Rejection("photo_unreadable", formats=", ".join(FORMATS)) from error
    # a new picture: `upright` may carry EXIF, ICC, XMP and comments in `info`
    bare = Image.frombytes("RGB", upright.size, upright.tobytes())
    target = io.BytesIO()
    bare.save(target, "JPEG", quality=QUALITY, optimize=True)
    return Photo(target.getvalue(), bare.width, bare.height)


def _small(upload: bytes) -> Image.Image:
    """Return the picture upright, at most `LONGEST_SIDE` pixels; it is reduced before copies."""
    from PIL import Image, ImageOps
    from PIL.JpegImagePlugin import JpegImageFile

    picture = Image.open(io.BytesIO(upload), formats=FORMATS)
    # Phones append pictures to a JPEG (MPO); Pillow then gives another format.
    jpeg = isinstance(picture, JpegImageFile)
    in_rows = jpeg and "progressive" not in picture.info and _one_pass(upload, picture)
    limit = MOST_PIXELS if in_rows else MOST_PIXELS_WHOLE
    if picture.width * picture.height > limit:
        raise Rejection("photo_too_large", limit=limit // 1_000_000)
    if jpeg and upload.count(START_OF_SCAN) > MOST_SCANS:
        raise Rejection("photo_unreadable", formats=", ".join(FORMATS))
    picture.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))
    picture.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
    return ImageOps.exif_transpose(picture).convert("RGB")


def _one_pass(upload: bytes, picture: Image.Image) -> bool:
    """Whether the first pass of a JPEG holds all colours; libjpeg keeps the whole picture if not.

    False for a header that it can't follow.
    """
    at = 2
    while at < len(upload) and upload[at : at + 2] != START_OF_SCAN:
        at += 2 + int.from_bytes(upload[at + 2 : at + 4])
    return upload[at + 4 : at + 5] == bytes([len(picture.getbands())])
