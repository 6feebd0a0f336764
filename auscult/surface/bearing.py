"""The diagnosis of a rolling bearing from its recordings alone, without a baseline."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from auscult.dsp import diagnosis
from auscult.dsp.bearing import Bearing
from auscult.errors import InputError
from auscult.models.decision.bearing_diagnosis import bearing_diagnosis
from auscult.models.decision.diagnosis import UNCLEAR


@dataclass(frozen=True, slots=True)
class BearingDiagnosis:
    """Which fault of a bearing the recordings show, if any.

    Attributes
    ----------
    fault : {"outer", "inner", "ball", "bearing"} or None
        ``bearing`` where it is damaged and its part is not clear; None where no fault stands out.
    confidence : float
        0..1; 0.5 at the limit of naming, 0 where no fault stands out.
    location : str or None
        Measuring point that shows it best; None where no fault stands out or points have no names.
    matched, missing : tuple of str
        Symptoms that were found, and those that were looked for and not found (ISO 13379-1).
    text : str
        One English sentence.
    """

    fault: str | None
    confidence: float
    location: str | None
    matched: tuple[str, ...]
    missing: tuple[str, ...]
    text: str


def diagnose_bearing(
    samples: ArrayLike | Mapping[str, ArrayLike],
    fs_hz: float,
    bearing: Bearing,
    speed_rpm: float,
) -> BearingDiagnosis:
    """Name the fault of a bearing from vibration alone.

    Parameters
    ----------
    samples : array_like [shape=(n,)], or mapping of point to array_like [shape=(n,)]
        Vibration in any unit, at steady speed and taken at the same time; 100 revolutions and more
        separate the faults best.
    fs_hz : float
        Sampling rate of all points, 200..200,000 Hz.
    bearing : Bearing
        Fault orders: `Bearing(name, bpfo, bpfi, bsf, ftf)` or `Bearing.from_geometry`.
    speed_rpm : float
        Stated shaft speed, > 0 r/min; the true one may differ by 7.5 %.

    Returns
    -------
    BearingDiagnosis

    Raises
    ------
    InputError
        If a value is outside its limits or the samples hold fewer than 20 revolutions.

    References
    ----------
    Randall and Antoni, "Rolling element bearing diagnostics – a tutorial", MSSP 25 (2011).

    Examples
    --------
    A defect of the outer race makes the structure ring at 3 kHz, 3.58 times a revolution:

    >>> import numpy as np
    >>> fs_hz, rng = 12_000, np.random.default_rng(0)
    >>> bearing = Bearing.from_geometry(9, 7.94, 39.04, name="6205")
    >>> strikes = np.zeros(8 * fs_hz)
    >>> strikes[:: round(fs_hz / (25 * bearing.bpfo))] = 1  # 1500 r/min = 25 Hz
    >>> ring = np.exp(-np.arange(200) / 20) * np.sin(np.pi / 2 * np.arange(200))
    >>> vibration = np.convolve(strikes, ring, "same") + 0.05 * rng.standard_normal(8 * fs_hz)
    >>> found = diagnose_bearing({"drive end": vibration}, fs_hz, bearing, 1500)
    >>> found.fault, found.location, found.confidence > 0.5
    ('outer', 'drive end', True)
    """
    if not 200 <= fs_hz <= 200_000:
        raise InputError(f"fs_hz = {fs_hz} is outside 200..200000 Hz; check the rate")
    if not 0 < speed_rpm < 1e6:
        raise InputError(f"speed_rpm = {speed_rpm} is outside 0..1e6 r/min; give the shaft speed")
    points = samples if isinstance(samples, Mapping) else {"": samples}
    least = round(diagnosis.LEAST_REVOLUTIONS * 60 / speed_rpm * fs_hz)
    channels: list[NDArray[np.float32]] = []
    for point, given in points.items():
        x = np.asarray(given, np.float32)
        where = f"samples of {point}" if point else "samples"
        if x.ndim != 1 or len(x) < least:
            raise InputError(
                f"{where} have shape {x.shape}; give one channel (n,) of at least "
                f"{diagnosis.LEAST_REVOLUTIONS} revolutions, here {least} samples"
            )
        if not np.isfinite(x).all():
            raise InputError(f"{where} hold NaN or infinity; leave such stretches out")
        channels.append(x)
    if not channels:
        raise InputError("there are no samples; give at least one point")
    lines = diagnosis.diagnose_bearing([(x, fs_hz) for x in channels], bearing, speed_rpm)
    found = bearing_diagnosis(lines, bearing, speed_rpm, tuple(points))
    named = found.fault != UNCLEAR
    return BearingDiagnosis(
        found.fault if named else None,
        found.confidence,
        (found.point or None) if named else None,
        tuple(one.text for one in found.matched),
        tuple(one.text for one in found.missing),
        found.text,
    )
