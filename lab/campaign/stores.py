"""The product's stores, filled with known items and read again with the product's own code."""

from __future__ import annotations

import json
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from random import Random
from typing import cast

import numpy as np

from auscult.app.store import events as app_events
from auscult.app.store.database import DashboardStore
from auscult.app.store.intake import store_message
from auscult.app.store.labels import view_page as label_page
from auscult.app.store.received import Origin
from auscult.app.store.sqlite import SqliteFile
from auscult.contract.event import Event, EventPhase
from auscult.contract.label import Verdict
from auscult.contract.records import Condition, Provenance
from auscult.gateway.storage import archive, detector_states
from auscult.gateway.storage.outbox import Outbox
from auscult.gateway.storage.outgoing import Lane, Outgoing
from auscult.gateway.storage.store import Store
from auscult.link.link import Link
from auscult.models.baseline.container import join
from auscult.models.network import artefact, engines, numpy_engine
from auscult.models.network.architecture import Architecture
from auscult.models.network.autoencoder import Autoencoder
from auscult.models.network.guard import Model
from lab.campaign.damage import DAMAGES, Damage, unsynced
from lab.campaign.outcome import Outcome
from lab.campaign.trials import Items, Seen, Versions, trial
from tests.app import messages as m
from tests.models.learning.world import INNER_RACE, NEW_SPEED, World, windows

# ---- gateway.db


class SilentLink:
    """A link that takes each message at once."""

    connected = True

    def __init__(self) -> None:
        self.sent: list[tuple[str, bytes]] = []

    def publish(self, topic: str, payload: bytes, on_delivered: Callable[[], None]) -> bool:
        self.sent.append((topic, payload))
        on_delivered()
        return True


def _event(number: int) -> Event:
    return Event(
        event_id=f"E{number}", machine="pump", phase=EventPhase.END, condition=Condition.NORMAL,
        started_ms=10 + number, updated_ms=20 + number, ended_ms=30 + number,
        peak_condition=Condition.ALARM, peak_evidence=3.5, peak_p_value=1e-4, points=("de",),
        ids=Provenance("m", "b", "s", "c"),
    )  # fmt: skip


def fill_gateway(folder: Path) -> tuple[Items, Store]:
    """Fill a gateway's database: waiting messages, events, a detector's states."""
    truth: Items = {}
    store = Store(folder)
    outbox = Outbox(store, cast(Link, SilentLink()), 10**8)
    for number in range(60):
        size = (40, 3000)[number % 2]
        text = Random(number).randbytes(size).hex()
        payload = json.dumps({"id": f"m{number}", "x": text, "value": 1.5 * number}).encode()
        lane = Lane(number % 2)
        truth[f"m{number}"] = (f"t/{number % 7}", payload)
        outbox.put([Outgoing(f"m{number}", f"t/{number % 7}", payload, lane)]).result(10)
    for number in range(20):
        event = _event(number)
        truth[event.event_id] = event
        store.write(archive.EventWrite(event).write_to).result(10)
    for machine in MACHINES:
        versions = [_state(machine, number) for number in range(detector_states.KEPT + 1)]
        for number, state in enumerate(versions[:-1]):
            _save(store, machine, state, number)
        truth[f"state of {machine}"] = Versions(versions[:-1])
        truth[f"next state of {machine}"] = versions[-1]
    return truth, store


MACHINES = ("pump", "fan", "mill")


def _state(machine: str, number: int) -> bytes:
    """Return a state with the model of its machine, which all of them share."""
    own, model = Random(f"{machine}{number}"), Random(machine)
    return join(own.randbytes(2_000), model.randbytes(18_000))


def _save(store: Store, machine: str, state: bytes, number: int) -> None:
    store.write(lambda db: detector_states.save(db, machine, state, number)).result(10)


def read_gateway(folder: Path, seen: Seen) -> None:
    """Open a gateway's database as a gateway does, and send what waits."""
    store = Store(folder)
    try:
        seen.reported = store.loss is not None
        link = SilentLink()
        outbox = Outbox(store, cast(Link, link), 10**8)
        outbox.start()
        outbox.connected()
        deadline = time.monotonic() + 5
        try:
            sent = -1
            while time.monotonic() < deadline:
                if not outbox.pending or (outbox.thread.trouble and sent == len(link.sent)):
                    break
                sent = len(link.sent)
                outbox.connected()
                time.sleep(0.02)
            seen.reported = seen.reported or bool(outbox.dropped)
        finally:
            outbox.stop()
        for topic, payload in link.sent:
            seen.add(_id_of(payload), (topic, payload))
        for number in range(20):
            event = archive.event(store, f"E{number}")
            if event is not None:
                seen.add(f"E{number}", event)
        for machine in MACHINES:
            _read_states(store, machine, seen)
    finally:
        store.close()


