"""A device whose JSON is asked for over HTTP, and its form in the page."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from auscult.contract.machines import MachineSettings
from auscult.gateway.settings.source import installed_kinds, load_kind
from auscult.gateway.sources.forms import source_forms
from auscult.gateway.sources.http_json.settings import HttpJsonSource
from auscult.gateway.sources.trial import Trials
from auscult.link.broker import BrokerSettings
from tests.ports import free_port

MACHINE = MachineSettings.model_validate({
    "id": "pump1",
    "points": [
        {"id": point, "kind": "value", "quantity": "power", "unit": "W", "interval_s": 1}
        for point in ("P", "Q")
    ],
})  # fmt: skip


@pytest.fixture(autouse=True)
def installed(tmp_path, monkeypatch):
    """The kind as another package would bring it, until this one is installed again."""
    info = tmp_path / "http_json-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: http-json\nVersion: 1.0\n")
    entry = "[auscult.sources]\nhttp_json = auscult.gateway.sources.http_json:KIND\n"
    (info / "entry_points.txt").write_text(entry)
    monkeypatch.syspath_prepend(tmp_path)
    installed_kinds.cache_clear()
    yield
    installed_kinds.cache_clear()
    load_kind.cache_clear()


@pytest.fixture
def device():
    class Device(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, headers = (200, {}) if self.path == "/status?id=0" else (404, {})
            if self.path == "/moved":
                status, headers = 302, {"Location": "/status?id=0"}
            self.send_response(status)
            for key, value in headers.items():
                self.send_header(key, value)
            self.end_headers()
            self.wfile.write(
                b"no" if self.path == "/text" else json.dumps({"apower": 61.5}).encode()
            )

        def log_message(self, *_) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Device) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def tried(url: str) -> dict[str, object]:
    values = [{"point": "P", "path": "apower", "scale": 2}, {"point": "Q", "path": "/none"}]
    given = {"type": "http_json", "machine": "pump1", "url": url, "values": values}
    trials = Trials(BrokerSettings(), "test", tuple, threading.Event())
    return {one.point: one for one in trials.run(HttpJsonSource.model_validate(given), MACHINE)}


def test_values_are_taken_by_their_paths(device):
    found = tried(f"{device}/status?id=0")
    assert (found["P"].raw, found["P"].value) == (61.5, 123.0)
    assert found["Q"].value is None
    assert found["Q"].said.code == "no_value_at"


@pytest.mark.parametrize(("path", "text"), [("/other", "HTTP 404"), ("/moved", "HTTP 302")])
def test_another_status_is_no_value_and_no_redirection_is_followed(device, path, text):
    assert text in tried(device + path)["P"].reason


def test_a_device_that_refuses_is_named():
    found = tried(f"http://127.0.0.1:{free_port()}/")
    assert "it refuses the connection" in found["P"].reason


def test_the_page_gets_its_form():
    form = next(form for form in source_forms(()) if form.kind == "http_json")
    assert list(form.connection["properties"]) == ["url", "timeout_s"]
    assert list(form.row["properties"]) == ["path"]
    assert not form.allowed
    for words in form.words.values():
        assert {"kind.channel", "kind.title", "url", "timeout_s", "path"} <= words.keys()
