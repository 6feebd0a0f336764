"""How long a session lasts: while it is used, up to its whole life."""

from __future__ import annotations

from auscult.app.people import accounts, sessions
from auscult.app.views.roles import Role

T = 1_000_000_000_000
IDLE_MS, LIFE_MS, SEEN_EACH_MS = 8 * 3_600_000, 7 * 86_400_000, 60_000
"""A shift, a week, a minute: as the security file promises."""


def test_a_session_is_refreshed_by_use_and_ends_with_its_life(opened_store):
    def do(job):
        return opened_store.write(job)

    do(lambda db: accounts.add(db, "eva", Role.TECHNICIAN, "hash", T))
    token = do(lambda db: sessions.begin(db, "eva", "10.0.0.1", T))

    def found(at_ms):
        return do(lambda db: sessions.find(db, token, at_ms))

    person, due = found(T + SEEN_EACH_MS)
    assert (person.name, person.role, due) == ("eva", Role.TECHNICIAN, False)
    assert found(T + SEEN_EACH_MS + 1)[1], "its use is noted only now and then"
    assert found(T + IDLE_MS) is not None
    assert found(T + IDLE_MS + 1) is None, "unused for too long"
    at_ms = T
    while at_ms + IDLE_MS <= T + LIFE_MS:
        at_ms += IDLE_MS
        assert found(at_ms) is not None
        do(lambda db, now=at_ms: sessions.touch(db, token, now))
    assert found(T + LIFE_MS) is not None
    assert found(T + LIFE_MS + 1) is None, "used, but its life is over"


def test_a_session_of_a_clock_that_was_ahead_does_not_last_until_then(opened_store):
    def do(job):
        return opened_store.write(job)

    do(lambda db: accounts.add(db, "eva", Role.TECHNICIAN, "hash", T))
    ahead = do(lambda db: sessions.begin(db, "eva", "10.0.0.1", T + 365 * 86_400_000))
    assert do(lambda db: sessions.find(db, ahead, T)) is None
    used = do(lambda db: sessions.begin(db, "eva", "10.0.0.1", T))
    do(lambda db: sessions.touch(db, used, T + 365 * 86_400_000))
    assert do(lambda db: sessions.find(db, used, T)) is None, "its idle time would not run"
    hour = do(lambda db: sessions.begin(db, "eva", "10.0.0.1", T + 3_600_000))
    assert do(lambda db: sessions.find(db, hour, T)) is not None, "a corrected zone ends none"
