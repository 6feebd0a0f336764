"""One way through a data diode, with files that are lost, doubled, reordered and damaged."""

from __future__ import annotations

import json
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from auscult.app.command.configuration import load
from auscult.gateway.outputs.diode.frames import SUFFIX
from auscult.gateway.outputs.diode.receiver import DiodeReceiver
from auscult.gateway.outputs.diode.sender import DiodeSender
from auscult.gateway.outputs.diode.settings import DiodeSettings
from auscult.link.link import Link, Received
from tests.app.messages import FakeGateway, event, status, trend
from tests.conftest import Mosquitto
from tests.waiting import DEADLINE_S, wait_until

BASE = "auscult/v1/plant/gw1"


class Diode:
    """Copies files one way, and loses what `seeded` says."""

    def __init__(self, folder: Path) -> None:
        self.sending = DiodeSettings(folder=folder / "out", data_dir=folder / "s", waiting_mb=1)
        self.receiving = DiodeSettings(folder=folder / "in", data_dir=folder / "r")
        self.got: list[tuple[str, bytes, bool]] = []
        self.sender, self.receiver = DiodeSender(self.sending), self.opened()

    def opened(self) -> DiodeReceiver:
        return DiodeReceiver(self.receiving, lambda *message: self.got.append(message) is None)

    def files(self) -> list[Path]:
        return sorted(self.sending.folder.glob(f"*{SUFFIX}"))

    def copy(self, lost: object = lambda number: False) -> None:
        for number, path in enumerate(self.files()):
            if not lost(number):
                shutil.copy(path, self.receiving.folder)
            path.unlink()
        self.receiver.look()

    @property
    def count(self) -> dict:
        (only,) = json.loads((self.receiving.data_dir / "received.json").read_text())[
            "streams"
        ].values()
        return only


def test_loss_is_counted_and_important_messages_come_again(tmp_path):
    diode, seeded, now = Diode(tmp_path), random.Random(16), 1000.0
    for number in range(200):
        kind = "event" if number % 4 == 0 else "trend"
        diode.sender.store(f"{BASE}/pump/{kind}", f"{kind} {number}".encode(), now)
        diode.sender.write(now)
        now += 0.1
    diode.copy(lambda _: seeded.random() < 0.3)
    lost = 200 - len(diode.got)
    assert 30 < lost < 90
    # the last file may be among the lost: the next message shows it
    diode.sender.store(f"{BASE}/pump/trend", b"one more", now)
    diode.sender.write(now)
    diode.copy()
    assert diode.count["missing"] == lost
    for age in diode.sending.repeat_s:
        while diode.sender.write(1100 + age):
            pass
        diode.copy(lambda _: False)
    payloads = [payload.decode() for _, payload, _ in diode.got]
    assert len(set(payloads)) == len(payloads)
    assert {f"event {n}" for n in range(0, 200, 4)} <= set(payloads)
    trends_lost = [n for n in range(200) if n % 4 and f"trend {n}" not in payloads]
    assert diode.count["missing"] == len(trends_lost)
    assert diode.count["first_missing"] == [n + 1 for n in trends_lost[:20]]
    # by telephone: the history still has them
    assert diode.sender.resend(1, 200) == 200
    while diode.sender.write(1e6):
        pass
    diode.copy()
    assert (diode.count["missing"], diode.count["received"]) == (0, 201)


def test_a_late_state_replaces_no_newer_one(tmp_path):
    diode = Diode(tmp_path)
    for number in range(3):
        diode.sender.store(f"{BASE}/pump/state", b"%d" % number, number)
        diode.sender.write(number)
    first, second, third = diode.files()
    for path in (third, first, second, third):
        shutil.copy(path, diode.receiving.folder)
        diode.receiver.look()
        diode.receiver = diode.opened()  # a restart between
    assert [payload for _, payload, _ in diode.got] == [b"2"]
    assert diode.got[0][2], "the broker keeps it"
    assert (diode.count["missing"], diode.count["repeated"]) == (0, 1)


def test_damaged_files_and_a_diode_that_takes_nothing(tmp_path):
    diode = Diode(tmp_path)
    diode.sender.store(f"{BASE}/pump/event", b"first", 1)
    diode.sender.write(1)
    (path,) = diode.files()
    whole = path.read_bytes()
    for number, content in enumerate((whole[:50], whole[:-1] + bytes([whole[-1] ^ 1]), b"", whole)):
        (diode.receiving.folder / f"{number}{SUFFIX}").write_bytes(content)
    assert diode.receiver.look() == 4
    assert [payload for _, payload, _ in diode.got] == [b"first"]
    assert diode.receiver.counts()["damaged_files"] == 3
    noise = random.Random(1)
    for number in range(4):
        diode.sender.store(f"{BASE}/pump/clip", noise.randbytes(600_000), number)
    while diode.sender.write(5):
        pass
    assert len(diode.files()) == 2, "no more than 1 MB waits"
    diode.copy()
    while diode.sender.write(6):
        pass
    diode.copy()
    assert diode.count["missing"] == 0


def test_processes_carry_messages_from_one_broker_to_another(tmp_path, mosquitto):
    (tmp_path / "other").mkdir()
    other = Mosquitto(tmp_path / "other")
    other.start()
    running = []
    for side, broker in (("send", mosquitto), ("receive", other)):
        config = tmp_path / f"{side}.toml"
        config.write_text(
            f'[mqtt]\nhost = "127.0.0.1"\nport = {broker.port}\n[diode]\n'
            f'folder = "files"\ndata_dir = "{side}"\n'
        )
        assert load(config).outputs.diode.folder == tmp_path / "files"
        command = [sys.executable, "-m", "auscult.app.command.main", "diode", side, "-c", config]
        running.append(subprocess.Popen(command))
    gateway = FakeGateway(mosquitto.settings)
    got: dict[str, bool] = {}

    def note(message: Received) -> None:
        got[message.topic] = message.retained
        message.acknowledge()

    try:
        wait_until(lambda: "auscult-diode-send" in mosquitto.log, what="the sender")
        gateway.publish(status())
        gateway.publish(event("pump", "e1"))
        gateway.publish(trend("pump", "DE-H", 1_700_000_000_000))
        counts = tmp_path / "receive" / "received.json"

        def received() -> int:
            if not counts.exists():
                return 0
            return sum(s["received"] for s in json.loads(counts.read_text())["streams"].values())

        wait_until(lambda: received() >= 3, what="the other side")
        behind = Link(other.settings, "behind", on_message=note, subscriptions=["auscult/v1/#"])
        behind.start()
        wait_until(lambda: got, what="the retained status")
        behind.stop()
        assert got == {f"{BASE}/status": True}
        assert sum(s["missing"] for s in json.loads(counts.read_text())["streams"].values()) == 0
    finally:
        for process in running:
            process.send_signal(signal.SIGTERM)
        for process in running:
            assert process.wait(DEADLINE_S) == 0
        gateway.stop()
        other.stop()