def _read_states(store: Store, machine: str, seen: Seen) -> None:
    """Read the state that a gateway starts with; then one is stored and read again."""
    for saved in detector_states.good_states(store, machine):
        seen.add(f"state of {machine}", saved.state)
        break
    newest = detector_states.KEPT
    _save(store, machine, _state(machine, newest), newest)
    [saved, *_] = detector_states.good_states(store, machine)
    seen.add(f"next state of {machine}", saved.state)


def _id_of(payload: bytes) -> str:
    try:
        return str(json.loads(payload)["id"])
    except (ValueError, LookupError, TypeError):
        return "unreadable"


# ---- dashboard.db

ORIGIN = Origin("plant", "gw1", 1_700_000_000_000)


def fill_dashboard(folder: Path) -> tuple[Items, DashboardStore]:
    """Fill a dashboard's database: events, labels, trends."""
    truth: Items = {}
    store = DashboardStore(SqliteFile(folder / "dashboard.db"))
    say = [m.inventory("pump")]
    for number in range(40):
        event = m.event("pump", f"E{number:03}", started_ms=10**12 + number, updated_ms=10**12)
        say.append(event)
        truth[f"E{number:03}"] = None
        if number % 4 == 0:
            say.append(m.lesson("pump", f"E{number:03}", f"label-{number:04}"))
            truth[f"label-{number:04}"] = None
    say += [m.trend("pump", "DE-H", 10**12 + n * 60_000, float(n)) for n in range(100)]
    for message in say:
        store.write(lambda db, message=message: store_message(db, ORIGIN, message))
    seen = Seen()
    _read_dashboard(store, seen)
    return {name: _literal(content) for name, content in seen.items}, store


class _literal:  # noqa: N801 - a value that prints as noted
    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def read_dashboard(folder: Path, seen: Seen) -> None:
    """Open a dashboard's database and read what the pages show."""
    store = DashboardStore(SqliteFile(folder / "dashboard.db"))
    try:
        _read_dashboard(store, seen)
        seen.reported = seen.reported or bool(store.engine.damage.count)
    finally:
        store.close()


def _read_dashboard(store: DashboardStore, seen: Seen) -> None:
    db = store.read()
    for what in (
        lambda: [(e.id, e) for e in app_events.view_page(
            db, app_events.EventFilter(), 200, None).items],
        lambda: [(label.id, label) for label in label_page(db, None, 200, None).items],
        lambda: [(f"trend{row[0]}", row) for row in db.execute(
            "SELECT start_ms, windows, point FROM trend WHERE tier_s = 0 ORDER BY start_ms")],
    ):  # fmt: skip
        try:
            for name, content in what():
                seen.add(name, content)
        except sqlite3.DatabaseError:
            seen.reported = True


# ---- what a machine has learned


def fill_learning(folder: Path) -> tuple[Items, World]:
    """Make a machine learn some labels; one waits."""
    world = World(folder)
    heads = [_heads(world)]
    world.false_alarm("E1", (NEW_SPEED, 1.5), seed=31)
    heads.append(_heads(world))
    world.fault("E2", (INNER_RACE, 2.0), seed=32)
    heads.append(_heads(world))
    world.updater.defer(world.next_label("E2", Verdict.UNSURE))
    world.updater.save()
    seen = Seen()
    _read_learning(world, seen)
    truth: Items = {name: _literal(content) for name, content in seen.items}
    truth["heads"] = Versions(heads)
    return truth, world


def _heads(world: World) -> object:
    return world.log_scores(windows(20, 7)).round(6).tolist()


def read_learning(folder: Path, seen: Seen) -> None:
    """Open what a machine has learned."""
    world = World.__new__(World)
    world.folder, world.settings = folder, {}
    world.open()
    _read_learning(world, seen)


def _read_learning(world: World, seen: Seen) -> None:
    seen.add("heads", _heads(world))
    for label in world.updater.waiting:
        seen.add(label.label_id, label)
    for entry in world.updater.checkpoints():
        # an older one is active again where a newer one is damaged
        seen.add(entry.checkpoint.checkpoint_id, (entry.label, entry.checkpoint.sha256))


