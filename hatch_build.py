"""Build hook: no wheel and no sdist without the page, so that `pip install` serves it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PAGE = Path("auscult/app/static/index.html")


class PageHook(BuildHookInterface[Any]):
    """Refuses to build while the page is missing; an editable install may do without."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Check before anything is packed."""
        if version != "editable" and not (Path(self.root) / PAGE).is_file():
            raise SystemExit(
                f"auscult: {PAGE} is missing, so this {self.target_name} could not serve the page: "
                f"run 'make wheel', or 'cd web && npm ci && npm run build' before you build"
            )
