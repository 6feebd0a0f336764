"""What went wrong."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from auscult.app.views.base import View
from auscult.contract.said import SaidValue


class Problem(View):
    """What went wrong (RFC 9457)."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str = Field(description="In English")
    instance: str
    code: str = Field(description="What `detail` says, to be put in another language")
    values: Mapping[str, SaidValue] = Field(description="What varies in it, by name")
