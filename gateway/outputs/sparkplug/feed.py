"""Listens to the gateway's messages and feeds the edge node: all that the service has to wire."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from auscult.contract.message import Message, now_ms
from auscult.contract.payloads import (
    Acknowledgement,
    EventMessage,
    MachineStateMessage,
    PointStateMessage,
    SpectrumMessage,
    Status,
)
from auscult.contract.records import Coverage
from auscult.gateway.outputs.contract import Output, OutputContext
from auscult.gateway.outputs.sparkplug.actions import ACTOR, action_of
from auscult.gateway.outputs.sparkplug.commands import NodeCommand
from auscult.gateway.outputs.sparkplug.node import SparkplugNode
from auscult.gateway.outputs.sparkplug.settings import SparkplugSettings
from auscult.gateway.tags.inventory import LAST_RESULT, inventory_of
from auscult.gateway.tags.levels import KnownLevels
from auscult.gateway.tags.mapping import (
    event_readings,
    machine_readings,
    point_levels,
    point_readings,
    sensor_lost,
    spectrum_reading,
    status_readings,
)
from auscult.gateway.tags.metrics import Reading

MAX_ASKED = 256
"""Commands whose answer is awaited; the gateway answers each within seconds."""
BASELINE_STEP = 0.05
"""A baseline's progress is reported in steps of this share of the windows it needs."""


class SparkplugFeed(Output):
    """The gateway as an edge node.

    Parameters
    ----------
    settings : SparkplugSettings
        Ids that are left out are those of site and gateway.
    context : OutputContext
        Its broker is used where the settings name none; its folder keeps birth/death number,
        history and known levels.
    """

    def __init__(self, settings: SparkplugSettings, context: OutputContext) -> None:
        settings = settings.named(context.topics.site, context.topics.gateway)
        self._settings = settings
        self._context = context
        self._points = {m.id: tuple(p.id for p in m.points) for m in context.inventory.machines}
        self._lock = threading.Lock()
        self._results: dict[str, tuple[str, int]] = {}
        self._last_events: dict[str, str] = {}
        self._asked: dict[str, NodeCommand] = {}
        self._baselines: dict[str, Coverage] = {}
        self._without_sensor: dict[str, set[str]] = {machine: set() for machine in self._points}
        self._levels = KnownLevels(context.folder / "levels.json")
        self.node = SparkplugNode(
            settings,
            settings.brokers or (context.broker,),
            inventory_of(context.inventory, settings.tags, self._levels, context.version),
            self._obey,
            context.folder,
            self._reject,
        )

    def start(self) -> None:
        """Begin to connect."""
        self.node.start()

    def stop(self) -> None:
        """Die in order."""
        self.node.stop()

    @property
    def trouble(self) -> str:
        """Return what keeps the node from working; else empty."""
        return self.node.thread.trouble

    def publish(self, message: Message) -> None:
        """Report what a message says; messages that have no metrics are passed over."""
        match message:
            case PointStateMessage():
                self._publish_point(message)
            case MachineStateMessage():
                with self._lock:
                    if message.event_id:
                        self._last_events[message.machine] = message.event_id
                    with_baseline = self._baseline_moved(message)
                self.node.publish(message.machine, machine_readings(message, with_baseline))
            case EventMessage():
                with self._lock:
                    self._last_events[message.machine] = message.event_id
                self.node.publish(message.machine, event_readings(message))
            case SpectrumMessage():
                if "request_spectrum" in self._settings.commands:
                    self.node.publish(message.machine, spectrum_reading(message))
            case Acknowledgement():
                self._publish_result(message)
            case Status(state="online"):
                self.node.publish(None, {**status_readings(message), **self._own(message.ts)})
            case _:
                pass

    def _publish_point(self, message: PointStateMessage) -> None:
        machine = message.machine
        with self._lock:
            without = self._without_sensor[machine]
            was_lost = self._all_lost(machine)
            (without.add if sensor_lost(message) else without.discard)(message.point)
            is_lost = self._all_lost(machine)
            units = {name: level.unit for name, level in message.levels.items()}
            new = self._levels.learn(machine, message.point, units)
        if new:
            self.node.extend(machine, point_levels(message, self._settings.tags))
        if was_lost and not is_lost:
            self.node.device_back(machine)
        self.node.publish(machine, point_readings(message))
        if is_lost and not was_lost:
            # After the readings: the host learns from them which sensor failed how.
            self.node.device_lost(machine, "; ".join(message.sensor))

    def _baseline_moved(self, message: MachineStateMessage) -> bool:
        """Return whether the baseline's progress is worth a message: it moves with each window."""
        now = message.coverage
        before = self._baselines.get(message.machine)
        step = now.windows_needed * BASELINE_STEP
        if before and before.phase == now.phase and abs(now.windows - before.windows) < step:
            return False
        self._baselines[message.machine] = now
        return True

    def _all_lost(self, machine: str) -> bool:
        return len(self._without_sensor[machine]) == len(self._points[machine])

    def _own(self, t_ms: int) -> dict[str, Reading]:
        node = self.node
        return {
            "Sparkplug/History Pending": Reading(node.history_pending, t_ms),
            "Sparkplug/History Dropped": Reading(node.history_dropped, t_ms),
            "Sparkplug/Commands Refused": Reading(node.commands_refused, t_ms),
        }

    def _obey(self, command: NodeCommand) -> str:
        machine = command.unit or ""
        with self._lock:
            last_event = self._last_events.get(machine, "")
        points: Sequence[str] = self._points.get(machine, ())
        action = action_of(command, points, last_event)
        if isinstance(action, str):
            refusal = action
        else:
            with self._lock:
                self._asked[action.id] = command
                while len(self._asked) > MAX_ASKED:
                    del self._asked[next(iter(self._asked))]
            refusal = self._context.on_action(action)
        return refusal

    def _reject(self, unit: str | None, metric: str, reason: str) -> None:
        self._context.on_refused(ACTOR, f"{unit or 'the edge node'} {metric}".strip(), reason)
        self._result(unit, metric, f"refused, {reason}")

    def _publish_result(self, answer: Acknowledgement) -> None:
        """Tell the host what became of what it asked for."""
        with self._lock:
            command = self._asked.pop(answer.id, None)
        if command is not None:
            text = "done" if answer.ok else f"refused, {answer.text}"
            self._result(command.unit, command.metric, text)

    def _result(self, unit: str | None, metric: str, text: str) -> None:
        """Publish a result; a repeated one carries its count, so that the tag changes."""
        if unit is None or unit not in self._points:
            return
        result = f"{metric}: {text}" if metric else text
        with self._lock:
            before, count = self._results.get(unit, ("", 0))
            count = count + 1 if result == before else 1
            self._results[unit] = result, count
        shown = result if count == 1 else f"{result} ({count} times)"
        # By this gateway's clock: a host's clock that is behind would hide the result.
        self.node.publish(unit, {LAST_RESULT: Reading(shown, now_ms())})
