"""A running dashboard keeps to the page of roles and endpoints."""

from __future__ import annotations

import re

import pytest

from auscult.app.views.roles import Role
from lab.documents import rights
from tests.app.conftest import account, client_of

LEFT_OUT = ("/api/v1/live", "/api/v1/session")
"""A stream does not end; the session is that of the test."""


def test_each_endpoint_rejects_callers_below_its_role(administered):
    names = {role: f"one-{role}" for role in (Role.VIEWER, Role.TECHNICIAN, Role.ENGINEER)}
    for role, name in names.items():
        account(administered, name, role)
    clients = {role: client_of(administered, name) for role, name in names.items()}
    rejected = 0
    for method, path, needed in rights.endpoints(rights.application()):
        if needed is None or path.startswith(LEFT_OUT):
            continue
        url = re.sub(r"\{[^}]*\}", "nothing", path)
        for role, client in clients.items():
            code = client.request(method, url, json={}).status_code
            if role.may(needed):
                assert code not in (401, 403, 500), (method, path, role, code)
            else:
                assert code == 403, (method, path, role, code)
                rejected += 1
    assert rejected > 20


@pytest.mark.parametrize("role", list(Role))
def test_the_page_gives_each_role_all_rights_of_the_one_before(role):
    rows = [line.split(" | ") for line in rights.page().splitlines() if line.startswith("| ")][2:]
    column = 2 + list(Role).index(role)
    for row in rows:
        if "yes" in row[column]:
            assert all("yes" in later for later in row[column:]), row
