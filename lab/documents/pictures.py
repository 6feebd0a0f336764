"""Take the pictures of the page for the documents, of the plant of the browser tests.

python -m lab.documents.pictures [FOLDER]    docs/images without a folder
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from playwright.sync_api import expect

from tests.e2e.conftest import chromium, published_at
from tests.e2e.pages import expect_live

IMAGES = Path(__file__).parents[2] / "docs" / "images"
SIZE = {"width": 1200, "height": 760}
PICTURES = {"overview": "/", "case": "/cases/{event}", "alarms": "/alarms"}


def take(folder: Path) -> None:
    """Write one picture a page of `PICTURES`."""
    with (
        tempfile.TemporaryDirectory() as own,
        published_at(Path(own)) as plant,
        chromium() as browser,
    ):
        page = browser.new_page(
            base_url=plant.dashboard.url, viewport=SIZE, locale="en-GB",  # type: ignore[arg-type]
            timezone_id="Europe/Berlin", reduced_motion="reduce", service_workers="block",
        )  # fmt: skip
        for name, path in PICTURES.items():
            page.goto(path.format(event=plant.event_id))
            expect_live(page)
            expect(page.get_by_text("Loading…")).to_have_count(0)
            if name == "case":
                expect(page.locator(".u-over")).to_have_count(2)
            page.screenshot(path=folder / f"{name}.png")


if __name__ == "__main__":
    take(Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES)
