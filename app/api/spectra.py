"""Spectra, each with its measuring statement."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query

from auscult.app.api.inputs import ID_LENGTH, OF_A_POINT, Limit, MachineId, PointId, Reader
from auscult.app.api.problems import ProblemError, documented, not_found
from auscult.app.store import spectra, spectral_history
from auscult.app.store.spectra import Period
from auscult.app.store.spectral_history import Combination
from auscult.app.views import CombinedSpectrum, Spectrum, SpectrumBand, SpectrumPage, Waterfall
from auscult.contract.message import MAX_TIME_MS
from auscult.contract.parts import SpectrumKind

router = APIRouter(tags=["spectra"])

Kind = Annotated[SpectrumKind | None, Query(description="Of this kind only; none = both")]
OneKind = Annotated[SpectrumKind, Query(description="Which kind")]


def _period(
    start_ms: Annotated[
        int | None,
        Query(
            ge=0,
            lt=MAX_TIME_MS,
            description="Default: the newest before `end_ms`. Of a period with more than `limit`, "
            "each of as many equal stretches of time gives its newest",
        ),
    ] = None,
    end_ms: Annotated[
        int, Query(ge=0, le=MAX_TIME_MS, description="Exclusive; default: now")
    ] = MAX_TIME_MS,
    limit: Limit = 50,
) -> Period:
    if start_ms is not None and start_ms >= end_ms:
        raise ProblemError("empty_period", status=422, start_ms=start_ms, end_ms=end_ms)
    return Period(limit, start_ms, end_ms)


AskedPeriod = Annotated[Period, Depends(_period)]


@router.get(
    "/machines/{machine_id}/points/{point}/spectra",
    summary="Which spectra a point has",
    **OF_A_POINT,
)
def list_spectra(
    machine_id: MachineId, point: PointId, reader: Reader, period: AskedPeriod, kind: Kind = None
) -> SpectrumPage:
    """Return a point's spectra of a period, newest first, without their values."""
    return SpectrumPage(items=spectra.view_period(reader, machine_id, point, kind, period))


@router.get(
    "/machines/{machine_id}/points/{point}/spectra/latest",
    summary="The newest spectrum of a point",
    responses=documented(404),
)
def get_latest_spectrum(
    machine_id: MachineId, point: PointId, reader: Reader, kind: Kind = None
) -> Spectrum:
    """Return the newest spectrum of a point with its values."""
    ids = spectra.ids_in(reader, machine_id, point, kind, Period(limit=1))
    newest = spectra.view(reader, ids[0]) if ids else None
    if newest is None:
        raise not_found("spectrum", f"{machine_id}/{point}")
    return newest


@router.get(
    "/machines/{machine_id}/points/{point}/spectra/band",
    summary="The healthy band of a point's spectra",
    **OF_A_POINT,
)
def get_band(
    machine_id: MachineId,
    point: PointId,
    reader: Reader,
    kind: OneKind = "spectrum",
    like: Annotated[
        str | None,
        Query(
            max_length=ID_LENGTH,
            description="Id of the spectrum that the band is for: of its baseline, in its "
            "operating state; default: the newest",
        ),
    ] = None,
    limit: Limit = 50,
) -> SpectrumBand:
    """Return between which values each line lay in the newest healthy spectra of one baseline.

    Spectra of other baselines and other operating states (speed, load) are left out; those of the
    healthy period itself belong to the baseline that was learned from it.
    """
    return spectral_history.band(reader, machine_id, point, kind, limit, like)


@router.get(
    "/machines/{machine_id}/points/{point}/spectra/waterfall",
    summary="A point's spectra over time",
    **OF_A_POINT,
)
def get_waterfall(
    machine_id: MachineId,
    point: PointId,
    reader: Reader,
    period: AskedPeriod,
    kind: OneKind = "spectrum",
) -> Waterfall:
    """Return the spectra of a period side by side, oldest first."""
    return spectral_history.waterfall(reader, machine_id, point, kind, period)


@router.get(
    "/machines/{machine_id}/points/{point}/spectra/{how}",
    summary="The average or the highest values of a point's spectra",
    **OF_A_POINT,
)
def get_combined_spectrum(
    machine_id: MachineId,
    point: PointId,
    how: Annotated[Combination, Path(description="Averaged by their power, or the peaks held")],
    reader: Reader,
    period: AskedPeriod,
    kind: OneKind = "spectrum",
) -> CombinedSpectrum:
    """Return one spectrum made of those of a period that are comparable with its newest.

    Comparable are the same lines, baseline, speed (2 %) and load (4 %).
    """
    made = spectral_history.combined(reader, machine_id, point, kind, how, period)
    if made is None:
        raise not_found("spectrum", f"{machine_id}/{point}")
    return made


@router.get("/spectra/{spectrum_id}", summary="One spectrum", responses=documented(404))
def get_spectrum(
    spectrum_id: Annotated[str, Path(max_length=ID_LENGTH)], reader: Reader
) -> Spectrum:
    """Return a spectrum with its values and how it was measured."""
    found = spectra.view(reader, spectrum_id)
    if found is None:
        raise not_found("spectrum", spectrum_id)
    return found
