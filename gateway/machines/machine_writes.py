"""What is written of a machine's detector and its learning: its state now, and its baseline."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from auscult.gateway.machines import baselines
from auscult.gateway.machines.label_learning import MachineLearning
from auscult.gateway.storage import detector_states
from auscult.gateway.storage.database import Database
from auscult.models.detector import DetectorCopy


@dataclass(frozen=True, slots=True)
class StateWrite:
    """Stores a copy of a machine's state, and its replay of windows.

    `only_changes` leaves out a replay that kept none of the windows since.
    """

    machine: str
    copy: DetectorCopy
    stream_ns: int
    learning: MachineLearning
    only_changes: bool = False

    def write_to(self, db: Database) -> None:
        """Pack and write the state, in the caller's transaction; then write the replay."""
        detector_states.save(db, self.machine, self.copy.to_bytes(), self.stream_ns)
        self.learning.save(only_changes=self.only_changes)


@dataclass(frozen=True, slots=True)
class BaselineWrite:
    """Keeps a machine's active baseline for a roll-back; the oldest beyond `most` are discarded."""

    machine: str
    baseline_id: str
    copy: DetectorCopy
    most: int
    since_ns: int = field(default_factory=time.time_ns)

    def write_to(self, db: Database) -> None:
        """Write the baseline, in the caller's transaction."""
        state = self.copy.to_bytes()
        baselines.keep(db, self.machine, self.baseline_id, state, self.since_ns, self.most)
