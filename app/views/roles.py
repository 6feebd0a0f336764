"""Rights: four roles, each with all rights of the one before."""

from __future__ import annotations

from enum import StrEnum


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
