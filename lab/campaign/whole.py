"""Faults against the whole product: kills, network, disk and clock, each counted by the oracle."""

from __future__ import annotations

import math
import os
import shutil
import struct
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random

import pytest

from lab.campaign.outcome import TARGET_S, Outcome
from lab.campaign.plant import Plant
from lab.campaign.proxy import Proxy
from tests.conftest import Mosquitto
from tests.gateway.plant import Reader, Running, settings
from tests.gateway.recorded import shaft_noise, write_data_set
from tests.waiting import wait_until

HOUR_S, YEAR_S = 3600, 365 * 86_400
STEPS_S = {"+1 h": HOUR_S, "-1 h": -HOUR_S, "+1 year": YEAR_S, "-1 year": -YEAR_S}
TMPFS_MB = 64
RECOVERY_S = 60.0
PACE = 5
"""Leaves a busy machine room to keep up: the campaign is about faults, not about overload."""
KEEP = os.environ.get("AUSCULT_FAULTS_KEEP")
"""Folder that keeps a plant with lost, doubled or wrong items, for inspection."""


def learned(folder: Path) -> Path:
    """Make the data of a gateway that has learned a healthy machine."""
    manifest = write_data_set(folder / "healthy", {"healthy": shaft_noise(30, 1)})
    (folder / "broker").mkdir()
    broker = Mosquitto(folder / "broker")
    broker.start()
    reader = Reader(broker)
    with Running(settings(broker, folder / "data", manifest)) as running:
        reader.wait_for("normal")
        running.stop()
    reader.close()
    broker.stop()
    return folder / "data"


class Scene:
    """A plant with everything between its parts that can be made to fail."""

    def __init__(self, folder: Path, data: Path, environment: Mapping[str, str]) -> None:
        self.folder = folder
        self.ends = math.inf
        shutil.copytree(data, folder / "gateway", dirs_exist_ok=True)
        (folder / "broker").mkdir()
        self.broker = Mosquitto(folder / "broker")
        self.broker.start()
        self.proxies = [Proxy(self.broker.port), Proxy(self.broker.port)]
        ports = self.proxies[0].port, self.proxies[1].port
        self.plant = Plant(folder, ports, environment, PACE)

    def __enter__(self) -> Scene:
        return self

    def rounds(self, number: int) -> Iterator[int]:
        """Count rounds until the time is over."""
        for one in range(number):
            if time.monotonic() > self.ends:
                return
            yield one

    def begin(self) -> None:
        wait_until(self.plant.connected, what="the dashboard")
        self.plant.start()
        self.plant.recover()
        # before the first receipt the broker's confirmation counts, which no kill of it survives
        known = "SELECT count(*) FROM counters WHERE name = 'receiver_heard_s'"
        wait_until(lambda: self.plant.rows(known) == [(1,)], what="the first receipt")

    def recover(self, outcome: Outcome, what: str) -> None:
        """Time the recovery from a fault, and print it where it misses the target.

        One that does not come is a failure, and the campaign continues.
        """
        try:
            seconds = self.plant.recover(RECOVERY_S)
            outcome.recovered(seconds)
            if seconds > TARGET_S:
                print(f"{outcome.fault} {outcome.trials}: {seconds:.1f} s after {what}", flush=True)
        except pytest.fail.Exception:
            outcome.failures.append(f"trial {outcome.trials}: no recovery within {RECOVERY_S} s")
            if KEEP:
                shutil.copytree(self.folder, KEEP, dirs_exist_ok=True)

    def conclude(self, outcome: Outcome) -> Outcome:
        """Stop the stream, deliver what waits, and count."""
        if self.plant.gateway is not None:
            self.plant.gateway.kill()
        self.plant.finish(600)
        counts = self.plant.count()
        if (counts.lost, counts.doubled, counts.wrong) != (0, 0, 0) and KEEP:
            shutil.copytree(self.folder, KEEP, dirs_exist_ok=True)
        outcome.lost, outcome.doubled, outcome.wrong = counts.lost, counts.doubled, counts.wrong
        outcome.note = (
            f"{counts.trends:,} trends, {counts.events:,} events, {counts.spectra} spectra"
        )
        for log in self.folder.glob("*.log"):
            text = log.read_text()
            if "Traceback" in text:
                outcome.failures.append(text[text.index("Traceback") :][:600])
        return outcome

    def __exit__(self, *_: object) -> None:
        self.plant.end()
        for proxy in self.proxies:
            proxy.close()
        self.broker.kill()


