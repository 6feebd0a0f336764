"""Phase, coherence and orbit of two points, from their clips of the same time."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from fastapi import APIRouter, Query

from auscult.app.api.inputs import ID_LENGTH, MachineId, Reader, Running
from auscult.app.api.problems import documented, not_found
from auscult.app.store import clips, machines
from auscult.app.store.clips import Recorded
from auscult.app.views.phase import Orbit, PhaseLine, PointPair
from auscult.contract.parts import ClipKind
from auscult.contract.said import Rejection
from auscult.dsp import cross_phase
from auscult.dsp.cross_phase import LEAST_SEGMENTS, CrossSpectrum, displacement_um

router = APIRouter(tags=["clips"])

ORDERS = (1, 2)
SEGMENTS = 2 * LEAST_SEGMENTS
"""Segments that a clip is divided into, where its lines then are fine enough."""
LINES_A_TURN = (4, 16)
"""Lines between two orders: fewer do not separate them, more follow a speed that wanders."""
TURNS = 8
POINTS_A_TURN = 64

PointName = Annotated[str, Query(max_length=ID_LENGTH, examples=["DE-H"])]


@router.get(
    "/machines/{machine_id}/phase",
    summary="Phase and orbit of two points",
    responses=documented(404, 422),
)
def get_phase(
    machine_id: MachineId,
    reader: Reader,
    dashboard: Running,
    x: PointName,
    y: PointName,
    kind: Annotated[
        ClipKind, Query(description="The last seconds, or the end of the healthy period")
    ] = "recent",
    hz: Annotated[
        float | None, Query(gt=0, le=1e6, description="A further line to compare, Hz")
    ] = None,
    shaft_hz: Annotated[
        float | None,
        Query(gt=0, le=1e4, description="Shaft frequency; default: as measured, else as rated"),
    ] = None,
) -> PointPair:
    """Compare the newest clips of two points that share a sampling clock and a time.

    Answers 422 with the reason where the two can't be compared.
    """
    machine = machines.view(reader, dashboard.freshness(), machine_id)
    if machine is None:
        raise not_found("machine", machine_id)
    ones, others = (clips.recorded(reader, machine_id, point, kind) for point in (x, y))
    names = {
        p.point: p.name for p in machines.view_points(reader, dashboard.freshness(), machine_id)
    }
    named = {axis: names.get(point) or point for axis, point in (("x", x), ("y", y))}
    one, other = _pair(ones, others, named)
    if one.unit != other.unit or one.fs_hz != other.fs_hz:
        raise Rejection("pair_differs", **named)
    rpm = one.speed_rpm or other.speed_rpm or machine.speed_rpm
    turning_hz = shaft_hz or (rpm or 0) / 60
    if not turning_hz:
        raise Rejection("pair_no_speed", machine=machine.name)
    return _compared(machine_id, (x, y), one, other, turning_hz, hz)


def _pair(
    ones: list[Recorded], others: list[Recorded], named: dict[str, str]
) -> tuple[Recorded, Recorded]:
    """Return the newest two of the same time and clock.

    Raises
    ------
    Rejection
        If there are none.
    """
    together = [
        (one, other)
        for one in ones
        for other in others
        if one.t0_ns < other.end_ns and other.t0_ns < one.end_ns
    ]
    for one, other in together:
        if one.clock and one.clock == other.clock:
            return one, other
    raise Rejection("pair_no_clock" if together else "pair_no_clips", **named)


def _compared(
    machine_id: str,
    points: tuple[str, str],
    one: Recorded,
    other: Recorded,
    shaft_hz: float,
    hz: float | None,
) -> PointPair:
    fs_hz = one.fs_hz
    begin_ns = max(one.t0_ns, other.t0_ns)
    first = [(begin_ns - r.t0_ns) * 1e-9 * fs_hz for r in (one, other)]
    starts = [int(np.ceil(at - 1e-3)) for at in first]
    apart_s = ((starts[1] - first[1]) - (starts[0] - first[0])) / fs_hz
    n = min(r.samples.size - start for r, start in zip((one, other), starts, strict=True))
    x, y = (r.samples[s : s + n] - r.samples[s : s + n].mean()
            for r, s in zip((one, other), starts, strict=True))  # fmt: skip
    coarse, fine = (shaft_hz / lines for lines in LINES_A_TURN)
    resolution_hz = min(max(SEGMENTS * fs_hz / n, fine), coarse)
    if n < LEAST_SEGMENTS * fs_hz / resolution_hz + 1 or shaft_hz * max(ORDERS) > fs_hz / 3:
        raise Rejection("pair_too_short", duration_s=n / fs_hz, shaft_hz=shaft_hz)
    spectrum = CrossSpectrum(x, y, fs_hz, resolution_hz, apart_s)
    turning_hz = spectrum.strongest(shaft_hz)
    return PointPair(
        machine_id=machine_id,
        x=points[0],
        y=points[1],
        clips=[one.id, other.id],
        t0_ms=begin_ns // 1_000_000,
        duration_s=n / fs_hz,
        unit=one.unit,
        df_hz=spectrum.df_hz,
        averages=spectrum.segments,
        shaft_hz=turning_hz,
        orbits=[
            _orbit(spectrum, (x, y), fs_hz, one.unit, turning_hz, order, apart_s)
            for order in ORDERS
        ],
        line=_line(spectrum, hz) if hz and hz < fs_hz / 2 else None,
    )


def _orbit(
    spectrum: CrossSpectrum,
    signals: tuple[cross_phase.Float64, cross_phase.Float64],
    fs_hz: float,
    unit: str,
    shaft_hz: float,
    order: int,
    apart_s: float,
) -> Orbit:
    step = max(1, round(fs_hz / (shaft_hz * order * POINTS_A_TURN)))
    wanted = round(TURNS * fs_hz / (shaft_hz * order))
    axes = [
        cross_phase.orbit(signal, fs_hz, shaft_hz, order, unit, late_s)[:wanted:step]
        for signal, late_s in zip(signals, (0.0, apart_s), strict=True)
    ]
    x, y = ([float(f"{value:.5g}") for value in axis] for axis in axes)
    made = displacement_um(unit)
    return Orbit(
        order=order,
        line=_line(spectrum, spectrum.strongest(order * shaft_hz)),
        unit="µm" if made else unit,
        x=x,
        y=y,
    )


def _line(spectrum: CrossSpectrum, hz: float) -> PhaseLine:
    return PhaseLine.model_validate(spectrum.line(hz), from_attributes=True)
