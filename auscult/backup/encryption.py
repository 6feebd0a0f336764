"""Encryption of a whole file by a passphrase: AES-256-GCM in pieces, each bound to its place.

The pieces follow the STREAM construction (Hoang, Reyhanitabar, Rogaway, Vizár 2015): the nonce
counts them and the last one is marked, so a piece that is changed, moved or missing is noticed.
"""

from __future__ import annotations

import secrets
import struct
from collections.abc import Iterator
from typing import BinaryIO

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

MAGIC = b"auscult encrypted 1\n"
PIECE = 1 << 20
SALT, PREFIX, TAG = 16, 7, 16
LOG2_COST = 15
"""Of scrypt (r = 8, p = 1): 32 MB and about 0.1 s for each guess."""


class EncryptionError(Exception):
    """The file can't be decrypted: a wrong passphrase, or a changed file."""


def is_encrypted(file: BinaryIO) -> bool:
    """Tell by its beginning; the position stays."""
    start = file.tell()
    begins = file.read(len(MAGIC)) == MAGIC
    file.seek(start)
    return begins


def encrypt(source: BinaryIO, target: BinaryIO, passphrase: str) -> None:
    """Write `source` to `target`, encrypted."""
    salt, prefix = secrets.token_bytes(SALT), secrets.token_bytes(PREFIX)
    target.write(MAGIC + salt + prefix)
    cipher = _cipher(passphrase, salt)
    target.writelines(
        cipher.encrypt(_nonce(prefix, number, last), piece, MAGIC)
        for number, piece, last in _pieces(source, PIECE)
    )


def decrypt(source: BinaryIO, target: BinaryIO, passphrase: str) -> None:
    """Write the content of an encrypted file to `target`.

    Raises
    ------
    EncryptionError
    """
    source.read(len(MAGIC))
    salt, prefix = source.read(SALT), source.read(PREFIX)
    cipher = _cipher(passphrase, salt)
    for number, piece, last in _pieces(source, PIECE + TAG):
        try:
            target.write(cipher.decrypt(_nonce(prefix, number, last), piece, MAGIC))
        except (InvalidTag, ValueError):
            cause = (
                "the passphrase is wrong, or the file was changed"
                if number == 0
                else (f"the file was changed or cut after {number * PIECE} bytes")
            )
            raise EncryptionError(cause) from None


def _pieces(file: BinaryIO, size: int) -> Iterator[tuple[int, bytes, bool]]:
    number, piece = 0, file.read(size)
    while True:
        following = file.read(size)
        yield number, piece, not following
        if not following:
            return
        number, piece = number + 1, following


def _nonce(prefix: bytes, number: int, last: bool) -> bytes:
    return prefix + struct.pack(">IB", number, last)


def _cipher(passphrase: str, salt: bytes) -> AESGCM:
    kdf = Scrypt(salt=salt, length=32, n=1 << LOG2_COST, r=8, p=1)
    return AESGCM(kdf.derive(passphrase.encode()))
