"""`[homeassistant]` of the configuration."""

from __future__ import annotations

from pydantic import Field

from auscult.contract.section import Section


class HomeAssistantSettings(Section):
    """Announces the machines to Home Assistant over MQTT discovery, off by default."""

    enabled: bool = Field(default=False, description="Announce the machines")
    prefix: str = Field(
        default="homeassistant",
        pattern=r"^[^/+#]+(/[^/+#]+)*$",
        max_length=100,
        description="Discovery prefix as set in Home Assistant",
    )

    @property
    def birth_topic(self) -> str:
        """Return where Home Assistant says `online` when it has started."""
        return f"{self.prefix}/status"
