"""What went wrong."""

from __future__ import annotations

from auscult.app.views.base import View


class Problem(View):
    """What went wrong (RFC 9457)."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str
    instance: str
