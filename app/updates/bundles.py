"""Bundles that gateways may be offered: verified, then stored by their hash."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tarfile
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from auscult.contract.said import Rejection

MANIFEST, SIGNATURE = "MANIFEST.json", "MANIFEST.sig"
PIECE_BYTES = 1 << 20
MOST_LIST_BYTES = 10_000_000


class BundleError(Rejection):
    """A file is no bundle that gateways could install."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """What is known of a bundle: `platform` is processor and Python, as `x86_64-3.11`."""

    sha256: str
    version: str
    platform: str
    size: int


def add(source: Path, folder: Path, key: str) -> Bundle:
    """Verify a bundle by the release's public key, and copy it into the folder by its hash.

    Raises
    ------
    BundleError
        If it is not signed by this key or damaged.
    OSError
        If it can't be read or the folder not be written.
    """
    manifest = _verified(source, key)
    platform = f"{manifest['machine']}-{manifest['python']}"
    folder.mkdir(parents=True, exist_ok=True)
    aside = folder / f".{os.getpid()}.tmp"
    try:
        shutil.copyfile(source, aside)
        with aside.open("rb+") as copy:
            digest = hashlib.file_digest(copy, "sha256").hexdigest()
            os.fsync(copy.fileno())
        aside.replace(path_of(folder, digest))
    finally:
        aside.unlink(missing_ok=True)
    return Bundle(digest, manifest["version"], platform, path_of(folder, digest).stat().st_size)


def path_of(folder: Path, sha256: str) -> Path:
    """Return the file of a bundle."""
    return folder / f"{sha256}.bundle"


def _verified(source: Path, key: str) -> dict[str, str]:
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
        with tarfile.open(source, "r:") as archive:
            members = _plain_files(archive, source)
            text, signature = (
                _content(archive, members.pop(name)) for name in (MANIFEST, SIGNATURE)
            )
            public.verify(bytes.fromhex(signature.decode()), text)
            manifest = json.loads(text)
            found = {name: _sha256(archive, member) for name, member in members.items()}
        about = {name: str(manifest[name]) for name in ("version", "machine", "python")}
    except InvalidSignature:
        raise BundleError("bundle_unsigned", path=str(source)) from None
    except (KeyError, ValueError, TypeError, EOFError, tarfile.TarError) as error:
        raise BundleError("bundle_damaged", path=str(source), cause=str(error)) from None
    if found != manifest["files"]:
        raise BundleError("bundle_damaged", path=str(source), cause="a hash differs")
    return about


def _plain_files(archive: tarfile.TarFile, source: Path) -> dict[str, tarfile.TarInfo]:
    """Return the members by name, as `auscult-install` does: plain files, each name once."""
    size, found = source.stat().st_size, dict[str, tarfile.TarInfo]()
    for member in archive:
        if not member.isreg() or member.issparse() or not 0 <= member.size <= size:
            raise ValueError(f"{member.name} is no plain file")
        if member.name in found:
            raise ValueError(f"{member.name} is there twice")
        found[member.name] = member
    return found


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    file = archive.extractfile(member)
    return file.read(MOST_LIST_BYTES) if file is not None else b""


def _sha256(archive: tarfile.TarFile, member: tarfile.TarInfo) -> str:
    file, digest = archive.extractfile(member), hashlib.sha256()
    while file is not None and (piece := file.read(PIECE_BYTES)):
        digest.update(piece)
    return digest.hexdigest()
