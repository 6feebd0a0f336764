"""The template of a documentation page, installed as a package of someone else."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest


def install_template(
    page: Path, group: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[Path, str]:
    """Install the Python code of a page as `our_package` until the test ends.

    Args:
        page: the page; its first Python block is the package, its first TOML block names the
            entry points below a heading, its second one is the part of a configuration.
        group: the group of the entry points, such as `auscult.outputs`.
        folder: where the package is written; it comes first on `sys.path`.

    Returns:
        The file of the entry points, and the part of a configuration.

    """
    text = page.read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    entry_points, configuration = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)[:2]
    info = folder / "our_package-1.0.dist-info"
    info.mkdir()
    (folder / "our_package.py").write_text(code)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: our-package\nVersion: 1.0\n")
    names = info / "entry_points.txt"
    names.write_text(f"[{group}]\n" + entry_points.split("\n", 1)[1].replace('"', ""))
    monkeypatch.syspath_prepend(folder)
    # Another page's test in this process may have loaded its package of the same name.
    monkeypatch.delitem(sys.modules, "our_package", raising=False)
    return names, configuration
