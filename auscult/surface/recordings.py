"""Recordings with a manifest, and those that are shipped."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path
from typing import Literal

import numpy as np

from auscult.dsp.settings import MIN_SAMPLES
from auscult.dsp.spec import FeatureSpec
from auscult.dsp.units import SOUND_UNITS, VIBRATION_UNITS
from auscult.gateway.datasets.dataset import DataSet, Recording, read_manifest
from auscult.surface.features import OVERLAP, WINDOW_S, FeatureTable, table_of


def read_recordings(folder: Path | str) -> DataSet:
    """Read a data set: a folder with ``manifest.csv`` and WAV or FLAC files.

    Parameters
    ----------
    folder : path
        The folder, or its ``manifest.csv``; docs/detection.md lists the columns.

    Returns
    -------
    DataSet
        Its ``recordings`` know machine, channels, rate, unit, speed, load and label; samples are
        read by ``recording.read()`` [shape=(channels, n), dtype=float32, in the channel's unit].

    Raises
    ------
    InputError
        If the manifest is missing or says something impossible: file, row, column and remedy.

    Examples
    --------
    >>> data = example("motor")
    >>> data.machines, len(data.recordings), data.recordings[0].label.value
    (('motor',), 11, 'healthy')
    """
    return read_manifest(folder)


def example(name: Literal["gearbox", "motor"]) -> DataSet:
    """Give the recordings of the demo: a gearbox (vibration) or a small motor (sound).

    Origin and licence: ``auscult/app/demo/ATTRIBUTION.md``.
    """
    with as_file(files("auscult") / "app" / "demo" / name) as folder:
        return read_manifest(folder)


def features_of(
    recording: Recording,
    *,
    window_s: float = WINDOW_S,
    overlap: float = OVERLAP,
    nominal_speed_rpm: float | None = None,
) -> dict[str, FeatureTable]:
    """Compute the features of all channels of a recording, with the manifest's units and state.

    Parameters
    ----------
    recording : Recording
    window_s, overlap, nominal_speed_rpm : float
        As in `features`.

    Returns
    -------
    dict of point to FeatureTable
        What `Detector.fit` takes; row i of all tables is the same time.

    Raises
    ------
    InputError
        If the recording is shorter than a window.
    RecordingError
        If the file is missing or damaged.

    Examples
    --------
    >>> tables = features_of(example("motor").recordings[0])
    >>> list(tables), tables["mic"].units["a_weighted_rms"], tables["mic"].states[0].speed_rpm
    (['mic'], 'FS', 1450.0)
    """
    n = max(MIN_SAMPLES, round(window_s * recording.fs_hz))
    tables = {}
    for channel, samples in zip(recording.channels, recording.read(), strict=True):
        if channel.kind == "sound":
            unit = channel.unit if channel.unit in SOUND_UNITS else "as_delivered"
            spec = FeatureSpec.sound(recording.fs_hz, n, unit)
        else:
            unit = channel.unit if channel.unit in VIBRATION_UNITS else "as_delivered"
            spec = FeatureSpec.vibration(
                recording.fs_hz,
                n,
                unit,
                nominal_speed_rpm=nominal_speed_rpm,
                bearings=() if channel.bearing is None else (channel.bearing,),
            )
        x = np.ascontiguousarray(samples)
        tables[channel.point.point] = table_of(spec, x, overlap, recording.state, 0.0)
    return tables
