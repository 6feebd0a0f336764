"""Well-known public recordings: where they are, and how their files become a data set.

Auscult downloads nothing. A converter (`public_files`) reads the files as their authors publish
them; its result carries the SHA-256 of each file, so that two people can compare what they
converted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from auscult.file_hash import sha256_of
from auscult.gateway.datasets.nab import write_temperatures
from auscult.gateway.datasets.public_files import (
    cwru,
    harbin,
    ims,
    mfpt,
    normal_abnormal,
    openei,
    paderborn,
    pronostia,
    uestc,
    xjtu,
)
from auscult.gateway.datasets.skab import write_values
from auscult.gateway.datasets.writer import WrittenRecording, write_data_set
from auscult.gateway.files.records import FileError

SUMS = "SHA256SUMS"


@dataclass(frozen=True, slots=True)
class PublicSet:
    """A public set.

    Parameters
    ----------
    name, title : str
    source : str
        Where its authors offer it.
    licence : str
        As its authors state it; "none stated" where they state none.
    size : str
        About, as downloaded.
    pattern : str
        Files that are converted, below the user's folder; empty where there is no converter.
    convert : callable or None
        Makes recordings of the files.
    write : callable or None
        Writes what the files become in a folder of its own form, where they are no recordings.
    note : str
        What a user must know.
    """

    name: str
    title: str
    source: str
    licence: str
    size: str
    pattern: str = ""
    convert: Callable[[list[Path]], Iterator[WrittenRecording]] | None = None
    write: Callable[[list[Path], Path], int] | None = None
    note: str = ""


def convert(public: PublicSet, downloaded: Path, target: Path) -> int:
    """Convert what a user has downloaded; returns the number of recordings.

    Raises
    ------
    FileError
        If there is no converter, no file matches, or a file is not what its name says.
    """
    if public.convert is None and public.write is None:
        raise FileError("set_no_converter", name=public.name, note=public.note)
    files = sorted(path for path in downloaded.glob(public.pattern) if path.is_file())
    if not files:
        raise FileError("folder_no_files", path=str(downloaded), pattern=public.pattern)
    if public.convert is not None:
        count = write_data_set(target, public.convert(files))
    elif public.write is not None:
        count = public.write(files, target)
    if count == 0:
        raise FileError("folder_no_files", path=str(downloaded), pattern=public.pattern)
    lines = [f"{sha256_of(path)}  {path.relative_to(downloaded)}\n" for path in files]
    (target / SUMS).write_text("".join(lines), encoding="utf-8")
    return count


_GFD_NOTE: Final = "the rate is not documented: 4.3 kHz by the lines of the shaft at 30 Hz"
_BY_NAME: Final = (
    "the authors' file format could not be looked up: any format that 'auscult import-files' "
    "reads, by the file names"
)

SETS: Final[dict[str, PublicSet]] = {
    one.name: one
    for one in (
        PublicSet("cwru", "Case Western Reserve bearing data",
                  "engineering.case.edu/bearingdatacenter",
                  "none stated; free with credit by custom", "0.7 GB", "**/*.mat", cwru),
        PublicSet("pronostia", "PRONOSTIA, IEEE PHM 2012 challenge (FEMTO)",
                  "github.com/wkzs111/phm-ieee-2012-data-challenge-dataset",
                  "none stated; public challenge data", "0.7 GB", "**/acc_*.csv", pronostia),
        PublicSet("mfpt", "MFPT bearing fault data", "www.mfpt.org/fault-data-sets",
                  "none stated; offered for research", "0.1 GB", "**/*.mat", mfpt),
        PublicSet("openei623", "Gearbox fault diagnosis, OpenEI 623",
                  "data.openei.org/submissions/623", "CC BY 4.0", "40 MB", "**/[hb]30hz*.*",
                  openei, note=_GFD_NOTE),
        PublicSet("uestc", "UESTC bearing rig (UC204)", "University of Electronic Science and "
                  "Technology of China", "free for bearing research with citation", "",
                  "**/*_*rpm_rec*.*", uestc, note=_BY_NAME),
        PublicSet("harbin", "Harbin Institute of Technology bearing rig", "Harbin Institute of "
                  "Technology", "free for fault classification", "", "**/*rpm_*.*", harbin,
                  note=_BY_NAME),
        PublicSet("dcase", "DCASE task 2, machine sounds",
                  "dcase.community (task 2, on zenodo.org)", "CC BY-NC-SA 4.0", "10 GB a year",
                  "**/*.wav", normal_abnormal),
        PublicSet("mimii", "MIMII: valves, pumps, fans, slide rails", "zenodo.org/records/3384388",
                  "CC BY-SA 4.0", "100 GB", "**/*.wav", normal_abnormal),
        PublicSet("xjtu", "XJTU-SY bearings run to failure",
                  "biaowang.tech/xjtu-sy-bearing-datasets",
                  "none stated; free for research with citation", "12 GB", "**/*.csv", xjtu),
        PublicSet("paderborn", "Paderborn University bearing data (KAt)",
                  "mb.uni-paderborn.de/kat/datacenter", "CC BY-NC 4.0", "20 GB", "**/N*_M*_F*.mat",
                  paderborn),
        PublicSet("ims", "IMS, University of Cincinnati, run to failure",
                  "data.nasa.gov (Prognostics Center of Excellence)", "none stated; public",
                  "6 GB", "**/[12]*.*.*.*.*.*", ims,
                  note="the first 43 files of test 1 were taken every 5 min, all others every 10"),
        PublicSet("skab", "SKAB: water pump test bed", "github.com/waico/SKAB", "GPL-3.0", "6 MB",
                  "**/*.csv", write=write_values,
                  note="values once a second, no waveforms: becomes values.toml with tables, and "
                  "lines to push by HTTP"),
        PublicSet("nab", "Numenta Anomaly Benchmark: temperatures of a machine and of an office",
                  "github.com/numenta/NAB", "MIT (data: as its authors state)", "30 MB",
                  "data/realKnownCause/*temperature_system_failure.csv", write=write_temperatures,
                  note="values over months, no waveforms: becomes values.toml with tables"),
    )
}  # fmt: skip