# ---- the model artefact


X = np.random.default_rng(3).standard_normal((4, Architecture().width)).astype(np.float32)
ONES = np.ones_like(X)


def fill_artefact(folder: Path) -> Items:
    """Copy the shipped network; return its weights, and its scores by numpy and by LiteRT."""
    shutil.copytree(artefact.ARTEFACTS, folder)
    base = Autoencoder.shipped("vibration")
    by_numpy = Model(numpy_engine.inference(base.architecture, base.weights()))
    # numpy serves, with a report, where the file is damaged
    scores = by_numpy("infer", x=X, mask=ONES)["residual"], base.infer(X, ONES).residual
    return {"weights": base.weights_id, "scores": Versions(one.tobytes() for one in scores)}


def read_artefact(folder: Path, seen: Seen) -> None:
    """Load the shipped network from a folder and let it score."""
    shipped, artefact.ARTEFACTS = artefact.ARTEFACTS, folder
    engines.warn.cache_clear()
    try:
        base = Autoencoder.shipped("vibration")
        seen.add("weights", base.weights_id)
        seen.add("scores", base.infer(X, ONES).residual.tobytes())
    finally:
        artefact.ARTEFACTS = shipped


def copy_of(folder: Path, target: Path) -> Path:
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(folder, target)
    return target


MEMORY = Path("/dev/shm")
"""Where trials run: what they need of a disk is its content; a busy one would make them wait."""
PROGRESS_S = 20.0
"""Pause between two lines of progress."""


def campaign(seed: int, trials: int, only: Sequence[str] = ("",)) -> Iterable[Outcome]:
    """Damage every store in every way; yields the outcomes. The first trial has no damage."""
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as base:
        root = Path(base)
        for part, files, truth, folder, read in _stores(root):
            if not any(one in part for one in only):
                continue
            for fault, damage in _damages(part).items():
                chance = Random(f"{seed}/{part}/{fault}")
                outcome = Outcome(part, fault)
                trial(outcome, copy_of(folder, root / "whole"), truth, read, "undamaged")
                if outcome.reported or not outcome.good:
                    raise SystemExit(f"{part}: wrong without damage: {outcome}")
                printed_s = time.monotonic()
                for number in range(1, trials):
                    if time.monotonic() - printed_s > PROGRESS_S:
                        printed_s = time.monotonic()
                        print(f"{part}, {fault}: {number} of {trials}", file=sys.stderr)
                    copy = copy_of(folder, root / "damaged")
                    victims = sorted(p for p in copy.rglob(files) if p.stat().st_size)
                    victim = chance.choice(victims)
                    victim.write_bytes(damage(victim.read_bytes(), chance))
                    trial(outcome, copy, truth, read, f"{fault} {number} {victim.name}")
                yield outcome


def checkpointed(path: Path) -> None:
    """Move a database's WAL into the file itself."""
    with closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _damages(part: str) -> dict[str, Damage]:
    """Return the damages of a store.

    A log that ends early looks like one that was not written further; what a power cut may
    do to it is `unsynced`.
    """
    if part.endswith("WAL"):
        return {name: one for name, one in DAMAGES.items() if name != "tear"} | {
            "unsynced": unsynced
        }
    return DAMAGES


Stores = tuple[str, str, Items, Path, Callable[[Path, Seen], None]]


def _stores(root: Path) -> Iterable[Stores]:
    truth, store = fill_gateway(root / "gateway")
    open_copy = copy_of(root / "gateway", root / "gateway-wal")
    store.close()
    checkpointed(root / "gateway" / "gateway.db")
    yield "gateway database and outbox", "gateway.db", truth, root / "gateway", read_gateway
    yield "gateway WAL", "gateway.db-wal", truth, open_copy, read_gateway
    truth, app = fill_dashboard(root / "dashboard")
    open_copy = copy_of(root / "dashboard", root / "dashboard-wal")
    app.close()
    checkpointed(root / "dashboard" / "dashboard.db")
    yield "dashboard database", "dashboard.db", truth, root / "dashboard", read_dashboard
    yield "dashboard WAL", "dashboard.db-wal", truth, open_copy, read_dashboard
    truth, _ = fill_learning(root / "learning")
    yield "checkpoints and labels", "*", truth, root / "learning", read_learning
    truth = fill_artefact(root / "artefacts")
    yield "model artefact", "vibration.*", truth, root / "artefacts", read_artefact
