"""A source of overall values, opened for some seconds to see what it delivers."""

from __future__ import annotations

import logging
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, cast

from auscult.contract.machines import MachineSettings
from auscult.contract.message import millis
from auscult.contract.said import Rejection, Said
from auscult.contract.trials import TriedValue
from auscult.dsp.quantities import conversion_of, units_of
from auscult.gateway.records import PointValue, SampleBlock, SourceFault
from auscult.gateway.settings.value_source import ValueSettings, ValueSource
from auscult.gateway.sources.contract import Source, SourceContext
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.sources.registry import kind_of
from auscult.gateway.sources.values import MessageError, Receiver, ValueKind, scaled
from auscult.link.broker import BrokerSettings

log = logging.getLogger(__name__)

TRIAL_S = 10.0
"""Longest trial: a person waits for it."""
MOST_TRIALS = 10
"""Trials within `RECENT_S`: enough to correct a form, too few to scan a network."""
RECENT_S = 60.0
MAX_TRIED = 50
"""Values of one trial: more do not fit on a page, and the answer stays below 20 kB."""
MAX_TRIAL_BYTES = 1_000_000
"""What waits between the source and the trial."""
TIMEOUT_S = 1.5
"""Longest wait for one answer of a device; with a repetition it ends well within the trial."""
CLOSE_S = 3.0
"""Longest wait for a source to close."""
LOOK_S = 0.1
"""How often a trial looks whether it can end."""

Found = tuple[dict[str, PointValue], dict[str, Said]]
"""Values by point, and for each other point what is wrong."""


class Trials:
    """Tries sources, one at a time and `MOST_TRIALS` in `RECENT_S`.

    Parameters
    ----------
    broker : BrokerSettings
    client_id : str
        Begins the ids of connections to the broker.
    running : callable
        Returns the sources that run now: their ports are taken.
    ending : threading.Event
        Ends a trial at once.
    """

    def __init__(
        self,
        broker: BrokerSettings,
        client_id: str,
        running: Callable[[], Iterable[Source]],
        ending: threading.Event,
    ) -> None:
        self._broker, self._client_id = broker, client_id
        self._running, self._ending = running, ending
        self._one = threading.Lock()
        self._last: threading.Thread | None = None
        self._begun_s: deque[float] = deque(maxlen=MOST_TRIALS)

    def run(self, settings: ValueSource, machine: MachineSettings) -> tuple[TriedValue, ...]:
        """Open a source until each value came or failed, at most `TRIAL_S`; then close it.

        Raises
        ------
        Rejection
            If another trial runs, trials or values are too many, or the source can't be opened.
        """
        if len(settings.targets) > MAX_TRIED:
            raise Rejection("trial_too_many", count=len(settings.targets), limit=MAX_TRIED)
        if not self._one.acquire(blocking=False):
            raise Rejection("trial_busy")
        try:
            if self._last is not None and self._last.is_alive():
                raise Rejection("trial_busy")
            self._count()
            receiver = _kind(settings).receiver(settings, self._running())
            found = (
                self._opened(settings, machine)
                if receiver is None
                else self._received(receiver, settings)
            )
            return _converted(settings, machine, *found)
        finally:
            self._one.release()

    def _count(self) -> None:
        """Count a trial, unless there were too many lately."""
        now_s = time.monotonic()
        if len(self._begun_s) == MOST_TRIALS and now_s - self._begun_s[0] < RECENT_S:
            wait_s = self._begun_s[0] + RECENT_S - now_s
            raise Rejection("trial_often", limit=MOST_TRIALS, wait_s=wait_s)
        self._begun_s.append(now_s)

    def _opened(self, settings: ValueSource, machine: MachineSettings) -> Found:
        """Open a source, take what it delivers, and close it."""
        stop, inlet = threading.Event(), Inlet(MAX_TRIAL_BYTES)
        with tempfile.TemporaryDirectory(prefix="auscult-") as folder:
            context = SourceContext(
                {machine.id: _each_second(machine)},
                self._broker,
                f"{self._client_id}-trial",
                Path(folder),
            )
            source = kind_of(settings).open(_unscaled(settings), context)
            failed: list[Said] = []
            self._last = thread = threading.Thread(
                target=_run, args=(source, inlet, stop, failed), name="trial", daemon=True
            )
            thread.start()
            try:
                values, problems = _taken(settings, inlet, thread, self._ending)
            finally:
                stop.set()
                inlet.close()
                thread.join(CLOSE_S)
            if thread.is_alive():
                log.warning("the source %s takes long to close after its trial", source.name)
        status = failed[0] if failed else source.status
        for value in settings.targets:
            if value.point not in values:
                problems.setdefault(value.point, self._why_nothing(settings, value, status))
        return values, problems

    def _received(self, receiver: Receiver, settings: ValueSource) -> Found:
        """Return what a running receiver got lately, or gets within the trial."""
        wanted = {value.point: value for value in settings.targets}
        until_s = time.monotonic() + TRIAL_S
        since_ns = time.time_ns() - int(TRIAL_S * 1e9)
        while True:
            latest = receiver.latest
            fresh = {p: latest[p][1] for p in wanted if p in latest and latest[p][0] >= since_ns}
            if len(fresh) == len(wanted) or time.monotonic() >= until_s:
                break
            if self._ending.wait(LOOK_S):
                break
        status = receiver.status
        return fresh, {
            point: self._why_nothing(settings, value, status)
            for point, value in wanted.items()
            if point not in fresh
        }

    def _why_nothing(self, settings: ValueSource, value: ValueSettings, status: Said) -> Said:
        """Say why a point has no value: what is wrong with its source, or that nothing came."""
        if status.code != "source_ok":
            return status
        return _kind(settings).nothing(settings, value, self._broker, TRIAL_S)


