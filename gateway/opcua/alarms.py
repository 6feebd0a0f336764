"""Alarms and Conditions (OPC 10000-9): one alarm a machine, active while it has an open event.

Clients hear each change as an event of type AlarmConditionType from the Server object;
ConditionRefresh tells those that are retained. Acknowledge is passed to the gateway, which decides.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from asyncua import Node, Server, ua
from asyncua.common.events import Event, get_event_obj_from_type_node
from asyncua.common.methods import uamethod
from asyncua.server.event_generator import EventGenerator

from gateway.messages.payloads import MachineState
from gateway.opcua.access import caller
from gateway.opcua.address_space import MACHINES, AddressSpace
from gateway.sparkplug.mapping import HostAction

SEVERITY = {"warning": 500, "alarm": 800}
"""OPC UA counts 1..1000: 401..600 is its middle band, 601..800 the high one."""
CALM_SEVERITY = 100
WAITING = ("unacknowledged", "returned")
SUPPRESSED = ("shelved", "out_of_service")
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

OnAction = Callable[[HostAction], str]


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
        """Whether it still wants attention: active, or waiting for someone."""
        return self.active or self.waits


class MachineAlarm:
    """The alarm of one machine."""

    def __init__(
        self,
        machine: str,
        generator: EventGenerator,
        fields: Mapping[str, Node],
        acknowledgers: frozenset[str],
    ) -> None:
        self._machine = machine
        self._generator = generator
        self._fields = dict(fields)
        self._acknowledgers = acknowledgers
        self._state = AlarmState()
        self._last_event = ""
        self._ids: list[bytes] = []

    @classmethod
    async def on(
        cls,
        server: Server,
        space: AddressSpace,
        machine: str,
        name: str,
        acknowledgers: frozenset[str],
        on_action: OnAction,
    ) -> MachineAlarm:
        """Add a machine's alarm to the address space.

        Parameters
        ----------
        acknowledgers : frozenset of str
            Users that may acknowledge.
        on_action : callable
            Passes an acknowledgement on; says why it is refused, or an empty string.
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
        alarm = cls(machine, generator, fields, acknowledgers)
        await alarm._show()
        method = await condition.get_child(["0:Acknowledge"])

        @uamethod
        async def acknowledge(
            _parent: ua.NodeId, event_id: bytes, _comment: ua.LocalizedText
        ) -> object:
            return alarm.acknowledge(event_id, on_action)

        server.link_method(method, acknowledge)
        return alarm

    async def tell(self, message: MachineState) -> None:
        """Follow a machine's state; each change goes out as an event."""
        event_id = message.event_id or ""
        self._last_event = event_id or self._last_event
        text = "; ".join(reason.text for reason in message.reasons)
        handling = message.handling.state
        await self._change(
            AlarmState(
                event_id,
                message.condition if event_id else "normal",
                text if event_id else self._state.text,
                waits=handling in WAITING,
                suppressed=handling in SUPPRESSED,
            )
        )

    def acknowledge(self, event_id: bytes, on_action: OnAction) -> ua.StatusCode:
        """Do what a client asks; the state follows when the gateway says so."""
        user = caller.get()
        if user is None or user.name not in self._acknowledgers:
            return ua.StatusCode(ua.StatusCodes.BadUserAccessDenied)
        if event_id not in self._ids:
            return ua.StatusCode(ua.StatusCodes.BadEventIdUnknown)
        if not self._state.waits:
            return ua.StatusCode(ua.StatusCodes.BadConditionBranchAlreadyAcked)
        now_ms = time.time_ns() // 1_000_000
        refusal = on_action(
            HostAction(
                "acknowledge",
                self._machine,
                None,
                self._last_event,
                now_ms,
                f"{user.name} (OPC UA)",
            )
        )
        return ua.StatusCode(ua.StatusCodes.BadRequestNotAllowed if refusal else 0)

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
        self._ids = [*self._ids[1 - REMEMBERED_EVENTS :], event.EventId.Value]
        await self._show()

    async def _show(self) -> None:
        """Let those who read the alarm's node, rather than listen, see the same."""
        event = self._generator.event
        for field, node in self._fields.items():
            value = getattr(event, field)
            if value is not None:
                told = value if isinstance(value, ua.Variant) else _variant(event, field)
                await node.write_value(ua.DataValue(told))


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
