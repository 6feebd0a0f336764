"""A read-only Modbus TCP server on the gateway: `registers` is the map, `server` runs it."""

from __future__ import annotations

from auscult.gateway.outputs.contract import Output, OutputContext, OutputKind, extra
from auscult.gateway.outputs.modbus.settings import ModbusSettings


class Modbus(OutputKind[ModbusSettings]):
    """The gateway as a Modbus TCP server."""

    title = "The gateway as a Modbus TCP server"
    settings = ModbusSettings

    def open(self, settings: ModbusSettings, context: OutputContext) -> Output | None:
        if not settings.enabled:
            return None
        with extra("modbus"):
            from auscult.gateway.outputs.modbus.server import ModbusServer
        return ModbusServer(settings, context.inventory, context.folder)


KIND = Modbus()
