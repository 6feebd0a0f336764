"""Commands over a real broker: done once, always answered, rejected with a reason, audited."""

from __future__ import annotations

import json
import random
import sqlite3
import time
from pathlib import Path

import psutil
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from auscult.contract.learning import Lesson
from auscult.contract.message import now_ms
from auscult.contract.payloads import Acknowledgement, Command
from auscult.gateway.commands import queue
from auscult.gateway.commands.queue import MAX_COMMAND_BYTES
from auscult.gateway.machines.alarm_store import AlarmsWrite
from auscult.gateway.storage.store import FILE_NAME
from auscult.link.link import Link
from auscult.link.signing import signed
from tests.gateway.plant import TOPICS, Process, Reader, Running, settings
from tests.reasons import text_of
from tests.waiting import DEADLINE_S, wait_until


@pytest.fixture
def faulty(mosquitto, reader, recordings, trained):
    """A running gateway with an open event; its reader."""
    with Running(settings(mosquitto, trained, recordings["faulty"], repeat=True)):
        reader.wait_for("alarm")
        wait_until(lambda: reader.of("event"))
        yield reader


def event_id(reader: Reader) -> str:
    return str(reader.of("event")[0]["event_id"])


def audit(folder: Path) -> list[tuple]:
    with sqlite3.connect(folder / FILE_NAME) as db:
        return db.execute("SELECT actor, action, outcome FROM audit ORDER BY id").fetchall()


def test_a_label_is_learned_and_answered_with_what_it_changed(faulty, trained):
    args = {"event_id": event_id(faulty), "verdict": "confirmed_fault", "kind": "outer"}
    faulty.command("label", "label1", args)
    answer = Acknowledgement.model_validate(faulty.answer("label1"))
    assert answer.ok
    assert answer.command == "label"
    assert abs(answer.ts - now_ms()) < 60_000
    assert answer.lesson is not None
    assert answer.lesson.label_id == "label1"
    assert answer.lesson.after.faults_total == 1
    wait_until(lambda: faulty.of("lesson"))
    lesson = Lesson.model_validate(faulty.of("lesson")[0])
    assert (lesson.event_id, lesson.kind, lesson.actor) == (args["event_id"], "outer", "anna")
    assert lesson.lesson == answer.lesson
    assert audit(trained)[-1][:2] == ("anna", "label label1")


def test_a_label_sent_twice_is_learned_once(faulty):
    args = {"event_id": event_id(faulty), "verdict": "false_alarm"}
    for _ in range(3):
        faulty.command("label", "twice", args)
    first = faulty.answer("twice")
    faulty.latest.clear()
    faulty.command("label", "twice", args)
    assert faulty.answer("twice") == first, "the answer is repeated, in case it was lost"
    assert len(faulty.of("lesson")) == 1


def test_who_saw_less_than_there_is_can_not_acknowledge_it(faulty):
    wait_until(lambda: faulty.of("event")[-1]["peak_condition"] == "alarm")
    args = {"event_id": event_id(faulty)}
    faulty.command("acknowledge", "a1", args | {"seen": "warning"})
    assert faulty.answer("a1")["said"]["code"] == "alarm_worse"
    faulty.command("acknowledge", "a2", args)
    assert faulty.answer("a2")["ok"]


def test_unsure_is_stored_and_changes_nothing(faulty):
    faulty.command("label", "u", {"event_id": event_id(faulty), "verdict": "unsure"})
    assert faulty.answer("u")["ok"]
    wait_until(lambda: faulty.of("lesson"))
    assert "lesson" not in faulty.of("lesson")[0]


def test_a_label_can_be_rolled_back(faulty):
    faulty.command("label", "l", {"event_id": event_id(faulty), "verdict": "confirmed_fault"})
    lesson = faulty.answer("l")["lesson"]
    faulty.command("roll_back", "r", {"machine": "pump"})
    answer = faulty.answer("r")
    if lesson["accepted"]:
        assert answer["ok"]
        assert lesson["parent_id"] in text_of(answer)
    faulty.command("roll_back", "x", {"machine": "pump", "checkpoint_id": "none"})
    assert not faulty.answer("x")["ok"]


def test_a_new_baseline_can_be_started(faulty):
    faulty.command("start_baseline", "b", {"machine": "pump", "reason": "new bearing"})
    assert faulty.answer("b")["ok"]
    topic = TOPICS.machine_state("pump")
    wait_until(lambda: faulty.latest[topic]["coverage"]["phase"] != "ready")


