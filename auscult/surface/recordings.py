"""Recordings with a manifest, and those that are shipped."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path
from typing import Literal

import numpy as np

from auscult.gateway.datasets.dataset import DataSet, Recording, read_manifest
from auscult.gateway.evaluate.features import cut, spec_of, window_samples
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

    Recordings of bursts (``burst_s``) are cut within each burst, as in the gateway.

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
    tables = {}
    n = window_samples(recording, recording.fs_hz, window_s)
    for channel, samples in zip(recording.channels, recording.read(), strict=True):
        spec = spec_of(channel, recording.fs_hz, n, nominal_speed_rpm)
        windows, offset_s = cut(np.ascontiguousarray(samples), recording, spec, overlap)
        tables[channel.point.point] = table_of(spec, windows, offset_s, recording.state)
    return tables
