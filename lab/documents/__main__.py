"""Write every generated file that changed: `make` then builds no more than needed."""

from __future__ import annotations

from pathlib import Path

from lab.documents import (
    asyncapi,
    commands,
    configuration,
    features,
    modbus_registers,
    openapi,
    page_choices,
    plugin_pages,
    rights,
    schemas,
    sentences,
    sparkplug_metrics,
    sparkplug_rules,
)

ROOT = Path(__file__).parents[2]
GENERATORS = (
    asyncapi, commands, configuration, features, modbus_registers, openapi, page_choices,
    plugin_pages, rights, schemas, sentences, sparkplug_metrics, sparkplug_rules,
)  # fmt: skip


def main() -> None:
    """Write what changed, and delete the schemas of removed messages."""
    wanted = {
        ROOT / path: text for generator in GENERATORS for path, text in generator.files().items()
    }
    for stale in {*ROOT.glob("docs/schemas/*.json")} - wanted.keys():
        stale.unlink()
    for path, text in wanted.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
