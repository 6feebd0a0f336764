"""A proof makes the decision of its event again, and no changed one does."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from typer.testing import CliRunner

from auscult.app.command.main import cli
from auscult.gateway.machines import proof
from auscult.link.signing import load_or_make_key, public_hex
from auscult.models.baseline.container import pack, unpack
from tests.gateway.plant import Running, settings
from tests.waiting import wait_until

START = len(proof.MAGIC) + proof.KEY + proof.SIGNATURE


@pytest.fixture
def made(mosquitto, reader, recordings, trained) -> Path:
    """The proof of an event of a running gateway."""
    with Running(settings(mosquitto, trained, recordings["faulty"], repeat=True)):
        reader.wait_for("alarm")
        wait_until(lambda: list((trained / "proofs").glob("*.proof")))
    (path,) = (trained / "proofs").glob("*.proof")
    return path


def auscult_verify(path: Path, *more: str, code: int = 0) -> str:
    done = CliRunner().invoke(cli, ["verify", str(path), *more])
    assert done.exit_code == code, done.output
    return done.output


def test_the_decision_of_an_event_is_made_again_bit_for_bit(made, reader, trained, tmp_path):
    key = public_hex(load_or_make_key(trained / "delta.key"))
    said = auscult_verify(made, "--key", key)
    assert "NOT CHECKED" not in said
    anyone = auscult_verify(made, code=3)
    assert anyone.startswith("THE SIGNER WAS NOT CHECKED")
    assert "bit for bit" in anyone
    event = next(e for e in reader.of("event") if e["phase"] == "start")
    assert made.stem == event["event_id"]
    assert "bit for bit" in said
    assert f"baseline_id: {event['ids']['baseline_id']}" in said
    proven = proof.verify(made.read_bytes())
    assert (proven.machine, proven.condition) == ("pump", event["condition"])
    assert "not by the key" in auscult_verify(made, "--key", "ab" * 32, code=1)

    def resigned(change) -> bytes:
        meta, arrays = unpack(made.read_bytes()[START:])
        change(meta, arrays)
        return proof.signed(pack(meta, arrays), Ed25519PrivateKey.generate())

    def hide(meta, _arrays):
        meta["decided"][0][1] = "normal"

    def soften(meta, arrays):
        last = f"{len(meta['hops']) - 1}/{meta['hops'][-1][0][0]}"
        arrays[last] = arrays[last] * 0.5

    def shorten(meta, _arrays):
        meta["hops"].pop()

    with pytest.raises(proof.ProofError, match="not normal"):
        proof.verify(resigned(hide))

    def same(change) -> bool:
        try:
            return proof.verify(resigned(change)).worst_difference <= proof.TOLERANCE
        except proof.ProofError:
            return False

    def leave_open(meta, _arrays):
        meta["decided"] = [[*entry[:2], float("nan"), float("nan")] for entry in meta["decided"]]

    # signed by whoever changed it: the numbers contradict it
    assert not same(soften)
    assert not same(leave_open)
    assert not same(shorten)


@pytest.mark.nightly
def test_a_thousand_changed_proofs_are_refused(made):
    whole, seeded = made.read_bytes(), random.Random(23)
    for trial in range(1000):
        changed = bytearray(whole)
        if trial % 10 == 0:
            changed = changed[: seeded.randrange(len(whole))]
        elif trial % 10 == 1:
            changed += seeded.randbytes(1 + seeded.randrange(50))
        else:
            changed[seeded.randrange(len(whole))] ^= 1 << seeded.randrange(8)
        with pytest.raises(proof.ProofError):
            proof.verify(bytes(changed))
