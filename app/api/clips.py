"""Clips: pieces of raw signals, listed, and returned as sound."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from auscult.app.api.inputs import (
    ID_LENGTH,
    OF_A_POINT,
    Limit,
    MachineFilter,
    MachineId,
    PointId,
    Reader,
)
from auscult.app.api.problems import documented, not_found
from auscult.app.store import clips
from auscult.app.views import ClipPage, ClipView

router = APIRouter(tags=["clips"])

ClipId = Annotated[str, Path(max_length=ID_LENGTH)]
WAV = "audio/wav"


@router.get(
    "/machines/{machine_id}/points/{point}/clips",
    summary="Which clips a point has",
    **OF_A_POINT,
)
def list_point_clips(
    machine_id: MachineId, point: PointId, reader: Reader, limit: Limit = 50
) -> ClipPage:
    """Return the newest clips of a point."""
    return ClipPage(items=clips.view_newest(reader, machine_id, point, limit))


@router.get("/clips", summary="The newest clips")
def list_clips(reader: Reader, machine_id: MachineFilter = None, limit: Limit = 50) -> ClipPage:
    """Return the newest clips, of one machine or of all."""
    return ClipPage(items=clips.view_newest(reader, machine_id, None, limit))


# before the one without a suffix, whose id would take it in
@router.get(
    "/clips/{clip_id}.wav",
    summary="A clip as sound",
    response_class=Response,
    responses={200: {"content": {WAV: {}}}, **documented(404)},
)
def get_clip_sound(
    clip_id: ClipId,
    reader: Reader,
    full_scale: Annotated[
        float | None,
        Query(
            gt=0,
            le=1e9,
            description="Physical value at full scale of the sound. To compare two clips, use the "
            "greater `peak` for both. Default: a little more than the clip's own peak",
        ),
    ] = None,
) -> Response:
    """Return a clip as 16-bit WAV at its own rate, without its constant part."""
    sound = clips.sound(reader, clip_id, full_scale)
    if sound is None:
        raise not_found("clip", clip_id)
    return Response(sound, media_type=WAV)


@router.get("/clips/{clip_id}", summary="One clip", responses=documented(404))
def get_clip(clip_id: ClipId, reader: Reader) -> ClipView:
    """Return what is known of a clip."""
    clip = clips.view(reader, clip_id)
    if clip is None:
        raise not_found("clip", clip_id)
    return clip
