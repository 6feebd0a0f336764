"""The plant's map: a picture or a plain grid, and where machines are on it."""

from __future__ import annotations

from pydantic import Field

from auscult.app.views.base import View


class MapPicture(View):
    """The picture under the machines; the JPEG is at `/map/picture/{id}`."""

    id: str
    width: int = Field(description="Pixels")
    height: int = Field(description="Pixels")


class MapPlace(View):
    """Where a machine is."""

    machine_id: str
    x: float = Field(description="Share of the width from the left, 0 to 1")
    y: float = Field(description="Share of the height from the top, 0 to 1")


class PlantMap(View):
    """The map; machines without a place are not on it yet."""

    picture: MapPicture | None = Field(default=None, description="None = a plain grid")
    places: list[MapPlace]
