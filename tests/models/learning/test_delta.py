"""A delta helps another machine of the same base; anything else is rejected."""

import dataclasses
import io
import json
import zlib

import numpy as np
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from auscult.contract.label import Verdict
from auscult.models.learning.delta import MAGIC, OLDER, DeltaError, sign, verify
from tests.models.learning.test_reports import WEAK, Reporting
from tests.models.learning.world import INNER_RACE, NEW_SPEED, POINTS, World, positions, windows

KEY = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
AWAY = (NEW_SPEED, 1.5)
FAULT = (INNER_RACE, 1.0)


@pytest.fixture
def sender(tmp_path):
    world = World(tmp_path / "sender")
    world.false_alarm("E1", AWAY)
    world.fault("E2", FAULT)
    return world


@pytest.fixture
def receiver(tmp_path):
    return World(tmp_path / "receiver")


@pytest.fixture
def package(sender):
    return sign(sender.updater.export("gateway-1", "spec-1", 7), KEY)


def test_what_is_signed_comes_out_again(sender, package):
    delta = sender.updater.export("gateway-1", "spec-1", 7)
    opened = verify(package, [KEY.public_key()])
    assert opened.about == delta.about
    assert opened.about.labels == 2
    for point in POINTS:
        np.testing.assert_array_equal(opened.points[point].places, delta.points[point].places)
    assert sign(delta, KEY) == package


@pytest.mark.parametrize("at", [0, 20, 60, 115, -1])
def test_a_changed_byte_is_noticed(package, at):
    changed = bytearray(package)
    changed[at] ^= 1
    with pytest.raises(DeltaError):
        verify(bytes(changed), [KEY.public_key()])


@pytest.mark.parametrize("data", [b"", MAGIC, b"hello" * 100])
def test_other_data_is_rejected(data):
    with pytest.raises(DeltaError, match="no delta"):
        verify(data, [KEY.public_key()])


def test_a_key_that_is_not_trusted_is_rejected(package):
    other = Ed25519PrivateKey.from_private_bytes(bytes(32))
    with pytest.raises(DeltaError, match="not trusted"):
        verify(package, [other.public_key()])
    with pytest.raises(DeltaError, match="not trusted"):
        verify(package, [])


def test_a_signed_zip_bomb_does_not_fill_memory():
    body = zlib.compress(bytes(1 << 28), 9)
    bomb = MAGIC + KEY.public_key().public_bytes_raw() + KEY.sign(MAGIC + body) + body
    with pytest.raises(DeltaError, match="at most"):
        verify(bomb, [KEY.public_key()])


def test_the_receiver_learns_what_the_sender_learned(receiver, package):
    new_speed = windows(200, 7, AWAY)
    assert receiver.beyond(new_speed) == 1.0
    delta = verify(package, [KEY.public_key()])
    update = receiver.updater.apply(delta, "spec-1", 8)
    assert update.accepted, update.said.text
    assert "delta of pump at gateway-1" in update.said.text
    assert receiver.beyond(new_speed) < 0.2
    assert receiver.beyond(windows(200, 8, FAULT)) > 0.98
    assert receiver.updater.apply(delta, "spec-1", 9) == update


def test_what_a_delta_brought_stays_with_later_labels(receiver, package):
    receiver.updater.apply(verify(package, [KEY.public_key()]), "spec-1", 8)
    receiver.false_alarm("E9", (20, 1.5))
    assert receiver.beyond(windows(200, 7, AWAY)) < 0.2
    receiver.open()
    assert receiver.beyond(windows(200, 7, AWAY)) < 0.2


def test_the_receivers_own_gate_decides(receiver, tmp_path):
    """What is normal there is a confirmed fault here."""
    sender = World(tmp_path / "mistaken")
    sender.false_alarm("E1", FAULT)
    receiver.fault("E1", FAULT)
    before = receiver.log_scores(windows(50, 8, FAULT))
    update = receiver.updater.apply(sender.updater.export("gateway-2", "spec-1", 7), "spec-1", 8)
    assert not update.accepted
    assert "confirmed fault of event E1" in update.said.text
    np.testing.assert_array_equal(receiver.log_scores(windows(50, 8, FAULT)), before)
    assert receiver.false_alarm("E2", AWAY).accepted
    assert receiver.beyond(windows(200, 8, FAULT)) > 0.98


