"""Another Sparkplug B edge node as a host sees it: births, aliases, order, losses, deaths.

It knows neither sockets nor the clock. Specification: chapter 5 (host applications) and 6.4.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from google.protobuf.message import DecodeError

from auscult.contract.said import Rejection
from auscult.gateway.sources.support.sequencer import Sequencer
from auscult.sparkplug import SEQ_MODULUS
from auscult.sparkplug.sparkplug_b_pb2 import Payload


class ForeignPayloadError(Rejection):
    """A payload that can't be read; the message says why."""


@dataclass(frozen=True, slots=True)
class MetricValue:
    """A metric with a value: its birth's name and type, whatever the message left out.

    ``birth`` says that it is what the node had before; ``after_loss`` that messages before it are
    lost.
    """

    device: str
    name: str
    datatype: int
    t_ms: int | None
    metric: Payload.Metric
    birth: bool
    after_loss: bool


@dataclass(frozen=True, slots=True)
class Gone:
    """Nothing is known any more of a device, or (device None) of the node with all its devices."""

    device: str | None


News = MetricValue | Gone


@dataclass(frozen=True, slots=True)
class _Message:
    kind: str
    device: str
    payload: Payload


class ForeignNode:
    """One edge node over its births and deaths.

    `take` and `due` give what is news, in the node's own order. Where names can't be known any
    more (no birth received, an alias without a name, a loss), ``wants_birth`` is set: ask for a
    rebirth and clear it.

    Parameters
    ----------
    devices : collection of str
        Devices that are read, "" for the node itself. The others only count in the node's
        sequence: however many are born, they fill no memory and cost no rebirth.
    """

    def __init__(self, devices: Collection[str]) -> None:
        self._devices = frozenset(devices)
        self.wants_birth = False
        self.lost = self.doubled = 0
        self._alive = False
        self._bd_seq: int | None = None
        self._birth_ms: int | None = None
        self._sequencer: Sequencer[_Message] = Sequencer()
        self._names: dict[str, dict[str, int]] = {}
        self._aliases: dict[int, tuple[str, str]] = {}

    def disconnected(self) -> None:
        """Note that messages may have passed unheard: only a birth says what counts."""
        self._alive = False
        self.wants_birth = True

    def take(self, kind: str, device: str, body: bytes, now_s: float) -> list[News]:
        """Take a message: NBIRTH, NDATA, NDEATH, DBIRTH, DDATA or DDEATH.

        Raises
        ------
        ForeignPayloadError
            If it is no Sparkplug B payload.
        """
        try:
            payload = Payload.FromString(body)
        except (DecodeError, RecursionError) as error:
            raise ForeignPayloadError("not_sparkplug", kind=kind) from error
        message = _Message(kind, device, payload)
        if kind == "NDEATH":
            return self._die(payload)
        if not payload.HasField("seq") or payload.seq >= SEQ_MODULUS:
            raise ForeignPayloadError("sparkplug_no_sequence", kind=kind)
        if kind == "NBIRTH":
            return self._begin(message, now_s)
        if not self._alive:
            self.wants_birth = True
            return []
        return self._in_order(self._sequencer.push(self._number(payload.seq), message, now_s))

    def due(self, now_s: float) -> list[News]:
        """Give what has waited long enough for a message that does not come."""
        return self._in_order(self._sequencer.due(now_s))

    def _begin(self, birth: _Message, now_s: float) -> list[News]:
        payload = birth.payload
        bd_seq = next((m.long_value for m in payload.metrics if m.name == "bdSeq"), None)
        if self._alive and (bd_seq, payload.timestamp) == (self._bd_seq, self._birth_ms):
            self.doubled += 1
            return []
        self._count()
        self._bd_seq, self._birth_ms = bd_seq, payload.timestamp
        self._alive, self.wants_birth = True, False
        self._names.clear()
        self._aliases.clear()
        self._sequencer = Sequencer()
        # Numbered on from a multiple, so that none is below the first.
        return self._in_order(self._sequencer.push(SEQ_MODULUS + payload.seq, birth, now_s))

    def _number(self, seq: int) -> int:
        """Count on beyond 255: the number nearest to the one expected."""
        expected = self._sequencer.expected or 0
        half = SEQ_MODULUS // 2
        return expected + (seq - expected + half) % SEQ_MODULUS - half

    def _count(self) -> None:
        """Keep the counts of a sequencer that is given up."""
        self.lost += self._sequencer.lost
        self.doubled += self._sequencer.doubled
        self._sequencer.lost = self._sequencer.doubled = 0

    def _in_order(self, messages: Iterable[tuple[_Message, bool]]) -> list[News]:
        news: list[News] = []
        for message, lost_before in messages:
            # What a lost message said can only be known by a new birth.
            self.wants_birth = self.wants_birth or lost_before
            news += self._read(message, lost_before)
        self._count()
        return news

    def _read(self, message: _Message, lost_before: bool) -> list[News]:
        device = message.device
        if device not in self._devices:
            return []
        if message.kind == "DDEATH":
            self._names.pop(device, None)
            return [Gone(device)]
        birth = message.kind.endswith("BIRTH")
        if birth:
            self._learn(device, message.payload)
        elif device not in self._names:
            self.wants_birth = True
            return []
        found: list[News] = []
        for metric in message.payload.metrics:
            name = self._name(device, metric)
            if name is None:
                self.wants_birth = True
                continue
            t_ms = metric.timestamp if metric.HasField("timestamp") else message.payload.timestamp
            datatype = metric.datatype or self._names[device][name]
            found.append(
                MetricValue(device, name, datatype, t_ms or None, metric, birth, lost_before)
            )
        return found

    def _learn(self, device: str, birth: Payload) -> None:
        self._names[device] = {m.name: m.datatype for m in birth.metrics}
        self._aliases = {a: owner for a, owner in self._aliases.items() if owner[0] != device}
        for metric in birth.metrics:
            if metric.HasField("alias"):
                self._aliases[metric.alias] = device, metric.name

    def _name(self, device: str, metric: Payload.Metric) -> str | None:
        if metric.name:
            return metric.name if metric.name in self._names[device] else None
        owner, name = self._aliases.get(metric.alias, ("", ""))
        return name if name and owner == device else None

    def _die(self, payload: Payload) -> list[News]:
        bd_seq = next((m.long_value for m in payload.metrics if m.name == "bdSeq"), None)
        # The death of an earlier connection may come after the birth of the next.
        if not self._alive or (bd_seq is not None and bd_seq != self._bd_seq):
            return []
        self._alive = False
        self._names.clear()
        return [Gone(None)]
