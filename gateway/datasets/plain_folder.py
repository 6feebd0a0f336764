"""A plain folder of files as a data set: folders `healthy` and `faulty`, or a short description.

`recordings.toml` beside the files describes them. Two lines are enough::

    healthy = ["*normal*"]
    faulty = ["*outer*", "*inner*"]
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from pydantic import Field, ValidationError

from auscult.contract.section import Section
from auscult.dsp.units import SampledKind
from auscult.gateway.datasets.dataset import FAULT_CLASSES
from auscult.gateway.datasets.writer import WrittenRecording, write_data_set
from auscult.gateway.files.reading import FORMATS, Meaning, read_signals
from auscult.gateway.files.records import FileError

DESCRIPTION = "recordings.toml"
ID = re.compile(r"[^A-Za-z0-9_.-]+")


class Description(Section):
    """`recordings.toml`: which files are healthy and which faulty, and what they do not state."""

    healthy: tuple[str, ...] = Field(
        default=("healthy/**/*",), description="Patterns of files, in the folder"
    )
    faulty: tuple[str, ...] = Field(default=("faulty/**/*",), description="The same")
    machine: str = Field(default="", description="Name of the machine; default: the folder's")
    kind: SampledKind | None = Field(
        default=None, description="What the sensors measure; default: sound where the unit is Pa"
    )
    unit: str = Field(default="", description="Of all channels, where the files state none")
    fs_hz: float | None = Field(default=None, gt=0, description="Rate, where they state none, Hz")
    time: str = Field(default="", description="Name of the time column, where it is not `time`")
    rate: str = Field(default="", description="Name of the number that is the rate")
    channels: dict[str, str] = Field(
        default_factory=dict,
        description="Point of each channel to be used, e.g. `{ DE_time = 'DE' }`; default: all",
    )
    speed_rpm: float | None = Field(default=None, gt=0, description="Shaft speed of all files")
    load: str = Field(default="", description="Load of all files")

    @property
    def meaning(self) -> Meaning:
        """Return what it says about the files."""
        return Meaning(self.unit, self.fs_hz, self.time, self.rate)


def is_plain(folder: Path) -> bool:
    """Return whether a folder is described otherwise than by a manifest."""
    if not folder.is_dir() or (folder / "manifest.csv").exists():
        return False
    return (folder / DESCRIPTION).exists() or all(
        (folder / n).is_dir() for n in ("healthy", "faulty")
    )


def read_description(folder: Path) -> Description:
    """Read `recordings.toml`, or the default where there is none.

    Raises
    ------
    FileError
        One line: file, key, remedy.
    """
    path = folder / DESCRIPTION
    if not path.exists():
        return Description()
    try:
        return Description.model_validate(tomllib.loads(path.read_text(encoding="utf-8")))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise FileError("folder_key", path=str(path), problem=f"{where}: {first['msg']}") from error
    except (OSError, ValueError) as error:
        raise FileError("folder_key", path=str(path), problem=str(error)) from error


def convert(folder: Path, target: Path) -> tuple[str, ...]:
    """Write a plain folder as a data set; returns one line for each file that is left out.

    Raises
    ------
    FileError
        If no file can be read, or a pattern matches none.
    """
    left_out: list[FileError] = []
    recordings = _recordings(folder, read_description(folder), left_out)
    if not write_data_set(target, recordings, left_out):
        raise left_out[0]
    return tuple(str(error) for error in left_out)


def _recordings(
    folder: Path, description: Description, left_out: list[FileError]
) -> Iterator[WrittenRecording]:
    taken: set[Path] = set()
    for label, patterns in (("healthy", description.healthy), ("faulty", description.faulty)):
        found = False
        for pattern in patterns:
            for path in sorted(folder.glob(pattern)):
                if path in taken or not path.is_file() or path.suffix.lower() not in FORMATS:
                    continue
                taken.add(path)
                found = True
                try:
                    recording = _recording(folder, path, label, description)
                except FileError as error:
                    left_out.append(error)
                else:
                    yield recording
        if not found:
            raise FileError("folder_no_files", path=str(folder), pattern=", ".join(patterns))


def _recording(folder: Path, path: Path, label: str, description: Description) -> WrittenRecording:
    signals = read_signals(path, description.meaning)
    if description.channels:
        names = [signal.name for signal in signals]
        if missing := [name for name in description.channels if name not in names]:
            raise FileError(
                "file_no_channel", path=str(path), channel=missing[0], channels=tuple(names)
            )
        signals = tuple(s for s in signals if s.name in description.channels)
    relative = path.relative_to(folder)
    points = {
        s.name: description.channels.get(s.name) or (ID.sub("_", s.name).strip("_") or "p1")
        for s in signals
    }
    points = {name: f"p{p}" if p[0] in "_.-" else p for name, p in points.items()}
    cells: dict[str, object] = {
        "machine": description.machine or folder.resolve().name,
        "label": label,
        "fault": _fault(path) if label == "faulty" else "",
        "speed_rpm": description.speed_rpm or "",
        "load": description.load,
    }
    if description.kind:
        cells["kind"] = description.kind
    return WrittenRecording(ID.sub("_", str(relative.with_suffix(""))), signals, cells, points)


def _fault(path: Path) -> str:
    """Find a fault class in the names of a file and its folder."""
    words = re.split(r"[^a-z]+", f"{path.parent.name} {path.stem}".lower())
    return next((word for word in words if word in FAULT_CLASSES), "unspecified")
