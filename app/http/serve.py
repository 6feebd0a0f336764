"""Serves the dashboard: by one process, or by several on one port and one database."""

from __future__ import annotations

import errno
import logging
import multiprocessing
import os
import signal
import socket
import threading
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess

from auscult.app.enrolment.service import EnrolmentService
from auscult.app.http.server import server
from auscult.app.people.access import Access
from auscult.app.settings import DashboardSettings
from auscult.app.store.database import DashboardStore
from auscult.app.store.place import place
from auscult.errors import UnusableSettingError
from auscult.host.log import LogSettings, set_up_log
from auscult.link.broker import BrokerSettings
from auscult.link.credentials import BrokerCredentials
from auscult.link.signing import KeyFileError, load_or_make_key, public_hex
from auscult.memory import return_large_blocks, share_one_arena

log = logging.getLogger(__name__)

AGAIN_S = 2.0
"""How long after its end a worker is started again."""
END_S = 15.0
"""How long workers may take to stop in good order."""
BACKLOG = 2048


def serve(
    settings: DashboardSettings, broker: BrokerSettings, logging_as: LogSettings | None = None
) -> None:
    """Serve until SIGINT or SIGTERM; in another thread than the main one, for ever.

    Raises
    ------
    StoreError
        If the database can't be opened.
    UnusableSettingError
        If host, port, a file of the broker's login, the key of commands or the folders of enrolment
        can't be used.
    """
    share_one_arena()
    return_large_blocks()
    _bindable(settings.host, settings.port)
    # opened once before, so that a wrong folder is one clear error and not a server's trace
    store = DashboardStore(place(settings))
    try:
        _usable(settings, broker, store)
        if settings.workers > 1:
            # so that all of them show one code
            Access(store, settings.data_dir, required=settings.login == "required").close()
    finally:
        store.close()
    if settings.workers > 1:
        supervise(settings, broker, logging_as)
    else:
        server(settings, broker).run()


def _bindable(host: str, port: int) -> None:
    """Check the address before anything starts.

    Raises
    ------
    UnusableSettingError
        If it can't be used.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, *_, address = found[0]
        socket.create_server(address[:2], family=family).close()
    except (socket.gaierror, UnicodeError) as error:
        raise UnusableSettingError(
            f"dashboard.host = {host!r}: {error}: name an address of this computer, 0.0.0.0 for all"
        ) from None
    except OSError as error:
        if error.errno == errno.EADDRNOTAVAIL:
            raise UnusableSettingError(
                f"dashboard.host = {host!r}: no address of this computer: name one, 0.0.0.0 for all"
            ) from None
        remedy = (
            "end the program that uses it, or choose another port"
            if error.errno == errno.EADDRINUSE
            else "choose a port above 1023"
        )
        raise UnusableSettingError(f"dashboard.port = {port}: {error.strerror}: {remedy}") from None


def _usable(settings: DashboardSettings, broker: BrokerSettings, store: DashboardStore) -> None:
    """Check the files that the dashboard reads at its start, as `_bindable` checks the address."""
    BrokerCredentials(broker)
    path = settings.commands_key_path
    setting = f"dashboard.commands_key_file = {str(path)!r}"
    try:
        key = public_hex(load_or_make_key(path))
    except KeyFileError as error:
        raise UnusableSettingError(f"{setting}: {error}, or restore a backup") from None
    except OSError as error:
        raise UnusableSettingError(
            f"{setting}: {error.strerror}: name a file that the dashboard's user can read and write"
        ) from None
    EnrolmentService(settings.enrolment, store, key)


def supervise(
    settings: DashboardSettings, broker: BrokerSettings, logging_as: LogSettings | None = None
) -> None:
    """Run the workers until SIGINT or SIGTERM; from the main thread.

    They listen on one socket, and each takes its turn of the messages under a name of its own.
    """
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    with socket.create_server((settings.host, settings.port), backlog=BACKLOG) as listener:
        workers = {n: _start(settings, broker, listener, n, logging_as) for n in _numbers(settings)}
        log.info("%d workers serve http://%s:%d", len(workers), settings.host, settings.port)
        while not stop.is_set():
            wait([worker.sentinel for worker in workers.values()], timeout=0.5)
            ended = {n: worker for n, worker in workers.items() if not worker.is_alive()}
            if not ended or stop.wait(AGAIN_S):
                continue
            for n, worker in ended.items():
                log.warning("worker %d ended (%s); started again", n, worker.exitcode)
                workers[n] = _start(settings, broker, listener, n, logging_as)
    for worker in workers.values():
        worker.terminate()
    for worker in workers.values():
        worker.join(END_S)
        worker.kill()


def _numbers(settings: DashboardSettings) -> range:
    return range(1, settings.workers + 1)


def _start(
    settings: DashboardSettings,
    broker: BrokerSettings,
    listener: socket.socket,
    number: int,
    logging_as: LogSettings | None,
) -> BaseProcess:
    own = settings.model_copy(update={"client_id": f"{settings.client_id}-{number}"})
    worker = multiprocessing.get_context("spawn").Process(
        target=_work, args=(own, broker, listener, logging_as), name=own.client_id
    )
    worker.start()
    return worker


def _work(
    settings: DashboardSettings,
    broker: BrokerSettings,
    listener: socket.socket,
    logging_as: LogSettings | None,
) -> None:
    share_one_arena()
    return_large_blocks()
    set_up_log(logging_as, settings.client_id)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    server(settings, broker).run([listener])


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)
