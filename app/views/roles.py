"""Rights: four roles, each with all rights of the one before."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated

from pydantic import Field, TypeAdapter

from auscult.contract.topics import ID_PATTERN


class Role(StrEnum):
    """From viewing to administering."""

    VIEWER = "viewer"
    """Sees everything except the audit and the accounts."""
    TECHNICIAN = "technician"
    """Also labels and acknowledges events, and requests spectra and clips."""
    ENGINEER = "engineer"
    """Also starts baselines, sets limits, and takes machines out of service."""
    ADMINISTRATOR = "administrator"
    """Also manages accounts and reads the audit."""

    def may(self, needed: Role) -> bool:
        """Tell whether this role includes another.

        >>> Role.ENGINEER.may(Role.TECHNICIAN), Role.VIEWER.may(Role.TECHNICIAN)
        (True, False)
        """
        order = list(Role)
        return order.index(self) >= order.index(needed)


SiteRoles = Annotated[
    dict[Annotated[str, Field(pattern=ID_PATTERN)], Role],
    Field(max_length=1000, description="Role at each site; empty = `role` at all sites"),
]
SITE_ROLES: TypeAdapter[dict[str, Role]] = TypeAdapter(SiteRoles)
"""Reads and writes them as they are stored: JSON."""


def highest(sites: Mapping[str, Role]) -> Role:
    """Return the highest role at any of these sites, of which there is one at least."""
    return max(sites.values(), key=list(Role).index)
