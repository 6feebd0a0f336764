"""The gateway as a read-only Modbus TCP server: `settings`, `registers` (the map), `server`.

Needs the extra ``modbus``.
"""