def test_a_spectrum_comes_on_request(faulty):
    for kind in ("spectrum", "envelope"):
        before = len(faulty.of("spectrum"))
        args = {"machine": "pump", "point": "nde", "kind": kind}
        faulty.command("request_spectrum", kind, args)
        assert faulty.answer(kind)["ok"]

        def requested(first=before, kind=kind):  # those of the event may come meanwhile
            new = faulty.of("spectrum")[first:]
            return [s for s in new if (s["point"], s["kind"]) == ("nde", kind)]

        wait_until(requested)
        assert len(requested()[-1]["values"]) > 50
        assert requested()[-1]["event_id"] == event_id(faulty), "it is evidence of the open event"
    assert "kurtogram" in text_of(faulty.answer("envelope"))


@pytest.mark.parametrize(
    ("name", "args", "changed", "reason"),
    [
        ("label", {"event_id": "unknown", "verdict": "unsure"}, {}, "no event unknown"),
        ("label", {"event_id": "e", "verdict": "perhaps"}, {}, "verdict"),
        ("label", {"event_id": "e", "verdict": "unsure", "extra": 1}, {}, "extra"),
        ("start_baseline", {"machine": "fan"}, {}, "no machine fan"),
        ("start_baseline", {"machine": "pump"}, {"expires_ms": 1000}, "expired"),
        ("roll_back", {}, {}, "machine"),
        ("request_spectrum", {"machine": "pump", "point": "x"}, {}, "no point x"),
        ("self_destruct", {}, {}, "no command self_destruct"),
    ],
)
def test_impossible_commands_are_rejected_with_the_reason(
    faulty, trained, name, args, changed, reason
):
    faulty.command(name, "rejected", args, **changed)
    answer = faulty.answer("rejected")
    assert not answer["ok"]
    assert reason in text_of(answer)
    if reason == "expired":
        late_s = time.time() - changed["expires_ms"] / 1000
        assert answer["said"]["values"]["late_s"] == pytest.approx(late_s, abs=60)
    assert audit(trained)[-1][2].startswith("refused")
    faulty.latest.clear()
    faulty.command(name, "rejected", args, **changed)
    assert faulty.answer("rejected") == answer, "a repeated command gets the same answer"


def test_only_a_signed_command_is_given_in_a_persons_name(faulty, trained):
    topic, expires_ms = TOPICS.command("acknowledge"), now_ms() + 60_000
    args = {"event_id": event_id(faulty), "comment": ""}

    def send(name: str, by: Ed25519PrivateKey, signed_for: str = topic, **changed) -> None:
        command = Command(ts=now_ms(), id=name, actor="boss", expires_ms=expires_ms, args=args)
        body = json.loads(signed(command, signed_for, by).to_json()) | changed
        assert faulty.link.publish(topic, json.dumps(body).encode())

    send("signed", faulty.key)
    send("bare", faulty.key, key="", signature="")
    send("other", Ed25519PrivateKey.generate())
    send("actor", faulty.key, actor="anna")
    send("args", faulty.key, args=args | {"comment": "x"})
    send("topic", faulty.key, signed_for=f"{topic}x")
    faulty.command("label", "late", args, expires_ms=now_ms() + 400 * 86_400_000)
    codes = {name: faulty.answer(name)["said"]["code"] for name in ("actor", "args", "topic")}
    assert set(codes.values()) == {"command_changed"}
    assert faulty.answer("late")["said"]["code"] == "command_expires_late"
    actors = {action.removeprefix("acknowledge "): actor for actor, action, _ in audit(trained)}
    assert actors["signed"] == "boss"
    assert {actors["bare"], actors["other"]} == {"boss (reported over MQTT)"}


def test_a_gateway_can_reject_all_unsigned_commands(mosquitto, reader, recordings, trained):
    own = {"gateway": {"data_dir": trained, "heartbeat_s": 5, "unsigned_commands": "reject"}}
    with Running(settings(mosquitto, trained, recordings["faulty"], repeat=True, more=own)):
        reader.wait_for("alarm")
        reader.command("start_baseline", "bare", {"machine": "pump"}, key="", signature="")
        assert reader.answer("bare")["said"]["code"] == "command_unsigned"
        reader.command("start_baseline", "signed", {"machine": "pump"})
        assert reader.answer("signed")["ok"]


