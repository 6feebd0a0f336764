"""What OPC UA clients see: an object for the gateway, one for each machine, its tags below it.

Node ids are ``ns=2;s=Machines/{machine}/{tag}``, so a client needs no browsing to know them; the
gateway's own tags are ``ns=2;s=Gateway/{tag}``.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping

from asyncua import Node, Server, ua

from auscult.gateway.tags.metrics import DataType, Metric, Quality, Reading, Value

OWN = "Gateway"
MACHINES = "Machines"

TYPES = {
    DataType.FLOAT: ua.VariantType.Float,
    DataType.INT32: ua.VariantType.Int32,
    DataType.UINT16: ua.VariantType.UInt16,
    DataType.UINT64: ua.VariantType.UInt64,
    DataType.BOOLEAN: ua.VariantType.Boolean,
    DataType.STRING: ua.VariantType.String,
    DataType.DATETIME: ua.VariantType.DateTime,
}
ZEROS = {
    ua.VariantType.Float: 0.0,
    ua.VariantType.Int32: 0,
    ua.VariantType.UInt16: 0,
    ua.VariantType.UInt64: 0,
    ua.VariantType.Boolean: False,
    ua.VariantType.String: "",
    ua.VariantType.DateTime: datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC),
}
"""asyncua makes no variable without a value; its status says that this one is none."""
STATUS = {
    Quality.GOOD: ua.StatusCodes.Good,
    Quality.STALE: ua.StatusCodes.Uncertain,
    Quality.BAD: ua.StatusCodes.Bad,
}
UNITS = {
    # UNECE Recommendation 20 common code of each unit, as OPC 10000-8 (5.6.4) asks for.
    "mm/s": "C16",
    "m/s²": "MSK",
    "g": "K40",
    "µm": "4H",
    "Pa": "PAL",
    "%": "P1",
    "°C": "CEL",
    "kW": "KWT",
    "r/min": "RPM",
    "MB": "4L",
    "d": "DAY",
}
UNECE = "http://www.opcfoundation.org/UA/units/un/cefact"


class AddressSpace:
    """Builds the nodes and writes their values; belongs to the server's loop."""

    def __init__(self, server: Server, namespace: int) -> None:
        self._server = server
        self._namespace = namespace
        self._nodes: dict[str, Node] = {}
        self._tags: dict[str, Metric] = {}

    def node_id(self, path: str) -> ua.NodeId:
        """Return the id of the node at a path such as ``pump-3/Verdict/Condition``."""
        return ua.NodeId(path, self._namespace)

    async def object(self, path: str, label: str = "", description: str = "") -> Node:
        """Return the object at a path; it and those above it are made where missing."""
        found = self._nodes.get(path)
        if found is not None:
            return found
        above, _, name = path.rpartition("/")
        parent = await self.object(above) if above else self._server.nodes.objects
        made = await parent.add_object(self.node_id(path), ua.QualifiedName(name, self._namespace))
        await _describe(made, label or name, description)
        self._nodes[path] = made
        return made

    async def add(self, machine: str | None, tag: Metric) -> None:
        """Add a tag; one that is there is left as it is."""
        path = path_of(machine, tag.name)
        if path in self._tags:
            return
        above, _, name = path.rpartition("/")
        parent = await self.object(above)
        kind = TYPES[tag.datatype]
        node = await parent.add_variable(
            self.node_id(path), ua.QualifiedName(name, self._namespace), ZEROS[kind], kind,
            ua.NodeId(kind.value),
        )  # fmt: skip
        await _describe(node, name, tag.documentation)
        if tag.unit and tag.unit != "1":
            await self._add_unit(node, path, tag)
        self._tags[path] = tag
        waits = tag.initial is None
        status = ua.StatusCodes.BadWaitingForInitialData if waits else ua.StatusCodes.Good
        await self._write(path, _variant(tag, tag.initial), status)

    async def write(self, machine: str | None, readings: Mapping[str, Reading]) -> None:
        """Write new values with their time and quality; unknown tags are passed over."""
        for name, reading in readings.items():
            path = path_of(machine, name)
            tag = self._tags.get(path)
            if tag is None:
                continue
            quality = Quality.BAD if reading.value is None else reading.quality
            value = _variant(tag, reading.value)
            await self._write(path, value, STATUS[quality], reading.t_ms)

    async def _add_unit(self, node: Node, path: str, tag: Metric) -> None:
        """Make the variable an analog item with its unit and, where known, its range."""
        code = UNITS.get(tag.unit)
        unit = ua.EUInformation(
            UNECE if code else "",
            int.from_bytes(code.encode()) if code else -1,
            ua.LocalizedText(tag.unit),
            ua.LocalizedText(tag.documentation),
        )
        properties: dict[str, object] = {"EngineeringUnits": unit}
        kind = ua.ObjectIds.BaseAnalogType
        if tag.low is not None and tag.high is not None:
            kind = ua.ObjectIds.AnalogItemType
            properties["EURange"] = ua.Range(tag.low, tag.high)
        for name, value in properties.items():
            await node.add_property(
                self.node_id(f"{path}/{name}"), ua.QualifiedName(name, 0), value
            )
        await node.delete_reference(
            ua.NodeId(ua.ObjectIds.BaseDataVariableType), ua.ObjectIds.HasTypeDefinition
        )
        await node.add_reference(ua.NodeId(kind), ua.ObjectIds.HasTypeDefinition, True, False)

    async def _write(
        self, path: str, value: ua.Variant, status: int, t_ms: int | None = None
    ) -> None:
        now = datetime.datetime.now(datetime.UTC)
        data = ua.DataValue(
            value,
            ua.StatusCode(status),
            SourceTimestamp=now if t_ms is None else _time(t_ms),
            ServerTimestamp=now,
        )
        await self._server.write_attribute_value(self.node_id(path), data)


def path_of(machine: str | None, name: str) -> str:
    """Return the path of a tag's node.

    >>> path_of("pump-3", "Verdict/Condition"), path_of(None, "Health/CPU")
    ('Machines/pump-3/Verdict/Condition', 'Gateway/Health/CPU')
    """
    return f"{MACHINES}/{machine}/{name}" if machine else f"{OWN}/{name}"


def _variant(tag: Metric, value: Value) -> ua.Variant:
    if value is None:
        return ua.Variant(None, ua.VariantType.Null)
    if tag.datatype is DataType.DATETIME and isinstance(value, int):
        return ua.Variant(_time(value), ua.VariantType.DateTime)
    return ua.Variant(value, TYPES[tag.datatype])


def _time(t_ms: int) -> datetime.datetime:
    return datetime.datetime.fromtimestamp(t_ms / 1000, datetime.UTC)


async def _describe(node: Node, label: str, description: str) -> None:
    for attribute, text in (
        (ua.AttributeIds.DisplayName, label),
        (ua.AttributeIds.Description, description),
    ):
        if text:
            value = ua.DataValue(ua.Variant(ua.LocalizedText(text), ua.VariantType.LocalizedText))
            await node.write_attribute(attribute, value)
