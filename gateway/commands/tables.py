"""The commands `read_table` and `map_table`: the columns of a historian's export as points."""

from __future__ import annotations

import threading
from pathlib import Path

from auscult.contract.payloads import Command
from auscult.contract.requests import MapTableArgs, ReadTableArgs
from auscult.contract.said import Said
from auscult.gateway.commands.commissioning import summary
from auscult.gateway.commands.handler import CommandOutcome, CommandRejection
from auscult.gateway.commands.origin import REPORTED
from auscult.gateway.datasets.value_mapping import (
    changed_since,
    head_with_mapping,
    mapping_problems,
    tables_below,
    write_mapping,
)
from auscult.gateway.files.historian import TimeLayout


class TableCommands:
    """Handlers; each runs in a thread of its own, because a folder may be on a slow drive.

    Parameters
    ----------
    folder : Path
        `recordings_dir`: no table outside of it is read.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._writing = threading.Lock()

    def read_table(self, command: Command, asked: ReadTableArgs) -> CommandOutcome:
        """List the tables, or return the head of one with its mapping."""
        _check_origin(command)
        if not asked.table:
            return CommandOutcome(table=tables_below(self._folder))
        layout = TimeLayout(asked.time, asked.timezone, asked.time_format, asked.tag, asked.value)
        return CommandOutcome(table=head_with_mapping(self._folder, asked.table, layout))

    def map_table(self, command: Command, asked: MapTableArgs) -> CommandOutcome:
        """Check the machines of a table, and put them into `values.toml`."""
        _check_origin(command)
        with self._writing:
            found = mapping_problems(self._folder, asked.table, asked.machines)
            if found:
                raise CommandRejection(summary(found), problems=found)
            if changed_since(asked.base, self._folder, asked.table, asked.machines):
                raise CommandRejection("table_changed", table=asked.table)
            points = sum(len(machine["points"]) for machine in asked.machines)
            if asked.dry_run:
                return CommandOutcome(Said("table_checked", {"count": points}))
            file = write_mapping(self._folder, asked.table, asked.machines)
        mapped = Said(
            "table_mapped", {"count": points, "path": str(file), "folder": str(file.parent)}
        )
        return CommandOutcome(mapped)


def _check_origin(command: Command) -> None:
    if command.actor.endswith(REPORTED):
        # It sends what a file holds: only a trusted dashboard may ask for it.
        raise CommandRejection("command_unsigned")
