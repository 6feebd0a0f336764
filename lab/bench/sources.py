"""`auscult bench sources`: each source at its rate for a minute: drops, CPU, memory, latency.

Each source runs in a process of its own with an inlet that is emptied at once. What feeds it (a
sender of frames, a writer of files) is another process, so that its CPU time is not counted.
Latency is the time from the end of a block, by its own stamps, to its arrival in the inlet.
Overall values follow (`lab.bench.values`): 1,000 points with 10,000 values a minute.
Sources of hardware (sound cards, IEPE cards, IIO) are not measured: there is none here.
"""

from __future__ import annotations

import multiprocessing
import os
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
import psutil
import soundfile

from auscult.gateway.datasets.writer import WrittenRecording, write_data_set
from auscult.gateway.records import PointId, SampleBlock
from auscult.gateway.settings.gateway import MachineSettings, PointSettings
from auscult.gateway.settings.source import load_kind
from auscult.gateway.sources.contract import SourceContext, SourceKind
from auscult.gateway.sources.inlet import Inlet
from auscult.gateway.sources.stream.frames import Frame, pack
from auscult.link.broker import BrokerSettings
from lab.bench.timing import Figure
from lab.bench.workload import FS_HZ, signals

SECONDS = float(os.environ.get("AUSCULT_BENCH_S", "60"))
START_S = 60.0
"""Longest wait for the first block: a process imports numpy first."""
CHANNELS = 8
FILE_S = 2.0
FRAME = 400
POINTS = [f"P{i}" for i in range(CHANNELS)]


def run() -> list[Figure]:
    """Measure each source in turn."""
    figures: list[Figure] = []
    for name, prepare in (
        ("stream_udp", _udp), ("stream_tcp", _tcp), ("recordings", _recordings),
        ("folder", _folder), ("simulator", _simulator),
    ):  # fmt: skip
        spawn = multiprocessing.get_context("spawn")
        with tempfile.TemporaryDirectory() as folder:
            mine, other = spawn.Pipe()
            process = spawn.Process(target=_measure, args=(prepare, folder, other))
            process.start()
            dropped, lost, cpu, memory_mb, latency_ms, worst_ms, seconds = mine.recv()
            process.join()
        figures += [
            Figure(f"{name}_dropped", dropped, "blocks"),
            Figure(f"{name}_lost", lost, "blocks"),
            Figure(f"{name}_cpu_per_channel", 100 * cpu / seconds / CHANNELS, "% of a core"),
            Figure(f"{name}_memory_per_channel", memory_mb / CHANNELS, "MB"),
            Figure(f"{name}_latency_median", latency_ms, "ms"),
            Figure(f"{name}_latency_99", worst_ms, "ms"),
        ]
    from lab.bench import values  # it starts a broker

    with tempfile.TemporaryDirectory() as folder:
        return figures + values.figures(Path(folder))


Prepared = tuple[dict[str, object], Callable[[int, threading.Event], None] | None]


def _measure(prepare: Callable[[Path], Prepared], folder: str, answer: Connection) -> None:
    settings, feeder = prepare(Path(folder))
    points = [PointSettings(id=p, kind="vibration", unit="g", fs_hz=FS_HZ) for p in POINTS]
    machines = {"rig": MachineSettings(id="rig", speed_rpm=1770, points=points)}
    kind = load_kind(str(settings["type"]))
    assert isinstance(kind, SourceKind)
    context = SourceContext(machines, BrokerSettings(), "bench", Path(folder) / "own")
    source = kind.open(kind.settings.model_validate(settings), context)
    inlet, stop = Inlet(), threading.Event()
    me = psutil.Process()
    before_mb = me.memory_info().rss / 1e6
    thread = threading.Thread(target=source.run, args=(inlet, stop))
    thread.start()
    helper = None
    if feeder is not None:
        while getattr(source, "port", 1) is None:
            time.sleep(0.01)
        spawn = multiprocessing.get_context("spawn")
        quit_feeding = spawn.Event()
        helper = spawn.Process(target=feeder, args=(getattr(source, "port", 0), quit_feeding))
        helper.start()
    latencies: list[float] = []
    lost = 0
    next_number: dict[PointId, int] = {}
    deadline = time.monotonic() + START_S
    while not inlet.take(0.1) and time.monotonic() < deadline:
        pass
    begin, before_cpu = time.monotonic(), sum(me.cpu_times()[:2])
    while time.monotonic() - begin < SECONDS:
        for item in inlet.take(0.1):
            if not isinstance(item, SampleBlock):
                continue
            end_ns = item.t0_ns + item.samples.size / item.fs_hz * 1e9
            latencies.append((time.time_ns() - end_ns) / 1e6)
            expected = next_number.get(item.point, item.sequence)
            lost += item.sequence - expected
            next_number[item.point] = item.sequence + 1
    seconds = time.monotonic() - begin
    cpu = sum(me.cpu_times()[:2]) - before_cpu
    memory_mb = max(0.0, me.memory_info().rss / 1e6 - before_mb)
    dropped = source._feed.dropped  # type: ignore[attr-defined]
    receiver = getattr(source, "receiver", None)
    lost += 0 if receiver is None else receiver.lost
    stop.set()
    inlet.close()
    if helper is not None:
        quit_feeding.set()
        helper.join()
    thread.join()
    if latencies:
        middle, worst = np.percentile(latencies, [50, 99])
    else:
        print(f"{source.name}: nothing arrived: {source.status}", file=sys.stderr)
        middle = worst = float("nan")
    answer.send((dropped, lost, cpu, memory_mb, float(middle), float(worst), seconds))


