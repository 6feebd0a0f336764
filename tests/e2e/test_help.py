"""Help: from a page to its chapter, and from a word to the pages that hold it, without internet."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from auscult.app import page_files
from tests.e2e.conftest import OpenPage

pytestmark = pytest.mark.e2e


@pytest.fixture(autouse=True)
def _built() -> None:
    if not (page_files.DOCUMENTATION / "index.html").is_file():
        pytest.fail("the documentation is not built: run 'make docs'")


@pytest.mark.parametrize(
    ("address", "chapter"),
    [("/alarms", "Alarms"), ("/commissioning", "Setting machines up"), ("/labels", "What each")],
)
def test_help_opens_the_chapter_of_the_page(
    open_page: OpenPage, address: str, chapter: str
) -> None:
    page = open_page(address)
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Help for this page").click()
    heading = opened.value.get_by_role("heading", name=re.compile(chapter)).first
    expect(heading).to_be_in_viewport()


def test_a_word_is_found_in_the_documentation(open_page: OpenPage) -> None:
    page = open_page("/docs/")
    page.get_by_role("textbox", name="Search").fill("kurtogram")
    page.keyboard.press("Enter")
    results = page.locator("ul.search li")
    expect(results.first).to_be_visible()
    results.get_by_role("link").first.click()
    expect(page.get_by_text(re.compile("kurtogram", re.IGNORECASE)).first).to_be_visible()
