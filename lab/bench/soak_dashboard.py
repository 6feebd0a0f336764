"""Days of a plant at once against a real dashboard with pages in use, to find growth of its memory.

    python -m lab.bench.soak_dashboard [--points 64] [--hours 96] [--rounds 4] [--csv FILE]

plays what gateways send in these hours, with the times of the past hours, as fast as the dashboard
stores it, while readers ask for rounds of pages (15 each), so many in each hour of stream, with the
trends of the day before the stream's time. Memory, files and threads are sampled each hour of
stream as a round begins, and memory once more at rest, when nothing was asked for 2.5 s. What is
done each minute (freeing memory) is done each second, which is still rarer than in reality. The
slopes at the end leave out the first quarter, in which caches and the trend of a day fill; so take
four days or more.
"""

from __future__ import annotations

import argparse
import csv
import queue
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

import httpx
import psutil

from auscult.contract.payloads import Status
from auscult.link.broker import BrokerSettings
from auscult.link.link import Link
from lab.bench import load
from lab.bench.flood import connected
from lab.bench.slopes import slope
from lab.bench.soak_live import SAMPLED, Readers, sample
from tests.app import messages as m
from tests.conftest import Mosquitto
from tests.ports import free_port

MINUTE_MS: Final = 60_000
SAMPLE_MIN: Final = 60
AT_REST: Final = "memory at rest, MB"
RECEIPTS_MIN: Final = 10
REST_S: Final = 2.5
"""Freed memory goes back each second."""
PROGRAM: Final = """
from auscult.app import dashboard
from auscult.app.command.main import main
dashboard.RETURN_EACH_S = 1.0
main()
"""


class Reading(Readers):
    """Readers who get their turns from the stream, and look at its time."""

    def __init__(self, url: str) -> None:
        super().__init__(url, load.POINTS[0])
        self._turns: queue.Queue[None] = queue.Queue(2)
        self.at_ms = 0

    def now_ms(self) -> int:
        return self.at_ms

    def give_turn(self) -> None:
        """Let one of them ask for a round; waits while two others wait."""
        self._turns.put(None, timeout=300)

    def finish(self) -> None:
        """Wait until all rounds are answered."""
        self._turns.join()

    def turn(self) -> bool:
        while not self.stopping.is_set():
            with suppress(queue.Empty):
                self._turns.get(timeout=0.5)
                return True
        return False

    def _try(self, client: httpx.Client) -> None:
        super()._try(client)
        self._turns.task_done()


class Stream:
    """Sends the messages of one minute after the other, at most ten ahead of what is stored."""

    def __init__(self, broker: BrokerSettings, points: int) -> None:
        self.plant = load.Plant(points // len(load.POINTS))
        self.sent = 0
        link = Link(broker, "plant", on_message=lambda received: self.player.receive(received))
        self.player = load.Player(self.plant, link, 0.0, 0.0)
        link.subscribe(["auscult/v1/+/+/cmd/receipt"])
        link.start()
        assert link.wait_connected(30)
        for topics, message in self.plant.inventories():
            topic = topics.status if isinstance(message, Status) else topics.inventory
            link.publish(topic, message.payload(), retain=True)

    def minute(self, at_ms: int) -> None:
        """Send a minute of all points; each `RECEIPTS_MIN`, wait for the receipts."""
        for machine in range(self.plant.machines):
            for point in (*load.POINTS, ""):
                self.sent += self.player.send(machine, point, at_ms)
        if at_ms // MINUTE_MS % RECEIPTS_MIN == 0:
            self.player.wait_stored()

    def stop(self) -> None:
        self.player.link.stop()


def soak(points: int, hours: float, rounds: float, file: Path | None) -> None:
    """Play, sample, and print the slopes."""
    minutes = round(60 * hours)
    rows: list[tuple[float, ...]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        broker = Mosquitto(folder)
        broker.start()
        port = free_port()
        config = folder / "dashboard.toml"
        config.write_text(
            f'[mqtt]\nport = {broker.port}\n[dashboard]\nport = {port}\ndata_dir = "dashboard"\n'
            'login = "off"\n'
        )
        command = [sys.executable, "-c", PROGRAM, "dashboard", "--config", str(config)]
        process = psutil.Popen(command, stderr=subprocess.DEVNULL)
        connected(port)
        readers = Reading(f"http://127.0.0.1:{port}")
        stream = Stream(broker.settings, points)
        begun, begin_ms = time.monotonic(), m.now_ms() - minutes * MINUTE_MS
        try:
            for minute in range(minutes):
                readers.at_ms = begin_ms + minute * MINUTE_MS
                stream.minute(readers.at_ms)
                if minute == 0:
                    readers.start()
                for _ in range(int((minute + 1) * rounds / 60) - int(minute * rounds / 60)):
                    readers.give_turn()
                if minute % SAMPLE_MIN == SAMPLE_MIN - 1:
                    used = sample(process)
                    readers.finish()
                    time.sleep(REST_S)
                    rows.append((minute / 60, *map(float, used), sample(process)[0]))
                    if file is not None:
                        with file.open("a", newline="") as out:
                            csv.writer(out).writerow([f"{one:.4f}" for one in rows[-1]])
            print(
                f"{stream.sent:,} messages, {readers.pages:,} pages, {readers.failed} failed,"
                f" {time.monotonic() - begun:.0f} s"
            )
        finally:
            readers.stopping.set()
            stream.stop()
            process.terminate()
            process.wait()
            broker.stop()
    at, *columns = zip(*rows, strict=True)
    for what, values in zip((*SAMPLED, AT_REST), columns, strict=True):
        print(f"{what}: {min(values):.0f} to {max(values):.0f}, {slope(at, values)} of stream")


def main() -> None:
    """Read the options, and soak."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--points", type=int, default=64)
    parser.add_argument("--hours", type=float, default=96)
    parser.add_argument("--rounds", type=float, default=4, help="of pages in an hour of stream")
    parser.add_argument("--csv", type=Path, help="file for the samples")
    asked = parser.parse_args()
    soak(asked.points, asked.hours, asked.rounds, asked.csv)


if __name__ == "__main__":
    main()
