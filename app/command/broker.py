"""An MQTT broker inside the demo's process (amqtt, MQTT 3.1.1). Production uses Mosquitto."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager

START_TIMEOUT_S = 15.0


@contextmanager
def embedded_broker(port: int) -> Iterator[None]:
    """Serve MQTT on 127.0.0.1:`port` from a thread of its own until the block ends.

    Raises
    ------
    OSError
        If the port is taken or the broker does not come up in time.
    """
    for name in ("amqtt", "transitions"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    started: Future[Callable[[], None]] = Future()
    thread = threading.Thread(
        target=lambda: asyncio.run(_serve(port, started)), name="broker", daemon=True
    )
    thread.start()
    try:
        stop = started.result(timeout=START_TIMEOUT_S)
    except Exception as error:
        raise OSError(f"the embedded broker can't listen on port {port}: {error}") from error
    try:
        yield
    finally:
        stop()
        thread.join(timeout=5)


async def _serve(port: int, started: Future[Callable[[], None]]) -> None:
    """Run the broker until the callable that `started` hands out is called."""
    from amqtt.broker import Broker

    loop = asyncio.get_running_loop()
    finished = asyncio.Event()
    try:
        broker = Broker(_configuration(port))
        await broker.start()
    except Exception as error:
        started.set_exception(error)
        return

    def stop() -> None:
        loop.call_soon_threadsafe(finished.set)

    started.set_result(stop)
    await finished.wait()
    await broker.shutdown()


def _configuration(port: int) -> dict[str, object]:
    return {
        "listeners": {"default": {"type": "tcp", "bind": f"127.0.0.1:{port}"}},
        "plugins": {
            "amqtt.plugins.authentication.AnonymousAuthPlugin": {"allow_anonymous": True},
        },
    }
