"""The API's description, from which the page's types are made."""

from __future__ import annotations

import json

from auscult.app.http.server import create_app
from auscult.app.settings import DashboardSettings
from auscult.link.broker import BrokerSettings


def document() -> str:
    """Return the OpenAPI document as JSON text, the same for the same API."""
    description = create_app(DashboardSettings(), BrokerSettings()).openapi()
    return json.dumps(description, indent=2, ensure_ascii=False) + "\n"


def files() -> dict[str, str]:
    """Return the document by its path."""
    return {"web/openapi.json": document()}
