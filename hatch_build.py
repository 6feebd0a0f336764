"""Build hook: no wheel and no sdist without page and documentation, so that each serves both."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

REQUIRED = ("auscult/app/static/index.html", "auscult/app/static-docs/index.html")


class BuiltPagesHook(BuildHookInterface[Any]):
    """Stops the build while a page is missing; an editable install may do without."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Check before anything is packed."""
        missing = [name for name in REQUIRED if not (Path(self.root) / name).is_file()]
        if missing and version != "editable":
            raise SystemExit(
                f"auscult: {missing[0]} is missing, so this {self.target_name} could not serve it: "
                f"run 'make wheel', or 'make setup' before you build"
            )
