"""The command `preview_label`: what a label would change, before anyone gives it."""

from __future__ import annotations

import time
from collections.abc import Callable

from auscult.contract.label import Label, Verdict
from auscult.contract.learning import PreviewPart
from auscult.contract.payloads import Command
from auscult.contract.records import HeadUpdate
from auscult.contract.requests import PreviewArgs
from auscult.contract.said import Said
from auscult.gateway.commands.handler import CommandOutcome
from auscult.gateway.commands.labels import NO_BASELINE, changes_heads, label_of
from auscult.gateway.commands.lookup import Machines
from auscult.gateway.learning.label_queue import SOON_S, LabelQueue
from auscult.gateway.storage.store import Store
from auscult.models.learning.head_updater import HeadUpdater
from auscult.models.learning.trigger import Wait


class Previews:
    """Tries labels on copies; the handler runs in the thread of the command queue.

    Parameters
    ----------
    store : Store
        Knows the machine of each event.
    machines : mapping of id to MonitoredMachine
    label_queue : LabelQueue
        Trains within the budget.
    """

    def __init__(self, store: Store, machines: Machines, label_queue: LabelQueue) -> None:
        self._store = store
        self._machines = machines
        self._label_queue = label_queue

    def preview_label(self, command: Command, asked: PreviewArgs) -> CommandOutcome:
        """Return what a verdict on an event would change."""
        label = label_of(self._store, self._machines, command, asked)
        updater = self._machines[label.machine].head_updater
        if updater is None or not changes_heads(updater, label):
            return self._answer(label, NO_BASELINE if updater is None else None, None)
        return self.describe(label, lambda: updater.preview(label))

    def describe(self, label: Label, effect: Callable[[], HeadUpdate]) -> CommandOutcome:
        """Return what a label would change, by `effect`."""
        updater = self._machines[label.machine].head_updater
        if updater is None:
            return self._answer(label, NO_BASELINE, None)
        return self._answer(label, *self._try(updater, effect))

    def _answer(self, label: Label, wait: Wait | None, effect: HeadUpdate | None) -> CommandOutcome:
        planned = label.verdict is Verdict.PLANNED_WORK
        reason = Said("work_begun") if planned else _reason(wait, effect)
        preview = PreviewPart(
            verdict=label.verdict,
            kind=label.kind,
            waits_said=wait.reason if wait else None,
            said=reason,
            offer="new_baseline" if planned or (effect and effect.advice_said) else None,
            effect=effect,
        )
        return CommandOutcome(reason, preview=preview)

    def _try(
        self, updater: HeadUpdater, preview: Callable[[], HeadUpdate]
    ) -> tuple[Wait | None, HeadUpdate | None]:
        """Return what a label would wait for, and what it would change where that is known."""
        wait = updater.wait(time.time_ns(), more=1)
        if wait is not None and wait.seconds is None:
            return wait, None
        effect = self._label_queue.train(preview)
        if isinstance(effect, Wait):
            return effect, None
        # A short cool-down is over before a label is answered.
        return (wait if wait and (wait.seconds or 0.0) > SOON_S else None), effect


def _reason(wait: Wait | None, effect: HeadUpdate | None) -> Said:
    if wait is not None:
        return Said("preview_waits", {"wait": wait.reason})
    if effect is None:
        return Said("preview_noted")
    code = "preview_accepted" if effect.accepted else "preview_rejected"
    return Said(code, {"reason": effect.advised})
