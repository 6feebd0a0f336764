"""What clients may call on a machine's alarm: acknowledge, shelve, take out of service.

Each call becomes one of the gateway's commands. The gateway accepts or rejects it, audits it and
publishes the new state; the alarm follows it (OPC 10000-9, 5.7.3 Acknowledge, 5.8.10 shelving,
5.8.2 out of service).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from asyncua import Node, Server, ua
from asyncua.common.methods import uamethod

from auscult.contract.host_actions import HostAction, HostRight, OnAction, OnRefused
from auscult.contract.message import now_ms
from auscult.contract.payloads import MAX_SHELF_S
from auscult.contract.requests import (
    AcknowledgeArgs,
    ArgsT,
    Commands,
    CommandSpec,
    OutOfServiceArgs,
    ReleaseArgs,
    ShelveArgs,
)
from auscult.gateway.outputs.opcua.access import caller

Rights = Mapping[str, frozenset[HostRight]]
"""What each user may ask for."""
Method = Callable[..., Awaitable[ua.StatusCode]]
REASON = "asked for over OPC UA"
MAX_COMMENT = 2000
UNSHELVED = "Unshelved", ua.ObjectIds.ShelvedStateMachineType_Unshelved
TIMED_SHELVED = "TimedShelved", ua.ObjectIds.ShelvedStateMachineType_TimedShelved


@dataclass(slots=True)
class Handled:
    """A machine's alarm as the gateway reported it last."""

    last_event: str = ""
    waits: bool = False
    state: str = "normal"
    until_ms: int | None = None
    ids: list[bytes] = field(default_factory=list)
    """Of the alarm's last messages: a client acknowledges one of them."""


