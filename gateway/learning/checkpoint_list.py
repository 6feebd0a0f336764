"""Publishes the checkpoints and baselines of a machine, so that people can choose among them."""

from __future__ import annotations

from auscult.contract.learning import (
    BaselinePart,
    CheckpointPart,
    Checkpoints,
    ShadowPart,
    WaitingPart,
)
from auscult.contract.message import millis, now_ms
from auscult.contract.topics import Topics
from auscult.gateway.machines import baselines
from auscult.gateway.machines.machine import MonitoredMachine
from auscult.gateway.publishing.publisher import Publisher
from auscult.gateway.storage.store import Store
from auscult.models.learning.checkpoints import Entry
from auscult.models.learning.head_updater import HeadUpdater

LISTED = 30
"""Newest checkpoints that the message lists: some 20 kB."""


class CheckpointPublisher:
    """Publishes the list of a machine's checkpoints (retained).

    Parameters
    ----------
    store : Store
        Where old baselines are kept.
    publisher, topics : Publisher, Topics
    """

    def __init__(self, store: Store, publisher: Publisher, topics: Topics) -> None:
        self._store = store
        self._publisher = publisher
        self._topics = topics

    def __call__(self, machine: MonitoredMachine) -> None:
        """Publish a machine's present checkpoints."""
        updater = machine.learning.updater
        if updater is None:
            return
        kept = baselines.kept(self._store, machine.id)
        message = checkpoint_list(machine.id, updater, kept)
        self._publisher.state(self._topics.checkpoints(machine.id), message)


def checkpoint_list(
    machine: str, updater: HeadUpdater, kept: list[baselines.KeptBaseline]
) -> Checkpoints:
    """List a machine's checkpoints, newest first, and its baselines."""
    newest = updater.checkpoints(LISTED)[::-1]
    run = updater.shadow
    return Checkpoints(
        ts=now_ms(),
        machine=machine,
        active=updater.checkpoint_id,
        candidate=run.checkpoint_id if run else None,
        shadow=ShadowPart(
            windows=run.windows,
            windows_needed=updater.settings.shadow_windows,
            hours_needed=updater.settings.shadow_hours,
            active_beyond=run.active_beyond,
            candidate_beyond=run.candidate_beyond,
        )
        if run
        else None,
        checkpoints=tuple(_part(entry, updater) for entry in newest),
        waiting=tuple(
            WaitingPart(label_id=label.label_id, event_id=label.event_id)
            for label in updater.waiting
        ),
        baselines=tuple(
            BaselinePart(
                id=one.baseline_id,
                since_ms=millis(one.since_ns),
                active=one.baseline_id == updater.baseline_id,
            )
            for one in kept
        ),
    )


def _part(entry: Entry, updater: HeadUpdater) -> CheckpointPart:
    checkpoint, label, delta = entry.checkpoint, entry.label, entry.delta
    source = label or delta
    return CheckpointPart(
        id=checkpoint.checkpoint_id,
        parent_id=checkpoint.parent_id,
        created_ms=millis(checkpoint.created_ns),
        state=checkpoint.state.value,
        reason=checkpoint.reason.text,
        said=checkpoint.reason,
        baseline_id=entry.baseline_id,
        kept=updater.keeps(entry),
        size_bytes=checkpoint.size_bytes,
        label_id=label.label_id if label else delta.request_id if delta else None,
        event_id=label.event_id if label else None,
        verdict=label.verdict.value if label else None,
        kind=label.kind if label else None,
        actor=source.actor if source else "",
        before=checkpoint.metrics_before,
        after=checkpoint.metrics_after,
    )
