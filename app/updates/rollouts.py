"""Carries rollouts on: offers the version stage by stage, and stops where a gateway fails."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from auscult.app.mqtt.commands import CommandSender
from auscult.app.people import audit
from auscult.app.people.audit import Action
from auscult.app.people.sessions import Person
from auscult.app.settings import RolloutSettings
from auscult.app.store import commands, gateways, rollouts
from auscult.app.store.connection import Database, WritableDatabase
from auscult.app.store.database import DashboardStore
from auscult.app.store.freshness import Freshness
from auscult.app.updates import stages as stages_of
from auscult.app.views import Gateway, Rollout, RolloutGateway, UpdateBundle
from auscult.app.views.roles import Role
from auscult.app.views.updates import RolloutState, UpdateState
from auscult.app.worker import Worker
from auscult.contract import requests
from auscult.contract.message import now_ms
from auscult.contract.requests import UpdateArgs
from auscult.contract.said import Rejection, Said
from auscult.host.clock_watch import ClockWatch

LOOK_EACH_S = 2.0
OFFER_AGAIN_MS = 1000 * (int(requests.Commands.UPDATE.lifetime_s) + 30)
"""An offer that was not answered has expired by then."""
CLOCK_SET_S = 60.0
"""A clock that was set by more is no measure of what has passed."""
MOST_AHEAD_MS = 1000 * int(CLOCK_SET_S)
"""A stored time further ahead is of a clock that was set back since."""
ENDED = ("rolled_back", "rejected", "failed")


class RolloutError(Rejection):
    """A rollout that can't begin."""


def plan(
    db: Database, version: str, wanted: Sequence[str], sites: Sequence[str],
    stages: Sequence[str], freshness: Freshness,
) -> dict[str, int]:  # fmt: skip
    """Return the stage of each gateway that a rollout would take.

    Parameters
    ----------
    version : str
    wanted, sites : sequence of str
        Gateways in their order, and sites with all their gateways; none of both = all.
    stages : sequence of str
        See `stages.placed`.

    Raises
    ------
    RolloutError, StageError
        If there is no bundle, a gateway is unknown or part of another rollout, or none is left.
    """
    if not any(one.version == version for one in rollouts.bundles(db)):
        raise RolloutError("rollout_no_bundle", version=version)
    known = {one.id: one for one in gateways.view_all(db, freshness)}
    for name in wanted:
        if name not in known:
            raise RolloutError("not_found", what="gateway", id=name)
    chosen = list(dict.fromkeys(wanted))
    if sites or not wanted:
        chosen += [
            one.id
            for one in known.values()
            if (not sites or one.site in sites) and one.updatable and one.id not in chosen
        ]
    _check_free(db, chosen)
    if not chosen:
        raise RolloutError("rollout_empty")
    return stages_of.placed(chosen, stages)


def _check_free(db: Database, chosen: Iterable[str]) -> None:
    if taken := sorted(rollouts.busy(db).intersection(chosen)):
        raise RolloutError("rollout_busy", gateway=taken[0])


def begin(
    db: Database, version: str, placed: dict[str, int], person: Person, wait_s: int, timeout_s: int
) -> str:
    """Store a planned rollout and its audit entry; return its id.

    Raises
    ------
    RolloutError
        If another rollout took one of the gateways since it was planned.
    """
    _check_free(db, placed)
    identity, now = secrets.token_hex(8), now_ms()
    rollouts.add(
        db, identity, version, secrets.token_hex(24), placed,
        actor=person.name, now_ms=now, wait_s=wait_s, timeout_s=timeout_s,
    )  # fmt: skip
    text = f"{version} for {len(placed)} gateways in {1 + max(placed.values())} stages"
    audit.add(db, Action(now, person.name, person.address, "begin update", text))
    return identity


