"""Values that are pushed by HTTP."""

from __future__ import annotations

import contextlib
import hashlib
import json
import socket
import urllib.error
import urllib.request
from datetime import UTC, datetime

import pytest

from auscult.gateway.sources.http import source as http_source
from auscult.gateway.sources.http.settings import HttpSource
from tests.gateway.sources.peers import Received, context, machine
from tests.waiting import DEADLINE_S, wait_until


def test_values_are_pushed_with_a_token(tmp_path):
    token = "a-long-secret"
    settings = HttpSource(
        type="http", machine="pump", port=0,
        token_sha256=hashlib.sha256(token.encode()).hexdigest(),
        values=[{"point": "t"}, {"point": "t10", "scale": 10}],
    )  # fmt: skip
    source = http_source.KIND.open(settings, context(machine("t", "t10"), tmp_path))

    def post(body: bytes, given: str = token, path: str = "/values") -> tuple[int, dict]:
        request = urllib.request.Request(
            f"http://127.0.0.1:{source.port}{path}", body, {"Authorization": f"Bearer {given}"}
        )
        try:
            with urllib.request.urlopen(request, timeout=DEADLINE_S) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    with Received(source) as got:
        wait_until(lambda: source.port != 0)
        assert post(b'{"t": 61.5}') == (200, {"taken": 1, "problems": {}})
        now = datetime.now(UTC).isoformat()
        timed = json.dumps([{"t": {"value": "62", "time": now, "unit": "°C"}}]).encode()
        assert post(timed)[0] == 200
        wait_until(lambda: got.values("t") == [61.5, 62.0])
        assert post(b'{"t": 1}', given="wrong")[0] == 401
        assert post(b"{")[0] == 400
        assert post(b'{"t": 1}', path="/other")[0] == 404
        code, answer = post(b'{"t": "NaN", "u": 2}')
        assert code == 422
        assert set(answer["problems"]) == {"t", "u"}
        ahead = json.dumps({"t": {"value": 1, "time": "2031-01-01T00:00:00Z"}}).encode()
        assert post(ahead)[0] == 422
        for given, code in (
            (1e308, "value_too_large"), (1e15, "value_too_large"), (True, "not_a_number"),
            ("on", "not_a_number"), ({"value": 6, "unit": "<script>"}, "wrong_unit"),
        ):  # fmt: skip
            status, answer = post(json.dumps({"t10": given}).encode())
            assert (status, answer["taken"]) == (422, 0), given
            assert source.status.code == "source_part"
            assert source.status.values["problem"].code == code
        assert got.values("t10") == []
        assert post(b'{"t10": 6}')[1] == {"taken": 1, "problems": {}}
        assert got.values("t") == [61.5, 62.0]


def test_the_banner_names_no_version(tmp_path):
    digest = hashlib.sha256(b"secret").hexdigest()
    settings = HttpSource(
        type="http", machine="pump", port=0, token_sha256=digest, values=[{"point": "t"}]
    )
    source = http_source.KIND.open(settings, context(machine("t"), tmp_path))
    with Received(source):
        wait_until(lambda: source.port != 0)
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"http://127.0.0.1:{source.port}/", timeout=DEADLINE_S)
    assert refused.value.headers["Server"].strip() == "auscult"


def test_slow_and_many_senders_do_not_keep_others_out(tmp_path, monkeypatch):
    monkeypatch.setattr(http_source, "REQUEST_S", 2.0)
    monkeypatch.setattr(http_source, "MOST_OF_ONE", 4)
    digest = hashlib.sha256(b"secret").hexdigest()
    settings = HttpSource(
        type="http", machine="pump", port=0, token_sha256=digest, values=[{"point": "t"}]
    )
    source = http_source.KIND.open(settings, context(machine("t"), tmp_path))

    def begun(text: bytes) -> socket.socket:
        """Return a connection that sent the begin of a request."""
        one = socket.create_connection(("127.0.0.1", source.port), timeout=DEADLINE_S)
        with contextlib.suppress(ConnectionError):
            one.sendall(text)
        return one

    def is_ended(one: socket.socket) -> bool:
        try:
            return one.recv(1) == b""
        except ConnectionError:
            return True

    def is_answered(text: bytes) -> bool:
        with begun(head + b"\r\n" + text) as one, contextlib.suppress(ConnectionError):
            return one.recv(100).startswith(b"HTTP/1.0 200")
        return False

    head = b"POST /values HTTP/1.0\r\nAuthorization: Bearer secret\r\nContent-Length: 9\r\n"
    with Received(source) as got:
        wait_until(lambda: source.port != 0)
        slow = begun(head + b"\r\n{")
        assert is_answered(b'{"t": 62}'), "another body is awaited meanwhile"
        wait_until(lambda: got.values("t") == [62.0])
        many = [begun(b"POST /val") for _ in range(6)]
        assert all(map(is_ended, (slow, *many)))
        wait_until(lambda: is_answered(b'{"t": 63}'))
    for one in (slow, *many):
        one.close()
