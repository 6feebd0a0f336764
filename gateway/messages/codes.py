"""Write web/src/i18n/codes.json: the catalogue of sentences for the page.

Run ``python -m auscult.gateway.messages.codes`` after a change of `auscult.models.phrases`.
"""

from __future__ import annotations

import json
from pathlib import Path

from auscult.models.phrases import PHRASES, WORDS

CODES_FILE = Path("web/src/i18n/codes.json")


def catalogue_json() -> str:
    """Return the catalogue as the page imports it: English templates and words by code."""
    body = {"phrases": PHRASES, "words": WORDS}
    return json.dumps(body, indent=2, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    CODES_FILE.write_text(catalogue_json(), encoding="utf-8")
