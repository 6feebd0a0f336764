"""Notes on a machine and on its cases, with their marks in trends and spectra."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path

from auscult.app.api.cases import NewNote
from auscult.app.api.inputs import ActingBody, MachineId, Reader, Running
from auscult.app.api.problems import documented, not_found
from auscult.app.api.rights import Technician, acting
from auscult.app.store import cases, machines
from auscult.app.store.cases import NewEntry
from auscult.app.store.connection import WritableDatabase
from auscult.app.views import NoteList
from auscult.contract.message import now_ms

router = APIRouter(prefix="/machines/{machine_id}/notes", tags=["machines"])


@router.get("", summary="Notes on a machine", responses=documented(404))
def list_notes(machine_id: MachineId, reader: Reader) -> NoteList:
    """Return the notes on a machine and on its cases, newest first; withdrawn ones say so."""
    if not machines.name_of(reader, machine_id):
        raise not_found("machine", machine_id)
    return NoteList(items=cases.notes(reader, machine_id))


@router.post(
    "", summary="Write a note on a machine", status_code=201, responses=documented(403, 404, 503)
)
async def post_machine_note(
    machine_id: MachineId, body: NewNote, technician: Technician, dashboard: Running
) -> NoteList:
    """Store a note; the history of a case that is open then shows it too."""
    person = acting(technician, body)
    if not (name := await dashboard.reading(machines.name_of, machine_id)):
        raise not_found("machine", machine_id)
    entry = NewEntry(
        "", now_ms(), person.name, "note", body.text, machine_id=machine_id, mark=body.mark
    )

    def job(db: WritableDatabase) -> None:
        cases.add_entry(db, entry)

    subject = f"{name}: {body.text}"
    await dashboard.working(dashboard.access.do, person, "note", subject, job)
    return NoteList(items=await dashboard.reading(cases.notes, machine_id))


@router.post("/{note_id}/withdraw", summary="Withdraw a note", responses=documented(403, 404, 503))
async def post_withdraw_note(
    machine_id: MachineId,
    note_id: Annotated[str, Path(max_length=64)],
    body: ActingBody,
    technician: Technician,
    dashboard: Running,
) -> NoteList:
    """Take a note back; it stays in the history as withdrawn."""
    person = acting(technician, body)

    def job(db: WritableDatabase) -> None:
        if not cases.withdraw_note(db, machine_id, note_id, person.name, now_ms()):
            raise not_found("note", note_id)

    await dashboard.working(
        dashboard.access.do, person, "withdraw note", f"{machine_id}: {note_id}", job
    )
    return NoteList(items=await dashboard.reading(cases.notes, machine_id))
