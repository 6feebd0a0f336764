"""Tokens of programs: what they may do, under whose name, and how they end."""

from __future__ import annotations

import httpx

from tests.app import messages as m
from tests.app.conftest import client_of


def made_token(running, **more):
    answer = running.client.post("/api/v1/tokens", json={"name": "cmms", **more})
    assert answer.status_code == 201, answer.text
    return answer.json()


def program(running, secret):
    return httpx.Client(base_url=running.url, headers={"Authorization": f"Bearer {secret}"})


def test_a_program_uses_a_token(administered):
    token = made_token(administered)
    assert token["secret"].startswith("auscult_")
    (listed,) = administered.get("/api/v1/tokens")["items"]
    assert listed == {k: v for k, v in token.items() if k != "secret"}
    stored = administered.dashboard.store.read().execute("SELECT token_hash FROM token")
    assert all(token["secret"] not in row[0] for row in stored), "only its hash is stored"
    client = program(administered, token["secret"])
    assert client.get("/api/v1/machines").status_code == 200
    assert administered.get("/api/v1/tokens")["items"][0]["used_ms"] is not None
    assert client.get("/api/v1/people").status_code == 403
    refused = client.post("/api/v1/machines/a~b~c/baseline", json={"id": "command-1"})
    assert refused.status_code == 403, "a viewer"
    for secret in ("x", "auscult_guessed", token["secret"][:-1]):
        assert program(administered, secret).get("/api/v1/machines").status_code == 401
    both = client_of(administered, "ada")
    both.headers["Authorization"] = "Bearer guessed"
    assert both.get("/api/v1/machines").status_code == 401, "no cookie stands in for it"


def test_what_a_program_does_is_audited_under_its_own_name(administered):
    token = made_token(administered, role="engineer")
    client = program(administered, token["secret"])
    body = {"name": "ours", "balls": 8, "ball_diameter_mm": 10, "pitch_diameter_mm": 40}
    # no browser, so no other site's page: tokens need no check for that
    elsewhere = {"Origin": "http://cmms.example"}
    answer = client.post("/api/v1/bearings", json=body, headers=elsewhere)
    assert answer.status_code == 201, answer.text
    entry = administered.get("/api/v1/audit")["items"][0]
    assert (entry["actor"], entry["action"]) == ("token:cmms", "add bearing")
    made = administered.get("/api/v1/audit", action="make token")["items"]
    assert made[0]["actor"] == "ada"
    assert all(token["secret"] not in str(e) for e in administered.get("/api/v1/audit")["items"])


def test_tokens_end(administered):
    token = made_token(administered)
    client = program(administered, token["secret"])
    assert client.get("/api/v1/machines").status_code == 200
    path = f"/api/v1/tokens/{token['id']}"
    assert administered.client.delete(path).status_code == 204
    assert administered.client.delete("/api/v1/tokens/none").status_code == 404
    assert client.get("/api/v1/machines").status_code == 401
    assert administered.get("/api/v1/tokens")["items"][0]["revoked_ms"] is not None
    late = made_token(administered, expires_ms=m.now_ms() - 1)
    assert program(administered, late["secret"]).get("/api/v1/machines").status_code == 401
    for wrong in ({"role": "administrator"}, {"name": "token:x"}, {"name": ""}):
        answer = administered.client.post("/api/v1/tokens", json={"name": "x y", **wrong})
        assert answer.status_code == 422, wrong
