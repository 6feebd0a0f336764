"""Deltas: what a machine has learned from labels, exported and imported."""

from __future__ import annotations

import base64
import binascii
from typing import Any
from urllib.parse import quote

from fastapi import APIRouter, Response
from pydantic import Field, field_validator

from auscult.app.api.inputs import ActingBody, Asked, MachineId, Running, WaitS
from auscult.app.api.problems import ProblemError
from auscult.app.api.rights import Engineer, acting
from auscult.app.api.sending import ANSWERS, ASKED, Sending, ask
from auscult.app.identity import parts
from auscult.app.views import SentCommand
from auscult.contract.learning import MAX_DELTA_BYTES
from auscult.contract.requests import MAX_DELTA_BASE64, Commands, ExportDeltaArgs, ImportDeltaArgs
from auscult.contract.said import Rejection

router = APIRouter(prefix="/machines/{machine_id}/delta", tags=["checkpoints"])

DELTA = "application/octet-stream"
FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "content": {DELTA: {"schema": {"type": "string", "format": "binary"}}},
        "description": "The signed delta, as `auscult delta apply` takes it too",
    }
}


class DeltaRequest(Asked):
    """Import what another machine with the same baseline has learned."""

    delta: str = Field(
        min_length=1,
        max_length=MAX_DELTA_BASE64,
        description=f"Base64 of the file; the file holds at most {MAX_DELTA_BYTES} bytes",
    )

    @field_validator("delta")
    @classmethod
    def _is_base64(cls, value: str) -> str:
        try:
            base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError) as error:
            raise Rejection("not_base64") from error
        return value


@router.get("", summary="Export a delta, signed", response_class=Response, responses=FILE | ASKED)
async def get_delta(
    machine_id: MachineId, person: Engineer, dashboard: Running, wait_s: WaitS = 5
) -> Response:
    """Have the gateway pack and sign what the machine has learned: a few kB a point.

    It holds places and gate weights, no signals and no single windows.
    """
    machine = parts(machine_id)[-1]
    args = ExportDeltaArgs(machine=machine)
    who = acting(person, ActingBody())
    answer = await ask(dashboard, machine_id, Commands.EXPORT_DELTA, who, args, wait_s)
    if answer.delta is None:
        raise ProblemError("no_delta", status=424)
    name = quote(f"{machine}-{answer.delta.checkpoint_id}.delta")
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(base64.b64decode(answer.delta.data), media_type=DELTA, headers=headers)


@router.post("", summary="Import a delta", status_code=201, responses=ANSWERS)
async def post_delta(
    machine_id: MachineId, body: DeltaRequest, person: Engineer, send: Sending
) -> SentCommand:
    """Have the gateway learn from a delta.

    Refused unless a trusted key signed it and it was made for the same baseline, features and
    points. Then the machine's own gate decides: `lesson` holds the decision, the change or
    the reason. Either way it becomes a checkpoint, and a roll-back undoes it.
    """
    args = ImportDeltaArgs(machine=parts(machine_id)[-1], delta=body.delta)
    return await send(machine_id, Commands.IMPORT_DELTA, person, body, args)
