"""Publishes the checkpoints and baselines of a machine, so that people can choose among them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from auscult.contract.learning import (
    BaselinePart,
    CheckpointPart,
    Checkpoints,
    ShadowPart,
    VersionPart,
    WaitingPart,
)
from auscult.contract.message import millis, now_ms
from auscult.contract.records import CheckpointState, Detectable
from auscult.contract.topics import Topics
from auscult.gateway.machines import baselines
from auscult.gateway.machines.machine import MonitoredMachine
from auscult.gateway.publishing.publisher import Publisher
from auscult.gateway.storage.store import Store
from auscult.models.learning.checkpoints import LedgerEntry
from auscult.models.learning.head_updater import HeadUpdater


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
        updater = machine.head_updater
        if updater is None:
            return
        kept = baselines.kept(self._store, machine.id)
        message = checkpoint_list(machine.id, updater, kept, machine.detector.detectable)
        self._publisher.state(self._topics.checkpoints(machine.id), message)


def checkpoint_list(
    machine: str,
    updater: HeadUpdater,
    kept: list[baselines.KeptBaseline],
    detectable: tuple[Detectable, ...] = (),
) -> Checkpoints:
    """List a machine's checkpoints, newest first, and its baselines.

    As many answers as checkpoints are kept, or up to the active one, so that each that is kept is
    listed: some 35 kB.
    """
    newest: list[list[LedgerEntry]] = []
    active_listed = False
    for entries in _answers(updater.newest_checkpoints()):
        if active_listed and len(newest) >= updater.settings.keep:
            break
        newest.append(entries)
        ids = [entry.checkpoint.checkpoint_id for entry in entries]
        active_listed = active_listed or updater.checkpoint_id in ids
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
        checkpoints=tuple(_part(entries, updater) for entries in newest),
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
        detectable=detectable,
    )


def _answers(newest_first: Iterable[LedgerEntry]) -> Iterator[list[LedgerEntry]]:
    """Yield each answer, delta or return with the trainings that continue it, newest first."""
    entries: list[LedgerEntry] = []
    for entry in newest_first:
        entries.append(entry)
        if not entry.continues:
            yield entries
            entries = []
    if entries:
        yield entries


def _part(entries: Sequence[LedgerEntry], updater: HeadUpdater) -> CheckpointPart:
    """Encode an answer with all that continues it, newest first."""
    first = entries[-1]
    label, delta = first.label, first.delta
    source = label or delta
    counted = [entry for entry in entries if not _failed_again(entry)]
    newest, *earlier = counted or [first]
    checkpoint = newest.checkpoint
    return CheckpointPart(
        id=checkpoint.checkpoint_id,
        parent_id=first.checkpoint.parent_id,
        created_ms=millis(first.checkpoint.created_ns),
        trainings=sum(not entry.resolves for entry in entries),
        rejected=len(entries) - len(counted),
        versions=tuple(
            VersionPart(
                id=entry.checkpoint.checkpoint_id, created_ms=millis(entry.checkpoint.created_ns)
            )
            for entry in earlier
            if entry.checkpoint.state is not CheckpointState.REJECTED
            and entry.checkpoint.sha256 != checkpoint.sha256
            and updater.keeps(entry)
        ),
        state=checkpoint.state.value,
        said=checkpoint.reason,
        baseline_id=newest.baseline_id,
        kept=updater.keeps(newest),
        size_bytes=checkpoint.size_bytes,
        label_id=label.label_id if label else delta.request_id if delta else None,
        event_id=label.event_id if label else None,
        verdict=label.verdict if label else None,
        kind=label.kind if label else None,
        actor=source.actor if source else "",
        before=first.checkpoint.metrics_before,
        after=checkpoint.metrics_after,
    )


def _failed_again(entry: LedgerEntry) -> bool:
    """Return whether the gate rejected a training that continued an answer."""
    return entry.again and entry.checkpoint.state is CheckpointState.REJECTED
