"""The id of this data folder: it distinguishes two gateways with the same gateway id."""

from __future__ import annotations

from pathlib import Path

from ulid import ULID

from auscult.durable import write_durably

FILE_NAME = "instance"


def instance_id(data_dir: Path) -> str:
    """Read the id of a data folder; make it at the first start."""
    path = data_dir / FILE_NAME
    try:
        return str(ULID.from_str(path.read_text(encoding="ascii").strip()))
    except (FileNotFoundError, ValueError):
        made = str(ULID())
        data_dir.mkdir(0o700, parents=True, exist_ok=True)
        write_durably(path, f"{made}\n".encode("ascii"))
        return made
