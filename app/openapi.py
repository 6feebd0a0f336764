"""Writes the API's description, from which the page's types are generated.

Run ``python -m auscult.app.openapi`` after a change of the API, or with ``-`` to print it.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from auscult.app.http.server import create_app
from auscult.app.settings import DashboardSettings
from auscult.gateway.messages.broker import BrokerSettings

FILE = Path(__file__).resolve().parents[1] / "web" / "openapi.json"


def document() -> str:
    """Return the OpenAPI document as JSON text, the same for the same API."""
    description = create_app(DashboardSettings(), BrokerSettings()).openapi()
    return json.dumps(description, indent=2, ensure_ascii=False, sort_keys=True) + "\n"


def main() -> None:
    """Write the document to `web/openapi.json`, or print it."""
    if sys.argv[1:] == ["-"]:
        sys.stdout.write(document())
    else:
        FILE.write_text(document(), encoding="utf-8")


if __name__ == "__main__":
    main()
