"""Plays the recordings of one machine as if its sensors were connected."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from auscult.contract.machines import MachineSettings, PointSettings
from auscult.contract.said import Said
from auscult.contract.times import NS_PER_S
from auscult.gateway.datasets.dataset import (
    ManifestError,
    RecordedChannel,
    Recording,
    RecordingError,
    read_manifest,
)
from auscult.gateway.records import PointId, SourceFault
from auscult.gateway.sources.contract import (
    Bursts,
    Source,
    SourceContext,
    SourceKind,
    SourceProblem,
    no_point,
)
from auscult.gateway.sources.feed import Feed
from auscult.gateway.sources.inlet import Inlet, Item
from auscult.gateway.sources.recordings.playback import duration_ns, history_ns, passes, playlist
from auscult.gateway.sources.recordings.settings import RecordingsSource
from auscult.gateway.sources.support.stream_clock import StreamClock

log = logging.getLogger(__name__)

BLOCK_S = 0.25
"""Length of a block: adds no more than this to the time from a sample to its decision."""
CHUNK_SAMPLES = 2**18
"""Samples (of all channels) read from the file at once: 1 MB."""
REAL_TIME = 1.0


class RecordingsPlayer(Source):
    """A `Source` that plays a data set's manifest.

    Parameters
    ----------
    settings : RecordingsSource
    machine : MachineSettings
        The configured machine that it stands for; points it does not have are left out.
    earliest_ns : int
        UTC time before which no stamp may lie: the end of what an earlier run played.
    earlier : RecordingsPlayer, optional
        The player of the same recordings before this one in this process: continue there.

    Raises
    ------
    ManifestError
        If the manifest can't be used.
    """

    def __init__(
        self,
        settings: RecordingsSource,
        machine: MachineSettings,
        earliest_ns: int = 0,
        earlier: RecordingsPlayer | None = None,
    ) -> None:
        self._settings = settings
        self._machine = machine.id
        ids = [point.id for point in machine.channels]
        self._points = {settings.points.get(one, one): one for one in ids}
        self._recordings = playlist(read_manifest(settings.manifest, lenient=True), settings)
        self._earliest_ns = earliest_ns
        self._feed = Feed(self.name)
        self._status = Said("source_ok")
        self._played = False
        self._clock: StreamClock | None = None if earlier is None else earlier._clock
        played = {c.point.point for r in self._recordings for c in r.channels}
        self._absent = sorted(self._points.keys() - played)
        if unknown := sorted(played - self._points.keys()):
            log.info("%s: points %s are not configured; not played", self.name, ", ".join(unknown))

    @property
    def name(self) -> str:
        return f"recordings:{self._machine}"

    @property
    def status(self) -> Said:
        if self._feed.dropped:
            return Said("parts", {"parts": (self._status, self._feed.status)})
        return self._status

    @property
    def waits(self) -> bool:
        return self._settings.pace == 0

    @property
    def clocks(self) -> Mapping[PointId, str]:
        return {PointId(self._machine, point): self.name for point in self._points.values()}

    @property
    def bursts(self) -> Mapping[PointId, Bursts]:
        slow_motion = min(self._settings.pace or REAL_TIME, REAL_TIME)
        return {
            self._point(channel): Bursts(recording.burst_s, recording.interval_s / slow_motion)
            for recording in self._recordings
            if recording.burst_s is not None and recording.interval_s is not None
            for channel in recording.channels
            if channel.point.point in self._points
        }

    def mismatch(self, point: PointSettings) -> Said | None:
        """Say why the recordings are not what a configured point expects, None if they are."""
        name = self._settings.points.get(point.id, point.id)
        if name in self._absent:
            return self._absence(name)
        for recording in self._recordings:
            for channel in recording.channels:
                if channel.point.point != name:
                    continue
                if recording.fs_hz != point.fs_hz:
                    return Said(
                        "wrong_rate", {"fs_hz": recording.fs_hz, "configured_hz": point.fs_hz}
                    )
                if channel.unit != point.unit:
                    return Said("wrong_unit", {"unit": channel.unit, "configured": point.unit})
                if channel.kind != point.kind:
                    return Said("wrong_kind", {"kind": channel.kind, "configured": point.kind})
        return None

    def _absence(self, name: str) -> Said:
        values = {"manifest": str(self._settings.manifest), "point": name}
        return Said("manifest_no_point", values)

    def run(self, inlet: Inlet, stop: threading.Event) -> None:
        restarted, self._played = self._played, True
        clock, skip_ns = self._clock, 0
        if clock is None or restarted:
            span_ns = history_ns(self._recordings, self._settings)
            clock = self._clock = StreamClock.begin(
                self._settings.pace, span_ns, self._earliest_ns, time.time_ns(), time.monotonic()
            )
        else:
            skip_ns = clock.resumes(self._earliest_ns)
        for name in self._absent:
            point = PointId(self._machine, self._points[name])
            inlet.put([SourceFault(point, clock.start_ns, self._absence(name))], wait=True)
        for recording, offset_ns in passes(self._recordings, self._settings.repeat):
            gap = restarted or offset_ns > 0
            if offset_ns + duration_ns(recording) <= skip_ns:
                continue
            for end_ns, items in self._play(recording, clock.start_ns + offset_ns, gap):
                if skip_ns and end_ns - clock.start_ns <= skip_ns:
                    continue
                if stop.wait(max(0.0, clock.due_s(end_ns - clock.start_ns) - time.monotonic())):
                    return
                wait = self._settings.pace != REAL_TIME
                if not self._feed.deliver(inlet, items, wait=wait) and stop.is_set():
                    return
                self._earliest_ns = end_ns  # where a restart continues
        self._status = Said("source_ended")

    def _play(
        self, recording: Recording, start_ns: int, gap: bool
    ) -> Iterator[tuple[int, list[Item]]]:
        """Blocks of all channels together, with the time of their end; a fault where it breaks."""
        channels = [
            (row, self._point(c), c)
            for row, c in enumerate(recording.channels)
            if c.point.point in self._points
        ]
        step, interval_ns = _pieces(recording)
        for first, samples in _chunks(recording, step):
            if isinstance(samples, RecordingError):
                t_ns = start_ns + first // step * interval_ns
                self._status = samples.said
                log.warning("%s: %s", self.name, samples)
                yield t_ns, [SourceFault(point, t_ns, samples.said) for _, point, _ in channels]
                # The damaged part takes its time, so that the reason can be read.
                yield start_ns + duration_ns(recording), []
                return
            for begin in range(0, samples.shape[1], step):
                piece = samples[:, begin : begin + step]
                t_ns = start_ns + (first + begin) // step * interval_ns
                end_ns = t_ns + round(piece.shape[1] / recording.fs_hz * NS_PER_S)
                yield (
                    end_ns,
                    [
                        self._feed.block(
                            point, recording.fs_hz, t_ns, piece[row], channel.unit,
                            gap=gap, state=recording.state,
                        )
                        for row, point, channel in channels
                    ],
                )  # fmt: skip
                gap = False
            self._status = Said("source_ok")

    def _point(self, channel: RecordedChannel) -> PointId:
        return PointId(self._machine, self._points[channel.point.point])


def _pieces(recording: Recording) -> tuple[int, int]:
    """Return the frames of a block, and stream time from one block's start to the next one's."""
    if recording.burst_s is not None and recording.interval_s is not None:
        return round(recording.burst_s * recording.fs_hz), round(recording.interval_s * NS_PER_S)
    frames = max(1, round(BLOCK_S * recording.fs_hz))
    return frames, round(frames / recording.fs_hz * NS_PER_S)


def _chunks(
    recording: Recording, step: int
) -> Iterator[tuple[int, NDArray[np.float32] | RecordingError]]:
    """Read a recording in multiples of `step` frames; ends with an error if it breaks."""
    if recording.frames == 0:
        yield 0, RecordingError("recording_unreadable", path=str(recording.path), detail="")
    size = max(1, CHUNK_SAMPLES // len(recording.channels) // step) * step
    for first in range(0, recording.frames, size):
        wanted = min(size, recording.frames - first)
        try:
            samples = recording.read(first, wanted)
        except RecordingError as error:
            yield first, error
            return
        if samples.shape[1]:
            yield first, samples
        if samples.shape[1] < wanted:
            at = first + samples.shape[1]
            yield (
                at,
                RecordingError(
                    "recording_short", path=str(recording.path), read=at, frames=recording.frames
                ),
            )
            return


class RecordingsKind(SourceKind[RecordingsSource]):
    """Recordings of a data set."""

    settings = RecordingsSource

    def open(self, settings: RecordingsSource, context: SourceContext) -> RecordingsPlayer:
        machine = context.machines[settings.target]
        earlier = context.earlier if isinstance(context.earlier, RecordingsPlayer) else None
        return RecordingsPlayer(settings, machine, context.stream_end_ns, earlier)

    def problems(
        self, settings: RecordingsSource, machine: MachineSettings
    ) -> Iterator[SourceProblem]:
        """Compare the manifest's channels with the configured points."""
        for name in sorted(settings.points.keys() - {point.id for point in machine.channels}):
            yield SourceProblem(("points", name), no_point(machine, name))
        try:
            player = RecordingsPlayer(settings, machine)
        except ManifestError as error:
            yield SourceProblem(("manifest",), error.said)
            return
        for point in machine.channels:
            if mismatch := player.mismatch(point):
                yield SourceProblem(("points", point.id), mismatch)

    def forbidden(self, settings: RecordingsSource, recordings_dir: Path) -> SourceProblem | None:
        """Reject recordings outside the folder that the gateway's file names."""
        if settings.manifest.resolve().is_relative_to(recordings_dir.resolve()):
            return None
        outside = {"manifest": str(settings.manifest), "folder": str(recordings_dir)}
        return SourceProblem(("manifest",), Said("source_outside_folder", outside))


KIND = RecordingsKind()
