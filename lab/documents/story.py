"""Make the README's animation: the demonstration's story of a minute, as its browser test goes it.

python -m lab.documents.story [FILE]    docs/images/story.webp without a file
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page

from lab.documents.pictures import IMAGES, SIZE
from tests.e2e.conftest import PATIENCE_MS, chromium
from tests.e2e.test_demo import demo_at, tell_story

MOST_B = 3_000_000
QUALITY = 80
SETTLE_MS = 1500
"""For plots that are still drawn."""
WITHOUT_NOTICES = """() => {
  const style = new CSSStyleSheet();
  style.replaceSync('div[role=status]:has(> ul) { display: none }');
  document.adoptedStyleSheets.push(style);
}"""
"""The notices are of the computer that makes the animation: its clock, for example."""


def film(page: Page, url: str, file: Path) -> None:
    """Write what a reader sees, each for as long as reading takes.

    Raises
    ------
    ValueError
        If the file has more than `MOST_B`.
    """
    frames: list[Image.Image] = []
    times_ms: list[int] = []

    def show(seconds: float) -> None:
        page.wait_for_timeout(SETTLE_MS)
        frames.append(Image.open(io.BytesIO(page.screenshot())))
        times_ms.append(round(1000 * seconds))

    tell_story(page, url, show)
    frames[0].save(
        file, save_all=True, append_images=frames[1:], duration=times_ms, loop=0, quality=QUALITY
    )
    print(f"{len(frames)} frames, {sum(times_ms) / 1000:g} s, {file.stat().st_size} B")
    if file.stat().st_size > MOST_B:
        raise ValueError(f"{file.name} has more than {MOST_B} B: lower QUALITY")


def main() -> None:
    file = Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES / "story.webp"
    with tempfile.TemporaryDirectory() as own, demo_at(Path(own)) as url, chromium() as browser:
        page = browser.new_page(
            base_url=url, viewport=SIZE, locale="en-GB",  # type: ignore[arg-type]
            reduced_motion="reduce", service_workers="block",
        )  # fmt: skip
        page.set_default_timeout(PATIENCE_MS)
        page.goto("/")
        page.evaluate(WITHOUT_NOTICES)
        film(page, url, file)


if __name__ == "__main__":
    main()
