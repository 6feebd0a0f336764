"""`[modbus]` of the configuration."""

from __future__ import annotations

from pydantic import Field

from auscult.contract.section import Section


class ModbusSettings(Section):
    """A read-only Modbus TCP server on the gateway, off by default; needs the extra `modbus`.

    Modbus knows neither names nor encryption: whoever reaches the port reads everything.
    """

    enabled: bool = Field(default=False, description="Serve Modbus TCP")
    host: str = Field(
        default="127.0.0.1", min_length=1, description="Address to listen on; `0.0.0.0` = all"
    )
    port: int = Field(
        default=5020, ge=1, le=65535, description="TCP port; below 1024 (502) only as root"
    )
    unit_id: int = Field(default=1, ge=1, le=247, description="Unit (slave) id that is answered")
