"""asyncua's client in a process of its own: prints values and events, a JSON object a line.

`python -m tests.gateway.outputs.opcua.client ENDPOINT FOLDER MODE USER PASSWORD`
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from asyncua import Client, Node, ua
from asyncua.crypto.cert_gen import setup_self_signed_certificate
from asyncua.crypto.security_policies import SecurityPolicyBasic256Sha256
from cryptography.x509.oid import ExtendedKeyUsageOID

URI = "urn:test:client"


def tell(**line: Any) -> None:
    print(json.dumps(line), flush=True)


class Listener:
    def __init__(self) -> None:
        self.events: list[Any] = []

    def event_notification(self, event: Any) -> None:
        self.events.append(event)
        tell(
            alarm={
                "SourceName": event.SourceName, "Severity": event.Severity,
                "Message": event.Message.Text, "Retain": event.Retain,
                "Active": getattr(event, "ActiveState/Id"),
                "Acked": getattr(event, "AckedState/Id"),
                "Shelved": event.SuppressedOrShelved,
            }
        )  # fmt: skip


async def main(endpoint: str, folder: Path, mode: str, user: str, password: str) -> None:
    client = Client(endpoint)
    client.application_uri = URI
    if user:
        client.set_user(user)
        client.set_password(password)
    if mode != "none":
        key, cert = folder / "client.pem", folder / "client.der"
        usage = [ExtendedKeyUsageOID.CLIENT_AUTH]
        await setup_self_signed_certificate(key, cert, URI, "localhost", usage, {})
        kind = {
            "sign": ua.MessageSecurityMode.Sign,
            "sign_and_encrypt": ua.MessageSecurityMode.SignAndEncrypt,
        }[mode]
        await client.set_security(SecurityPolicyBasic256Sha256, cert, key, mode=kind)
    async with client:
        await look(client)


async def look(client: Client) -> None:
    machines = await client.nodes.objects.get_child(["2:Machines"])
    names = [(await node.read_display_name()).Text for node in await machines.get_children()]
    tell(machines=names)
    for path in ("Verdict/Condition", "Verdict/Alarm Word", "Points/DE/Levels/velocity_rms",
                 "Points/DE/Load", "Event/Started"):  # fmt: skip
        node = client.get_node(f"ns=2;s=Machines/pump-3/{path}")
        value = await node.read_data_value(raise_on_bad_status=False)
        raw = value.Value.Value if value.Value else None
        tell(
            path=path,
            value=raw if isinstance(raw, str | float | int) else None,
            status=value.StatusCode.name,
            source_ms=round(value.SourceTimestamp.timestamp() * 1000),
        )
    level = client.get_node("ns=2;s=Machines/pump-3/Points/DE/Levels/velocity_rms")
    found = {
        (await p.read_browse_name()).Name: await p.read_value()
        for p in await level.get_properties()
    }
    unit, span = found["EngineeringUnits"], found["EURange"]
    tell(unit=unit.DisplayName.Text, id=unit.UnitId, low=span.Low, high=span.High)
    analog = await level.read_type_definition()
    tell(analog=analog == ua.NodeId(ua.ObjectIds.AnalogItemType))
    for node, call in (
        (level, level.write_value(1.0)),
        (machines, machines.add_object(2, "mine")),
    ):
        try:
            await call
        except ua.UaStatusCodeError as error:
            tell(denied=type(error).__name__, of=str(node))
    listener = Listener()
    subscription = await client.create_subscription(100, listener)
    await subscription.subscribe_alarms_and_conditions(evtypes=ua.ObjectIds.AlarmConditionType)
    condition = client.get_node(ua.ObjectIds.ConditionType)
    number = ua.Variant(subscription.subscription_id, ua.VariantType.UInt32)
    await condition.call_method("0:ConditionRefresh", number)
    tell(listening=True)
    await answer(client, listener)


async def answer(client: Client, listener: Listener) -> None:
    """Acknowledge what waits, and call what the standard input asks for."""
    alarm = client.get_node("ns=2;s=Machines/pump-3/Alarm")
    seen = 0
    asked: asyncio.Queue[str] = asyncio.Queue()
    asyncio.get_running_loop().add_reader(sys.stdin, lambda: asked.put_nowait(sys.stdin.readline()))
    while True:
        await asyncio.sleep(0.05)
        while not asked.empty():
            if line := asked.get_nowait():
                await call(client, alarm, *json.loads(line))
        for event in listener.events[seen:]:
            seen += 1
            waits = getattr(event, "AckedState/Id", None) is False
            if not waits:
                continue
            tell(active_state=(await (await alarm.get_child("0:ActiveState")).read_value()).Text)
            for event_id in (b"nonsense", event.EventId):
                try:
                    await alarm.call_method(
                        "0:Acknowledge", ua.Variant(event_id, ua.VariantType.ByteString),
                        ua.LocalizedText("seen"),
                    )  # fmt: skip
                    tell(acknowledged="Good")
                except ua.UaStatusCodeError as error:
                    tell(acknowledged=type(error).__name__)


async def call(client: Client, alarm: Node, path: str, *args: float) -> None:
    """Call a method of the alarm, and print its shelving state after it."""
    *above, name = path.split("/")
    parent = await alarm.get_child([f"0:{part}" for part in above]) if above else alarm
    answer = "Good"
    try:
        await parent.call_method(f"0:{name}", *args)
    except ua.UaStatusCodeError as error:
        answer = type(error).__name__
    shelving = await alarm.get_child("0:ShelvingState")
    state = await (await shelving.get_child("0:CurrentState")).read_value()
    left_ms = await (await shelving.get_child("0:UnshelveTime")).read_value()
    tell(called=answer, shelving=[state.Text, left_ms])


if __name__ == "__main__":
    try:
        asyncio.run(main(sys.argv[1], Path(sys.argv[2]), *sys.argv[3:6]))
    except (ua.UaStatusCodeError, ua.UaError, OSError, ValueError) as error:
        tell(error=f"{type(error).__name__}: {error}")
