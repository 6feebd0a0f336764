"""In which order and at what time recordings are played: stream time against the wall clock.

A recording that is played faster than real time is history. Its stream begins so far in the past
that one pass (or its healthy part, `present_from`) ends now: durations are true, stamps only grow,
and none lies in the future. What is played after that is current and continues in real time.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator

from auscult.contract.times import NS_PER_S
from auscult.gateway.datasets.dataset import DataSet, ManifestError, Recording, RecordingLabel
from auscult.gateway.sources.recordings.settings import RecordingsSource

UNREADABLE_S = 5
"""Stream time that a recording of unknown length takes: long enough for its reason to be read."""


def playlist(data: DataSet, settings: RecordingsSource) -> tuple[Recording, ...]:
    """Return the recordings of one pass, in order.

    Raises
    ------
    ManifestError
        If the data set has no recording of the machine.
    """
    of_machine = data.of_machine(settings.machine)
    if not of_machine:
        raise ManifestError(
            "manifest_no_machine",
            path=str(data.folder / "manifest.csv"),
            machine=settings.machine,
            machines=data.machines,
        )
    if settings.order == "manifest":
        return tuple(r for r in data.recordings if r.machine == settings.machine)
    healthy = tuple(r for r in of_machine if r.label is RecordingLabel.HEALTHY)
    others = tuple(r for r in of_machine if r.label is not RecordingLabel.HEALTHY)
    others *= settings.faulty_repeats
    if settings.baseline_share == 1:
        return healthy * settings.healthy_repeats + others
    parts = [recording.split(settings.baseline_share) for recording in healthy]
    first, rest = tuple(a for a, _ in parts), tuple(b for _, b in parts)
    return first + rest * settings.healthy_repeats + others


def history_ns(recordings: tuple[Recording, ...], settings: RecordingsSource) -> int:
    """How long the part of a pass lasts, in stream time, that is over when the present begins."""
    past: Iterable[Recording] = recordings
    if settings.present_from == "first_fault":
        past = itertools.takewhile(lambda r: r.label is RecordingLabel.HEALTHY, recordings)
    return sum(map(duration_ns, past))


def duration_ns(recording: Recording) -> int:
    """Return how long a recording lasts in stream time: bursts are `interval_s` apart."""
    if recording.frames == 0:
        return UNREADABLE_S * NS_PER_S
    if recording.interval_s is None or recording.burst_s is None:
        return round(recording.duration_s * NS_PER_S)
    return round(math.ceil(recording.duration_s / recording.burst_s) * recording.interval_s * 1e9)


def passes(recordings: tuple[Recording, ...], repeat: bool) -> Iterator[tuple[Recording, int]]:
    """Return each recording with its offset in stream time; without end where it repeats."""
    offset_ns = 0
    for recording in itertools.cycle(recordings) if repeat else recordings:
        yield recording, offset_ns
        offset_ns += duration_ns(recording)
