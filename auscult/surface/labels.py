"""Labels in a notebook: the learning of the gateway, in a folder of its own."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from auscult.contract.label import Label, Verdict
from auscult.contract.message import NS_PER_MS
from auscult.contract.records import HeadUpdate
from auscult.gateway.machines.label_learning import MachineLearning
from auscult.models.baseline.machine_model import MachineModel
from auscult.models.learning.head import Head
from auscult.models.learning.learned_file import learning_parts, unpack_learning
from auscult.models.records import Decision, ScoredWindow

Hops = Sequence[tuple[Mapping[str, Decision], Sequence[ScoredWindow]]]
"""Decisions on the points and the scored windows, a hop after the other."""


class Labels:
    """What a detector learned from labels.

    Parameters
    ----------
    model : MachineModel
    machine : str
    parts : mapping of str to bytes
        Of a `LearnedFile`, to continue; empty for a start.
    """

    def __init__(self, model: MachineModel, machine: str, parts: Mapping[str, bytes]) -> None:
        self._machine = machine
        self._folder = TemporaryDirectory(prefix="auscult-")
        unpack_learning(parts, Path(self._folder.name))
        self._learning = MachineLearning(Path(self._folder.name), machine)
        self._updater = self._learning.begin(model)
        self._offered: set[str] = set()

    @property
    def heads(self) -> Mapping[str, Head]:
        """Return what corrects the scores of the points."""
        return self._updater.heads

    def answer(self, hops: Hops, verdict: str, kind: str | None, *, preview: bool) -> HeadUpdate:
        """Learn from the windows of an event; with ``preview`` say what that would change.

        The same windows are the same event: the later verdict replaces the earlier one.
        """
        now_ns = time.time_ns()
        event_id = _id_of(hops)
        if event_id not in self._offered:
            self._offered.add(event_id)
            for decisions, windows in hops:
                self._learning.offer(windows, decisions, event_id)
        label = Label(
            label_id=f"{now_ns:020}",
            event_id=event_id,
            machine=self._machine,
            verdict=Verdict(verdict),
            kind=kind,
            actor="notebook",
            created_ms=now_ns // NS_PER_MS,
        )
        return self._updater.preview(label) if preview else self._updater.learn(label)

    def undo(self) -> bool:
        """Return to the heads before the last label; whether there was one."""
        before = self._updater.before_answer()
        if before is None:
            return False
        self._updater.roll_back(before, time.time_ns())
        return True

    def parts(self) -> Mapping[str, bytes]:
        """Return the files of learning, as parts of a `LearnedFile`."""
        self._updater.save()
        return learning_parts(Path(self._folder.name))


def _id_of(hops: Hops) -> str:
    digest = hashlib.blake2b(digest_size=16)
    for _, windows in hops:
        for one in windows:
            digest.update(one.position.tobytes())
    return digest.hexdigest()
