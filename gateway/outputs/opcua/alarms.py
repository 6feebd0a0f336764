"""Alarms and Conditions (OPC 10000-9): one alarm a machine, active while it has an open event.

Clients receive each change as an event of type AlarmConditionType from the Server object;
ConditionRefresh sends the retained ones again. Methods that they may call are in `methods`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import get_args

from asyncua import Node, Server, ua
from asyncua.common.events import Event, get_event_obj_from_type_node
from asyncua.server.event_generator import EventGenerator

from auscult.contract.host_actions import OnAction, OnRefused
from auscult.contract.parts import WAITING, SuppressionKind
from auscult.contract.payloads import MachineStateMessage
from auscult.gateway.outputs.opcua.address_space import MACHINES, AddressSpace
from auscult.gateway.outputs.opcua.methods import AlarmMethods, Handled, Rights

SEVERITY = {"warning": 500, "alarm": 800}
"""OPC UA counts 1..1000: 401..600 is its middle band, 601..800 the high one."""
CALM_SEVERITY = 100
SUPPRESSED = get_args(SuppressionKind)
REMEMBERED_EVENTS = 64
"""Ids of an alarm's last messages: a client may acknowledge one that is no longer the newest."""
FIELDS = (
    "EventId", "EventType", "SourceNode", "SourceName", "Time", "ReceiveTime", "Message",
    "Severity", "ConditionClassId", "ConditionClassName", "ConditionName", "Retain",
    "SuppressedOrShelved",
    "EnabledState", "EnabledState/Id", "ActiveState", "ActiveState/Id", "AckedState",
    "AckedState/Id",
)  # fmt: skip
"""What the alarm's node shows as well."""


@dataclass(frozen=True, slots=True)
class AlarmState:
    """What an alarm says; a change of it is an event."""

    event_id: str = ""
    condition: str = "normal"
    text: str = ""
    waits: bool = False
    suppressed: bool = False

    @property
    def active(self) -> bool:
        return bool(self.event_id)

    @property
    def retained(self) -> bool:
        """Return whether it still wants attention: active, or waiting for someone."""
        return self.active or self.waits


class MachineAlarm:
    """The alarm of one machine."""

    def __init__(
        self,
        generator: EventGenerator,
        fields: Mapping[str, Node],
        handled: Handled,
        methods: AlarmMethods,
    ) -> None:
        self._generator = generator
        self._fields = dict(fields)
        self._handled = handled
        self._methods = methods
        self._state = AlarmState()

    @classmethod
    async def on(
        cls,
        server: Server,
        space: AddressSpace,
        machine: str,
        name: str,
        rights: Rights,
        on_action: OnAction,
        on_refused: OnRefused | None = None,
    ) -> MachineAlarm:
        """Add a machine's alarm to the address space.

        Parameters
        ----------
        rights : mapping of user to rights
            Who may call what.
        on_action : callable
            Queues what a client called; returns why it is rejected, or an empty string.
        on_refused : callable, optional
            Gets each call that a user has no right to.
        """
        source = await space.object(f"{MACHINES}/{machine}")
        condition = await source.add_object(
            space.node_id(f"{MACHINES}/{machine}/Alarm"),
            ua.QualifiedName("Alarm", source.nodeid.NamespaceIndex),
            objecttype=ua.NodeId(ua.ObjectIds.AlarmConditionType),
            instantiate_optional=False,
        )
        await source.add_reference(condition, ua.ObjectIds.HasCondition)
        generator = await _generator(server, source, condition, name)
        fields = {
            field: await condition.get_child([f"0:{part}" for part in field.split("/")])
            for field in FIELDS
        }
        handled = Handled()
        methods = AlarmMethods(machine, handled, rights, on_action, on_refused)
        await methods.link(server, condition)
        alarm = cls(generator, fields, handled, methods)
        await alarm._show()
        return alarm

    async def tell(self, message: MachineStateMessage) -> None:
        """Follow a machine's state; each change goes out as an event."""
        event_id = message.event_id or ""
        handled = self._handled
        handled.last_event = event_id or handled.last_event
        handled.state, handled.until_ms = message.handling.state, message.handling.until_ms
        text = "; ".join(reason.text for reason in message.reasons)
        handling = handled.state
        handled.waits = handling in WAITING
        await self._methods.show()
        await self._change(
            AlarmState(
                event_id,
                message.condition if event_id else "normal",
                text if event_id else self._state.text,
                waits=handled.waits,
                suppressed=handling in SUPPRESSED,
            )
        )

    async def _change(self, state: AlarmState) -> None:
        if state == self._state:
            return
        self._state = state
        event = self._generator.event
        event.Severity = SEVERITY.get(state.condition, CALM_SEVERITY)
        event.Retain = state.retained
        _set(event, "ActiveState", "Active" if state.active else "Inactive", state.active)
        acked = not state.waits
        _set(event, "AckedState", "Acknowledged" if acked else "Unacknowledged", acked)
        event.SuppressedOrShelved = state.suppressed
        await self._generator.trigger(message=state.text or "No reason is given")
        ids = self._handled.ids
        ids[:] = [*ids[1 - REMEMBERED_EVENTS :], event.EventId.Value]
        await self._show()

    async def _show(self) -> None:
        """Let those who read the alarm's node, rather than listen, see the same."""
        event = self._generator.event
        for field, node in self._fields.items():
            value = getattr(event, field)
            if value is not None:
                data = value if isinstance(value, ua.Variant) else _variant(event, field)
                await node.write_value(ua.DataValue(data))


async def _generator(server: Server, source: Node, condition: Node, name: str) -> EventGenerator:
    kind = server.get_node(ua.ObjectIds.AlarmConditionType)
    event = await get_event_obj_from_type_node(kind)
    event.add_property("NodeId", condition.nodeid, ua.VariantType.NodeId)
    event.SourceNode = source.nodeid
    event.SourceName = name
    event.ConditionName = f"{name}: departs from its healthy baseline"
    event.ConditionClassId = ua.NodeId(ua.ObjectIds.MaintenanceConditionClassType)
    event.ConditionClassName = ua.LocalizedText("MaintenanceConditionClassType")
    event.SuppressedOrShelved = False
    _set(event, "EnabledState", "Enabled", True)
    event.Retain = False
    _set(event, "ActiveState", "Inactive", False)
    _set(event, "AckedState", "Acknowledged", True)
    generator = EventGenerator(server.iserver.isession)
    await generator.init(event)
    return generator


def _variant(event: Event, field: str) -> ua.Variant:
    return ua.Variant(getattr(event, field), event.data_types[field])


def _set(event: Event, name: str, text: str, value: bool) -> None:
    setattr(event, name, ua.LocalizedText(text))
    setattr(event, f"{name}/Id", value)
