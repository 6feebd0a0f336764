"""Only a dashboard whose key is trusted may have a gateway install something."""

from __future__ import annotations

import pytest

from auscult.contract.payloads import Command
from auscult.contract.requests import UpdateArgs
from auscult.gateway.commands.handler import CommandRejection
from auscult.gateway.commands.origin import reported
from auscult.gateway.commands.update import UpdateCommand

ASKED = UpdateArgs(
    rollout="r1", version="2.0", url="https://192.0.2.1/b", key="k", sha256="0" * 64, size=1
)
COMMAND = Command(ts=0, id="u1", actor="eva", expires_ms=1, args=ASKED.model_dump())


class Offers(list):
    """In place of the downloads."""

    offer = list.append


def test_an_update_of_an_unknown_sender_is_not_even_downloaded():
    offers = Offers()
    handler = UpdateCommand(offers)
    with pytest.raises(CommandRejection) as rejected:
        handler.update(reported(COMMAND), ASKED)
    assert rejected.value.said.code == "command_unsigned"
    assert offers == []
    assert handler.update(COMMAND, ASKED).reason.values == {"version": "2.0"}
    assert offers == [ASKED]