def _kind(settings: ValueSource) -> ValueKind[Any]:
    return cast(ValueKind[Any], kind_of(settings))


def _unscaled(settings: ValueSource) -> ValueSource:
    """Return the settings without scale and offset: the source then delivers raw numbers."""
    values = tuple(
        value.model_copy(update={"scale": 1.0, "offset": 0.0}) for value in settings.targets
    )
    update: dict[str, object] = {"values": values}
    if (timeout_s := getattr(settings, "timeout_s", None)) is not None:
        update["timeout_s"] = min(timeout_s, TIMEOUT_S)
    return settings.model_copy(update=update)


def _each_second(machine: MachineSettings) -> MachineSettings:
    """Return the machine with values each second: a trial can't wait for a slow interval."""
    points = tuple(
        point.model_copy(update={"interval_s": 1.0}) if point.kind == "value" else point
        for point in machine.points
    )
    return machine.model_copy(update={"points": points})


def _run(source: Source, inlet: Inlet, stop: threading.Event, failed: list[Said]) -> None:
    try:
        source.run(inlet, stop)
    except Exception as error:
        log.info("the trial of %s failed: %s", source.name, error)
        detail = f"{type(error).__name__}: {error}"[:200]
        failed.append(Said("trial_failed", {"detail": detail}))


def _taken(
    settings: ValueSource, inlet: Inlet, thread: threading.Thread, ending: threading.Event
) -> Found:
    """Take what arrives until each point has a value or a fault."""
    wanted = {value.point for value in settings.targets}
    values: dict[str, PointValue] = {}
    problems: dict[str, Said] = {}
    until_s = time.monotonic() + TRIAL_S
    while not ending.is_set() and time.monotonic() < until_s:
        ended = not thread.is_alive()  # before the last items are taken
        for item in inlet.take(LOOK_S):
            point = item.point.point
            if isinstance(item, SourceFault):
                problems[point] = item.said
                values.pop(point, None)
            elif not isinstance(item, SampleBlock):
                values[point] = item
                problems.pop(point, None)
        if ended or wanted <= values.keys() | problems.keys():
            break
    return values, problems


def _converted(
    settings: ValueSource,
    machine: MachineSettings,
    values: dict[str, PointValue],
    problems: dict[str, Said],
) -> tuple[TriedValue, ...]:
    """Return each value as the gateway would use it."""
    plates = {point.id: point for point in machine.points}
    found = []
    for target in settings.targets:
        item, plate = values.get(target.point), plates[target.point]
        if item is None:
            said = problems[target.point]
            found.append(TriedValue(point=target.point, reason=said.text, said=said))
            continue
        unit, quantity = item.unit or target.unit or plate.unit, plate.quantity or "other"
        factors, units = conversion_of(quantity, plate.unit, unit), units_of(quantity)
        problem, value = None, None
        if factors is None:
            problem = Said("wrong_unit", {"unit": unit, "configured": plate.unit})
        else:
            try:
                value = scaled(item.value, target) * factors[0] + factors[1]
                unit = units[0] if units else unit
            except MessageError as error:
                problem = error.said
        found.append(
            TriedValue(
                point=target.point,
                raw=item.value,
                value=value,
                unit=unit,
                uncertain=item.uncertain,
                at_ms=millis(item.t_ns),
                measured=item.measured,
                reason=problem.text if problem else "",
                said=problem,
            )
        )
    return tuple(found)
