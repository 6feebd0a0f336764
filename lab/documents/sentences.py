"""The catalogue of sentences for readers (docs/sentences.md)."""

from __future__ import annotations

from auscult.contract.words import codes

HEAD = """# Sentences by code

Every sentence of gateway and dashboard as a code with values ([MQTT](mqtt.md#sentences-by-code)),
in the syntax of [Project Fluent](https://projectfluent.org). A name after `$` is a value. The head
of `auscult/contract/words/en.ftl` explains the functions.

"""


def files() -> dict[str, str]:
    """Return the page of the documentation by path."""
    english = codes("en")
    parts = (f"```text\n{english[code]}\n```\n" for code in sorted(english))
    return {"docs/sentences.md": HEAD + "\n".join(parts)}
