"""Home Assistant's MQTT discovery: `discovery` makes the payloads, `announcer` says when."""

from __future__ import annotations

from auscult.gateway.outputs.contract import Output, OutputContext, OutputKind
from auscult.gateway.outputs.homeassistant.settings import HomeAssistantSettings


class HomeAssistant(OutputKind[HomeAssistantSettings]):
    """Announcements to Home Assistant."""

    title = "Announcements to Home Assistant"
    settings = HomeAssistantSettings

    def open(self, settings: HomeAssistantSettings, context: OutputContext) -> Output | None:
        from auscult.gateway.outputs.homeassistant.announcer import HomeAssistantAnnouncer

        announcer = HomeAssistantAnnouncer(settings, context)
        return announcer if settings.enabled or announcer.has_announced else None


KIND = HomeAssistant()
