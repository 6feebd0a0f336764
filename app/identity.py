"""Ids that are unique over all gateways: ``site~gateway`` and ``site~gateway~machine``."""

from __future__ import annotations

SEPARATOR = "~"
"""No part holds it (see `contract.topics.ID_PATTERN`), and it is safe in a URL."""

GATEWAY_PARTS = ("site", "gateway")


def gateway_id(site: str, gateway: str) -> str:
    """Name a gateway.

    >>> gateway_id("plant", "gw1")
    'plant~gw1'
    """
    return f"{site}{SEPARATOR}{gateway}"


def machine_id(site: str, gateway: str, machine: str) -> str:
    """Name a machine.

    >>> machine_id("plant", "gw1", "pump-3")
    'plant~gw1~pump-3'
    """
    return f"{site}{SEPARATOR}{gateway}{SEPARATOR}{machine}"


def gateway_of(machine: str) -> str:
    """Name the gateway that monitors a machine.

    >>> gateway_of("plant~gw1~pump-3")
    'plant~gw1'
    """
    return machine.rpartition(SEPARATOR)[0]


def parts(identity: str) -> list[str]:
    """Take an id apart.

    >>> parts("plant~gw1~pump-3")
    ['plant', 'gw1', 'pump-3']
    """
    return identity.split(SEPARATOR)
