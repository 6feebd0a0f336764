"""MATLAB files, read in a process of their own.

`scipy.io.loadmat` looks up the data type of an array in a table without a check: one changed byte
of a file ends the process (seen with scipy 1.17: SIGSEGV).
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any, Final

import numpy as np

from auscult.gateway.files.arrays import content_of, is_number, read_hdf5
from auscult.gateway.files.bounds import check_mat
from auscult.gateway.files.records import FileContent, FileError

LONGEST_S: Final = 600.0
"""Time for the largest file that the memory allows."""


def read_mat(path: Path) -> FileContent:
    """Read a MATLAB file: version 4 and 5 by scipy, 7.3 as HDF5.

    Raises
    ------
    FileError
        If the file is damaged, so that it ends the process that reads it, too.
    """
    with path.open("rb") as file:
        head = file.read(10)
    if head.startswith((b"MATLAB 7.3", b"\x89HDF")):
        return read_hdf5(path)
    check_mat(path)
    done = subprocess.run(
        [sys.executable, "-P", "-m", __name__, str(path)],
        capture_output=True, timeout=LONGEST_S, check=False,
    )  # fmt: skip
    if done.returncode:
        lines = done.stderr.decode(errors="replace").splitlines() or [""]
        detail = lines[-1] if done.returncode > 0 else "it ends the process that reads it"
        raise FileError("recording_damaged", path=str(path), format="MAT", detail=detail[:200])
    with np.load(BytesIO(done.stdout), allow_pickle=False) as archive:
        names = archive["names"].tolist()
        return content_of({name: archive[f"arr_{i}"] for i, name in enumerate(names)})


def _flat(prefix: str, fields: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Give the arrays inside MATLAB structures by their dotted name."""
    for name, value in fields.items():
        names = getattr(value, "_fieldnames", None)
        if names is not None:
            yield from _flat(f"{prefix}{name}.", {one: getattr(value, one) for one in names})
        elif isinstance(value, np.ndarray) and value.dtype == object:
            yield from _flat(f"{prefix}{name}.", _named(value.ravel().tolist()))
        elif isinstance(value, np.ndarray) or is_number(value):
            yield f"{prefix}{name}", value


def _named(elements: Sequence[Any]) -> dict[str, Any]:
    """Return the elements of an array by their field ``Name``, else by their number."""
    stated = [getattr(one, "Name", None) for one in elements]
    if len(set(stated)) == len(stated) and all(isinstance(one, str) and one for one in stated):
        return dict(zip(map(str, stated), elements, strict=True))
    return {str(number): one for number, one in enumerate(elements, start=1)}


def _main() -> None:
    """Write the numbers of a file to the standard output, as ``.npz``."""
    from scipy.io import loadmat

    loaded = loadmat(sys.argv[1], squeeze_me=True, struct_as_record=False)
    own = {name: value for name, value in loaded.items() if not name.startswith("__")}
    numbers = [(name, np.asarray(value)) for name, value in _flat("", own)]
    numbers = [(name, value) for name, value in numbers if value.dtype.kind in "iuf"]
    packed = BytesIO()
    names = np.array([name for name, _ in numbers], dtype=str)
    np.savez(packed, *(value for _, value in numbers), names=names)
    sys.stdout.buffer.write(packed.getbuffer())


if __name__ == "__main__":
    _main()
