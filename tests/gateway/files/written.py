"""One signal written in every format, each with the library of its own."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import soundfile

FS_HZ = 12_800.0
START = datetime(2026, 3, 1, 12, 0, 0, tzinfo=UTC)
START_NS = int(START.timestamp()) * 1_000_000_000
SAMPLES = (
    np.random.default_rng(4).standard_normal(4000) * 0.2 + np.sin(np.arange(4000) / 9)
).astype(np.float32)
TIMES_S = np.arange(SAMPLES.size) / FS_HZ


def wav(path: Path) -> None:
    soundfile.write(path, SAMPLES / 2, int(FS_HZ), subtype="FLOAT")


def flac(path: Path) -> None:
    soundfile.write(path, SAMPLES / 2, int(FS_HZ), subtype="PCM_24")


def csv(path: Path) -> None:
    rows = "\n".join(f"{t:.6f},{x:.6e}" for t, x in zip(TIMES_S, SAMPLES, strict=True))
    path.write_text(f"Logger 3000\nserial: 17\ntime [s],DE [m/s²]\n{rows}\n", encoding="utf-8")


def german_csv(path: Path) -> None:
    rows = "\n".join(
        f"{t:.6f};{x:.6e}".replace(".", ",") for t, x in zip(TIMES_S, SAMPLES, strict=True)
    )
    path.write_text(f"Zeit;DE\ns;m/s²\n{rows}\n", encoding="utf-8")


def dated_csv(path: Path) -> None:
    stamps = np.datetime64(START_NS, "ns") + (TIMES_S * 1e9).astype("timedelta64[ns]")
    rows = "\n".join(
        f"{np.datetime64(t, 'us')}+00:00\t{x:.6e}" for t, x in zip(stamps, SAMPLES, strict=True)
    )
    path.write_text(f"timestamp\tDE (m/s^2)\n{rows}\n", encoding="utf-8")


def npy(path: Path) -> None:
    np.save(path, SAMPLES)


def npz(path: Path) -> None:
    np.savez(path, DE=SAMPLES, fs=FS_HZ)


def mat5(path: Path) -> None:
    from scipy.io import savemat

    savemat(path, {"data": {"DE": SAMPLES, "fs": FS_HZ}, "RPM": 1797})


def mat73(path: Path) -> None:
    import h5py

    with h5py.File(path, "w", userblock_size=512) as file:
        file["DE"] = SAMPLES[:, None]
        file["fs"] = [[FS_HZ]]
    with path.open("r+b") as raw:
        raw.write(b"MATLAB 7.3 MAT-file".ljust(512))


def hdf5(path: Path) -> None:
    import h5py

    with h5py.File(path, "w") as file:
        channel = file.create_dataset("run1/DE", data=SAMPLES)
        channel.attrs["unit"] = "m/s2"
        channel.attrs["sampling_rate"] = FS_HZ


def tdms(path: Path) -> None:
    from nptdms import ChannelObject, TdmsWriter

    properties = {
        "wf_increment": 1 / FS_HZ,
        "wf_start_time": np.datetime64(START_NS, "ns"),
        "unit_string": "m/s^2",
    }
    with TdmsWriter(path) as writer:
        writer.write_segment([ChannelObject("run1", "DE", SAMPLES, properties)])


def uff(path: Path) -> None:
    import pyuff

    data = pyuff.prepare_58(
        func_type=1, binary=1, rsp_node=1, rsp_dir=3, ref_node=0, ref_dir=0,
        data=SAMPLES.astype(float), x=TIMES_S, id1="DE", rsp_ent_name="NONE",
        ref_ent_name="NONE", abscissa_spacing=1, abscissa_inc=1 / FS_HZ, abscissa_min=0.0,
        ord_data_type=2, ordinate_axis_units_lab="m/s^2",
        abscissa_spec_data_type=17, ordinate_spec_data_type=12, orddenom_spec_data_type=0,
        z_axis_spec_data_type=0,
    )  # fmt: skip
    pyuff.UFF(str(path)).write_sets(data, mode="add")


def mdf(path: Path) -> None:
    from asammdf import MDF, Signal

    with MDF(version="4.10") as file:
        file.header.start_time = START
        file.append([Signal(SAMPLES, TIMES_S, name="DE", unit="m/s2")])
        file.save(path, overwrite=True)


def parquet(path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    stamps = np.datetime64(START_NS, "ns") + (TIMES_S * 1e9).astype("timedelta64[ns]")
    schema = pa.schema(
        [
            pa.field("time", pa.timestamp("ns")),
            pa.field("DE", pa.float32(), metadata={"unit": "m/s2"}),
        ]
    )
    parquet.write_table(pa.table([stamps, SAMPLES], schema=schema), path)


WRITERS: dict[str, tuple[Callable[[Path], None], str]] = {
    # file: writer, what it states: r = rate, u = unit, t = time
    "a.wav": (wav, "r"),
    "a.flac": (flac, "r"),
    "a.csv": (csv, "ru"),
    "german.csv": (german_csv, "ru"),
    "dated.tsv": (dated_csv, "rut"),
    "a.npy": (npy, ""),
    "a.npz": (npz, "r"),
    "v5.mat": (mat5, "r"),
    "v73.mat": (mat73, "r"),
    "a.h5": (hdf5, "ru"),
    "a.tdms": (tdms, "rut"),
    "a.uff": (uff, "ru"),
    "a.mf4": (mdf, "rut"),
    "a.parquet": (parquet, "rut"),
}


ZEROS = np.zeros(2_000_000)
"""16 MB of numbers that compress to almost nothing."""


def npz_of_zeros(path: Path) -> None:
    np.savez_compressed(path, DE=ZEROS)


def mat_of_zeros(path: Path) -> None:
    from scipy.io import savemat

    savemat(path, {"DE": ZEROS + 0.1}, do_compression=True)


def hdf5_of_zeros(path: Path) -> None:
    import h5py

    with h5py.File(path, "w") as file:
        file.create_dataset("DE", ZEROS.shape, "f8", chunks=True)  # nothing is written at all


def flac_of_zeros(path: Path) -> None:
    soundfile.write(path, ZEROS, int(FS_HZ), subtype="PCM_24")


def mdf_of_zeros(path: Path) -> None:
    from asammdf import MDF, Signal

    with MDF(version="4.10") as file:
        file.append([Signal(ZEROS, np.arange(ZEROS.size) * 2.0**-13, name="DE", unit="m/s2")])
        file.save(path, overwrite=True, compression=2)


def parquet_of_zeros(path: Path) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    parquet.write_table(pa.table({"DE": ZEROS}), path, compression="zstd")


BOMBS: dict[str, Callable[[Path], None]] = {
    "a.npz": npz_of_zeros,
    "a.mat": mat_of_zeros,
    "a.h5": hdf5_of_zeros,
    "a.flac": flac_of_zeros,
    "a.mf4": mdf_of_zeros,
    "a.parquet": parquet_of_zeros,
}
