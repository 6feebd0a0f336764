"""Every format, read back: samples, rate, unit and time; damaged files say what is wrong."""

from __future__ import annotations

import struct
import time
import tracemalloc
import zlib
from contextlib import suppress

import numpy as np
import psutil
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from auscult.gateway.files import bounds
from auscult.gateway.files.reading import Meaning, read_signals
from auscult.gateway.files.records import FileError, IncompleteError
from tests.gateway.files.written import BOMBS, FS_HZ, SAMPLES, START_NS, WRITERS


@pytest.fixture(scope="session")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("written")
    for name, (write, _) in WRITERS.items():
        write(folder / name)
    return folder


@pytest.mark.parametrize("name", WRITERS)
def test_samples_rate_unit_and_time_come_back(written, name):
    states = WRITERS[name][1]
    meaning = Meaning(fs_hz=None if "r" in states else FS_HZ, unit="" if "u" in states else "m/s2")
    (signal,) = read_signals(written / name, meaning)
    assert signal.fs_hz == pytest.approx(FS_HZ, rel=1e-6)
    assert signal.unit == "m/s2"
    gain = 2 if name in ("a.wav", "a.flac") else 1
    np.testing.assert_allclose(signal.samples * gain, SAMPLES, atol=2e-6)
    assert signal.t0_ns == (START_NS if "t" in states else None)
    if name not in ("a.wav", "a.flac", "a.npy"):
        assert signal.name.endswith("DE")


@pytest.mark.parametrize("name", [n for n in WRITERS if not n.endswith(("csv", "tsv"))])
def test_a_file_that_ends_too_early_is_no_file(written, tmp_path, name):
    whole = (written / name).read_bytes()
    path = tmp_path / name
    for share in (0.0, 0.3, 0.9):
        path.write_bytes(whole[: int(len(whole) * share)])
        with pytest.raises(FileError) as caught:
            read_signals(path, Meaning("m/s2", FS_HZ))
        assert "\n" not in str(caught.value)
        assert str(path) in str(caught.value)


