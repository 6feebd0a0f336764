"""Whether a replay says what the gateway does: ``python -m lab.studies.value_replay FOLDER...``.

`auscult evaluate` and `auscult rehearse` play histories with a machine that computes p-values only
where something departs. Each machine of the folders with `values.toml` is played so, and by the
gateway's own machine; their events, and the reasons at each row of an open event, are compared.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.table import Table

from auscult.gateway.datasets.value_tables import ValueHistory, read_description, read_history
from auscult.gateway.evaluate.played import Played, Player
from auscult.gateway.machines.machine import MonitoredMachine
from auscult.gateway.machines.result import MachineResult

STAYS = "level_stays_value"


class _Replay(Player):
    """Notes the reasons at each row of an open event."""

    def __init__(self, history: ValueHistory, folder: Path) -> None:
        super().__init__(history, folder)
        self.said: list[tuple[str, ...]] = []

    def took(self, result: MachineResult) -> None:
        super().took(result)
        if self.machine.open_event is not None:
            self.said.append(tuple(one.said.code for one in self.machine.decision.reasons))


class _Gateway(_Replay):
    kind_of_machine = MonitoredMachine


def _played(kind: type[_Replay], history: ValueHistory) -> tuple[Played, list[tuple[str, ...]]]:
    with TemporaryDirectory() as learned:
        player = kind(history, Path(learned))
        return player.play(), player.said


def main() -> None:
    """Run the study."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    console = Console()
    table = Table("machine", "events", "alarms", "same events", "rows in an event",
                  f"with {STAYS}", "rows with other reasons")  # fmt: skip
    for folder in parser.parse_args().folders:
        description = read_description(folder)
        for one in description.machine:
            history = read_history(folder, description, one.id)
            (replay, said), (gateway, there) = (_played(k, history) for k in (_Replay, _Gateway))
            same = [(e.from_ns, e.to_ns, e.alarm) for e in replay.events] == [
                (e.from_ns, e.to_ns, e.alarm) for e in gateway.events
            ]
            stays = (sum(STAYS in codes for codes in rows) for rows in (said, there))
            other = sum(a != b for a, b in zip(said, there, strict=same))
            table.add_row(
                f"{folder.name}/{one.id}", str(len(replay.events)),
                str(sum(e.alarm for e in replay.events)), "yes" if same else "no", str(len(said)),
                ", ".join(map(str, stays)), str(other),
            )  # fmt: skip
    console.print(table)


if __name__ == "__main__":
    main()
