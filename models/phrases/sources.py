"""What is wrong with settings, sources, tags and links of a gateway."""

from typing import Final

SOURCES: Final[dict[str, str]] = {}
