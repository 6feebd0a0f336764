"""Commands from hosts: NCMD and DCMD, checked for form, age, type, range and right."""

from __future__ import annotations

import logging
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from auscult.gateway.outputs.sparkplug.payload import (
    CommandPayload,
    PayloadError,
    WrittenMetric,
    decode_command,
    written_value,
)
from auscult.gateway.tags.metrics import REBIRTH, Metric, TagInventory

log = logging.getLogger(__name__)

REMEMBERED = 256
"""Commands remembered to tell a redelivery (QoS 1 is at least once) from a new command."""
LOG_REFUSALS_EVERY_S = 10.0
"""A flood of refused commands fills no log."""


@dataclass(frozen=True, slots=True)
class NodeCommand:
    """A host wrote `value` to `metric` of `unit` (None = the edge node) at ``t_ms``, UTC."""

    unit: str | None
    metric: str
    value: bool | int | float | str
    t_ms: int


OnCommand = Callable[[NodeCommand], str]
"""Takes an accepted command, quickly; returns why it is refused after all, or an empty string."""


OnRejected = Callable[[str | None, str, str], None]
"""Takes unit (None = the edge node), metric and reason of a rejected command, quickly."""


class CommandReader:
    """Reads commands and refuses those that are late, doubled, malformed or not allowed.

    Parameters
    ----------
    max_age_s : float
        Device commands whose time differs more from ours are refused.
    on_refused : callable, optional
        Gets each rejected command; must return at once.
    """

    def __init__(self, max_age_s: float, on_refused: OnRejected | None = None) -> None:
        self._on_refused = on_refused
        self._max_age_ms = int(max_age_s * 1000)
        self._seen: OrderedDict[tuple[str | None, str, str, int], None] = OrderedDict()
        self._logged_s = float("-inf")
        self.refused = 0

    def read(
        self, unit_id: str | None, body: bytes, retained: bool, inventory: TagInventory, now_ms: int
    ) -> list[NodeCommand]:
        """Return the commands in a payload that may be carried out; the others are logged."""
        if retained:
            self.refuse(unit_id, "", "it is retained and would come again at each connection")
            return []
        try:
            message = decode_command(body)
        except PayloadError as error:
            self.refuse(unit_id, "", str(error))
            return []
        accepted = []
        for written in message.written:
            try:
                accepted.append(self._accept(unit_id, written, message, inventory, now_ms))
            except ValueError as error:
                self.refuse(unit_id, str(written.name or written.alias), str(error))
        return accepted

    def refuse(self, unit_id: str | None, metric: str, reason: str) -> None:
        """Count, pass on and log a refusal."""
        self.refused += 1
        if self._on_refused is not None:
            self._on_refused(unit_id, metric[:300], reason[:300])
        now_s = time.monotonic()
        if now_s - self._logged_s >= LOG_REFUSALS_EVERY_S:
            self._logged_s = now_s
            log.warning(
                "Sparkplug command to %s %s refused: %s (%d refused so far)",
                unit_id or "the edge node", metric[:100], reason[:300], self.refused,
            )  # fmt: skip

    def _accept(
        self,
        unit_id: str | None,
        written: WrittenMetric,
        message: CommandPayload,
        inventory: TagInventory,
        now_ms: int,
    ) -> NodeCommand:
        metric = _metric(unit_id, written, inventory)
        if not metric.writable:
            raise PayloadError(
                f"{metric.name!r} may not be written; allow the command under [sparkplug] commands"
            )
        value = written_value(written, metric)
        command = NodeCommand(unit_id, metric.name, value, self._time(metric, message, now_ms))
        if message.t_ms is not None:
            self._remember(command)
        return command

    def _time(self, metric: Metric, message: CommandPayload, now_ms: int) -> int:
        # Asking for a birth again does no harm, and some hosts (the conformance kit among them)
        # give no time with it.
        if metric.name == REBIRTH:
            return now_ms if message.t_ms is None else message.t_ms
        if message.t_ms is None:
            raise PayloadError("command without a time: it may be an old one")
        if abs(now_ms - message.t_ms) > self._max_age_ms:
            raise PayloadError(
                f"command's time differs by {(now_ms - message.t_ms) / 1000:.0f} s from ours: at "
                f"most {self._max_age_ms / 1000:.0f} s (set both clocks by NTP)"
            )
        return message.t_ms

    def _remember(self, command: NodeCommand) -> None:
        key = (command.unit, command.metric, repr(command.value), command.t_ms)
        if key in self._seen:
            raise PayloadError("command was carried out already")
        self._seen[key] = None
        if len(self._seen) > REMEMBERED:
            self._seen.popitem(last=False)


def _metric(unit_id: str | None, written: WrittenMetric, inventory: TagInventory) -> Metric:
    metrics = inventory.unit(unit_id).metrics
    name = written.name
    if name is None:
        of_alias = {
            alias: metric for (unit, metric), alias in inventory.aliases.items() if unit == unit_id
        }
        name = of_alias.get(written.alias) if written.alias is not None else None
    if name is None or name not in metrics:
        raise PayloadError(f"there is no metric {written.name!r} (alias {written.alias})")
    return metrics[name]
