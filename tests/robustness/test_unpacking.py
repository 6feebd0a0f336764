"""Stored parts that come with files from other computers unpack up to a bound."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable
from typing import Any

import pytest

from auscult.models.baseline import container
from auscult.models.baseline.container import StateError
from auscult.models.learning import learned_file, stored_head
from auscult.models.learning.learned_file import LearnedFile, LearnedFileError
from auscult.models.learning.stored_head import read_head

MOST = 1_000_000
BODY = zlib.compress(bytes(50 * MOST))


def state(_: Any) -> None:
    container.unpack(container.MAGIC + b"\1" + hashlib.sha256(BODY).digest() + BODY)


def head(_: Any) -> None:
    read_head(BODY)


def learned(tmp_path: Any) -> None:
    path = tmp_path / "a.learned"
    path.write_bytes(learned_file.MAGIC + hashlib.sha256(BODY).digest() + BODY)
    LearnedFile.read(path)


@pytest.mark.parametrize(
    ("read", "module", "error"),
    [
        (state, container, StateError),
        (head, stored_head, ValueError),
        (learned, learned_file, LearnedFileError),
    ],
)
def test_a_stored_part_unpacks_up_to_a_bound(
    tmp_path, monkeypatch, read: Callable[[Any], None], module: Any, error: type[Exception]
) -> None:
    monkeypatch.setattr(module, "LARGEST", MOST)
    with pytest.raises(error, match=f"more than {MOST} bytes"):
        read(tmp_path)
