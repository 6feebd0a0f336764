"""A plant's history played into a gateway's data folder: its baselines, and the trends to send.

Trends are joined to hours and keep their times; hours without a value have none. Cases of the past
are not sent: they would call people to what is over. `auscult rehearse --report` lists them.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

from ulid import ULID

from auscult.contract.message import now_ms
from auscult.contract.said import Said
from auscult.contract.topics import Topics
from auscult.gateway.commands.commissioning import effective_settings
from auscult.gateway.datasets.value_tables import (
    DESCRIPTION,
    MachineTable,
    ValueHistory,
    read_description,
    read_history,
)
from auscult.gateway.evaluate.played import Player
from auscult.gateway.files.records import FileError
from auscult.gateway.machines.machine import MonitoredMachine
from auscult.gateway.machines.plant_budget import with_budgets
from auscult.gateway.machines.restore import LEARNING_FOLDER
from auscult.gateway.machines.result import MachineResult
from auscult.gateway.machines.trends import PointInterval
from auscult.gateway.publishing import encode
from auscult.gateway.publishing.levels import trend_columns
from auscult.gateway.records import PointId
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.storage import detector_states
from auscult.gateway.storage.lock import locked, usable
from auscult.gateway.storage.outbox import Outbox
from auscult.gateway.storage.outgoing import DatabaseWrite, Lane, Outgoing
from auscult.gateway.storage.store import Store

TREND_S: Final = 3600.0
"""Trends of the past are joined to hours: a year of a value a minute is then 3.4 MB a point."""
AWAY: Final[Any] = SimpleNamespace(connected=False)
"""In place of the link: the gateway sends what is stored when it starts."""
BYTES_PER_MB: Final = 1_000_000


def play_into(
    settings: GatewaySettings, folder: Path, done: Callable[[str, int | None], None]
) -> int:
    """Play the machines of a folder with `values.toml` that a gateway monitors, and store them.

    A machine is stored in one transaction, with all or nothing of it; one that has learned before
    is left as it is, so a play that was killed continues when it is started again.

    Parameters
    ----------
    settings : GatewaySettings
        Of a gateway that does not run; machines have the ids and points of `values.toml`.
    folder : Path
    done : callable
        Gets the id of each machine and its number of trend messages, None if it had learned before.

    Returns
    -------
    int
        Messages that the outbox (``outbox_max_mb``) had no room for; the oldest were dropped.

    Raises
    ------
    FileError
        If a table can't be used, or a machine or point is unknown to the gateway.
    StoreError, InUseError, FolderError
        As `auscult gateway`.
    """
    own = settings.gateway
    description = read_description(folder)
    with usable(own.data_dir), locked(own.data_dir):
        configured = effective_settings(settings)
        for table in description.machine:
            _check(folder, table, configured)
        store = Store(own.data_dir)
        try:
            outbox = Outbox(store, AWAY, own.outbox_max_mb * BYTES_PER_MB)
            before = outbox.dropped
            for table in description.machine:
                if any(detector_states.good_states(store, table.id)):
                    done(table.id, None)
                    continue
                player = _Player(read_history(folder, description, table.id), configured)
                player.play()
                messages = player.messages()
                writes: list[DatabaseWrite] = [player.machine.state_write()]
                if player.machine.baseline_id:
                    writes.append(player.machine.baseline_write())
                outbox.store(messages, writes)
                done(table.id, len(messages))
            return outbox.dropped - before
        finally:
            store.close()


class _Player(Player):
    """Plays a history to a machine as a gateway is configured for it; collects its trends."""

    kind_of_machine = MonitoredMachine

    def __init__(self, history: ValueHistory, configured: GatewaySettings) -> None:
        one = next(m for m in with_budgets(configured) if m.id == history.table.id)
        own = configured.gateway.model_copy(update={"trend_interval_s": TREND_S})
        settings = configured.model_copy(update={"gateway": own, "machines": (one,)})
        super().__init__(history, own.data_dir / LEARNING_FOLDER / one.id, settings=settings)
        self._topics = Topics(configured.site.id, own.id, configured.site.path)
        self._intervals: list[PointInterval] = []

    def took(self, result: MachineResult) -> None:
        """Keep the finished intervals."""
        super().took(result)
        self._intervals += result.intervals

    def messages(self) -> list[Outgoing]:
        """Return the trends, oldest first."""
        specs = self.machine.detector.specs
        found = []
        for one in (*self._intervals, *self.machine.flush_trends()):
            spec = specs[one.point]
            point = PointId(self.machine.id, one.point)
            message = encode.trend(point, one, spec, trend_columns(spec), ts=now_ms())
            topic = self._topics.trend(*point)
            found.append(Outgoing(str(ULID()), topic, message.payload(), Lane.TREND, message.id))
        return found


def _check(folder: Path, table: MachineTable, configured: GatewaySettings) -> None:
    """Check that the gateway has the machine, and its points as overall values."""
    path = str(folder / DESCRIPTION)
    machines = {machine.id: machine for machine in configured.machines}
    if table.id not in machines:
        raise FileError("values_no_machine", path=path, value=table.id, machines=tuple(machines))
    known = [one.id for one in machines[table.id].points if one.kind == "value"]
    for point in table.points:
        if point.id not in known:
            said = Said("values_no_point", {"point": point.id, "points": tuple(known)})
            raise FileError(
                "values_key", path=path, key=f"machine {table.id}, points", problem=said
            )
    if len(known) < len(machines[table.id].points):
        raise FileError("values_waveforms", path=path, value=table.id)
