"""The catalogue of sentences, for the page and for readers (docs/sentences.md).

The page gets codes.json, the English, and german.json, the German that the server itself sends.
"""

from __future__ import annotations

import json

from auscult.contract.phrases import PHRASES, WORDS
from auscult.contract.phrases.german import FEATURES_DE, PHRASES_DE, WORDS_DE

HEAD = """# Sentences by code

Every sentence of gateway and dashboard as a code with values ([MQTT](mqtt.md#sentences-by-code)).
A name in braces is a value; `auscult/auscult/contract/said.py` explains the forms after the colon.

| code | English |
|---|---|
"""


def catalogue_json() -> str:
    """Return the catalogue as the page imports it: English templates and words by code."""
    body = {"phrases": PHRASES, "words": WORDS}
    return json.dumps(body, indent=2, ensure_ascii=False, sort_keys=True) + "\n"


def german_json() -> str:
    """Return the German of the server's own sentences as the page imports it."""
    body = {"phrases": PHRASES_DE, "words": WORDS_DE, "features": FEATURES_DE}
    return json.dumps(body, indent=2, ensure_ascii=False, sort_keys=True) + "\n"


def sentences_page() -> str:
    """Return the catalogue as a page of the documentation."""
    return HEAD + "".join(
        "| `{}` | `{}` |\n".format(code, PHRASES[code].replace("|", r"\|"))
        for code in sorted(PHRASES)
    )


def files() -> dict[str, str]:
    """Return the page's two catalogues and the page of the documentation by path."""
    return {
        "web/src/i18n/codes.json": catalogue_json(),
        "web/src/i18n/german.json": german_json(),
        "docs/sentences.md": sentences_page(),
    }