@contextmanager
def small_disk(path: Path) -> Iterator[None]:
    """Mount a small file system; needs root."""
    path.mkdir(exist_ok=True)
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={TMPFS_MB}m", "auscult-faults", path], check=True
    )
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", path], check=True)


def kills(scene: Scene, chance: Random, rounds: int, outcome: Outcome) -> None:
    """Kill gateway, broker and dashboard, one or several at once."""
    for _ in scene.rounds(rounds):
        time.sleep(chance.uniform(0, 2))
        victims = chance.sample(["gateway", "broker", "dashboard"], chance.choice([1, 1, 2, 3]))
        _kill(scene, victims, chance, outcome)


def broker_kills(scene: Scene, chance: Random, rounds: int, outcome: Outcome) -> None:
    """Kill the broker, alone or with the dashboard: the gateway must know what was lost."""
    for _ in scene.rounds(rounds):
        time.sleep(chance.uniform(0, 2))
        _kill(scene, chance.choice([["broker"], ["broker", "dashboard"]]), chance, outcome)


def broker_outages(scene: Scene, chance: Random, rounds: int, outcome: Outcome) -> None:
    """Leave the broker off for longer than pauses between attempts to connect may grow."""
    for _ in scene.rounds(rounds):
        outcome.trials += 1
        scene.broker.kill()
        time.sleep(chance.uniform(60, 120))
        scene.broker.start()
        scene.recover(outcome)


def _kill(scene: Scene, victims: list[str], chance: Random, outcome: Outcome) -> None:
    """Kill all at once, start them in an order of chance, and time the recovery."""
    plant = scene.plant
    for victim in victims:
        outcome.trials += 1
        if victim == "gateway" and plant.gateway is not None:
            plant.gateway.kill()
        elif victim == "broker":
            scene.broker.kill()
        else:
            plant.dashboard.kill()
    for victim in chance.sample(victims, len(victims)):
        if victim == "gateway":
            plant.start()
        elif victim == "broker":
            scene.broker.start()
        else:
            plant.start_dashboard()
    scene.recover(outcome, f"kills of {', '.join(victims)}")


def network(scene: Scene, chance: Random, rounds: int, outcome: Outcome) -> None:
    """Cut connections, hold all packets back, and delay them, on one side or on both."""
    for _ in scene.rounds(rounds):
        outcome.trials += 1
        sides = chance.sample(scene.proxies, chance.choice([1, 2]))
        fault = chance.choice(["cut", "hold", "late", "flap"])
        for proxy in sides:
            if fault == "late":
                proxy.latency_s = chance.uniform(0.2, 1.0)
            elif fault == "hold":
                proxy.hold()
        for _ in range(8 if fault == "flap" else 1):
            time.sleep(chance.uniform(0.2, 4.0) if fault != "flap" else 0.3)
            for proxy in sides:
                if fault in ("cut", "flap") or (fault == "hold" and chance.random() < 0.5):
                    proxy.cut()
        for proxy in sides:
            proxy.latency_s = 0.0
            proxy.release()
        scene.recover(outcome, f"{fault} on {len(sides)} side(s)")


def slow(scene: Scene, chance: Random, rounds: int, outcome: Outcome) -> None:
    """Make each fsync of gateway and dashboard take up to a second."""
    speed = scene.folder / "slow"
    for _ in scene.rounds(rounds):
        outcome.trials += 1
        speed.write_text(str(chance.choice([20, 200, 1000])))
        time.sleep(chance.uniform(3, 8))
        speed.write_text("0")
        scene.recover(outcome, "a slow disk")


