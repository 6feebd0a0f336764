"""Problems of commissioned machines and of tables of machines."""

from typing import Final

COMMISSIONING: Final[dict[str, str]] = {}
