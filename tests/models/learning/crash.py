"""Kill a learning process with SIGKILL at random instants and check what it left behind.

    python -m tests.models.learning.crash FOLDER KILLS

Each round forks a process that labels events without end and reports each label that is stored.
The parent kills it at a random instant, opens the folder as a restarted gateway would, and checks
that the state is whole and that each reported label is learned or still waits.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

from auscult.contract.label import Verdict
from auscult.models.learning.head_trainer import trainer
from tests.models.learning.world import World


def work(folder, first, pipe):
    world = World(folder)
    world.labels = first
    os.write(pipe, b"!")
    while True:
        i = world.labels
        world.event(f"E{i}", (10 + i % 5, 1.5), seed=i, n=4)
        # As the gateway does with a label that waits: it is stored, answered, and learned later.
        label = world.next_label(f"E{i}", Verdict.FALSE_ALARM)
        world.updater.defer(label)
        os.write(pipe, b".")
        world.updater.learn(label)
        world.updater.settle(label.label_id)
        if i % 7 == 0:
            world.label(f"E{i}", Verdict.UNSURE)
            os.write(pipe, b".")


def main():
    folder, kills = Path(sys.argv[1]), int(sys.argv[2])
    random.seed(1)
    trainer()  # before the forks, so that the kills hit learning rather than loading
    finished = 0
    for kill in range(kills):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            work(folder, 1000 * kill, write)
        os.close(write)
        assert os.read(read, 1) == b"!"
        time.sleep(random.uniform(0, 0.12))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        done = 0
        while data := os.read(read, 4096):
            done += len(data)
        os.close(read)
        finished += done
        world = World.__new__(World)
        world.folder, world.settings = folder, {}
        world.open()
        entries = world.updater.checkpoints()
        found = {entry.update.label_id for entry in entries if entry.update}
        found |= {label.label_id for label in world.updater.waiting}
        labels = [f"L{1000 * kill + i + 1}" for i in range(done)]
        assert set(labels) <= found, (kill, labels)
        accepted = [e for e in entries if e.checkpoint.state.value == "active"]
        assert len(accepted) == 1
        assert world.updater.checkpoint_id == accepted[0].checkpoint.checkpoint_id
        if kill % 25 == 24:
            for path in folder.iterdir():  # a short ledger keeps the rounds short
                path.unlink()
    print(f"{kills} kills, {finished} labels stored, none lost, every state whole")


if __name__ == "__main__":
    main()
