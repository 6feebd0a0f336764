"""Build the documentation as a site without inline code or other hosts (docs/decisions/0018)."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from pathlib import Path

from sphinx.application import Sphinx

project = "Auscult"
extensions = ["myst_parser"]
exclude_patterns = ["schemas", "images"]
myst_heading_anchors = 4  # as repository hosts give them, so that links hold in both

html_theme = "furo"
html_title = "Auscult"
html_favicon = "../web/public/favicon.svg"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1f5f99", "color-brand-content": "#1f5f99"},
    "dark_css_variables": {"color-brand-primary": "#8bbcf0", "color-brand-content": "#8bbcf0"},
}
html_static_path = ["site"]
html_css_files = ["site.css"]
html_permalinks_icon = "#"
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False

INLINE = re.compile(r"<(script|style)>(.+?)</\1>", re.DOTALL)
STYLE_ATTRIBUTE = re.compile(r' style="[^"]*"')
LINKS = {"script": '<script src="{}"></script>', "style": '<link rel="stylesheet" href="{}">'}


def fit_security_policy(app: Sphinx, error: Exception | None) -> None:
    """Move inline scripts and styles to files: the dashboard's policy allows none inline."""
    if error is not None or app.builder.name != "html":
        return
    site = Path(app.outdir)

    def as_file(found: re.Match[str], page: Path) -> str:
        kind, code = found[1], found[2]
        digest = hashlib.sha256(code.encode()).hexdigest()[:12]
        file = site / "_static" / f"inline-{digest}.{'js' if kind == 'script' else 'css'}"
        file.write_text(code)
        return LINKS[kind].format(Path(os.path.relpath(file, page.parent)).as_posix())

    for page in site.rglob("*.html"):
        html = INLINE.sub(lambda found, page=page: as_file(found, page), page.read_text())
        page.write_text(STYLE_ATTRIBUTE.sub("", html))
    for unused in (*site.rglob("*.map"), *site.rglob("debug.css"), site / ".buildinfo"):
        unused.unlink(missing_ok=True)


def ship_schemas(app: Sphinx, error: Exception | None) -> None:
    """Add the JSON Schemas and the AsyncAPI document: wheel and images carry them with the site."""
    if error is None and app.builder.name == "html":
        shutil.copytree(app.srcdir / "schemas", app.outdir / "schemas", dirs_exist_ok=True)
        shutil.copy(app.srcdir / "asyncapi.json", app.outdir)


def setup(app: Sphinx) -> None:
    """Register the last steps of the build."""
    app.connect("build-finished", fit_security_policy)
    app.connect("build-finished", ship_schemas)
