"""Signatures of commands and receipts: the broker's password alone can forge neither of them.

The dashboard signs each of these messages with its own Ed25519 key. The signature covers the topic,
so that no other gateway accepts it, and all that determines what is done: id, actor, expiry and
arguments of a command, time and ids of a receipt.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TypeVar

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from auscult.contract.payloads import Command, Receipt
from auscult.contract.said import Rejection

GATEWAY_KEY = "delta.key"
"""File in a gateway's data folder: the key that signs its deltas and proofs."""
_PURPOSES = {Command: b"auscult command 1\n", Receipt: b"auscult receipt 1\n"}
"""Separates these signatures from each other, and from others made with the same kind of key."""

Signable = TypeVar("Signable", Command, Receipt)


class KeyFileError(Rejection):
    """A file holds no Ed25519 key."""


def load_or_make_key(path: Path) -> Ed25519PrivateKey:
    """Return the key in a file; a missing one is made, readable by its user only.

    Raises
    ------
    KeyFileError
        If the file holds no such key.
    """
    if not path.exists():
        path.parent.mkdir(0o700, parents=True, exist_ok=True)
        pem = Ed25519PrivateKey.generate().private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        aside = path.with_name(f"{path.name}.{os.getpid()}.tmp")
        aside.unlink(missing_ok=True)
        descriptor = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(pem)
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(aside, path)
        except FileExistsError:
            pass  # another worker was first: all use its key
        finally:
            aside.unlink()
    try:
        key = serialization.load_pem_private_key(path.read_bytes(), None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise KeyFileError("key_unreadable", path=str(path), cause=str(error)) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyFileError("key_not_ed25519", path=str(path))
    return key


def public_hex(key: Ed25519PrivateKey) -> str:
    """Return the public key, 64 hexadecimal digits."""
    return key.public_key().public_bytes_raw().hex()


def signed(message: Signable, topic: str, key: Ed25519PrivateKey) -> Signable:
    """Return the message with key and signature, for this topic."""
    signature = key.sign(_content(message, topic)).hex()
    return message.model_copy(update={"key": public_hex(key), "signature": signature})


def is_signed(message: Command | Receipt, topic: str) -> bool:
    """Check the signature against the key that the message names.

    Whether that key is trusted is for the caller to decide.
    """
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(message.key))
        key.verify(bytes.fromhex(message.signature), _content(message, topic))
    except (ValueError, InvalidSignature):
        return False
    return True


def _content(message: Command | Receipt, topic: str) -> bytes:
    if isinstance(message, Command):
        what = [message.id, message.actor, message.expires_ms, message.args]
    else:
        what = [message.ts, message.ids]
    text = json.dumps([topic, *what], sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return _PURPOSES[type(message)] + text.encode()