def test_a_confirmed_fault_from_elsewhere_is_guarded_here(receiver, package):
    receiver.updater.apply(verify(package, [KEY.public_key()]), "spec-1", 8)
    update = receiver.event("E1", FAULT, verdict=Verdict.FALSE_ALARM)
    assert not update.accepted
    assert "fault that was confirmed before" in update.said.text


def test_another_base_specification_or_machine_is_rejected(receiver, package):
    delta = verify(package, [KEY.public_key()])
    with pytest.raises(DeltaError, match="specification spec-1, this machine has"):
        receiver.updater.apply(delta, "spec-2", 8)
    about = dataclasses.replace(delta.about, base_id="other")
    with pytest.raises(DeltaError, match="made for base other"):
        receiver.updater.apply(dataclasses.replace(delta, about=about), "spec-1", 8)
    points = {"de": delta.points["de"]}
    with pytest.raises(DeltaError, match="made for points"):
        receiver.updater.apply(dataclasses.replace(delta, points=points), "spec-1", 8)


def test_a_delta_is_small_however_much_was_learned(tmp_path):
    world = World(tmp_path)
    for i in range(20):
        world.false_alarm(f"E{i}", (10 + i, 1.5), seed=i)
        world.fault(f"F{i}", (40 + i, 1.0), seed=100 + i)
    package = sign(world.updater.export("gateway-1", "spec-1", 7), KEY)
    assert len(package) <= 8192 * len(POINTS)


def test_a_delta_holds_no_window(sender, package):
    """Places are means over events; no row of them is a measured window."""
    opened = verify(package, [KEY.public_key()])
    measured = positions(windows(16, 50, AWAY)).astype(np.float16)
    for place in opened.points["de"].places:
        assert not (measured == place).all(axis=1).any()


@pytest.fixture
def reporting(tmp_path):
    """Two machines of one base whose windows have z-scores."""
    return Reporting(tmp_path / "sender"), Reporting(tmp_path / "receiver")


def test_a_delta_carries_a_reported_fault_and_a_return_undoes_it(reporting):
    sender, receiver = reporting
    sender.report(WEAK)
    delta = verify(sign(sender.updater.export("gateway-1", "spec-1", 7), KEY), [KEY.public_key()])
    start, healthy = receiver.updater.checkpoint_id, receiver.beyond(windows(300, 7))
    assert receiver.beyond(windows(300, 8, WEAK)) < 0.1
    update = receiver.updater.apply(delta, "spec-1", 8)
    assert update.accepted, update.said.text
    assert (update.after.faults_total, update.before.faults_total) == (1, 0)
    assert receiver.beyond(windows(300, 8, WEAK)) > 0.3
    assert receiver.beyond(windows(300, 7)) <= healthy + 0.005
    receiver.updater.roll_back(start, receiver.t_ns)
    receiver.false_alarm("E9", (20, 1.5))
    assert receiver.beyond(windows(300, 8, WEAK)) < 0.1, "the next label must not bring it back"


def test_a_delta_of_an_older_version_is_read(sender):
    """It holds no reports."""
    delta = sender.updater.export("gateway-1", "spec-1", 7)
    header = {"about": dataclasses.asdict(delta.about), "points": list(delta.points)}
    buffer = io.BytesIO(json.dumps(header).encode() + b"\n")
    buffer.seek(0, io.SEEK_END)
    for own in delta.points.values():
        for array in (own.places, own.faults, own.weights):
            np.save(buffer, array)
    body = zlib.compress(buffer.getvalue())
    old = OLDER + KEY.public_key().public_bytes_raw() + KEY.sign(OLDER + body) + body
    opened = verify(old, [KEY.public_key()])
    assert opened.about == delta.about
    np.testing.assert_array_equal(opened.points["de"].places, delta.points["de"].places)
    assert len(opened.points["de"].reports) == 0
