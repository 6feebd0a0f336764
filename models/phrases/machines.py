"""Why a machine, its alarms, its baseline or its clips refuse what was asked."""

from typing import Final

MACHINES: Final[dict[str, str]] = {}
