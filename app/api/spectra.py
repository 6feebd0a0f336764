"""Spectra, each with its measuring statement."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query

from app.api.inputs import ID_LENGTH, Limit, MachineId, PointId, Reader
from app.problems import documented, not_found
from app.store import spectra
from app.views import Spectrum, SpectrumPage

router = APIRouter(tags=["spectra"])

Kind = Annotated[
    Literal["spectrum", "envelope"] | None, Query(description="Of this kind only; none = both")
]


@router.get("/machines/{machine_id}/points/{point}/spectra", summary="Which spectra a point has")
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
        raise not_found("spectrum of", f"{machine_id}/{point}")
    return newest


@router.get("/spectra/{spectrum_id}", summary="One spectrum", responses=documented(404))
def get_spectrum(
    spectrum_id: Annotated[str, Path(max_length=ID_LENGTH)], reader: Reader
) -> Spectrum:
    """Return a spectrum with its values and how it was measured."""
    found = spectra.view(reader, spectrum_id)
    if found is None:
        raise not_found("spectrum", spectrum_id)
    return found
