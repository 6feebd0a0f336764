"""Guessing passwords: counted by account and address, limited, locked for a while."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

from auscult.app.people import attempts
from auscult.app.people.access import MOST_WAITING, TooManyAttemptsError
from tests.app import messages as m
from tests.app.conftest import OTHER, PASSWORD, account, client_of
from tests.waiting import DEADLINE_S


def test_guessing_locks_for_a_while(administered, monkeypatch):
    account(administered, "eva", "viewer")
    guess = client_of(administered)
    for _ in range(attempts.FREE_FAILURES):
        answer = guess.post("/api/v1/session", json={"name": "eva", "password": OTHER})
        assert answer.status_code == 401
    right = {"name": "eva", "password": PASSWORD}
    assert guess.post("/api/v1/session", json=right).status_code == 401, "locked out"
    eva = next(p for p in administered.get("/api/v1/people")["items"] if p["name"] == "eva")
    assert eva["locked_until_ms"] > m.now_ms()
    assert client_of(administered, "ada"), "others are not"
    administered.client.patch("/api/v1/people/eva", json={"disabled": False})
    assert guess.post("/api/v1/session", json=right).status_code == 204, "unlocked"
    refused = [e for e in administered.get("/api/v1/audit")["items"] if e["outcome"] == "refused"]
    assert len(refused) == attempts.FREE_FAILURES + 1


def test_parallel_guesses_count_one_by_one(administered):
    account(administered, "eva", "viewer")

    def guess(_number):
        body = {"name": "eva", "password": OTHER}
        return client_of(administered).post("/api/v1/session", json=body, timeout=DEADLINE_S)

    with ThreadPoolExecutor(10) as pool:
        statuses = {answer.status_code for answer in pool.map(guess, range(10))}
    assert statuses == {401}
    (failures,) = (
        administered.dashboard.store.read()
        .execute("SELECT failures FROM attempt WHERE account = 'eva'")
        .fetchone()
    )
    assert failures == attempts.FREE_FAILURES, "the others were not even tried"


def test_a_guesser_locks_out_itself_and_not_the_owner(opened_store):
    def attempt(address, now_ms):
        return opened_store.write(lambda db: attempts.begin(db, "ada", address, now_ms))

    assert attempt("10.0.4.17", 0)
    opened_store.write(lambda db: attempts.succeeded(db, "ada", "10.0.4.17", 0))
    for guesser in range(20):
        while attempt(f"192.168.0.{guesser}", 1000):
            pass
    assert not attempt("192.168.0.200", 2000), "a new address, while many guess"
    assert attempt("10.0.4.17", 2000), "an address that ada has signed in from"
    assert attempt("192.168.0.200", 2000 + attempts.QUIET_MS)


def test_a_lock_of_a_clock_that_was_ahead_does_not_last_until_then(opened_store):
    def attempt(address, now_ms):
        return opened_store.write(lambda db: attempts.begin(db, "ada", address, now_ms))

    now = 10**12
    ahead = now + 365 * 86_400_000
    for guesser in range(20):
        while attempt(f"192.168.0.{guesser}", ahead):
            pass
    assert attempt("192.168.0.0", now), "its own lock"
    assert attempt("192.168.0.200", now), "and that of many addresses"


def test_a_flood_from_one_address_is_limited(administered, monkeypatch):
    monkeypatch.setattr(attempts, "ATTEMPTS_A_MINUTE", 2)
    client, body = client_of(administered), {"name": "unknown-1", "password": OTHER}
    answers = [client.post("/api/v1/session", json=body, timeout=DEADLINE_S) for _ in range(4)]
    late = answers[-1]
    assert (late.status_code, late.json()["code"]) == (429, "too_many_attempts")
    form = client.post("/sign-in", data={"name": "ada", "password": PASSWORD})
    assert form.status_code == 429


def test_a_lock_ends_by_itself(administered, monkeypatch):
    monkeypatch.setattr(attempts, "LOCK_MS", (1, 1))
    account(administered, "eva", "viewer")
    guess = client_of(administered)
    for _ in range(attempts.FREE_FAILURES):
        guess.post("/api/v1/session", json={"name": "eva", "password": OTHER})
    assert client_of(administered, "eva")


MINUTE_MS, HOUR_MS, DAY_MS = 60_000, 3_600_000, 86_400_000


def test_each_lock_is_twice_the_one_before_up_to_an_hour(opened_store):
    """Five wrong passwords are free; then 1, 2, 4 … 32, 60, 60 minutes."""

    def attempt(now_ms):
        return opened_store.write(lambda db: attempts.begin(db, "ada", "10.0.4.17", now_ms))

    now = 10**12
    assert [attempt(now + i) for i in range(6)] == [True] * 5 + [False]
    now += 4
    for lock in range(9):
        pause_ms = min(MINUTE_MS * 2**lock, HOUR_MS)
        assert not attempt(now + pause_ms - 1)
        now += pause_ms
        assert attempt(now)
    now += 2 * HOUR_MS
    assert [attempt(now + i) for i in range(6)] == [True] * 5 + [False], "two quiet hours later"


def test_fifty_wrong_passwords_admit_known_addresses_only_for_ninety_days(opened_store):
    def attempt(address, now_ms):
        return opened_store.write(lambda db: attempts.begin(db, "ada", address, now_ms))

    now = 10**12
    last_seen = now - 90 * DAY_MS
    for address, seen_ms in (("known", last_seen), ("expired", last_seen - 1)):
        assert attempt(address, seen_ms)
        opened_store.write(lambda db, a=address, s=seen_ms: attempts.succeeded(db, "ada", a, s))
    guesses = [attempt(f"guesser {i // 4}", now) for i in range(52)]
    assert guesses == [True] * 50 + [False] * 2
    assert not attempt("expired", now)
    assert attempt("known", now)
    assert attempt("new", now + 2 * HOUR_MS)


def test_an_address_has_thirty_attempts_a_minute():
    now_s = 0.0
    limit = attempts.AddressLimit(clock=lambda: now_s)

    def taken(most):
        return [limit.count_attempt("10.0.4.17") for _ in range(most)].count(True)

    assert taken(40) == 30
    now_s = 1.9
    assert taken(1) == 0
    now_s = 2.1
    assert taken(2) == 1
    now_s = 3600.0
    assert taken(40) == 30, "what was not used for an hour is not saved"
    for other in range(9_999):
        limit.count_attempt(str(other))
    assert taken(1) == 0, "ten thousand addresses are remembered"
    for other in range(10_000):
        limit.count_attempt(str(other))
    assert taken(1) == 1, "and then the one that asked longest ago is discarded"


def test_attempts_wait_up_to_a_number_and_leave_their_place(administered):
    access = administered.dashboard.access
    opened = threading.Event()

    async def sign_in(number):
        return await access.admitted(
            f"10.0.5.{number}", lambda: opened.wait(DEADLINE_S) and "token"
        )

    async def beside_each_other(number):
        waiting = [asyncio.ensure_future(sign_in(i)) for i in range(number)]
        await asyncio.sleep(0)
        opened.set()
        return await asyncio.gather(*waiting, return_exceptions=True)

    for _ in range(2):  # the places of the first round are free in the second
        opened.clear()
        answers = asyncio.run(beside_each_other(MOST_WAITING + 3))
        assert answers.count("token") == MOST_WAITING
        assert all(isinstance(one, TooManyAttemptsError) for one in answers[MOST_WAITING:])
