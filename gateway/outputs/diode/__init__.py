"""One way through a data diode: messages into files, files into messages.

`auscult diode` runs both sides, each as a process of its own beside the broker: the gateway starts
nothing.
"""

from __future__ import annotations

from auscult.gateway.outputs.contract import OutputContext, OutputKind
from auscult.gateway.outputs.diode.settings import DiodeSettings


class Diode(OutputKind[DiodeSettings]):
    """Files for a data diode."""

    title = "One way through a data diode"
    settings = DiodeSettings

    def open(self, settings: DiodeSettings, context: OutputContext) -> None:
        del settings, context


KIND = Diode()
