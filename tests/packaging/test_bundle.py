"""The offline bundle: verified before anything changes, updated, rolled back with its data."""

from __future__ import annotations

import ensurepip
import importlib.util
import io
import random
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.machinery import SourceFileLoader
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from auscult.app.updates import bundles

DEBIAN_WHEELS = Path("/usr/share/python-wheels")
"""Debian's Python has no wheel of pip of its own."""
FOLDER = Path(__file__).parents[2] / "docker" / "bundle"


def module(name: str, path: Path):
    loader = SourceFileLoader(name, str(path))
    spec = importlib.util.spec_from_loader(name, loader)
    made = importlib.util.module_from_spec(spec)
    loader.exec_module(made)
    return made


INSTALLER = module("auscult_install", FOLDER / "auscult-install")
BUNDLE = module("make_bundle", FOLDER / "make_bundle.py")

PROGRAM = """
import shutil, sys
VERSION = "{version}"
def main():
    command, config = sys.argv[1], sys.argv[-2] if "--replace" not in sys.argv else sys.argv[-3]
    if command == "--version":
        print("auscult", VERSION)
    elif command == "backup":
        shutil.copy(config + ".data", sys.argv[-1])
    elif command == "restore":
        shutil.copy(sys.argv[-2], config + ".data")
    elif command == "health":
        open(sys.argv[2] + ".data", "w").write("data of " + VERSION)
        sys.exit(VERSION == "3.0")
"""


