"""A gateway's client: sends its signed deltas to the round, and stores the averages.

It has no key: the gateway signed the deltas. It stores an average only if the fleet's server signed
it and a machine of the gateway has this base.
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

from auscult.durable import write_durably
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
    """Take part in one round; return the files of the averages.

    Parameters
    ----------
    address : str
        ``host:port`` of the fleet's server.
    outgoing, incoming : Path
        Folder with the signed deltas of the gateway's machines (``*.delta``), and folder for the
        averages.
    own, server : collections of public keys
        Of this gateway and of the fleet's server.
    authority : Path or None
        PEM of the authority that signed the server's certificate; None = no TLS.
    wait_s : float
        Longest time to wait for the server, > 0.

    Raises
    ------
    FleetError
        If there is no delta, or the server does not listen.
    """
    files = sorted(outgoing.glob(f"*{SUFFIX}"))
    if not files:
        raise FleetError(f"{outgoing}: no delta (*{SUFFIX}); export one on the gateway first")
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
    """Flower's client: handles the two requests of the server."""

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
        """Return the deltas."""
        parameters = Parameters(self._deltas, ins.parameters.tensor_type)
        return FitRes(OK, parameters, len(self._deltas), {})

    def evaluate(self, ins: EvaluateIns) -> EvaluateRes:
        """Store the averages for this gateway's machines."""
        taken = 0
        for data in ins.parameters.tensors:
            try:
                averaged = verify(data, self._server)
            except DeltaError as error:
                log.warning("rejected an average: %s", error)
                continue
            machines = [one for one in self._mine if kin_of(one) == kin_of(averaged)]
            if machines:
                self._write(averaged, data)
                taken += len(machines)
        return EvaluateRes(OK, 0.0, taken, {})

    def _write(self, averaged: Delta, data: bytes) -> None:
        self._incoming.mkdir(parents=True, exist_ok=True)
        path = self._incoming / f"{averaged.about.base_id}-{averaged.delta_id}{SUFFIX}"
        write_durably(path, data)
        self.written.append(path)
        log.info("%s: %s", path.name, averaged.about.machine)


def _wait_for(address: str, wait_s: float) -> None:
    """Wait until the server listens: clients may start before it."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit():
        raise FleetError(f"{address!r} is not an address of the form host:port")
    deadline = time.monotonic() + wait_s
    while time.monotonic() < deadline:
        try:
            socket.create_connection((host.strip("[]"), int(port)), RETRY_S).close()
        except OSError:
            time.sleep(RETRY_S)
        else:
            return
    raise FleetError(f"no server listens on {address} after {wait_s:g} s")
