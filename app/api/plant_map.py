"""The plant's map: places of machines, and the picture under them."""

from __future__ import annotations

import uuid

from fastapi import APIRouter, Request, Response
from pydantic import Field

from auscult.app.api.inputs import PICTURE_BODY, ActingBody, Identity, MachineId, Reader, Running
from auscult.app.api.problems import documented, not_found
from auscult.app.api.rights import Administrator, Engineer, acting
from auscult.app.cases import photo
from auscult.app.store import machines, plant_map
from auscult.app.views.plant_map import PlantMap

router = APIRouter(prefix="/map", tags=["machines"])

JPEG = {"image/jpeg": {"schema": {"type": "string", "format": "binary"}}}


class NewPlace(ActingBody):
    """Where a machine is."""

    x: float = Field(ge=0, le=1, description="Share of the width from the left")
    y: float = Field(ge=0, le=1, description="Share of the height from the top")


@router.get("", summary="The plant's map")
def get_map(reader: Reader) -> PlantMap:
    """Return the picture's id and the places of machines."""
    return plant_map.view(reader)


@router.put(
    "/places/{machine_id}", summary="Put a machine on the map", responses=documented(403, 404, 503)
)
def put_place(
    machine_id: MachineId, body: NewPlace, engineer: Engineer, dashboard: Running, reader: Reader
) -> PlantMap:
    """Place a machine, or move it."""
    if machines.view(reader, dashboard.freshness(), machine_id) is None:
        raise not_found("machine", machine_id)
    dashboard.access.do(
        acting(engineer, body),
        "place machine",
        machine_id,
        lambda db: plant_map.place(db, machine_id, body.x, body.y),
    )
    return plant_map.view(reader)


@router.delete(
    "/places/{machine_id}",
    summary="Take a machine off the map",
    status_code=204,
    responses=documented(403, 404, 503),
)
def delete_place(
    machine_id: MachineId, engineer: Engineer, dashboard: Running, reader: Reader
) -> Response:
    """Take a machine off the map."""
    if machine_id not in {place.machine_id for place in plant_map.view(reader).places}:
        raise not_found("machine", machine_id)
    dashboard.access.do(
        engineer, "unplace machine", machine_id, lambda db: plant_map.take_off(db, machine_id)
    )
    return Response(status_code=204)


@router.put(
    "/picture",
    summary="Set the map's picture",
    responses=documented(403, 503),
    openapi_extra=PICTURE_BODY,
)
async def put_picture(
    request: Request, administrator: Administrator, dashboard: Running
) -> PlantMap:
    """Store a plan or a photo of the plant, encoded again as photos of cases are."""
    body = await request.body()
    made = await photo.encoded_in_turn(body)
    identity = uuid.uuid4().hex
    await dashboard.working(
        dashboard.access.do,
        administrator,
        "set map picture",
        f"{made.width} × {made.height}",
        lambda db: plant_map.set_picture(db, identity, made.width, made.height, made.image),
    )
    return await dashboard.reading(plant_map.view)


@router.delete(
    "/picture",
    summary="Remove the map's picture",
    status_code=204,
    responses=documented(403, 503),
)
def delete_picture(administrator: Administrator, dashboard: Running) -> Response:
    """Return to the plain grid; the machines keep their places."""
    dashboard.access.do(administrator, "remove map picture", "", plant_map.remove_picture)
    return Response(status_code=204)


@router.get(
    "/picture/{picture_id}",
    summary="The map's picture",
    response_class=Response,
    responses={200: {"content": JPEG}, **documented(404)},
)
def get_picture(picture_id: Identity, reader: Reader) -> Response:
    """Return the picture as JPEG; a new one has a new id."""
    image = plant_map.picture(reader, picture_id)
    if image is None:
        raise not_found("photo", picture_id)
    headers = {"Cache-Control": "private, max-age=31536000, immutable"}
    return Response(image, media_type="image/jpeg", headers=headers)
