"""Requests are checked before their body is read; proxies and host names by the settings."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from http.client import HTTPResponse
from urllib.parse import urlsplit

import pytest

from auscult.app.api import tables
from auscult.app.http import admission, slow
from tests.app.conftest import PASSWORD, client_of, code
from tests.waiting import DEADLINE_S


def first_line(url: str, head: str) -> str:
    """Send a request's head without its body; return the first line of the answer."""
    where = urlsplit(url)
    with socket.create_connection((where.hostname, where.port), timeout=DEADLINE_S) as connection:
        connection.sendall(head.encode())
        return connection.recv(100).decode().partition("\r\n")[0]


@pytest.mark.parametrize("path", ["/api/v1/bearings", "/api/v1/no-such-path"])
def test_a_request_without_a_session_is_rejected_before_its_body_is_read(administered, path):
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n"
    assert first_line(administered.url, head).split()[1] == "401"


def test_a_body_that_is_stated_too_large_is_rejected_unread(administered):
    head = "POST /api/v1/session HTTP/1.1\r\nHost: x\r\nContent-Length: 400000000\r\n\r\n"
    assert first_line(administered.url, head).split()[1] == "413"


@pytest.mark.parametrize(
    ("path", "limit"),
    [
        ("/api/v1/session", admission.MAX_SESSION_BYTES),
        ("/api/v1/bearings", admission.MAX_BYTES),
    ],
)
def test_a_body_of_unknown_length_is_read_up_to_the_limit(administered, path, limit):
    def pieces() -> Iterator[bytes]:
        for _ in range(1 + limit // 1000):
            yield b" " * 1000

    answer = administered.client.post(path, content=pieces())
    assert answer.status_code == 413
    assert (answer.json()["code"], answer.json()["values"]) == ("body_too_large", {"limit": limit})


def test_the_mapping_of_a_wide_table_is_read(administered):
    body = b" " * 200_000  # 500 columns
    answer = administered.client.post("/api/v1/gateways/plant~gw1/tables", content=body)
    assert answer.json()["code"] != "body_too_large"


def test_a_body_that_does_not_come_is_not_waited_for_long(administered, monkeypatch):
    monkeypatch.setattr(admission, "BODY_S", 0.2)
    head = "POST /api/v1/session HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{"
    assert first_line(administered.url, head).split()[1] == "408"


WHOLE, PART = b"GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n", b"GET / HTTP/1.1\r\nHo"


@pytest.mark.parametrize(("before", "sent"), [(b"", b""), (b"", PART), (WHOLE, PART)])
def test_a_connection_without_a_whole_request_is_closed(dashboard, monkeypatch, before, sent):
    monkeypatch.setattr(slow, "HEADERS_S", 0.3)
    where = urlsplit(dashboard.url)
    with socket.create_connection((where.hostname, where.port), timeout=DEADLINE_S) as connection:
        if before:
            connection.sendall(before)
            answer = HTTPResponse(connection)
            answer.begin()
            assert (answer.status, bool(answer.read())) == (200, True)
        connection.sendall(sent)
        assert connection.recv(10_000) == b""


FORWARDED = {"x-forwarded-proto": "https", "x-forwarded-for": "10.0.4.17"}


@pytest.mark.parametrize("trusted", [(), ("127.0.0.1",)])
def test_only_a_trusted_proxy_sets_scheme_and_address(dashboards, trusted):
    running = dashboards(login="required", trusted_proxies=trusted)
    body = {"name": "ada", "password": PASSWORD, "code": code(running)}
    path = "/api/v1/session/first-administrator"
    answer = running.client.post(path, json=body, headers=FORWARDED)
    assert answer.status_code == 204
    assert ("Secure" in answer.headers["set-cookie"]) == bool(trusted)
    assert ("strict-transport-security" in answer.headers) == bool(trusted)
    cookie = answer.headers["set-cookie"].partition(";")[0]
    audit = running.client.get("/api/v1/audit", headers={"cookie": cookie}).json()
    assert audit["items"][-1]["address"] == ("10.0.4.17" if trusted else "127.0.0.1")


def test_without_sign_in_only_known_names_are_served(dashboards):
    running = dashboards(hosts=("pumps.plant",))

    def asked(host: str) -> int:
        return running.client.get("/api/v1/machines", headers={"host": host}).status_code

    assert [asked(host) for host in ("evil.example", "evil.example:8420", "")] == [403] * 3
    known = ("pumps.plant", "PUMPS.plant:80", "localhost:8420", "10.0.4.17", "[::1]:8420")
    assert [asked(host) for host in known] == [200] * 5


def test_with_sign_in_every_name_is_served(administered):
    answer = client_of(administered, "ada").get("/api/v1/machines", headers={"host": "any.name"})
    assert answer.status_code == 200


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", "\n=", "\r=", " =", "＝", "　＝"])
def test_no_cell_of_a_table_is_a_formula(start):
    _, _, row = "".join(tables.csv_lines([[{"a": f"{start}cmd()"}]], ["a"])).partition("\n")
    assert row.lstrip('"').startswith("'")
