"""Debian arm64 with the locked wheels in a folder, run by qemu's user emulation.

qemu must be 8 or newer: under 7.2 (Debian 12) the interpreter of the network ends by a segmentation
fault in its start. Where none is installed, the package of Debian 13 is unpacked in the folder.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path

from tests.images.engine import ROOT

LEAST_QEMU = 8
NAMES = ("qemu-aarch64", "qemu-aarch64-static")
NEWER = "trixie"
PLATFORMS = ("manylinux_2_28_aarch64", "manylinux_2_27_aarch64", "manylinux_2_17_aarch64")


@dataclass(frozen=True)
class Arm64:
    """A root of Debian arm64, and what runs its programs here."""

    qemu: Path
    root: Path
    site: Path

    def start(self, *arguments: str, folder: Path, log: Path) -> subprocess.Popen[bytes]:
        """Start its Python, in a folder."""
        command = [str(self.qemu), "-L", str(self.root), str(self.root / "usr/bin/python3.11")]
        environment = {"PYTHONPATH": str(self.site), "OMP_NUM_THREADS": "1", "PATH": "/usr/bin"}
        with log.open("wb") as out:
            return subprocess.Popen(
                [*command, *arguments], cwd=folder, env=environment, stdout=out, stderr=out
            )


def make(folder: Path) -> Arm64:
    """Build the root from Debian's packages, the wheels of the images' lock, and our wheel."""
    folder.mkdir()
    root, wheels, site = folder / "root", folder / "wheels", folder / "site"
    subprocess.run(
        ["mmdebstrap", "--quiet", "--mode=root", "--variant=extract", "--architectures=arm64",
         "--include=python3,libstdc++6,libgomp1,ca-certificates", "bookworm", root],
        check=True,
    )  # fmt: skip
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run(
        [*pip, "download", "--no-deps", "--only-binary=:all:", "--require-hashes",
         *(f"--platform={one}" for one in PLATFORMS), "--python-version=3.11",
         "--implementation=cp", "--abi=cp311", "--abi=abi3", "--abi=none",
         f"--dest={wheels}", f"--requirement={ROOT / 'docker/requirements.txt'}"],
        check=True,
    )  # fmt: skip
    subprocess.run(
        [*pip, "wheel", "--no-deps", "--no-build-isolation", f"--wheel-dir={wheels}", str(ROOT)],
        check=True,
    )
    for wheel in wheels.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(site)
    return Arm64(_installed_qemu() or _unpacked_qemu(folder / "qemu"), root, site)


def _installed_qemu() -> Path | None:
    for name in NAMES:
        if (found := shutil.which(name)) is not None:
            shown = subprocess.run([found, "--version"], capture_output=True, text=True, check=True)
            version = re.search(r"version (\d+)", shown.stdout)
            if version is not None and int(version[1]) >= LEAST_QEMU:
                return Path(found)
    return None


def _unpacked_qemu(folder: Path) -> Path:
    """Unpack the package of Debian 13 from this machine's own mirror; nothing is installed."""
    (folder / "lists/partial").mkdir(parents=True)
    (folder / "cache/archives/partial").mkdir(parents=True)
    asked = ["apt-get", "indextargets", "--format", "$(REPO_URI)", "Codename: bookworm"]
    mirrors = subprocess.run(asked, capture_output=True, text=True, check=True).stdout.split()
    (folder / "sources.list").write_text(f"deb {mirrors[0]} {NEWER} main\n")
    apt = [
        "apt-get", "-qq", f"-oDir::Etc::sourcelist={folder}/sources.list",
        "-oDir::Etc::sourceparts=-", f"-oDir::State::lists={folder}/lists",
        f"-oDir::Cache={folder}/cache", "-oAPT::Sandbox::User=root",
    ]  # fmt: skip
    subprocess.run([*apt, "update"], check=True)
    subprocess.run([*apt, "download", "qemu-user"], cwd=folder, check=True, env=dict(os.environ))
    subprocess.run(["dpkg", "-x", next(folder.glob("*.deb")), folder], check=True)
    return folder / "usr/bin/qemu-aarch64"