def bundle(folder: Path, version: str, key: Ed25519PrivateKey) -> Path:
    """Make a bundle of a program that is healthy, except for version 3.0."""
    content = folder / version
    (content / "wheels").mkdir(parents=True)
    places = (Path(ensurepip.__file__).parent / "_bundled", DEBIAN_WHEELS)
    pip = next(wheel for place in places for wheel in place.glob("pip-*.whl"))
    shutil.copy(pip, content / "wheels")
    about = f"auscult-{version}.dist-info"
    files = {
        "fake_auscult.py": PROGRAM.format(version=version),
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: auscult\nVersion: {version}\n"
        "License: Apache-2.0\n",
        f"{about}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{about}/entry_points.txt": "[console_scripts]\nauscult = fake_auscult:main\n",
        f"{about}/RECORD": "",
    }
    with zipfile.ZipFile(content / "wheels" / f"auscult-{version}-py3-none-any.whl", "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)
    (content / "requirements.txt").write_text(f"auscult=={version}\n")
    path = folder / f"auscult-{version}.bundle"
    BUNDLE.write(content, path, version, key.sign)
    return path


def install(*args: object, code: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, FOLDER / "auscult-install", *map(str, args)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_the_installers_signature_check_agrees_with_cryptography() -> None:
    seeded = random.Random(5)
    for _ in range(5):
        key, message = Ed25519PrivateKey.generate(), seeded.randbytes(100)
        public, signature = key.public_key().public_bytes_raw(), key.sign(message)
        assert INSTALLER.is_signed(public, message, signature)
        for index in (0, 31, 32, 63):
            changed = bytearray(signature)
            changed[index] ^= 1 << seeded.randrange(8)
            assert not INSTALLER.is_signed(public, message, bytes(changed))
        assert not INSTALLER.is_signed(public, message + b" ", signature)
        other = Ed25519PrivateKey.generate().public_key().public_bytes_raw()
        assert not INSTALLER.is_signed(other, message, signature)


def test_no_changed_bundle_is_accepted(tmp_path) -> None:
    key = Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes_raw().hex()
    whole, seeded = bundle(tmp_path, "1.0", key).read_bytes(), random.Random(6)
    bad = tmp_path / "bad.bundle"
    contents = INSTALLER.verified(tmp_path / "auscult-1.0.bundle", public)["files"]
    for trial in range(20):
        changed = bytearray(whole)
        if trial % 5 == 0:
            changed = changed[: seeded.randrange(len(whole) - 10_240)]
        else:
            changed[seeded.randrange(len(whole))] ^= 1 << seeded.randrange(8)
        bad.write_bytes(changed)
        try:
            # a tar has bytes without meaning (padding, times); the content must be the same
            assert INSTALLER.verified(bad, public)["files"] == contents
        except INSTALLER.InstallError as error:
            assert "nothing was changed" in str(error)  # noqa: PT017


def header(name: str, size: bytes, kind: bytes = b"0", real: bytes = b"") -> bytes:
    """Return 512 bytes of a tar with a size that no program writes."""
    block = bytearray(tarfile.TarInfo(name).tobuf(tarfile.GNU_FORMAT)[:512])
    block[124:136], block[156:157] = size, kind
    if real:
        block[386:410], block[483:495] = b"00000000000\0" * 2, real
    block[148:156] = b" " * 8
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block)


def linked(name: str, target: str) -> tarfile.TarInfo:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = tarfile.SYMTYPE, target
    return entry


@pytest.mark.parametrize(
    "hidden", ["link", "own link", "twice", "twice the manifest", "packed", "no end", "terabytes"]
)
def test_a_tar_that_hides_something_is_rejected(hidden, tmp_path) -> None:
    """The right files with the right signature, and more: found before anything is unpacked."""
    key = Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes_raw().hex()
    right, bad = bundle(tmp_path, "1.0", key), tmp_path / "bad.bundle"
    blocks = right.read_bytes()
    first = {
        "no end": header("x", b"\xff" * 10 + (2**16 - 1024).to_bytes(2, "big")),
        "terabytes": header(
            "MANIFEST.json", b"00000000000\0", b"S", b"\x80" + (2**42).to_bytes(11, "big")
        ),
    }
    if hidden in first:
        bad.write_bytes(first[hidden] + blocks)
    else:
        with (
            tarfile.open(right) as source,
            tarfile.open(bad, "w:gz" if hidden == "packed" else "w") as changed,
        ):
            if hidden.endswith("link"):
                target = "/etc/passwd" if hidden == "link" else "requirements.txt"
                changed.addfile(linked("MANIFEST.json", target))
            if hidden.startswith("twice"):
                entry = tarfile.TarInfo(
                    "MANIFEST.json" if "manifest" in hidden else "requirements.txt"
                )
                entry.size = 5
                changed.addfile(entry, io.BytesIO(b"other"))
            for member in source:
                changed.addfile(member, source.extractfile(member))
    with pytest.raises(INSTALLER.InstallError, match="nothing was changed"):
        INSTALLER.verified(bad, public)
    with pytest.raises(bundles.BundleError):
        bundles.add(bad, tmp_path / "bundles", public)
    assert not list((tmp_path / "bundles").glob("*.bundle"))
    assert INSTALLER.verified(right, public)["version"] == "1.0"


@pytest.mark.nightly
def test_an_update_that_fails_runs_the_old_version_with_its_data(tmp_path) -> None:
    key = Ed25519PrivateKey.generate()
    root, etc = tmp_path / "root", tmp_path / "etc"
    etc.mkdir()
    (etc / "gateway.toml").touch()
    data = etc / "gateway.toml.data"
    data.write_text("first data")
    where = ("--key", key.public_key().public_bytes_raw().hex(), "--root", root, "--etc", etc)
    health = ("--health", f"{root}/current/bin/auscult health {etc}/gateway.toml")
    install("install", bundle(tmp_path, "1.0", key), *where)
    install("update", bundle(tmp_path, "2.0", key), *where, *health)
    assert data.read_text() == "data of 2.0"
    said = install("update", bundle(tmp_path, "3.0", key), *where, *health, code=1)
    assert "not healthy; version 2.0 runs again with its data" in said
    assert (root / "current").readlink().name == "2.0"
    assert (root / "previous").readlink().name == "1.0", "not the version that failed"
    assert data.read_text() == "data of 2.0"
    assert "has a version already" in install(
        "install", tmp_path / "auscult-1.0.bundle", *where, code=1
    )
    data.write_text("new data of 2.0")
    install("update", bundle(tmp_path, "4.0", key), *where, *health)
    assert install("rollback", *where[2:]) == "version 2.0 runs again\n"
    assert data.read_text() == "new data of 2.0"
    foreign = bundle(tmp_path, "5.0", Ed25519PrivateKey.generate())
    assert "not signed by this key" in install("update", foreign, *where, code=1)
    assert not (root / "versions" / "5.0").exists()


def pins(path: Path) -> dict[str, str]:
    lines = path.read_text().splitlines()
    return dict(
        line.split()[0].split("==") for line in lines if line[:1].isalnum() and "==" in line
    )


def test_images_install_the_locked_versions_with_hashes() -> None:
    root = FOLDER.parents[1]
    lock = pins(root / "requirements.lock")
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    extras = ("gateway", "dashboard", "opcua", "modbus", "postgres")
    optional = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(one for extra in extras for one in optional[extra])]
    path = root / "docker" / "requirements.txt"
    hashed = pins(path)
    assert {name: lock.get(name) for name in hashed} == hashed, "run `make lock`"
    names = {re.split(r"[\[<>=!;~ ]", one)[0].lower().replace("_", "-") for one in wanted}
    assert names - set(hashed) - {"auscult"} == set(), "run `make lock`"
    assert path.read_text().count("--hash=sha256:") >= len(hashed)
