"""Downloads of bundles: in pieces, over lines that break, after power cuts."""

from __future__ import annotations

import hashlib
import json
import random
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from auscult.contract.requests import UpdateArgs
from auscult.contract.said import Said
from auscult.gateway.settings.updates import UpdateSettings
from auscult.gateway.updates import download
from auscult.gateway.updates.updates import UpdateRejection, Updates
from tests.waiting import DEADLINE_S, wait_until

CONTENT = random.Random(16).randbytes(300_000)


class Line(ThreadingHTTPServer):
    """Serves the content by ranges, and breaks as often as `faults` says."""

    def __init__(self) -> None:
        self.content, self.faults, self.status, self.ranges = CONTENT, [], 206, []
        super().__init__(("127.0.0.1", 0), Handler)

    @property
    def asked(self) -> UpdateArgs:
        return UpdateArgs(
            rollout="r1", version="2.0", url=f"http://127.0.0.1:{self.server_port}/b", key="k",
            sha256=hashlib.sha256(CONTENT).hexdigest(), size=len(CONTENT),
        )  # fmt: skip


class Handler(BaseHTTPRequestHandler):
    server: Line

    def do_GET(self) -> None:
        start, end = map(int, self.headers["Range"].removeprefix("bytes=").split("-"))
        self.server.ranges.append(start)
        fault = self.server.faults.pop(0) if self.server.faults else ""
        if self.server.status != 206 or fault == "status":
            self.send_response(503 if fault else self.server.status)
            self.end_headers()
            return
        piece = self.server.content[start : end + 1]
        self.send_response(206)
        shift = 1 if fault == "shifted" else 0
        self.send_header("Content-Range", f"bytes {start + shift}-{end}/{len(CONTENT)}")
        self.send_header("Content-Length", str(len(piece)))
        self.end_headers()
        self.wfile.write(piece[: len(piece) // 2] if fault == "cut" else piece)
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Keep the output quiet."""


@pytest.fixture
def line(monkeypatch) -> Iterator[Line]:
    monkeypatch.setattr(download, "PIECE_BYTES", 50_000)
    monkeypatch.setattr(download, "PAUSE_S", (0.01, 0.02))
    server = Line()
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def test_a_line_that_breaks_costs_only_its_piece(line, tmp_path):
    line.faults = ["cut", "status", "", "shifted", "cut", "", "status"]
    assert download.download(line.asked, tmp_path / "bundle", threading.Event())
    assert (tmp_path / "bundle").read_bytes() == CONTENT
    assert sum(line.ranges.count(start) - 1 for start in set(line.ranges)) <= 4
    assert list(tmp_path.iterdir()) == [tmp_path / "bundle"]


def test_what_a_power_cut_spoiled_is_downloaded_again(line, tmp_path):
    part = download.part_of(tmp_path / "bundle", line.asked)
    part.write_bytes(CONTENT[:60_000] + bytes(40_000))
    (tmp_path / "older.part").write_bytes(b"of another version")
    assert download.download(line.asked, tmp_path / "bundle", threading.Event())
    assert line.ranges[0] == 100_000
    assert (tmp_path / "bundle").read_bytes() == CONTENT
    assert not (tmp_path / "older.part").exists()


def test_other_bytes_and_a_withdrawn_offer_end_it(line, tmp_path):
    line.content = CONTENT[::-1]
    with pytest.raises(download.DownloadError, match="another hash"):
        download.download(line.asked, tmp_path / "bundle", threading.Event())
    line.status = 403
    with pytest.raises(download.DownloadError, match="no longer offers"):
        download.download(line.asked, tmp_path / "bundle", threading.Event())
    assert not (tmp_path / "bundle").exists()


def test_steps_of_the_installer_are_reported(line, tmp_path):
    result = tmp_path / "update.json"
    settings, ending = UpdateSettings(folder=tmp_path / "in", result=result), threading.Event()
    updates = Updates(settings, ending)
    updates.start()
    assert updates.part is None
    updates.offer(line.asked)
    wait_until(lambda: updates.part.step == "verifying", what="the request")
    assert (tmp_path / "in" / "bundle").read_bytes() == CONTENT
    result.write_text('{"rollout": "r1", "step": "switching"}')
    assert updates.part.step == "installing"
    with pytest.raises(UpdateRejection, match="is being installed"):
        updates.offer(line.asked.model_copy(update={"rollout": "r2"}))
    result.write_text('{"rollout": "r1", "step": "rolled_back", "text": "not healthy"}')
    assert (updates.part.step, updates.part.text) == ("rolled_back", "not healthy")
    assert updates.part.said == Said("update_ended", {"cause": "not healthy"}), "an older installer"
    unhealthy = {"code": "update_unhealthy", "values": {}}
    said = {"code": "update_back", "values": {"cause": unhealthy, "version": "1.0"}}
    ended = {"rollout": "r1", "step": "rolled_back", "text": "as said"}
    result.write_text(json.dumps(ended | {"said": said}))
    text = "installer: the new version is not healthy; version 1.0 runs again with its data"
    assert updates.part.said.text == text
    result.write_text(json.dumps(ended | {"said": {"code": "of_a_newer_installer", "values": {}}}))
    assert updates.part.said == Said("update_ended", {"cause": "as said"})
    with pytest.raises(UpdateRejection, match="MB are free"):
        updates.offer(line.asked.model_copy(update={"rollout": "r2", "size": 4_000_000_000_0}))
    ending.set()
    updates.thread.join(DEADLINE_S)
    again = Updates(settings, threading.Event())
    assert again.part == updates.part
    with pytest.raises(UpdateRejection, match="takes no updates"):
        Updates(UpdateSettings(), threading.Event()).offer(line.asked)


def test_a_restart_continues(line, tmp_path):
    folder = tmp_path / "in"
    first = Updates(UpdateSettings(folder=folder), threading.Event())
    folder.mkdir()
    first.offer(line.asked)  # never started: the process ended
    ending = threading.Event()
    second = Updates(UpdateSettings(folder=folder), ending)
    second.start()
    wait_until((folder / "request.json").exists, what="the request")
    assert Path(folder / "bundle").read_bytes() == CONTENT
    ending.set()
    second.thread.join(DEADLINE_S)
