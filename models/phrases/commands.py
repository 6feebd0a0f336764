"""Why a gateway rejects a command, and what a command has done."""

from typing import Final

COMMANDS: Final[dict[str, str]] = {}
