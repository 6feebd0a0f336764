"""The command `preview_label`: what a label would change, before anyone gives it."""

from __future__ import annotations

import time
from collections.abc import Mapping

from auscult.gateway.commands.handler import Outcome
from auscult.gateway.commands.labels import NO_BASELINE, OFFER_BASELINE, label_of
from auscult.gateway.learning.label_queue import SOON_S, LabelQueue
from auscult.gateway.machines.machine import MonitoredMachine
from auscult.gateway.messages.learning import LessonPart, PreviewPart
from auscult.gateway.messages.payloads import Command
from auscult.gateway.messages.requests import PreviewArgs
from auscult.gateway.storage.store import Store
from auscult.models.learning.learner import Learner
from auscult.models.learning.trigger import Wait
from auscult.models.records import HeadUpdate, Label, Verdict


class Previews:
    """Tries labels out on copies; the handler runs in the command desk's thread.

    Parameters
    ----------
    store : Store
        Knows the machine of each event.
    machines : mapping of id to MonitoredMachine
    tutor : LabelQueue
        Trains within the budget, at low priority.
    """

    def __init__(
        self, store: Store, machines: Mapping[str, MonitoredMachine], tutor: LabelQueue
    ) -> None:
        self._store = store
        self._machines = machines
        self._label_queue = tutor

    def preview(self, command: Command, asked: PreviewArgs) -> Outcome:
        """Tell what a verdict on an event would change."""
        label = label_of(self._store, self._machines, command, asked)
        learner = self._machines[label.machine].learning.learner
        wait = _wait(learner, label)
        tried: HeadUpdate | Wait | None = None
        if learner is not None and _teaches(learner, label) and (wait is None or wait.seconds):
            tried = self._label_queue.do(lambda: learner.preview(label))
        effect = None
        if isinstance(tried, HeadUpdate):
            effect = tried
        else:
            wait = tried or wait
        planned = label.verdict is Verdict.PLANNED_WORK
        preview = PreviewPart(
            verdict=label.verdict.value,
            kind=label.kind,
            waits=wait.reason if wait else "",
            reason=_words(label, wait, effect),
            offer="new_baseline" if planned or (effect and effect.advice) else None,
            effect=LessonPart.model_validate(effect, from_attributes=True) if effect else None,
        )
        return Outcome(reason=preview.reason, preview=preview)


def _wait(learner: Learner | None, label: Label) -> Wait | None:
    """Tell what a label would wait for; a short cool-down is over before it is answered."""
    if learner is None:
        return Wait(NO_BASELINE)
    if not _teaches(learner, label):
        return None
    wait = learner.wait(time.time_ns(), more=1)
    return None if wait is not None and (wait.seconds or SOON_S + 1) <= SOON_S else wait


def _teaches(learner: Learner, label: Label) -> bool:
    """Tell whether a label teaches something, or takes back what an earlier one taught."""
    silent = label.verdict in (Verdict.UNSURE, Verdict.PLANNED_WORK)
    return not silent or learner.is_labelled(label.event_id)


def _words(label: Label, wait: Wait | None, effect: HeadUpdate | None) -> str:
    if label.verdict is Verdict.PLANNED_WORK:
        return OFFER_BASELINE
    if wait is not None:
        return f"nothing yet: {wait.reason}"
    if effect is None:
        return "it would be noted, and change nothing"
    word = "accepted" if effect.accepted else "rejected"
    return f"it would be {word}: {effect.reason}" + (f"; {effect.advice}" if effect.advice else "")
