"""The log of gateway and dashboard: text or JSON, levels by library, stderr or syslog."""

from __future__ import annotations

import json
import logging
import sys
import time
from logging.handlers import SysLogHandler
from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from auscult.contract.section import Section

Level = Literal["debug", "info", "warning", "error"]
LIBRARIES: dict[str, Level] = {"asyncua": "warning", "pymodbus": "warning", "amqtt": "warning"}
"""Libraries that log much at `info`: the OPC UA server about 1,100 lines at each start."""
TEXT = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"
STANDARD = frozenset(vars(logging.makeLogRecord({})))


def _check_address(value: str) -> str:
    if not value.startswith("/"):
        host, _, port = value.rpartition(":")
        if not host or not port.isdecimal() or not 0 < int(port) < 65_536:
            raise ValueError("name a socket (/dev/log) or host:port")
    return value


class LogSettings(Section):
    """The log."""

    level: Level = Field(default="info", description="Least level that is logged")
    levels: dict[str, Level] = Field(
        default_factory=dict,
        description='Levels of parts and libraries by name, e.g. `{ "asyncua" = "info" }`; without '
        "an entry asyncua, pymodbus and amqtt log warnings only",
    )
    format: Literal["text", "json"] = Field(
        default="text", description="Lines for people, or one JSON object a line"
    )
    syslog: Annotated[str, AfterValidator(_check_address)] | None = Field(
        default=None,
        description="Log there too: `/dev/log`, or `host:port` of a remote syslog (UDP)",
    )


class JsonFormatter(logging.Formatter):
    """One JSON object a line: `ts` (UTC, ISO 8601), `level`, `logger`, `message`, `error`."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line; fields given as `extra` are added."""
        seconds = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line = {
            "ts": f"{seconds}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            "process": record.process,
            "thread": record.threadName,
        }
        line |= {k: v for k, v in vars(record).items() if k not in STANDARD and k not in line}
        if record.exc_info:
            line["error"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


def set_up_log(settings: LogSettings | None = None, name: str = "") -> None:
    """Log as set; `name` marks the lines of one of several processes.

    A syslog that can't be reached is logged and left out.
    """
    chosen = settings or LogSettings()
    formatter = (
        JsonFormatter() if chosen.format == "json" else logging.Formatter(_marked(TEXT, name))
    )
    handlers: list[logging.Handler] = [logging.StreamHandler(sys.stderr)]
    trouble: OSError | None = None
    if chosen.syslog is not None:
        try:
            handlers.append(_syslog(chosen.syslog))
        except OSError as error:  # the name of the host is unknown
            trouble = error
    for handler in handlers:
        handler.setFormatter(formatter)
    logging.basicConfig(level=chosen.level.upper(), handlers=handlers, force=True)
    for library, level in (LIBRARIES | chosen.levels).items():
        logging.getLogger(library).setLevel(level.upper())
    if trouble is not None:
        logging.getLogger(__name__).error("syslog %s: %s", chosen.syslog, trouble)


def _marked(text: str, name: str) -> str:
    return text.replace("%(name)s", f"{name} %(name)s") if name else text


class _Syslog(SysLogHandler):
    """Reports its own first failure only: stderr has the lines."""

    ident = "auscult: "
    _failed = False

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: ARG002, N802
        if not self._failed:
            type(self)._failed = True
            sys.stderr.write(f"syslog {self.address}: {sys.exc_info()[1]}\n")
        super().close()  # the next line connects again


def _syslog(address: str) -> SysLogHandler:
    if address.startswith("/"):
        return _Syslog(address)
    host, _, port = address.rpartition(":")
    return _Syslog((host, int(port)))
