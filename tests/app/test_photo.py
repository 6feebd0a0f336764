"""Pictures made to exhaust the dashboard: few bytes, many pixels, many passes, many at once."""

from __future__ import annotations

import asyncio
import io
import threading
import time

import pytest
from PIL import Image

from auscult.app.cases import photo
from auscult.contract.said import Rejection


def written(side: int, kind: str, mode: str = "L", **options) -> bytes:
    target = io.BytesIO()
    Image.new(mode, (side, side)).save(target, kind, **options)
    return target.getvalue()


def code_of(upload: bytes) -> str:
    with pytest.raises(Rejection) as rejected:
        photo.encoded(upload)
    return rejected.value.said.code


def test_pictures_that_are_decoded_whole_have_fewer_pixels() -> None:
    side = 4200  # 17.6 million pixels
    bombs = [written(side, "PNG", "1"), written(side, "JPEG", progressive=True)]
    assert max(map(len, bombs)) < 200_000
    assert [code_of(bomb) for bomb in bombs] == ["photo_too_large"] * 2
    large = photo.encoded(written(side, "JPEG"))
    assert (large.width, large.height) == (photo.LONGEST_SIDE, photo.LONGEST_SIDE)


def test_a_picture_whose_colours_come_one_after_the_other_has_fewer_pixels() -> None:
    upload = bytearray(written(4200, "JPEG", "RGB"))
    components = upload.index(photo.START_OF_SCAN) + 4
    assert upload[components] == 3
    upload[components] = 1
    assert code_of(bytes(upload)) == "photo_too_large"


def test_pictures_that_a_phone_joined_have_no_more_passes() -> None:
    one = Image.new("RGB", (64, 64))
    target = io.BytesIO()
    one.save(target, "MPO", save_all=True, append_images=[one])
    joined = target.getvalue()
    assert photo.encoded(joined).width == 64
    passes = photo.START_OF_SCAN * photo.MOST_SCANS
    assert code_of(joined + passes) == "photo_unreadable"


def test_a_picture_of_very_many_passes_is_rejected() -> None:
    usual = written(64, "JPEG", "RGB", progressive=True)
    assert photo.encoded(usual).width == 64
    last = usual[usual.rindex(photo.START_OF_SCAN) : -2]
    assert code_of(usual[:-2] + last * 1000 + usual[-2:]) == "photo_unreadable"


def test_a_picture_with_a_damaged_header_is_rejected() -> None:
    damaged = bytearray(written(8, "PNG"))
    damaged[11] = 4  # the length of the first chunk
    assert code_of(bytes(damaged)) == "photo_unreadable"


def test_one_picture_is_decoded_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    working, most = [], []

    def slow(upload: bytes) -> bytes:
        working.append(threading.get_ident())
        most.append(len(working))
        time.sleep(0.02)
        working.pop()
        return upload

    async def together() -> list[object]:
        return await asyncio.gather(*(photo.encoded_in_turn(bytes([n])) for n in range(4)))

    monkeypatch.setattr(photo, "encoded", slow)
    assert asyncio.run(together()) == [bytes([n]) for n in range(4)]
    assert max(most) == 1