class Rollouts:
    """The thread that carries rollouts on; several dashboards on one database may each have it.

    Parameters
    ----------
    settings : RolloutSettings
    store, commands : DashboardStore, Commands
    freshness : callable
        Gives the limits of staleness at this instant.
    """

    def __init__(
        self,
        settings: RolloutSettings,
        store: DashboardStore,
        commands: CommandSender,
        freshness: Callable[[], Freshness],
    ) -> None:
        self._settings, self._store, self._commands = settings, store, commands
        self._freshness = freshness
        self._clock = ClockWatch()
        self._away_ms = 0
        self._worker = Worker("rollouts", self._look, LOOK_EACH_S)

    def start(self) -> None:
        """Begin, where updates are set up."""
        if self._settings.folder is not None:
            heard_ms = rollouts.last_heard_ms(self._store.read())
            self._away_ms = 0 if heard_ms is None else now_ms() - heard_ms
            self._worker.start()

    def stop(self) -> None:
        """Stop; rollouts continue after the next start."""
        if self._settings.folder is not None:
            self._worker.stop()

    def wake(self) -> None:
        """Look now."""
        self._worker.wake()

    def _look(self) -> None:
        if self._away_ms > MOST_AHEAD_MS:
            # Time without the dashboard is no gateway's delay; a clock that was set looks the same.
            job = partial(rollouts.shift_waits, by_ms=self._away_ms, now_ms=now_ms())
            self._store.write(job)
            self._away_ms = 0
        step_s = self._clock.check() or 0.0
        db = self._store.read()
        found = rollouts.running(db)
        if not found:
            return
        now = now_ms()
        if abs(step_s) > CLOCK_SET_S or any(_newest_ms(one) > now + MOST_AHEAD_MS for one in found):
            self._store.write(partial(rollouts.restart_waits, now_ms=now))
            found = rollouts.running(db)
        known = {one.id: one for one in gateways.view_all(db, self._freshness())}
        bundles = rollouts.bundles(db)
        for rollout in found:
            for entry in rollout.gateways:
                if entry.stage <= rollout.stage and entry.state in ("waiting", "offered"):
                    self._carry_on(rollout, entry, known.get(entry.gateway_id), bundles)
            current = rollouts.view(self._store.read(), rollout.id)
            if current is not None and current.state == "running":
                self._conclude(current, known)

    def _carry_on(
        self,
        rollout: Rollout,
        entry: RolloutGateway,
        gateway: Gateway | None,
        bundles: Sequence[UpdateBundle],
    ) -> None:
        """Note what became of a gateway's update, or offer it."""
        now, end = now_ms(), partial(self._end, rollout, entry)
        if gateway is None:
            end("failed", Said("not_found", {"what": "gateway", "id": entry.gateway_id}))
            return
        update = gateway.update if gateway.update and gateway.update.rollout == rollout.id else None
        here = _here(gateway)
        if update is not None and update.step in ENDED:
            end("failed", update.said or Said("update_step", {"step": update.step}))
        elif (
            here
            and gateway.version == rollout.version
            and (update is None or update.step == "installed")
        ):
            end("updated", None)
        elif now - rollout.advanced_ms > 1000 * rollout.timeout_s:
            end("failed", Said("update_late", {"limit_s": rollout.timeout_s}))
        elif update is None and here:
            refused = self._refusal(rollout, entry)
            fitting = [one for one in bundles if (one.version, one.platform) == (
                rollout.version, gateway.platform)]  # fmt: skip
            if refused is not None:
                end("failed", refused)
            elif not gateway.updatable:
                end("failed", Said("update_off"))
            elif not fitting:
                values = {"version": rollout.version, "platform": gateway.platform}
                end("failed", Said("rollout_no_platform", values))
            elif entry.offered_ms is None or now - entry.offered_ms > OFFER_AGAIN_MS:
                self._offer(rollout, entry, fitting[0], now)

    def _refusal(self, rollout: Rollout, entry: RolloutGateway) -> Said | None:
        if entry.offers == 0:
            return None
        command = commands.view(self._store.read(), _command_id(rollout, entry, entry.offers - 1))
        if command is None or command.state != "refused":
            return None
        return command.answered

    def _offer(
        self, rollout: Rollout, entry: RolloutGateway, bundle: UpdateBundle, now: int
    ) -> None:
        args = UpdateArgs(
            rollout=rollout.id,
            version=rollout.version,
            url=f"{self._settings.address}/api/v1/updates/bundles/{bundle.sha256}",
            key=rollouts.key_of(self._store.read(), rollout.id),
            sha256=bundle.sha256,
            size=bundle.size,
        )
        person = Person(rollout.actor, Role.ADMINISTRATOR)
        identity = _command_id(rollout, entry, entry.offers)
        self._commands.post(
            identity, entry.gateway_id, requests.Commands.UPDATE, person, args,
            lambda db: rollouts.offered(db, rollout.id, entry.gateway_id, now),
        )  # fmt: skip

    def _end(
        self, rollout: Rollout, entry: RolloutGateway, state: UpdateState, said: Said | None
    ) -> None:
        job = partial(
            rollouts.end_gateway, identity=rollout.id, gateway=entry.gateway_id, state=state,
            said=said, now_ms=now_ms(),
        )  # fmt: skip
        self._store.write(job)

    def _conclude(self, rollout: Rollout, known: dict[str, Gateway]) -> None:
        """Stop the rollout where a gateway failed; begin the next stage where all are well."""
        now = now_ms()
        reached = [one for one in rollout.gateways if one.stage <= rollout.stage]
        failed = [one for one in reached if one.state == "failed"]
        if failed:
            values = {"gateway": failed[0].gateway_id, "cause": failed[0].said}
            self._put(rollout, "stopped", Said("rollout_stopped", values))
            return
        if any(one.state in ("waiting", "offered") for one in reached):
            return
        unwell = [
            one.gateway_id
            for one in reached
            if one.state == "updated" and not _well(known.get(one.gateway_id), rollout.version)
        ]
        last = rollout.stage == max(one.stage for one in rollout.gateways)
        if unwell:
            if now - rollout.advanced_ms > 1000 * rollout.timeout_s:
                self._put(rollout, "stopped", Said("rollout_unwell", {"gateway": unwell[0]}))
        elif last:
            self._put(rollout, "done", None)
        elif now - max(one.changed_ms for one in reached) >= 1000 * rollout.wait_s:
            stage = rollout.stage + 1
            self._store.write(lambda db: rollouts.advance(db, rollout.id, stage, now))

    def _put(self, rollout: Rollout, state: RolloutState, said: Said | None) -> None:
        def job(db: WritableDatabase) -> None:
            if rollouts.put(db, rollout.id, state, said, ("running",)):
                what = f"{rollout.version}: {said.text if said else 'all gateways'}"
                done = Action(now_ms(), rollout.actor, "", f"update {state}", what[:500])
                audit.add(db, done)

        self._store.write(job)


def _newest_ms(rollout: Rollout) -> int:
    """Return the newest time that a wait is counted from."""
    return max(rollout.advanced_ms, *(one.changed_ms for one in rollout.gateways))


def _here(gateway: Gateway) -> bool:
    return gateway.state == "online" and not gateway.stale


def _well(gateway: Gateway | None, version: str) -> bool:
    """Tell whether an updated gateway runs the version without a failed part."""
    return (
        gateway is not None
        and _here(gateway)
        and gateway.version == version
        and not gateway.troubles
    )


def _command_id(rollout: Rollout, entry: RolloutGateway, offer: int) -> str:
    text = f"{rollout.id}/{entry.gateway_id}/{offer}"
    return hashlib.sha256(text.encode()).hexdigest()[:32]
