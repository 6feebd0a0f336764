"""Prescriptions: what to check first, which the plant can edit."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Response

from auscult.app.api.inputs import ActingBody, Reader, Running
from auscult.app.api.problems import documented, not_found
from auscult.app.api.rights import EngineerOfAll, acting
from auscult.app.cases import prescriptions
from auscult.app.views import MachineClass, Prescription, PrescriptionBody, PrescriptionList
from auscult.contract.message import now_ms

router = APIRouter(prefix="/prescriptions", tags=["cases"])

Fault = Annotated[
    Literal[
        "outer", "inner", "ball", "cage", "bearing", "imbalance", "misalignment", "bent",
        "looseness", "gear", "rub", "electrical", "blades", "belt", "cavitation", "turbulence",
        "lubrication", "limit", "unclear", "temperature", "pressure", "current", "voltage", "power",
        "flow", "level", "speed",
    ],
    Path(description="A class of the diagnosis, `limit`, `unclear`, or the quantity of a value"),
]  # fmt: skip
Kind = Annotated[MachineClass, Path(description="Class of machine; `any` = all others")]


class NewPrescription(PrescriptionBody, ActingBody):
    """What to check, as this plant does it."""


@router.get("", summary="What to check first, by fault and class of machine")
def list_prescriptions(reader: Reader) -> PrescriptionList:
    """Return the whole table; an own entry replaces the shipped one."""
    return prescriptions.table(reader)


@router.put("/{fault}/{machine_class}", summary="Edit an entry", responses=documented(403, 503))
def put_prescription(
    fault: Fault,
    machine_class: Kind,
    body: NewPrescription,
    engineer: EngineerOfAll,
    dashboard: Running,
    reader: Reader,
) -> Prescription:
    """Store an own entry, or replace it; the shipped one returns when it is removed."""
    person, now = acting(engineer, body), now_ms()
    dashboard.access.do(
        person,
        "edit prescription",
        f"{fault}, {machine_class}",
        lambda db: prescriptions.put(db, fault, machine_class, body, person.name, now),
    )
    own = {(p.fault, p.machine_class): p for p in prescriptions.own(reader)}
    return own[fault, machine_class]


@router.delete(
    "/{fault}/{machine_class}",
    summary="Remove an own entry",
    status_code=204,
    responses=documented(403, 404, 503),
)
def delete_prescription(
    fault: Fault, machine_class: Kind, engineer: EngineerOfAll, dashboard: Running, reader: Reader
) -> Response:
    """Return to the shipped entry, if there is one."""
    if (fault, machine_class) not in {
        (p.fault, p.machine_class) for p in prescriptions.own(reader)
    }:
        raise not_found("prescription", f"{fault}, {machine_class}")
    dashboard.access.do(
        engineer,
        "remove prescription",
        f"{fault}, {machine_class}",
        lambda db: prescriptions.remove(db, fault, machine_class),
    )
    return Response(status_code=204)
