"""Kill a learning process with SIGKILL at random instants and check what it left behind.

    python -m tests.models.learning_crash FOLDER KILLS

Each round forks a process that labels events without end and says of each one when it is done;
the parent kills it at a random instant, opens the folder as a restarted gateway would, and
checks that the state is whole and that no finished label is missing from the ledger.
"""

import os
import random
import signal
import sys
import time
from pathlib import Path

from models.records import Verdict
from tests.models.learning_world import World


def work(folder, first, pipe):
    world = World(folder)
    world.labels = first
    os.write(pipe, b"!")
    while True:
        i = world.labels
        world.false_alarm(f"E{i}", (10 + i % 5, 1.5), seed=i, n=4)
        if i % 7 == 0:
            world.label(f"E{i}", Verdict.UNSURE)
        os.write(pipe, b".")


def main():
    folder, kills = Path(sys.argv[1]), int(sys.argv[2])
    random.seed(1)
    finished = 0
    for kill in range(kills):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            work(folder, 1000 * kill, write)
        os.close(write)
        assert os.read(read, 1) == b"!"
        time.sleep(random.uniform(0, 0.04))
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
        entries = world.learner.checkpoints()
        told = {entry.update.label_id for entry in entries if entry.update}
        labels = [f"L{1000 * kill + i + 1}" for i in range(done)]
        assert set(labels) <= told, (kill, labels)
        accepted = [e for e in entries if e.checkpoint.state.value == "active"]
        assert len(accepted) == 1
        assert world.learner.checkpoint_id == accepted[0].checkpoint.checkpoint_id
        if kill % 25 == 24:
            for path in folder.iterdir():  # a short ledger keeps the rounds short
                path.unlink()
    print(f"{kills} kills, {finished} labels finished, every state whole")


if __name__ == "__main__":
    main()
