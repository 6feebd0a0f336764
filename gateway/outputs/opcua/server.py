"""Runs the OPC UA server in a thread of its own, and keeps its tags current."""

from __future__ import annotations

import asyncio
import logging
import threading
from contextlib import suppress

from asyncua import Server

from auscult.contract.host_actions import HostRight
from auscult.contract.message import Message
from auscult.contract.payloads import MachineStateMessage, PointStateMessage
from auscult.gateway.outputs.contract import Output, OutputContext
from auscult.gateway.outputs.opcua.access import Users, secure
from auscult.gateway.outputs.opcua.address_space import MACHINES, OWN, AddressSpace
from auscult.gateway.outputs.opcua.alarms import CALM_SEVERITY, MachineAlarm
from auscult.gateway.outputs.opcua.methods import Rights
from auscult.gateway.outputs.opcua.settings import OpcUaSettings
from auscult.gateway.tags.levels import KnownLevels
from auscult.gateway.tags.readings import TAG_MESSAGES, level_tags, readings_of, tags_of
from auscult.host.supervised import Supervised

log = logging.getLogger(__name__)

NAMESPACE = "urn:auscult:tags"
START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 3.0


class OpcUaServer(Output):
    """The gateway's OPC UA server.

    Parameters
    ----------
    settings : OpcUaSettings
    context : OutputContext
        Its folder keeps the certificate that the server made, and the levels that it knows.

    Raises
    ------
    CredentialsError
        If a password file can't be used.
    """

    def __init__(self, settings: OpcUaSettings, context: OutputContext) -> None:
        self._settings = settings
        self._context = context
        self._name = context.topics.gateway
        self._users = Users(settings)
        self._levels = KnownLevels(context.folder / "levels.json")
        self._lock = threading.Lock()
        self._waiting: dict[tuple[str, str, str], Message] = {}
        self._latest: dict[tuple[str, str, str], Message] = {}
        self._loop = asyncio.new_event_loop()
        self._wake = asyncio.Event()
        self._stop = threading.Event()
        self._alarms: dict[str, MachineAlarm] = {}
        self.thread = Supervised("opcua", self._run, self._stop)
        self.ready = threading.Event()

    @property
    def trouble(self) -> str:
        """Return what keeps the server from running; else empty."""
        return self.thread.trouble

    def start(self) -> None:
        """Begin to serve; `ready` is set when clients may come."""
        self.thread.start()

    def stop(self) -> None:
        """End all sessions and the thread."""
        self._stop.set()
        if self.thread.is_alive():
            self._wake_up()
            self.thread.join(STOP_TIMEOUT_S)

    def publish(self, message: Message) -> None:
        """Take a message over, quickly; of each topic only the newest waits."""
        if not isinstance(message, TAG_MESSAGES):
            return
        key = (
            message.schema_name,
            getattr(message, "machine", ""),
            getattr(message, "point", ""),
        )
        with self._lock:
            self._waiting[key] = self._latest[key] = message
        self._wake_up()

    def _wake_up(self) -> None:
        with suppress(RuntimeError):  # the loop is closed while the server restarts
            self._loop.call_soon_threadsafe(self._wake.set)

    def _run(self) -> None:
        if self._stop.is_set():
            return
        if self._loop.is_closed():
            # A restarted server has an address space without values.
            with self._lock:
                self._waiting = dict(self._latest)
            self._wake = asyncio.Event()
            self._wake.set()
            self._loop = asyncio.new_event_loop()
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        settings = self._settings
        uri = f"urn:auscult:{self._name}"
        server = Server(user_manager=self._users)
        server.iserver.bind_condition_methods = CALM_SEVERITY
        await server.init()
        server.set_endpoint(f"opc.tcp://{settings.host}:{settings.port}/auscult")
        server.set_server_name(f"Auscult {self._name}")
        await server.set_application_uri(uri)
        await secure(server, settings, self._context.folder, uri)
        space = AddressSpace(server, await server.register_namespace(NAMESPACE))
        await self._populate(server, space)
        async with server:
            log.info("OPC UA server listens on %s:%s", settings.host, settings.port)
            self.ready.set()
            while not self._stop.is_set():
                await self._wake.wait()
                self._wake.clear()
                await self._follow(space)

    async def _populate(self, server: Server, space: AddressSpace) -> None:
        await space.object(OWN, f"Gateway {self._name}")
        await space.object(MACHINES)
        rights: Rights = {
            user.name: frozenset[HostRight](user.commands) for user in self._settings.users
        }
        for machine in self._context.inventory.machines:
            await space.object(f"{MACHINES}/{machine.id}", machine.name, machine.area)
            for point in machine.points:
                await space.object(f"{MACHINES}/{machine.id}/Points/{point.id}", point.name)
            self._alarms[machine.id] = await MachineAlarm.on(
                server,
                space,
                machine.id,
                machine.name,
                rights,
                self._context.on_action,
                self._context.on_refused,
            )
        for machine_id, tag in tags_of(
            self._context.inventory, self._levels, self._context.version
        ):
            await space.add(machine_id, tag)

    async def _follow(self, space: AddressSpace) -> None:
        with self._lock:
            messages, self._waiting = list(self._waiting.values()), {}
        for message in messages:
            try:
                await self._write(space, message)
            except Exception:
                log.exception("a message could not be published over OPC UA")

    async def _write(self, space: AddressSpace, message: Message) -> None:
        if isinstance(message, PointStateMessage):
            units = {name: level.unit for name, level in message.levels.items()}
            if self._levels.learn(message.machine, message.point, units):
                for tag in level_tags(message):
                    await space.add(message.machine, tag)
        carried = readings_of(message)
        if carried is not None:
            await space.write(carried.machine, carried.readings)
        if isinstance(message, MachineStateMessage):
            await self._alarms[message.machine].tell(message)