@pytest.mark.parametrize("error", [ValueError, sqlite3.IntegrityError])
def test_a_command_whose_effect_can_not_be_stored_is_answered(faulty, trained, monkeypatch, error):
    def failing(_self, _db) -> None:
        raise error("a fault of the program")

    shelve = {"machine": "pump", "reason": "repair", "duration_s": 600}
    with monkeypatch.context() as patched:
        patched.setattr(AlarmsWrite, "write_to", failing)
        faulty.command("shelve", "s1", shelve)
        answer = faulty.answer("s1")
    assert (answer["ok"], answer["said"]["code"]) == (False, "command_not_stored")
    faulty.command("shelve", "s2", shelve)
    assert faulty.answer("s2")["ok"], "the next one is not held up"
    with sqlite3.connect(trained / FILE_NAME) as db:
        assert db.execute("SELECT count(*) FROM commands WHERE answer IS NULL").fetchone() == (0,)


def test_a_command_whose_effect_fails_to_be_stored_after_a_full_disk_is_answered(
    faulty, trained, monkeypatch
):
    full = True

    def failing(_self, _db) -> None:
        raise sqlite3.OperationalError("database or disk is full") if full else KeyError("a write")

    shelve = {"machine": "pump", "reason": "repair", "duration_s": 600}
    with monkeypatch.context() as patched:
        patched.setattr(AlarmsWrite, "write_to", failing)
        faulty.command("shelve", "s1", shelve)
        assert faulty.answer("s1")["ok"], "from memory: it is shelved, though not stored yet"
        full = False
        wait_until(lambda: not faulty.answer("s1")["ok"])
    assert faulty.answer("s1")["said"]["code"] == "command_not_stored"
    wait_until(lambda: audit(trained)[-1][1] == "shelve s1")
    assert "could not store it" in audit(trained)[-1][2]
    with sqlite3.connect(trained / FILE_NAME) as db:
        assert db.execute("SELECT count(*) FROM commands WHERE answer IS NULL").fetchone() == (0,)


def test_a_retained_command_is_rejected(mosquitto, reader, recordings, trained):
    expires_ms = time.time_ns() // 1_000_000 + 600_000
    args = {"machine": "pump"}
    body = {"ts": 0, "id": "old", "actor": "a", "expires_ms": expires_ms, "args": args}
    payload = json.dumps(body).encode()
    assert reader.link.publish(TOPICS.command("start_baseline"), payload, retain=True)
    with Running(settings(mosquitto, trained, recordings["again"])):
        assert "retained" in text_of(reader.answer("old"))


def test_a_command_of_a_newer_version_delays_no_other(mosquitto, reader, recordings, trained):
    args = {"machine": "pump", "reason": ""}
    body = {"ts": 0, "id": "behind", "actor": "eva", "expires_ms": 1, "args": args}
    with sqlite3.connect(trained / FILE_NAME) as db:
        for received_ns, (identity, name) in enumerate(
            [("newer", "of_a_newer_version"), ("behind", "start_baseline")]
        ):
            db.execute(
                "INSERT INTO commands VALUES (?, ?, 'eva', ?, ?, NULL)",
                [identity, name, received_ns, json.dumps(body).encode()],
            )
    with Running(settings(mosquitto, trained, recordings["again"])):
        assert reader.answer("behind")["ok"]


def test_a_clock_that_was_set_back_forgets_no_new_command(faulty, trained, monkeypatch):
    monkeypatch.setattr(queue, "KEPT_COMMANDS", 2)
    year_2099_ns = 4_070_908_800 * 10**9
    with sqlite3.connect(trained / FILE_NAME) as db:
        for number in range(4):
            row = [f"f{number}", "shelve", "eva", year_2099_ns + number, b"{}", b"{}"]
            db.execute("INSERT INTO commands VALUES (?, ?, ?, ?, ?, ?)", row)
    shelve = {"machine": "pump", "reason": "repair", "duration_s": 600}
    for _ in range(2):
        faulty.command("shelve", "s1", shelve)
        assert faulty.answer("s1")["ok"]
        faulty.latest.clear()
    faulty.command("shelve", "s2", shelve)
    assert faulty.answer("s2")["ok"]
    assert [action for _, action, *_ in audit(trained)].count("shelve s1") == 1