@given(st.data())
@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_a_damaged_file_is_rejected_in_one_line_or_read(written, tmp_path, data):
    name = data.draw(st.sampled_from([n for n in WRITERS if n != "a.mf4"]))
    damaged = bytearray((written / name).read_bytes())
    for _ in range(data.draw(st.integers(1, 8))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path / name
    path.write_bytes(damaged)
    with suppress(FileError):  # any other error fails the test
        for signal in read_signals(path, Meaning("m/s2", FS_HZ)):
            assert np.isfinite(signal.samples).all()


def test_a_matlab_file_that_ends_its_reader_is_damaged(tmp_path):
    """One wrong byte in the data type of an array ends the process that calls scipy's reader."""
    from scipy.io import savemat

    path = tmp_path / "a.mat"
    savemat(path, {"DE": SAMPLES.astype(np.float64)}, do_compression=False)
    whole = path.read_bytes()
    at = whole.rindex(struct.pack("<II", 9, 8 * len(SAMPLES)))  # miDOUBLE and the length
    path.write_bytes(whole[:at] + bytes([200]) + whole[at + 1 :])
    with pytest.raises(FileError, match=r"a\.mat: can't be read as MAT .*copy or export it again"):
        read_signals(path, Meaning("m/s2", FS_HZ))


def test_what_is_missing_is_named_with_the_remedy(tmp_path):
    def said(text: str, **meaning) -> str:
        path = tmp_path / "a.csv"
        path.write_text(text)
        with pytest.raises(FileError) as caught:
            read_signals(path, Meaning(**meaning))
        return str(caught.value)

    rows = "".join(f"{i / 1000:.3f};{i % 7}\n" for i in range(100))
    assert "states no sampling rate; give fs_hz" in said("a;b\n" + rows)
    assert "the unit bar, which no point has" in said("time;b [bar]\n" + rows)
    assert "line 52 has 1 cells, 2 are expected" in said(
        "time;b\n" + rows.replace("0.050;1\n", "0.050\n")
    )
    assert "x12 is neither a number nor a time" in said(
        "time;b\n" + rows.replace("0.050;1\n", "0.050;x12\n")
    )
    assert "1 sample without a number" in said(
        "time;b\n" + rows.replace("0.050;1\n", "0.050;nan\n")
    )
    assert "samples are missing" in said("time;b\n" + rows.replace("0.050;1\n", ""))
    assert "there is no zeit; it holds time, b" in said("time;b\n" + rows, time="zeit")
    assert "no line of numbers" in said("nothing here\n" * 50)


def test_an_unknown_ending_lists_the_known_ones(tmp_path):
    path = tmp_path / "a.xlsx"
    path.write_bytes(b"x")
    with pytest.raises(FileError, match=r"known endings are \.wav, \.flac, \.csv"):
        read_signals(path)


def test_a_large_table_is_read_in_time(tmp_path):
    """A minute at 25.6 kHz as text, within a share of what numpy alone takes."""
    path = tmp_path / "large.csv"
    values = np.random.default_rng(0).standard_normal((200_000, 2))
    np.savetxt(path, values, fmt="%.6f", delimiter=";", header="x;y", comments="")
    begin = time.process_time()
    np.loadtxt(path, delimiter=";", skiprows=1)
    alone_s = time.process_time() - begin
    begin = time.process_time()
    signals = read_signals(path, Meaning("g", 25_600))
    assert time.process_time() - begin < 5 * alone_s + 0.5
    assert [s.name for s in signals] == ["x", "y"]


def test_an_empty_file_is_still_being_written(tmp_path):
    path = tmp_path / "a.wav"
    path.touch()
    with pytest.raises(IncompleteError):
        read_signals(path)


@pytest.mark.parametrize("name", BOMBS)
def test_a_small_file_that_unpacks_to_much_is_rejected_before(tmp_path, monkeypatch, name):
    path = tmp_path / name
    BOMBS[name](path)
    assert path.stat().st_size < 300_000
    read_signals(path, Meaning("m/s2", FS_HZ))  # also imports the reader
    most = 5_000_000
    monkeypatch.setattr(bounds, "most_bytes", lambda: most)
    with pytest.raises(FileError, match="split it"):  # also loads the words
        read_signals(path, Meaning("m/s2", FS_HZ))
    tracemalloc.start()
    try:
        with pytest.raises(FileError, match=f"{name}.* MB.* 5 MB .*split it") as caught:
            read_signals(path, Meaning("m/s2", FS_HZ))
        assert tracemalloc.get_traced_memory()[1] < most
    finally:
        tracemalloc.stop()
    assert caught.value.said.code == "file_too_large"


def test_compressed_blocks_of_mdf_are_measured_whatever_they_state(tmp_path, monkeypatch):
    block = zlib.compress(bytes(8_000_000))
    head = struct.pack("<4s4xQQ2sBxIQQ", b"##DZ", 48 + len(block), 0, b"DT", 0, 0, 100, len(block))
    path = tmp_path / "a.mf4"
    path.write_bytes(b"MDF     4.10    " + bytes(48) + head + block)
    monkeypatch.setattr(bounds, "most_bytes", lambda: 5_000_000)
    with pytest.raises(FileError, match="split it"):
        read_signals(path, Meaning("m/s2", FS_HZ))


def test_a_file_larger_than_the_limit_is_not_opened(tmp_path, monkeypatch):
    monkeypatch.setattr(bounds, "most_bytes", lambda: 10_000)
    path = tmp_path / "a.csv"
    path.write_text("1.0,2.0\n" * 2000, encoding="utf-8")
    with pytest.raises(FileError, match="split it"):
        read_signals(path, Meaning("m/s2", FS_HZ))


def test_the_limit_is_a_share_of_the_memory_that_the_process_may_use(tmp_path, monkeypatch):
    assert 0 < bounds.most_bytes() <= psutil.virtual_memory().total // 4
    group = tmp_path / "system.slice" / "auscult.service"
    group.mkdir(parents=True)
    (tmp_path / "system.slice" / "memory.max").write_text("max\n")
    (group / "memory.max").write_text("512000000\n")
    monkeypatch.setattr(bounds, "GROUPS", tmp_path)
    own = tmp_path / "cgroup"
    own.write_text("0::/system.slice/auscult.service\n")
    monkeypatch.setattr(bounds, "OWN_GROUP", own)
    assert bounds.most_bytes() == 128_000_000


def external(path, secret):
    import h5py

    with h5py.File(path, "w") as file:
        size = secret.stat().st_size
        made = file.create_dataset("DE", (size,), "uint8", external=[(str(secret), 0, size)])
        made.attrs["fs"] = FS_HZ


def virtual(path, secret):
    import h5py

    source = secret.with_suffix(".source")
    with h5py.File(source, "w") as file:
        file["x"] = SAMPLES
    layout = h5py.VirtualLayout(SAMPLES.shape, "float32")
    layout[:] = h5py.VirtualSource(str(source), "x", SAMPLES.shape)
    with h5py.File(path, "w") as file:
        file.create_virtual_dataset("DE", layout)


@pytest.mark.parametrize("name", ["a.h5", "a.mat"])
@pytest.mark.parametrize("make", [external, virtual])
def test_numbers_that_lie_in_another_file_are_rejected(tmp_path, name, make):
    secret = tmp_path / "shadow"
    secret.write_text("root:$6$SECRETHASH" * 100)
    make(tmp_path / name, secret)
    with pytest.raises(
        FileError, match=rf"{name}: the numbers of DE lie in another file"
    ) as caught:
        read_signals(tmp_path / name, Meaning("m/s2", FS_HZ))
    assert "SECRETHASH" not in str(caught.value)


def test_links_to_other_files_are_not_followed(tmp_path):
    import h5py

    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x"] = SAMPLES
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["DE"] = SAMPLES
        file["linked"] = h5py.ExternalLink(str(tmp_path / "other.h5"), "x")
    assert [one.name for one in read_signals(tmp_path / "a.h5", Meaning("m/s2", FS_HZ))] == ["DE"]


@pytest.fixture
def opened(monkeypatch):
    """What Python opens, by its path."""
    import builtins
    import pathlib

    paths, open_, read = [], builtins.open, pathlib.Path.open

    def noted(path, *args, **more):
        paths.append(str(path))
        return open_(path, *args, **more)

    def noted_read(path, *args, **more):
        paths.append(str(path))
        return read(path, *args, **more)

    monkeypatch.setattr(builtins, "open", noted)
    monkeypatch.setattr(pathlib.Path, "open", noted_read)
    return paths


def test_an_attachment_of_mdf_is_not_read(tmp_path, opened):
    from asammdf import MDF, Signal

    secret, path = tmp_path / "shadow", tmp_path / "a.mf4"
    secret.write_text("root:$6$")
    with MDF(version="4.10") as file:
        times, attached = np.arange(SAMPLES.size) / FS_HZ, (b"root:$6$", secret, None)
        file.append([Signal(SAMPLES, times, name="DE", unit="m/s2", attachment=attached)])
        file.save(path, overwrite=True)
    raw = bytearray(path.read_bytes())
    flags = raw.index(b"##AT") + 56
    raw[flags] &= 0xFE  # not embedded: the attachment lies in the file of its name
    path.write_bytes(raw)
    opened.clear()
    (signal,) = read_signals(path)
    np.testing.assert_allclose(signal.samples, SAMPLES, atol=2e-6)
    assert str(path) in opened
    assert not any("shadow" in one for one in opened)


def test_an_index_beside_a_tdms_file_is_not_read(tmp_path, opened):
    path = tmp_path / "a.tdms"
    WRITERS["a.tdms"][0](path)
    (tmp_path / "a.tdms_index").write_bytes(b"root:$6$")
    opened.clear()
    (signal,) = read_signals(path)
    assert signal.samples.size == SAMPLES.size
    assert str(path) in opened
    assert f"{path}_index" not in opened


def test_a_path_in_a_parquet_file_is_not_followed(tmp_path):
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.table({"DE": np.zeros(50)}), tmp_path / "secret.parquet")
    path, meta, found = tmp_path / "a.parquet", tmp_path / "meta", []
    parquet.write_table(pa.table({"DE": np.ones(50)}), path, metadata_collector=found)
    found[0].set_file_path("secret.parquet")
    found[0].write_metadata_file(meta)
    own, other = path.read_bytes(), meta.read_bytes()
    ends = [8 + struct.unpack("<I", raw[-8:-4])[0] for raw in (own, other)]
    path.write_bytes(own[: -ends[0]] + other[-ends[1] :])
    with parquet.ParquetFile(path) as file:
        assert file.metadata.row_group(0).column(0).file_path == "secret.parquet"
    (signal,) = read_signals(path, Meaning("m/s2", FS_HZ))
    assert (signal.samples == 1).all()