def _stream(protocol: str) -> dict[str, object]:
    channels = [{"channel": i, "point": p} for i, p in enumerate(POINTS)]
    return {
        "type": "stream", "machine": "rig", "protocol": protocol, "host": "127.0.0.1", "port": 0,
        "channels": channels,
    }  # fmt: skip


def _udp(_folder: Path) -> Prepared:
    return _stream("udp"), _send_udp


def _tcp(_folder: Path) -> Prepared:
    return _stream("tcp"), _send_tcp


def _send_udp(port: int, stop: threading.Event) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as out:
        _send(lambda data: out.sendto(data, ("127.0.0.1", port)), stop)


def _send_tcp(port: int, stop: threading.Event) -> None:
    with socket.create_connection(("127.0.0.1", port)) as out:
        _send(out.sendall, stop)


def _send(send: Callable[[bytes], object], stop: threading.Event) -> None:
    """Send frames of all channels in real time, with the time of their first sample."""
    x = signals(CHANNELS, int(FS_HZ))
    begin_ns, number = time.time_ns(), 0
    while not stop.is_set():
        t0_ns = begin_ns + round(number * FRAME / FS_HZ * 1e9)
        wait_s = (t0_ns + FRAME / FS_HZ * 1e9 - time.time_ns()) / 1e9
        if wait_s > 0:
            time.sleep(wait_s)
        at = number * FRAME % (x.shape[1] - FRAME)
        send(pack(Frame(1, number, t0_ns, FS_HZ, "g", x[:, at : at + FRAME]), "int16", 1e-3))
        number += 1


def _recordings(folder: Path) -> Prepared:
    from auscult.gateway.files.records import Signal

    x = signals(CHANNELS, int(10 * FS_HZ))
    made = [Signal(p, row, FS_HZ, "g") for p, row in zip(POINTS, x, strict=True)]
    write_data_set(folder, [WrittenRecording("a", made, {"machine": "rig", "label": "healthy"})])
    manifest = folder / "manifest.csv"
    return {"type": "recordings", "machine": "rig", "manifest": manifest, "repeat": True}, None


def _folder(folder: Path) -> Prepared:
    channels = {p: str(i + 1) for i, p in enumerate(POINTS)}
    settings = {"type": "folder", "machine": "rig", "folder": folder, "channels": channels,
                "settle_s": 0.2}  # fmt: skip
    os.environ["AUSCULT_BENCH_FOLDER"] = str(folder)
    return settings, _write_files


def _write_files(_port: int, stop: threading.Event) -> None:
    folder = Path(os.environ["AUSCULT_BENCH_FOLDER"])
    x = signals(CHANNELS, int(FILE_S * FS_HZ)).T / 16
    number = 0
    while not stop.wait(FILE_S):
        path = folder / f"{number:06d}.wav"
        soundfile.write(path.with_suffix(".part"), x, int(FS_HZ), subtype="FLOAT", format="WAV")
        path.with_suffix(".part").rename(path)
        number += 1


def _simulator(_folder: Path) -> Prepared:
    points = [{"point": p, "bearing": i % 4 + 1} for i, p in enumerate(POINTS)]
    return {"type": "simulator", "machine": "rig", "points": points}, None
