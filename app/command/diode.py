"""`auscult diode`: one way through a data diode, by files."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Annotated

import typer

from auscult.app.command.extras import needs
from auscult.app.command.running import stop_on_signals

diode_cli = typer.Typer(help="One way through a data diode, by files.", no_args_is_help=True)

ConfigOption = Annotated[Path, typer.Option("--config", "-c", help="With [mqtt] and [diode].")]
DELIVERED_S = 10.0
"""How long one message may take to the broker."""


@diode_cli.command("send")
def send(config: ConfigOption) -> None:
    """On the plant's side: write all messages of the broker into files, important ones again."""
    with needs("diode", "gateway"):
        from auscult.app.command.configuration import load
        from auscult.gateway.outputs.diode.sender import DiodeSender
        from auscult.gateway.outputs.diode.settings import DiodeSettings
        from auscult.host.log import set_up_log
        from auscult.link.link import Link
    configuration, stopping = load(config), stop_on_signals()
    set_up_log(configuration.log)
    settings = configuration.outputs.table(DiodeSettings)
    sender = DiodeSender(settings)
    link = Link(
        configuration.mqtt,
        f"auscult-{settings.name}-send",
        on_message=sender.take,
        subscriptions=settings.topics,
        manual_ack=True,
    )
    link.start()
    try:
        sender.run(stopping)
    finally:
        link.stop()
        sender.close()


@diode_cli.command("receive")
def receive(config: ConfigOption) -> None:
    """On the other side: publish the messages of the files, and count what is missing."""
    with needs("diode", "gateway"):
        from auscult.app.command.configuration import load
        from auscult.gateway.outputs.diode.receiver import DiodeReceiver
        from auscult.gateway.outputs.diode.settings import DiodeSettings
        from auscult.host.log import set_up_log
        from auscult.link.link import Link
    configuration, stopping = load(config), stop_on_signals()
    set_up_log(configuration.log)
    settings = configuration.outputs.table(DiodeSettings)
    link = Link(configuration.mqtt, f"auscult-{settings.name}-receive", persistent=False)

    def publish(topic: str, payload: bytes, retained: bool) -> bool:
        arrived = threading.Event()
        taken = link.publish(topic, payload, retain=retained, on_delivered=arrived.set)
        return taken and arrived.wait(DELIVERED_S)

    receiver = DiodeReceiver(settings, publish)
    link.start()
    try:
        receiver.run(stopping)
    finally:
        link.stop()
        receiver.close()


@diode_cli.command("resend")
def resend(
    config: ConfigOption,
    first: Annotated[int, typer.Argument(help="First missing number.")],
    last: Annotated[int, typer.Argument(help="Last missing number.")],
) -> None:
    """On the plant's side: write a stretch of numbers again; `send` may run meanwhile."""
    with needs("diode", "gateway"):
        from auscult.app.command.configuration import load
        from auscult.gateway.outputs.diode.sender import DiodeSender
        from auscult.gateway.outputs.diode.settings import DiodeSettings
    sender = DiodeSender(load(config).outputs.table(DiodeSettings))
    found = sender.resend(first, last)
    sender.close()
    typer.echo(f"{found} of {last - first + 1} messages are written again")
