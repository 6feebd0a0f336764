"""Messages in memory while the database fails, sent and discarded at the same time."""

from __future__ import annotations

from auscult.gateway.storage.outgoing import Entry, Lane, Outgoing
from auscult.gateway.storage.unsaved import Unsaved


def entry(name: str) -> Entry:
    return Entry([Outgoing(name, "t/a", b"x", Lane.EVENT)])


def test_an_entry_that_is_discarded_while_it_is_sent_does_not_end_the_sending(monkeypatch):
    monkeypatch.setattr("auscult.gateway.storage.unsaved.UNSAVED_MAX", 1)
    unsaved, sent = Unsaved(), []
    unsaved.keep(entry("first"))

    def publish(message: Outgoing) -> bool:
        sent.append(message.message_id)
        if len(sent) == 1:
            unsaved.keep(entry("second"))  # the writer's thread does this when the disk is full
        return True

    unsaved.send(publish)
    unsaved.send(publish)
    assert sent == ["first", "second"]
    assert not unsaved