class AlarmMethods:
    """The methods of one machine's alarm.

    Parameters
    ----------
    machine : str
    handled : Handled
        Kept current by the alarm.
    rights : mapping of user to rights
    on_action : callable
    on_refused : callable, optional
    """

    def __init__(
        self,
        machine: str,
        handled: Handled,
        rights: Rights,
        on_action: OnAction,
        on_refused: OnRefused | None = None,
    ) -> None:
        self._machine = machine
        self._handled = handled
        self._rights = rights
        self._on_action = on_action
        self._on_refused = on_refused
        self._shelving: Node | None = None

    async def link(self, server: Server, condition: Node) -> None:
        """Add the methods to the alarm's node."""
        namespace = condition.nodeid.NamespaceIndex

        def node_id(path: str) -> ua.NodeId:
            return ua.NodeId(f"{condition.nodeid.Identifier}/{path}", namespace)

        acknowledge = await condition.get_child(["0:Acknowledge"])
        server.link_method(acknowledge, self._allowed("acknowledge", self._acknowledge))
        service: dict[str, Method] = {
            "RemoveFromService": self._remove_from_service,
            "PlaceInService": self._place_in_service,
        }
        for name, call in service.items():
            method = self._allowed("out_of_service", call)
            await condition.add_method(node_id(name), ua.QualifiedName(name, 0), method)
        self._shelving = await condition.add_object(
            node_id("ShelvingState"),
            ua.QualifiedName("ShelvingState", 0),
            objecttype=ua.NodeId(ua.ObjectIds.ShelvedStateMachineType),
            instantiate_optional=False,
        )
        shelving: dict[str, Method] = {
            "TimedShelve": self._timed_shelve,
            "OneShotShelve": self._one_shot_shelve,
            "Unshelve": self._unshelve,
        }
        for name, call in shelving.items():
            node = await self._shelving.get_child([f"0:{name}"])
            server.link_method(node, self._allowed("shelve", call))
        left = await self._shelving.get_child(["0:UnshelveTime"])
        server.iserver.aspace.set_attribute_value_callback(
            left.nodeid, ua.AttributeIds.Value, lambda *_: self._left()
        )
        await self.show()

    async def show(self) -> None:
        """Let clients read whether the alarm is shelved."""
        if self._shelving is None:
            return
        shelved = self._handled.state == "shelved"
        name, number = TIMED_SHELVED if shelved else UNSHELVED
        state = await self._shelving.get_child(["0:CurrentState"])
        await state.write_value(ua.LocalizedText(name))
        identity = await state.get_child(["0:Id"])
        await identity.write_value(ua.NodeId(number))

    def _left(self) -> ua.DataValue:
        """Return how long the shelf lasts, ms."""
        until_ms = self._handled.until_ms or 0
        left = max(0.0, float(until_ms - now_ms()))
        return ua.DataValue(ua.Variant(left, ua.VariantType.Double))

    async def _acknowledge(
        self, _parent: ua.NodeId, event_id: bytes, comment: ua.LocalizedText | None
    ) -> ua.StatusCode:
        if event_id not in self._handled.ids:
            return ua.StatusCode(ua.StatusCodes.BadEventIdUnknown)
        if not self._handled.waits:
            return ua.StatusCode(ua.StatusCodes.BadConditionBranchAlreadyAcked)
        args = AcknowledgeArgs(
            event_id=self._handled.last_event,
            comment=((comment and comment.Text) or "")[:MAX_COMMENT],
        )
        return self._ask(Commands.ACKNOWLEDGE, args)

    async def _timed_shelve(self, _parent: ua.NodeId, duration_ms: float) -> ua.StatusCode:
        if not 1000 <= duration_ms <= 1000 * MAX_SHELF_S:
            return ua.StatusCode(ua.StatusCodes.BadShelvingTimeOutOfRange)
        if self._handled.state == "shelved":
            return ua.StatusCode(ua.StatusCodes.BadConditionAlreadyShelved)
        args = ShelveArgs(machine=self._machine, duration_s=int(duration_ms / 1000), reason=REASON)
        return self._ask(Commands.SHELVE, args)

    async def _one_shot_shelve(self, _parent: ua.NodeId) -> ua.StatusCode:
        # Shelving always has an end here; until the alarm ends could hide it without limit.
        return ua.StatusCode(ua.StatusCodes.BadNotSupported)

    async def _unshelve(self, _parent: ua.NodeId) -> ua.StatusCode:
        if self._handled.state != "shelved":
            return ua.StatusCode(ua.StatusCodes.BadConditionNotShelved)
        args = ReleaseArgs(machine=self._machine, comment=REASON)
        return self._ask(Commands.UNSHELVE, args)

    async def _remove_from_service(self, _parent: ua.NodeId) -> ua.StatusCode:
        args = OutOfServiceArgs(machine=self._machine, reason=REASON)
        return self._ask(Commands.OUT_OF_SERVICE, args)

    async def _place_in_service(self, _parent: ua.NodeId) -> ua.StatusCode:
        args = ReleaseArgs(machine=self._machine, comment=REASON)
        return self._ask(Commands.RETURN_TO_SERVICE, args)

    def _allowed(self, right: HostRight, call: Method) -> Callable[..., Any]:
        """Give a method that only those with a right may call."""

        async def method(parent: ua.NodeId, *args: object) -> ua.StatusCode:
            name = _caller_name()
            if right not in self._rights.get(name, frozenset()):
                if self._on_refused is not None:
                    what = f"{self._machine} {right}"
                    self._on_refused(f"{name} (OPC UA)", what, "the user has no right to it")
                return ua.StatusCode(ua.StatusCodes.BadUserAccessDenied)
            return await call(parent, *args)

        return cast("Callable[..., Any]", uamethod(method))

    def _ask(self, spec: CommandSpec[ArgsT], args: ArgsT) -> ua.StatusCode:
        """Pass on what a client asks for; the state follows when the gateway says so."""
        actor = f"{_caller_name()} (OPC UA)"
        refusal = self._on_action(HostAction(spec, args, now_ms(), actor))
        return ua.StatusCode(ua.StatusCodes.BadRequestNotAllowed if refusal else 0)


def _caller_name() -> str:
    """Return the name of the user who calls, empty if unknown."""
    user = caller.get()
    return (user.name or "") if user is not None else ""
