"""The effect of labels with a baseline that is too narrow: ``python -m tests.studies.narrow``.

    python -m tests.studies.narrow speed_rpm bldc_audio 5

Each machine gets a baseline of one condition at a time, without operating state, and then runs in
all conditions.
"""

from __future__ import annotations

import sys
from pathlib import Path

from rich.console import Console

from auscult.gateway.evaluate.conditions import Quantity, all_but_one_left_out
from auscult.gateway.evaluate.features import machine_data
from auscult.gateway.evaluate.labels import labelled_results
from auscult.gateway.evaluate.report import label_tables
from auscult.gateway.evaluate.run import WINDOW_S
from auscult.gateway.sources.dataset import read_manifest

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
