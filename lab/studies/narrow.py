"""The effect of labels with a baseline that is too narrow: ``python -m lab.studies.narrow``.

    python -m lab.studies.narrow speed_rpm bldc_audio 5

Each machine gets a baseline of one condition at a time, without operating state, and then runs in
all conditions.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

from auscult.gateway.datasets.dataset import read_manifest
from auscult.gateway.evaluate.conditions import Quantity, known_only, without_states
from auscult.gateway.evaluate.detection import Split, condition_of, default_split
from auscult.gateway.evaluate.features import MachineData, machine_data
from auscult.gateway.evaluate.labels import labelled_results
from auscult.gateway.evaluate.report import label_tables
from auscult.gateway.evaluate.run import WINDOW_S


def all_but_one_left_out(data: MachineData, quantity: Quantity) -> Iterator[tuple[str, Split]]:
    """Take one condition at a time as baseline, without states: the narrowest baseline."""
    default = default_split(data)
    values = list(dict.fromkeys(condition_of(s, quantity) for s, _ in default.baseline))
    if len(values) < 2 or None in values:
        return
    for value in values:
        yield str(value), without_states(known_only(default, quantity, [value]))


PROTOCOL = {"hold_out_all_but_one": all_but_one_left_out}


def main(quantity: Quantity, manifest: Path | str, labels: int) -> None:
    """Print the effect of this number of labels."""
    data = read_manifest(manifest)
    for machine in data.machines:
        mine = machine_data(data, machine, WINDOW_S, lambda: None)
        for table in label_tables(labelled_results(mine, quantity, labels, protocols=PROTOCOL)):
            Console().print(table)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))  # type: ignore[arg-type]
