"""A gateway's client: brings its signed deltas into the round, lays the averages down.

It has no key and judges nothing: what it brings, the gateway signed; what it brings back is written
only if the fleet's server signed it and one of the gateway's own machines has that base.
"""

from __future__ import annotations

import logging
import socket
import time
from collections.abc import Collection
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from flwr.client import Client, start_client
from flwr.common import Code, EvaluateIns, EvaluateRes, FitIns, FitRes, Parameters, Status

from auscult.gateway.fleet.averaging import kin_of
from auscult.gateway.fleet.problem import FleetError
from auscult.models.learning.delta import Delta, DeltaError, verify

log = logging.getLogger(__name__)

SUFFIX = ".delta"
OK = Status(Code.OK, "")
RETRY_S = 0.5


def join(
    address: str,
    outgoing: Path,
    incoming: Path,
    own: Collection[Ed25519PublicKey],
    server: Collection[Ed25519PublicKey],
    authority: Path | None,
    wait_s: float,
) -> list[Path]:
    """Take part in one round; returns the averages that were written.

    Parameters
    ----------
    address : str
        ``host:port`` of the fleet's server.
    outgoing, incoming : Path
        Where the gateway puts its machines' signed deltas (``*.delta``), and where it looks for
        averages.
    own, server : collections of public keys
        Of this gateway and of the fleet's server.
    authority : Path or None
        PEM of who signed the server's certificate; None talks in the clear.
    wait_s : float
        How long to wait for the server to listen, > 0.

    Raises
    ------
    FleetError
        If there is nothing to bring, or nobody listens.
    """
    files = sorted(outgoing.glob(f"*{SUFFIX}"))
    if not files:
        raise FleetError(f"{outgoing}: no delta to bring (*{SUFFIX}); let the gateway export one")
    _wait_for(address, wait_s)
    client = DeltaClient([path.read_bytes() for path in files], incoming, own, server)
    start_client(
        server_address=address,
        client=client,
        insecure=authority is None,
        root_certificates=authority.read_bytes() if authority else None,
        max_wait_time=wait_s,
    )
    return client.written


class DeltaClient(Client):  # type: ignore[misc] # flwr is not in the checker's environment
    """Flower's client: answers the server's two questions."""

    def __init__(
        self,
        deltas: list[bytes],
        incoming: Path,
        own: Collection[Ed25519PublicKey],
        server: Collection[Ed25519PublicKey],
    ) -> None:
        self.written: list[Path] = []
        self._deltas = deltas
        self._incoming = incoming
        self._server = server
        self._mine = [verify(data, own) for data in deltas]

    def fit(self, ins: FitIns) -> FitRes:
        """Bring the deltas."""
        parameters = Parameters(self._deltas, ins.parameters.tensor_type)
        return FitRes(OK, parameters, len(self._deltas), {})

    def evaluate(self, ins: EvaluateIns) -> EvaluateRes:
        """Take the averages that concern this gateway's machines."""
        taken = 0
        for data in ins.parameters.tensors:
            try:
                averaged = verify(data, self._server)
            except DeltaError as error:
                log.warning("an average is not taken: %s", error)
                continue
            machines = [one for one in self._mine if kin_of(one) == kin_of(averaged)]
            if machines:
                self._write(averaged, data)
                taken += len(machines)
        return EvaluateRes(OK, 0.0, taken, {})

    def _write(self, averaged: Delta, data: bytes) -> None:
        self._incoming.mkdir(parents=True, exist_ok=True)
        path = self._incoming / f"{averaged.about.base_id}-{averaged.delta_id}{SUFFIX}"
        half = path.with_suffix(".part")
        half.write_bytes(data)
        half.replace(path)
        self.written.append(path)
        log.info("%s: %s", path.name, averaged.about.machine)


def _wait_for(address: str, wait_s: float) -> None:
    """Wait until someone listens: clients may be started before the server."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit():
        raise FleetError(f"{address!r} is no address of the form host:port")
    deadline = time.monotonic() + wait_s
    while time.monotonic() < deadline:
        try:
            socket.create_connection((host.strip("[]"), int(port)), RETRY_S).close()
        except OSError:
            time.sleep(RETRY_S)
        else:
            return
    raise FleetError(f"nobody listens on {address} after {wait_s:g} s")
