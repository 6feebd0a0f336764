"""Tells which versions of its heads and baselines a machine has, for whoever chooses among them."""

from __future__ import annotations

from auscult.gateway.machines import baselines
from auscult.gateway.machines.machine import MonitoredMachine
from auscult.gateway.messages.learning import (
    BaselinePart,
    CheckpointPart,
    Checkpoints,
    ShadowPart,
    WaitingPart,
)
from auscult.gateway.messages.message import millis, now_ms
from auscult.gateway.messages.topics import Topics
from auscult.gateway.publishing.publisher import Publisher
from auscult.gateway.storage.store import Store
from auscult.models.learning.checkpoints import Entry
from auscult.models.learning.learner import Learner

LISTED = 30
"""Newest checkpoints that the message lists: some 20 kB."""


class CheckpointPublisher:
    """Publishes the list of a machine's versions (retained).

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
        """Tell a machine's versions as they are now."""
        learner = machine.learning.learner
        if learner is None:
            return
        kept = baselines.kept(self._store, machine.id)
        message = version_list(machine.id, learner, kept)
        self._publisher.state(self._topics.checkpoints(machine.id), message)


def version_list(machine: str, learner: Learner, kept: list[baselines.KeptBaseline]) -> Checkpoints:
    """List a machine's checkpoints, newest first, and its baselines."""
    newest = learner.checkpoints(LISTED)[::-1]
    run = learner.shadow
    # A learned label stays pending until its effect was published: it waits no more.
    waiting = [p.label for p in learner.pending if learner.learned(p.label.label_id) is None]
    return Checkpoints(
        ts=now_ms(),
        machine=machine,
        active=learner.checkpoint_id,
        candidate=run.checkpoint_id if run else None,
        shadow=ShadowPart(
            windows=run.windows,
            windows_needed=learner.settings.shadow_windows,
            hours_needed=learner.settings.shadow_hours,
            active_beyond=run.active_beyond,
            candidate_beyond=run.candidate_beyond,
        )
        if run
        else None,
        checkpoints=tuple(_part(entry, learner) for entry in newest),
        waiting=tuple(
            WaitingPart(label_id=label.label_id, event_id=label.event_id) for label in waiting
        ),
        baselines=tuple(
            BaselinePart(
                id=one.baseline_id,
                since_ms=millis(one.since_ns),
                active=one.baseline_id == learner.baseline_id,
            )
            for one in kept
        ),
    )


def _part(entry: Entry, learner: Learner) -> CheckpointPart:
    checkpoint, label = entry.checkpoint, entry.label
    return CheckpointPart(
        id=checkpoint.checkpoint_id,
        parent_id=checkpoint.parent_id,
        created_ms=millis(checkpoint.created_ns),
        state=checkpoint.state.value,
        reason=checkpoint.reason,
        baseline_id=entry.baseline_id,
        kept=learner.keeps(entry),
        size_bytes=checkpoint.size_bytes,
        label_id=label.label_id if label else None,
        event_id=label.event_id or None if label else None,
        verdict=label.verdict.value if label and label.event_id else None,
        kind=label.kind if label else None,
        actor=label.actor if label else "",
        before=checkpoint.metrics_before,
        after=checkpoint.metrics_after,
    )
