"""`auscult demo`: broker, gateway and dashboard on this machine, with a small plant."""

from __future__ import annotations

import multiprocessing
import os
import signal
import socket
import threading
import time
import urllib.error
import urllib.request
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path

from rich.console import Console

from auscult.app.command.broker import embedded_broker
from auscult.app.command.configuration import load
from auscult.app.command.running import stop_on_signals
from auscult.app.settings import DashboardSettings
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.sources.recordings.settings import RecordingsSource
from auscult.gateway.sources.simulator.settings import SimulatorSource
from auscult.link.broker import BrokerSettings

DEMO_CONFIGURATION = Path(__file__).parent.parent / "demo" / "auscult.toml"
DASHBOARD_START_S = 60.0
STOP_S = 10.0


class DemoError(Exception):
    """The demo can't start, or one of its parts ended."""


def run_demo(data_dir: Path, port: int, pace: float) -> None:
    """Run until Ctrl-C; what was learned stays in `data_dir` and is used at the next start.

    Raises
    ------
    DemoError
        If the page's port is taken, or broker, gateway or dashboard ends by itself.
    """
    console = Console(stderr=True)
    _refuse_taken_port(port)
    gateway, dashboard, broker = _settings(data_dir.absolute(), port, pace)
    stop = stop_on_signals()
    spawn = multiprocessing.get_context("spawn")
    parts: list[BaseProcess] = [
        spawn.Process(target=_run_dashboard, args=(dashboard, broker), name="dashboard"),
        spawn.Process(target=_run_gateway, args=(gateway,), name="gateway"),
    ]
    console.print(f"Starting Auscult; what it learns is kept in {data_dir} …")
    with embedded_broker(broker.port):
        try:
            # dashboard first: the embedded broker stores nothing for later subscribers
            parts[0].start()
            _wait_until_served(port, parts[0], stop)
            parts[1].start()
            if not stop.is_set():
                console.print(
                    f"\n[bold]Open http://127.0.0.1:{port}[/bold]  –  a small plant: two machines "
                    "play recordings of real ones, ten are simulated.\n"
                    "They learn first; within a minute a bearing fails and appears as a case. "
                    "Ctrl-C ends.\n"
                )
            _watch(parts, stop)
        finally:
            console.print("Stopping …")
            _end(parts)
    console.print("Stopped. What was learned is kept.")


def _settings(
    data_dir: Path, port: int, pace: float
) -> tuple[GatewaySettings, DashboardSettings, BrokerSettings]:
    configuration = load(DEMO_CONFIGURATION)
    broker = configuration.mqtt.model_copy(update={"port": _free_port()})
    gateway = configuration.for_gateway(DEMO_CONFIGURATION).model_copy(
        update={
            "mqtt": broker,
            "gateway": configuration.gateway.model_copy(update={"data_dir": data_dir / "gateway"}),
            "sources": tuple(
                source.model_copy(update={"pace": source.pace * pace})
                for source in configuration.sources
                if isinstance(source, RecordingsSource | SimulatorSource)
            ),
        }
    )
    dashboard = configuration.dashboard.model_copy(
        update={"port": port, "data_dir": data_dir / "dashboard"}
    )
    return gateway, dashboard, broker


def _run_gateway(settings: GatewaySettings) -> None:
    from auscult.gateway.service import run
    from auscult.host.log import set_up_log

    set_up_log()
    _end_with_parent()
    run(settings, stop_on_signals())


def _run_dashboard(settings: DashboardSettings, broker: BrokerSettings) -> None:
    from auscult.app.http.serve import serve
    from auscult.host.log import set_up_log

    set_up_log()
    _end_with_parent()
    serve(settings, broker)


def _end_with_parent() -> None:
    """Stop this process in good order when the demo's own process is gone, however it went."""

    def watch() -> None:
        if (parent := multiprocessing.parent_process()) is not None:
            wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="parent", daemon=True).start()


def _refuse_taken_port(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            raise DemoError(
                f"port {port} is taken ({error.strerror}): end what uses it or give --port"
            ) from error


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_until_served(port: int, dashboard: BaseProcess, stop: threading.Event) -> None:
    deadline = time.monotonic() + DASHBOARD_START_S
    while not stop.is_set() and time.monotonic() < deadline:
        if dashboard.exitcode is not None:
            raise DemoError("the dashboard ended at its start: its messages are above")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/health", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            stop.wait(0.1)
    if not stop.is_set():
        raise DemoError(f"the dashboard did not answer on port {port} in {DASHBOARD_START_S:g} s")


def _watch(parts: list[BaseProcess], stop: threading.Event) -> None:
    while not stop.wait(0.5):
        for part in parts:
            if part.exitcode is not None:
                raise DemoError(f"the {part.name} ended by itself: its messages are above")


def _end(parts: list[BaseProcess]) -> None:
    """Stop gateway, then dashboard, so that the last messages still arrive."""
    for part in reversed(parts):
        if part.pid is None:
            continue
        if part.is_alive():
            part.terminate()
        part.join(STOP_S)
        if part.is_alive():
            part.kill()
            part.join()
