"""Makes the offline bundle: wheels, units, compose files, documentation, SBOM, one signature.

    python docker/bundle/make_bundle.py --wheel dist/auscult-VERSION.whl --key release.key

Needs a network or `--find-links`; the machine that installs needs neither. The private key is made
at its first use; its public key is printed and reaches the plants another way than the bundle.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable
from email.parser import HeaderParser
from pathlib import Path
from typing import Any

from auscult.link.signing import load_or_make_key, public_hex

sys.path.insert(0, str(Path(__file__).parent))
from sbom import component, document

ROOT = Path(__file__).parents[2]
EXTRAS = ("gateway", "dashboard", "opcua", "modbus", "postgres")
SHARED = ("systemd", "monitoring", "mosquitto")
INSTALLER = ("auscult-install", "auscult-update")


def main() -> None:
    """Make the bundle and print its path and the public key."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wheel", type=Path, required=True)
    parser.add_argument("--key", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--extras", default=",".join(EXTRAS))
    asked = parser.parse_args()
    version = asked.wheel.name.split("-")[1]
    machine = platform.machine()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        collect(folder, asked.wheel.resolve(), asked.extras, version)
        out = asked.out / f"auscult-{version}-{machine}.bundle"
        key = load_or_make_key(asked.key)
        write(folder, out, version, key.sign)
    print(f"{out}\nsigned by {public_hex(key)}")  # noqa: T201


def collect(folder: Path, wheel: Path, extras: str, version: str) -> None:
    """Bring together what the bundle holds."""
    wheels = folder / "wheels"
    wheels.mkdir()
    lock = ["--constraint", str(ROOT / "requirements.lock")]
    pip = [sys.executable, "-m", "pip", "--quiet", "wheel", "--wheel-dir", str(wheels)]
    subprocess.run([*pip, *lock, f"auscult[{extras}] @ {wheel.as_uri()}"], check=True)
    subprocess.run([*pip, "pip"], check=True)
    (folder / "requirements.txt").write_text(f"auscult[{extras}]=={version}\n")
    (folder / "sbom.cdx.json").write_text(json.dumps(sbom(wheels, version), indent=1))
    (folder / "installer").mkdir()
    for name in INSTALLER:
        shutil.copy(ROOT / "docker" / "bundle" / name, folder / "installer")
    for part in SHARED:
        for path in sorted((ROOT / "docker" / part).rglob("*")):
            if path.is_file():
                target = folder / path.relative_to(ROOT / "docker")
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(path.read_bytes())


def sbom(wheels: Path, version: str) -> dict[str, Any]:
    """Return the bill of materials (CycloneDX 1.5) of a folder of wheels, with their licences."""
    components = []
    for path in sorted(wheels.glob("*.whl")):
        with zipfile.ZipFile(path) as archive:
            about = next(n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
            metadata = HeaderParser().parsestr(archive.read(about).decode())
        components.append(component(metadata, hashlib.sha256(path.read_bytes()).hexdigest()))
    return document(components, version)


def write(folder: Path, out: Path, version: str, sign: Callable[[bytes], bytes]) -> None:
    """Write the bundle: the signed list of hashes first, then all files."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    manifest = {
        "version": version,
        "machine": platform.machine(),
        "python": "{}.{}".format(*sys.version_info),
        "files": {
            path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in files
        },
    }
    text = json.dumps(manifest, indent=1).encode()
    out.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(out, "w") as archive:
        for name, content in (("MANIFEST.json", text), ("MANIFEST.sig", sign(text).hex().encode())):
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
        for path in files:
            archive.add(path, path.relative_to(folder).as_posix())


if __name__ == "__main__":
    main()
