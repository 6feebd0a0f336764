"""The whole product in real time with its pages in use, to find growth of memory or files.

    python -m lab.bench.soak_live [--points 64] [--minutes 60] [--csv FILE]

`auscult gateway` plays 25.6 kHz recordings on machines of four points, `auscult dashboard` is asked
for pages all the time: one reader keeps a connection and takes the live stream, another connects
again for each round, as a person does who opens and closes the page. Memory, files and threads of
both processes are sampled every 15 s; at the end their slopes are printed with 95 % confidence.
"""

from __future__ import annotations

import argparse
import csv
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

import httpx
import psutil

from lab.bench.slopes import slope
from lab.bench.workload import FS_HZ, SPEED_RPM, signals
from tests.conftest import Mosquitto
from tests.gateway.product import Auscult
from tests.gateway.recorded import write_data_set
from tests.ports import free_port

POINTS = ("p0", "p1", "p2", "p3")
SIGNAL_S = 16
SAMPLE_S = 15.0
ROUND_S = 2.0
SAMPLED = ("memory, MB", "files", "threads")


def gateway_toml(port: int, machines: int, manifest: Path) -> str:
    """Return the machines of four points that play the same recordings in real time."""
    points = "".join(
        f'[[machines.points]]\nid = "{one}"\nkind = "vibration"\nunit = "g"\nfs_hz = {FS_HZ:.0f}\n'
        for one in POINTS
    )
    text = f'[mqtt]\nport = {port}\n[gateway]\ndata_dir = "gateway"\n'
    for number in range(machines):
        text += f'[[machines]]\nid = "m{number}"\nspeed_rpm = {SPEED_RPM:.0f}\n{points}'
        text += (
            f'[[sources]]\ntype = "recordings"\nmanifest = "{manifest}"\nmachine = "pump"\n'
            f'as_machine = "m{number}"\nhealthy_repeats = 10000\n'
        )
    return text


class Readers:
    """People at the dashboard: pages all the time, with a pause, and the live stream."""

    def __init__(self, url: str, point: str = POINTS[0]) -> None:
        self.url, self.point = url, point
        self.pages = self.failed = self.live = 0
        self.stopping = threading.Event()
        self._threads = [
            threading.Thread(target=work, daemon=True)
            for work in (self._stay, self._come_and_go, self._listen)
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def now_ms(self) -> int:
        """Return the end of the day that they look at."""
        return int(time.time() * 1000)

    def turn(self) -> bool:
        """Wait for the next round of pages; False = stop."""
        return not self.stopping.wait(ROUND_S)

    def _look(self, client: httpx.Client) -> None:
        now_ms = self.now_ms()
        day = {"start_ms": now_ms - 86_400_000, "end_ms": now_ms}
        for path in ("/", "/api/health", "/api/v1/machines", "/api/v1/events", "/api/v1/gateways"):
            self._get(client, path)
        for machine in client.get("/api/v1/machines").json()["items"][:3]:
            name = machine["id"]
            self._get(client, f"/api/v1/machines/{name}")
            self._get(client, f"/api/v1/machines/{name}/points/{self.point}/trend", day)
            self._get(client, f"/api/v1/machines/{name}/points/{self.point}/spectra")

    def _get(self, client: httpx.Client, path: str, query: dict[str, int] | None = None) -> None:
        answer = client.get(path, params=query)
        self.pages += 1
        if answer.status_code != 200:
            self.failed += 1
            print(f"{path}: {answer.status_code}", flush=True)

    def _stay(self) -> None:
        with httpx.Client(base_url=self.url, timeout=120) as client:
            while self.turn():
                self._try(client)

    def _come_and_go(self) -> None:
        while self.turn():
            with httpx.Client(base_url=self.url, timeout=120) as client:
                self._try(client)

    def _try(self, client: httpx.Client) -> None:
        try:
            self._look(client)
        except (httpx.HTTPError, KeyError) as error:
            self.failed += 1
            print(f"{error!r}", flush=True)

    def _listen(self) -> None:
        """Take the live stream for a minute, then connect again."""
        while not self.stopping.is_set():
            ends = time.monotonic() + 60
            with (
                suppress(httpx.HTTPError),
                httpx.stream("GET", f"{self.url}/api/v1/live", timeout=60) as answer,
            ):
                for line in answer.iter_lines():
                    self.live += line.startswith("data:")
                    if time.monotonic() > ends or self.stopping.is_set():
                        break


def sample(process: psutil.Process) -> tuple[float, int, int]:
    """Return resident memory in MB, open files and threads."""
    return process.memory_info().rss / 1e6, process.num_fds(), process.num_threads()


def soak(points: int, minutes: float, file: Path | None) -> None:
    """Run, sample, and print the slopes."""
    quantities = [f"{who}: {what}" for who in ("gateway", "dashboard") for what in SAMPLED]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "broker").mkdir()
        broker = Mosquitto(folder / "broker")
        broker.start()
        signal = signals(len(POINTS), int(SIGNAL_S * FS_HZ)).T
        rates = {"healthy": int(FS_HZ)}
        manifest = write_data_set(folder / "set", {"healthy": signal}, fs_hz=rates, points=POINTS)
        port = free_port()
        dashboard = Auscult(
            "dashboard", folder,
            f'[mqtt]\nport = {broker.port}\n[dashboard]\nport = {port}\ndata_dir = "dashboard"\n'
            'login = "off"\n',
        )  # fmt: skip
        gateway = Auscult(
            "gateway", folder, gateway_toml(broker.port, points // len(POINTS), manifest)
        )
        readers = Readers(f"http://127.0.0.1:{port}")
        rows: list[tuple[float, ...]] = []
        try:
            time.sleep(60)
            readers.start()
            parts = [psutil.Process(one.process.pid) for one in (gateway, dashboard)]
            begun = time.monotonic()
            while (past_s := time.monotonic() - begun) < minutes * 60:
                row = tuple(float(one) for part in parts for one in sample(part))
                rows.append((past_s / 3600, *row))
                if file is not None:
                    with file.open("a", newline="") as out:
                        csv.writer(out).writerow([f"{one:.4f}" for one in rows[-1]])
                time.sleep(SAMPLE_S)
            busy = [sum(part.cpu_times()[:2]) / (minutes * 60) for part in parts]
            with httpx.Client(base_url=readers.url, timeout=60) as client:
                print(client.get("/api/v1/gateways").text)
        finally:
            readers.stopping.set()
            for one in (gateway, dashboard):
                one.stop()
            broker.stop()
        print(f"{readers.pages:,} pages, {readers.failed} failed, {readers.live:,} live events")
        print(f"CPU of a core: gateway {busy[0]:.2f}, dashboard {busy[1]:.2f}")
    hours, *columns = zip(*rows, strict=True)
    for what, values in zip(quantities, columns, strict=True):
        print(f"{what}: {min(values):.0f} to {max(values):.0f}, {slope(hours, values)}")


def main() -> None:
    """Read the options, and soak."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--points", type=int, default=64)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--csv", type=Path, help="file for the samples")
    asked = parser.parse_args()
    soak(asked.points, asked.minutes, asked.csv)


if __name__ == "__main__":
    main()