MALFORMED = st.one_of(
    st.binary(max_size=200),
    st.text(max_size=100).map(lambda t: t.encode("utf-8", "surrogatepass")),
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
        lambda inner: st.lists(inner) | st.dictionaries(
            st.sampled_from(["id", "ts", "actor", "args", "expires_ms", "x"]), inner
        ),
        max_leaves=10,
    ).map(lambda value: json.dumps(value).encode()),
)  # fmt: skip


@pytest.fixture
def malformed() -> list[tuple[str, bytes]]:
    """Draw names and payloads before a gateway runs in this process.

    To draw, hypothesis parses sources, which Python before 3.11.8 can't do beside another
    thread that reads arrays (python/cpython#106905).
    """
    drawn: list[tuple[str, bytes]] = []

    @given(st.sampled_from(["label", "roll_back", "x", "start_baseline"]), MALFORMED)
    @hypothesis_settings(max_examples=400, deadline=None, database=None)
    def draw(name: str, payload: bytes) -> None:
        drawn.append((name, payload))

    draw()
    return drawn


def test_malformed_commands_stop_nothing(malformed, faulty, trained):
    writer = faulty.link
    for name, payload in malformed:
        assert writer.publish(TOPICS.command(name), payload)
    writer.publish(TOPICS.command("label"), b"x" * (MAX_COMMAND_BYTES + 1))
    writer.publish(TOPICS.command("label"), b"x" * 1_500_000)
    now_ms = time.time_ns() // 1_000_000
    bad_id = {"ts": now_ms, "id": "a/+/#", "actor": "a", "expires_ms": now_ms + 9999, "args": {}}
    writer.publish(TOPICS.command("label"), json.dumps(bad_id).encode())
    faulty.command("", "nameless", {})
    assert TOPICS.command("") in text_of(faulty.answer("nameless"))
    faulty.command("request_spectrum", "after", {"machine": "pump", "point": "de"})
    assert faulty.answer("after")["ok"]
    assert len(audit(trained)) < 50, "malformed commands fill a few audit lines"


@pytest.mark.slow
def test_a_flood_of_malformed_commands_stops_nothing_and_fills_no_memory(
    mosquitto, reader, recordings, trained, tmp_path
):
    config = settings(mosquitto, trained, recordings["faulty"], repeat=True)
    process = Process(config, tmp_path / "log")
    reader.wait_for("alarm")
    before = psutil.Process(process.popen.pid).memory_info().rss
    writer = Link(mosquitto.settings, "flood", persistent=False)
    writer.start()
    assert writer.wait_connected(DEADLINE_S)
    until_s = time.monotonic() + 10
    sent = 0
    while sent < 10_000 or time.monotonic() < until_s:
        for name in ("label", "nonsense", "roll_back", "request_spectrum"):
            writer.publish(TOPICS.command(name), b'{"id": "x", "args": [[[1e999]]]}', qos=sent % 2)
            sent += 1
    # A broker drops messages when its queue for the gateway is full: ask until there is an answer.
    asked: list[str] = []

    def answered() -> bool:
        asked.append(f"after{len(asked)}")
        reader.command("request_spectrum", asked[-1], {"machine": "pump", "point": "de"})
        time.sleep(1)
        return any(reader.latest.get(TOPICS.acknowledgement(a), {}).get("ok") for a in asked)

    wait_until(answered, what="an answer after the flood")
    grown = psutil.Process(process.popen.pid).memory_info().rss - before
    assert grown < 50e6, f"{grown / 1e6:.0f} MB after {sent} messages"
    writer.stop()
    process.terminate()


def test_labels_are_learned_once_through_random_kills(
    mosquitto, reader, recordings, trained, tmp_path
):
    config = settings(mosquitto, trained, recordings["faulty"], repeat=True)
    process = Process(config, tmp_path / "log")
    wait_until(lambda: reader.of("event"))
    event = event_id(reader)
    rng = random.Random(2)
    asked = []
    for number in range(6):
        time.sleep(rng.uniform(0.0, 0.6))
        asked.append(f"label{number}")
        verdict = ("confirmed_fault", "unsure")[number % 2]
        reader.command("label", asked[-1], {"event_id": event, "verdict": verdict})
        time.sleep(rng.uniform(0.0, 0.05))
        process.kill()
        process = Process(config, tmp_path / "log")
    for name in asked:
        assert reader.answer(name)["ok"]
    process.terminate()
    lessons = [lesson["label_id"] for lesson in reader.of("lesson")]
    assert sorted(lessons) == sorted(asked), "each label is one entry of the ledger"
    assert "Traceback" not in (tmp_path / "log").read_text()
