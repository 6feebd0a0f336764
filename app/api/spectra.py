"""Spectra, each with its measuring statement."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from auscult.app.api.inputs import ID_LENGTH, OF_A_POINT, Limit, MachineId, PointId, Reader
from auscult.app.api.problems import documented, not_found
from auscult.app.store import spectra, spectral_history
from auscult.app.views import Spectrum, SpectrumBand, SpectrumPage, Waterfall
from auscult.contract.requests import SpectrumKind

router = APIRouter(tags=["spectra"])

Kind = Annotated[SpectrumKind | None, Query(description="Of this kind only; none = both")]
OneKind = Annotated[SpectrumKind, Query(description="Which kind")]


@router.get(
    "/machines/{machine_id}/points/{point}/spectra",
    summary="Which spectra a point has",
    **OF_A_POINT,
)
def list_spectra(
    machine_id: MachineId, point: PointId, reader: Reader, kind: Kind = None, limit: Limit = 50
) -> SpectrumPage:
    """Return the newest spectra of a point, without their values."""
    items = spectra.view_refs(reader, machine=machine_id, point=point, kind=kind, limit=limit)
    return SpectrumPage(items=items)


@router.get(
    "/machines/{machine_id}/points/{point}/spectra/latest",
    summary="The newest spectrum of a point",
    responses=documented(404),
)
def get_latest_spectrum(
    machine_id: MachineId, point: PointId, reader: Reader, kind: Kind = None
) -> Spectrum:
    """Return the newest spectrum of a point with its values."""
    refs = spectra.view_refs(reader, machine=machine_id, point=point, kind=kind, limit=1)
    newest = spectra.view(reader, refs[0].id) if refs else None
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
    kind: OneKind = "spectrum",
    limit: Limit = 50,
) -> Waterfall:
    """Return the newest spectra side by side, oldest first."""
    return spectral_history.waterfall(reader, machine_id, point, kind, limit)


@router.get("/spectra/{spectrum_id}", summary="One spectrum", responses=documented(404))
def get_spectrum(
    spectrum_id: Annotated[str, Path(max_length=ID_LENGTH)], reader: Reader
) -> Spectrum:
    """Return a spectrum with its values and how it was measured."""
    found = spectra.view(reader, spectrum_id)
    if found is None:
        raise not_found("spectrum", spectrum_id)
    return found
