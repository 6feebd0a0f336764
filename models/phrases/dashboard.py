"""Problems that the dashboard server answers with: accounts, stores, requests."""

from typing import Final

DASHBOARD: Final[dict[str, str]] = {}