def full(scene: Scene, chance: Random, rounds: int, outcome: Outcome) -> None:
    """Fill the disk of gateway and dashboard to the last byte, and free it again."""
    scene.plant.from_memory = True
    ballasts = [scene.folder / part / "ballast" for part in ("gateway", "dashboard")]
    for _ in scene.rounds(rounds):
        outcome.trials += 1
        for ballast in chance.sample(ballasts, chance.choice([1, 2])):
            with ballast.open("wb", buffering=0) as file:
                try:
                    while True:
                        file.write(bytes(65536 if chance.random() < 0.9 else 512))
                except OSError:
                    pass
        time.sleep(chance.uniform(2, 8))
        for ballast in ballasts:
            ballast.unlink(missing_ok=True)
        scene.recover(outcome, "full disks")


def clock(scene: Scene, chance: Random, rounds: int, outcome: Outcome) -> None:
    """Step the clock of gateway and dashboard ahead and back, while they run."""
    offset = scene.folder / "clock"
    for number in scene.rounds(rounds):
        outcome.trials += 1
        step_s = list(STEPS_S.values())[number % len(STEPS_S)]
        _step(offset, step_s)
        time.sleep(chance.uniform(2, 5))
        scene.recover(outcome, f"a step of {step_s} s")
        _step(offset, 0)
        time.sleep(chance.uniform(1, 2))
        scene.recover(outcome, f"a step of {-step_s} s")


def _step(offset: Path, seconds: int) -> None:
    with offset.open("r+b") as file:  # in place: both processes have mapped it
        file.write(struct.pack("=q", seconds))


def _library(folder: Path, name: str) -> str:
    library, source = folder / f"{name}.so", Path(__file__).with_name(f"{name}.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
    return str(library)


def _slow_environment(folder: Path) -> dict[str, str]:
    (folder / "slow").write_text("0")
    return {
        "LD_PRELOAD": _library(folder, "slow_disk"), "AUSCULT_SLOW_DISK": str(folder / "slow")
    }  # fmt: skip


def _clock_environment(folder: Path) -> dict[str, str]:
    (folder / "clock").write_bytes(struct.pack("=q", 0))
    return {"LD_PRELOAD": _library(folder, "set_clock"), "AUSCULT_CLOCK": str(folder / "clock")}


Fault = Callable[[Scene, Random, int, Outcome], None]
FAULTS: dict[str, tuple[Fault, int, int]] = {
    "kills": (kills, 4, 600),
    "killed broker": (broker_kills, 4, 60),
    "broker off": (broker_outages, 1, 20),
    "network": (network, 2, 40),
    "slow disk": (slow, 1, 20),
    "full disk": (full, 1, 20),
    "clock": (clock, 4, 80),
}
"""Each fault, with its rounds in a short and in a full run."""


def campaign(
    seed: int, *, full_run: bool, only: Sequence[str] = ("",), minutes: float = math.inf
) -> Iterator[Outcome]:
    """Run each fault against a plant of its own; yields the outcomes.

    No new round begins `minutes` after the first round of a fault.
    """
    with tempfile.TemporaryDirectory() as base:
        data = learned(Path(base))
        for name, (fault, short, long) in FAULTS.items():
            if not any(one in name for one in only):
                continue
            folder = Path(base) / name.replace(" ", "-")
            folder.mkdir()
            with ExitStack() as stack:
                if fault is full:
                    for part in ("gateway", "dashboard"):
                        stack.enter_context(small_disk(folder / part))
                environment = {slow: _slow_environment, clock: _clock_environment}.get(fault)
                scene = stack.enter_context(
                    Scene(folder, data, environment(folder) if environment else {})
                )
                scene.begin()
                scene.ends = time.monotonic() + 60 * minutes
                outcome = Outcome("whole product", name)
                fault(scene, Random(f"{seed}/{name}"), long if full_run else short, outcome)
                yield scene.conclude(outcome)
