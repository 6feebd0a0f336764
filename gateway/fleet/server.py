"""The fleet's server: one Flower round collects signed deltas and returns signed averages.

*Fit*: each client sends the deltas of its machines; those without a trusted signature are rejected.
*Evaluate*: each client gets the averages, one for each base with enough machines.
"""

# ruff: noqa: ARG002 # Flower calls by these names
from __future__ import annotations

import logging
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from flwr.common import EvaluateIns, FitIns, Parameters
from flwr.server import ServerConfig, start_server
from flwr.server.strategy import Strategy

from auscult.gateway.fleet.averaging import AveragingSettings, average, countable, epsilon, kin_of
from auscult.models.learning.delta import Delta, DeltaError, sign, verify

log = logging.getLogger(__name__)

DELTAS = "auscult.delta"
"""Kind of the tensors in Flower's messages: each is one signed delta."""


@dataclass(frozen=True, slots=True)
class Certificates:
    """PEM files of the server's TLS: authority, certificate, private key."""

    authority: Path
    certificate: Path
    key: Path

    def read(self) -> tuple[bytes, bytes, bytes]:
        """Read them in Flower's order."""
        return self.authority.read_bytes(), self.certificate.read_bytes(), self.key.read_bytes()


def serve(
    address: str,
    gateways: int,
    trusted: Collection[Ed25519PublicKey],
    key: Ed25519PrivateKey,
    settings: AveragingSettings,
    certificates: Certificates | None,
    wait_s: float,
) -> int:
    """Run one round with this number of gateways; return the number of averages.

    Parameters
    ----------
    address : str
        ``host:port`` to listen on.
    trusted : collection of public keys
        Of the gateways.
    key : private key
        For the signatures of the averages.
    certificates : Certificates or None
        None = no TLS.
    wait_s : float
        Longest time to wait for all gateways, > 0; then the round runs with those that joined.
    """
    strategy = DeltaAveraging(gateways, trusted, key, settings, wait_s)
    start_server(
        server_address=address,
        config=ServerConfig(num_rounds=1, round_timeout=wait_s),
        strategy=strategy,
        certificates=certificates.read() if certificates else None,
    )
    return strategy.averages


class DeltaAveraging(Strategy):  # type: ignore[misc] # flwr is not in the checker's environment
    """Flower's strategy: the requests to the clients, and the averages of their deltas."""

    def __init__(
        self,
        gateways: int,
        trusted: Collection[Ed25519PublicKey],
        key: Ed25519PrivateKey,
        settings: AveragingSettings,
        wait_s: float,
    ) -> None:
        self.averages = 0
        self._gateways = gateways
        self._trusted = trusted
        self._key = key
        self._settings = settings
        self._wait_s = wait_s

    def initialize_parameters(self, client_manager: Any) -> Parameters:
        """Begin without parameters: machines start from the shipped weights."""
        return Parameters([], DELTAS)

    def configure_fit(
        self, server_round: int, parameters: Parameters, client_manager: Any
    ) -> list[tuple[Any, FitIns]]:
        """Request the deltas of all clients, once they have joined."""
        if not client_manager.wait_for(self._gateways, timeout=self._wait_s):
            log.warning("only %s of %s gateways joined", client_manager.num_available(),
                        self._gateways)  # fmt: skip
        return [(client, FitIns(parameters, {})) for client in client_manager.all().values()]

    def aggregate_fit(
        self, server_round: int, results: Sequence[tuple[Any, Any]], failures: Sequence[Any]
    ) -> tuple[Parameters, dict[str, Any]]:
        """Average the deltas, base by base."""
        for failure in failures:
            log.warning("a gateway failed: %s", failure)
        received = [one for _, result in results for one in result.parameters.tensors]
        signed = self._averaged(received)
        self.averages = len(signed)
        return Parameters(signed, DELTAS), {}

    def configure_evaluate(
        self, server_round: int, parameters: Parameters, client_manager: Any
    ) -> list[tuple[Any, EvaluateIns]]:
        """Send the averages to all clients."""
        return [(client, EvaluateIns(parameters, {})) for client in client_manager.all().values()]

    def aggregate_evaluate(
        self, server_round: int, results: Sequence[tuple[Any, Any]], failures: Sequence[Any]
    ) -> tuple[None, dict[str, Any]]:
        """Log how many machines took an average."""
        taken = sum(result.num_examples for _, result in results)
        log.info("%s averages for %s machines of %s gateways", self.averages, taken, len(results))
        return None, {}

    def evaluate(self, server_round: int, parameters: Parameters) -> None:
        """Evaluate nothing: the gate of each gateway does."""

    def _averaged(self, received: Sequence[bytes]) -> list[bytes]:
        by_kin: dict[tuple[str, str, tuple[str, ...]], list[Delta]] = {}
        for data in received:
            try:
                delta = verify(data, self._trusted)
            except DeltaError as error:
                log.warning("rejected a delta: %s", error)
                continue
            by_kin.setdefault(kin_of(delta), []).append(delta)
        signed = []
        for (base, _, _), each in by_kin.items():
            deltas = countable(each)
            try:
                averaged = average(deltas, self._settings, time.time_ns())
            except DeltaError as error:
                log.warning("base %s: %s", base, error)
                continue
            signed.append(sign(averaged, self._key))
            log.info("base %s: average of %s deltas%s", base, len(deltas), self._privacy())
        return signed

    def _privacy(self) -> str:
        noise = self._settings.noise
        return f", ε = {epsilon(noise):.2f} for this release alone" if noise > 0 else ""
