"""What a label changed or waits for, why a version exists, and why a delta is rejected."""

from typing import Final

LEARNING: Final[dict[str, str]] = {}
