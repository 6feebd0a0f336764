"""The page: deep links, hashed assets, strict headers, and a word when it isn't built."""

from __future__ import annotations

import pytest

from auscult.app import page_files

PAGE = "<!doctype html><script type=module src=/assets/index-abc123.js></script>"


@pytest.fixture
def built_page(tmp_path, monkeypatch):
    folder = tmp_path / "static"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text(PAGE)
    (folder / "assets" / "index-abc123.js").write_text("console.log(1)\n" * 1000)
    (tmp_path / "secret.txt").write_text("hidden words")
    monkeypatch.setattr(page_files, "FOLDER", folder)


def test_deep_links_give_the_page(built_page, dashboards):
    dashboard = dashboards()
    for path in ("/", "/machines/plant~gw1~pump-3", "/events/01HF"):
        answer = dashboard.client.get(path)
        assert (answer.status_code, answer.text) == (200, PAGE)
        assert answer.headers["cache-control"] == "no-cache"
    etag = answer.headers["etag"]
    assert dashboard.client.get("/", headers={"If-None-Match": etag}).status_code == 304


def test_assets_are_cached_for_ever_and_compressed(built_page, dashboards):
    answer = dashboards().client.get("/assets/index-abc123.js")
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.headers["content-encoding"] == "gzip"
    assert "javascript" in answer.headers["content-type"]


def test_missing_files_are_not_the_page(built_page, dashboards):
    dashboard = dashboards()
    assert dashboard.client.get("/assets/old-999.js").status_code == 404
    assert dashboard.client.get("/favicon.png").status_code == 404
    for path in ("/../secret.txt", "/%2e%2e/secret.txt", "/assets/..%2f..%2fsecret.txt"):
        assert "hidden" not in dashboard.client.get(path).text


def test_the_documentation_is_served_without_sign_in(tmp_path, monkeypatch, dashboards):
    (tmp_path / "index.html").write_text("Auscult")
    (tmp_path / "page.html").write_text("The page")
    monkeypatch.setattr(page_files, "DOCUMENTATION", tmp_path)
    client = dashboards(login="required").client
    assert client.get("/docs/").text == "Auscult"
    chapter = client.get("/docs/page.html")
    assert chapter.text == "The page"
    assert "script-src 'self'" in chapter.headers["content-security-policy"]
    assert client.get("/docs/none.html").status_code == 404


def test_without_a_page_the_make_target_is_named(tmp_path, monkeypatch, dashboards):
    monkeypatch.setattr(page_files, "FOLDER", tmp_path / "nothing")
    dashboard = dashboards()
    for path in ("/", "/machines/x"):
        answer = dashboard.client.get(path)
        assert answer.status_code == 503
        assert "make web" in answer.text
    assert dashboard.get("/api/health")["page_built"] is False


@pytest.mark.parametrize("path", ["/", "/api/health", "/api/v1/nothing", "/assets/none.js"])
def test_every_answer_is_strict(dashboards, path):
    headers = dashboards().client.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert "server" not in headers
