"""Files of measurement programs: TDMS, Universal File Format 58, and MDF."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from auscult.gateway.files.bounds import check_mdf, check_size
from auscult.gateway.files.records import Column, FileContent, IncompleteError

TIME_RESPONSE = 1
"""Function type of dataset 58 for samples over time; the others are spectra."""
NUMBER_BYTES = 8
UFF_MARK = b"    -1"


def read_tdms(path: Path) -> FileContent:
    """Read TDMS: rate and start by the waveform properties, unit by ``unit_string``."""
    from nptdms import TdmsFile

    columns = []
    # by its name, an index beside it would be read too
    with path.open("rb") as stream, TdmsFile.open(stream) as file:
        if file.file_status.incomplete_final_segment:
            raise IncompleteError("file_incomplete", path=str(path))
        numbers = sum(len(channel) for group in file.groups() for channel in group.channels())
        check_size(path, numbers * NUMBER_BYTES)
        for group in file.groups():
            for channel in group.channels():
                values = channel[:]
                if values.dtype.kind not in "iufM":
                    continue
                given: Mapping[str, Any] = channel.properties
                step = given.get("wf_increment")
                start = given.get("wf_start_time")
                columns.append(
                    Column(
                        f"{group.name}/{channel.name}",
                        values,
                        str(given.get("unit_string") or given.get("NI_UnitDescription") or ""),
                        1 / float(step) if step else None,
                        None if start is None else _ns(np.datetime64(start)),
                    )
                )
    return FileContent(tuple(columns))


def read_uff(path: Path) -> FileContent:
    """Read the time signals among the datasets 58 of a Universal File."""
    import pyuff

    if not path.read_bytes().rstrip().endswith(UFF_MARK):
        raise IncompleteError("file_incomplete", path=str(path))
    file = pyuff.UFF(str(path))
    columns = []
    for number, kind in enumerate(file.get_set_types()):
        if int(kind) != 58:
            continue
        found = file.read_sets(number)
        if int(found.get("func_type", 0)) != TIME_RESPONSE:
            continue
        step = float(found.get("abscissa_inc") or 0)
        if not step and len(found["x"]) > 1:
            step = float(found["x"][1] - found["x"][0])
        name = str(found.get("id1") or found.get("id4") or "").strip()
        if not name or name.upper() == "NONE":
            name = f"{found.get('rsp_node', number + 1)}:{found.get('rsp_dir', 0)}"
        columns.append(
            Column(
                name,
                np.real(np.asarray(found["data"])),
                str(found.get("ordinate_axis_units_lab") or "").strip().removesuffix("NONE"),
                1 / step if step else None,
            )
        )
    return FileContent(tuple(columns))


def read_mdf(path: Path) -> FileContent:
    """Read MDF 3 and 4: each channel of numbers with the times of its group; no attachments."""
    check_mdf(path)
    from asammdf import MDF

    columns = []
    with MDF(str(path)) as file:
        numbers = sum(group.channel_group.cycles_nr * len(group.channels) for group in file.groups)
        check_size(path, numbers * NUMBER_BYTES)
        start = file.header.start_time
        for group in range(len(file.groups)):
            channels: Any = file.groups[group].channels
            for channel in channels:
                # asammdf would read it with the samples: any file of this computer
                if hasattr(channel, "attachment"):
                    channel.attachment = None
            for signal in file.select(
                [(None, group, i) for i in range(len(file.groups[group].channels))]
            ):
                if signal.samples.dtype.kind not in "iuf" or signal.samples.ndim != 1:
                    continue
                if signal.name.lower() in ("time", "t") or len(signal.timestamps) < 2:
                    continue
                span_s = float(signal.timestamps[-1] - signal.timestamps[0])
                columns.append(
                    Column(
                        signal.name,
                        signal.samples,
                        signal.unit or "",
                        (len(signal.timestamps) - 1) / span_s if span_s > 0 else None,
                        round((start.timestamp() + float(signal.timestamps[0])) * 1e9),
                    )
                )
    return FileContent(tuple(columns))


def _ns(moment: np.datetime64) -> int:
    return int(moment.astype("datetime64[ns]").astype("int64"))
