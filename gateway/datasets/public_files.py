"""Converters of public recordings: each reads the files as the authors publish them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np

from auscult.dsp.bearing import Bearing
from auscult.gateway.datasets.writer import WrittenRecording
from auscult.gateway.files.reading import Meaning, read_content, read_signals
from auscult.gateway.files.records import FileError, Signal


def _orders(bearing: Bearing) -> dict[str, object]:
    named = {"bpfo": bearing.bpfo, "bpfi": bearing.bpfi, "bsf": bearing.bsf, "ftf": bearing.ftf}
    return {name: f"{value:.5g}" for name, value in named.items() if value}


# Case Western Reserve: numbers of the files as its tables list them, 0 to 3 hp.
_CWRU: Final[dict[str, dict[str, tuple[int, ...]]]] = {
    "": {"none": (97, 98, 99, 100)},
    "12k": {
        "inner 0.007": (105, 106, 107, 108), "inner 0.014": (169, 170, 171, 172),
        "inner 0.021": (209, 210, 211, 212), "ball 0.007": (118, 119, 120, 121),
        "ball 0.014": (185, 186, 187, 188), "ball 0.021": (222, 223, 224, 225),
        "outer 0.007 at 6": (130, 131, 132, 133), "outer 0.014 at 6": (197, 198, 199, 200),
        "outer 0.021 at 6": (234, 235, 236, 237), "outer 0.007 at 3": (144, 145, 146, 147),
        "outer 0.021 at 3": (246, 247, 248, 249), "outer 0.007 at 12": (156, 158, 159, 160),
        "outer 0.021 at 12": (258, 259, 260, 261),
    },
    "48k": {
        "inner 0.007": (109, 110, 111, 112), "inner 0.014": (174, 175, 176, 177),
        "inner 0.021": (213, 214, 215, 217), "ball 0.007": (122, 123, 124, 125),
        "ball 0.014": (189, 190, 191, 192), "ball 0.021": (226, 227, 228, 229),
        "outer 0.007 at 6": (135, 136, 137, 138), "outer 0.014 at 6": (201, 202, 203, 204),
        "outer 0.021 at 6": (238, 239, 240, 241), "outer 0.007 at 3": (148, 149, 150, 151),
        "outer 0.021 at 3": (250, 251, 252, 253), "outer 0.007 at 12": (161, 162, 163, 164),
        "outer 0.021 at 12": (262, 263, 264, 265),
    },
}  # fmt: skip
_CWRU_RATE_HZ: Final = {"": 48_000.0, "12k": 12_000.0, "48k": 48_000.0}
_CWRU_RPM: Final = (1797, 1772, 1750, 1730)
_SKF_6205: Final = Bearing.from_geometry(9, 0.3126, 1.537, 0, name="6205-2RS JEM SKF")


def cwru(files: list[Path]) -> Iterator[WrittenRecording]:
    """105.mat: the number of the file is looked up in the authors' tables."""
    known = {
        number: (table, fault, hp)
        for table, faults in _CWRU.items()
        for fault, numbers in faults.items()
        for hp, number in enumerate(numbers)
    }
    for path in files:
        number = re.search(r"(\d+)$", path.stem)
        if number is None or int(number[1]) not in known:
            continue
        table, fault, hp = known[int(number[1])]
        signals = [
            replace(signal, name=signal.name.split("_")[1])
            for signal in read_signals(path, Meaning("g", _CWRU_RATE_HZ[table]))
            if signal.name.endswith(("_DE_time", "_FE_time"))
        ]
        shortest = min(signal.samples.size for signal in signals)
        signals = [replace(s, samples=s.samples[:shortest]) for s in signals]
        cells: dict[str, object] = {
            "machine": f"rig_{table or '48k'}",
            "label": "healthy" if fault == "none" else "faulty",
            "fault": fault,
            "speed_rpm": _CWRU_RPM[hp],
            "load": hp,
        }
        yield WrittenRecording(path.stem, signals, cells, columns={"DE": _orders(_SKF_6205)})


_NICE: Final = Bearing.from_geometry(8, 0.235, 1.245, 0, name="NICE")


def mfpt(files: list[Path]) -> Iterator[WrittenRecording]:
    """baseline_1.mat, OuterRaceFault_1.mat: the fault is in the name."""
    for path in files:
        name = path.stem.lower()
        fault = "outer" if "outer" in name else "inner" if "inner" in name else "none"
        if fault == "none" and "baseline" not in name:
            continue
        signals = [s for s in read_signals(path, Meaning("g", rate="bearing.sr"))
                   if s.name == "bearing.gs"]  # fmt: skip
        if not signals:
            continue
        cells: dict[str, object] = {
            "machine": "rig",
            "label": "healthy" if fault == "none" else "faulty",
            "fault": fault,
            "speed_rpm": 1500,
            **_orders(_NICE),
        }
        yield WrittenRecording(path.stem, [replace(signals[0], name="DE")], cells)


def _bursts(files: list[Path], fs_hz: float, names: dict[str, str], unit: str) -> list[Signal]:
    """Lay the files of one run end to end."""
    parts: dict[str, list[np.ndarray]] = {point: [] for point in names.values()}
    for path in files:
        read = {s.name: s for s in read_signals(path, Meaning(unit, fs_hz))}
        if missing := [name for name in names if name not in read]:
            raise FileError(
                "file_no_channel", path=str(path), channel=missing[0], channels=tuple(read)
            )
        for name, point in names.items():
            parts[point].append(read[name].samples)
    return [Signal(point, np.concatenate(all_of), fs_hz, unit) for point, all_of in parts.items()]


def _by_folder(files: list[Path]) -> dict[Path, list[Path]]:
    """Group files by folder, in the order of the numbers in their names."""
    groups: dict[Path, list[Path]] = {}
    for path in files:
        groups.setdefault(path.parent, []).append(path)
    for group in groups.values():
        group.sort(key=lambda path: [int(number) for number in re.findall(r"\d+", path.stem)])
    return groups


_FEMTO: Final = Bearing.from_geometry(13, 3.5, 25.6, 0, name="NSK 6804DD")
_FEMTO_RPM: Final = {"1": 1800, "2": 1650, "3": 1500}
_FEMTO_N: Final = {"1": 4000, "2": 4200, "3": 5000}


def pronostia(files: list[Path]) -> Iterator[WrittenRecording]:
    """Bearing1_1/acc_00001.csv: condition and bearing, a burst a file."""
    for folder, group in _by_folder(files).items():
        condition = re.search(r"(\d)_\d$", folder.name)
        if condition is None or condition[1] not in _FEMTO_RPM:
            continue
        # hour, minute, second, microsecond, horizontal, vertical; no header
        signals = _bursts(group, 25_600.0, {"5": "horizontal", "6": "vertical"}, "g")
        cells: dict[str, object] = {
            "machine": folder.name, "label": "run_to_failure", "fault": "bearing",
            "speed_rpm": _FEMTO_RPM[condition[1]], "load": _FEMTO_N[condition[1]],
            "burst_s": 0.1, "interval_s": 10, **_orders(_FEMTO),
        }  # fmt: skip
        yield WrittenRecording(folder.name, signals, cells)


_LDK: Final = Bearing.from_geometry(8, 7.92, 34.55, 0, name="LDK UER204")


def xjtu(files: list[Path]) -> Iterator[WrittenRecording]:
    """35Hz12kN/Bearing1_1/1.csv: condition, bearing, a burst a file."""
    names = {"Horizontal_vibration_signals": "horizontal", "Vertical_vibration_signals": "vertical"}
    for folder, group in _by_folder(files).items():
        condition = re.match(r"([\d.]+)Hz([\d.]+)kN", folder.parent.name)
        if condition is None:
            continue
        cells: dict[str, object] = {
            "machine": folder.name, "label": "run_to_failure", "fault": "bearing",
            "speed_rpm": f"{60 * float(condition[1]):g}", "load": condition[2],
            "burst_s": 1.28, "interval_s": 60, **_orders(_LDK),
        }  # fmt: skip
        yield WrittenRecording(folder.name, _bursts(group, 25_600.0, names, "g"), cells)


_REXNORD: Final = Bearing.from_geometry(16, 0.331, 2.815, 15.17, name="Rexnord ZA-2115")


def ims(files: list[Path]) -> Iterator[WrittenRecording]:
    """2nd_test/2004.02.12.10.32.39: test, time of a burst."""
    for folder, group in _by_folder(files).items():
        parts = [_ims_table(path) for path in group]
        table = np.concatenate(parts).T.astype(np.float32)
        signals = [Signal(f"ch{i + 1}", row, 20_000.0, "g") for i, row in enumerate(table)]
        cells: dict[str, object] = {
            "machine": folder.name, "label": "run_to_failure", "fault": "bearing",
            "speed_rpm": 2000, "burst_s": f"{len(parts[0]) / 20_000:g}", "interval_s": 600,
            **_orders(_REXNORD),
        }  # fmt: skip
        yield WrittenRecording(folder.name, signals, cells)


def _ims_table(path: Path) -> np.ndarray:
    try:
        return np.loadtxt(path, delimiter="\t", ndmin=2)
    except ValueError as error:
        detail = str(error)
        raise FileError(
            "recording_damaged", path=str(path), format="table", detail=detail
        ) from error


_FAG_6203: Final = Bearing.from_geometry(8, 6.75, 28.55, 0, name="6203")


def paderborn(files: list[Path]) -> Iterator[WrittenRecording]:
    """N09_M07_F10_KA01_1: speed 900 r/min, torque 0.7 Nm, force 1000 N, bearing, repetition."""
    for path in files:
        match = re.fullmatch(r"N(\d\d)_M(\d\d)_F(\d\d)_(K[AIB]?\d+)_\d+", path.stem)
        if match is None:
            continue
        code = match[4]
        fault = {"KA": "outer", "KI": "inner", "KB": "bearing"}.get(code[:2], "none")
        columns = {column.name: column.values for column in read_content(path).columns}
        wanted = f"{path.stem}.Y.vibration_1.Data"
        if wanted not in columns:
            raise FileError(
                "file_no_channel", path=str(path), channel=wanted, channels=tuple(columns)
            )
        samples = np.ascontiguousarray(columns[wanted], np.float32)
        cells: dict[str, object] = {
            "machine": "rig", "label": "healthy" if fault == "none" else "faulty", "fault": fault,
            "speed_rpm": int(match[1]) * 100, "load": f"{int(match[2]) / 10:g}",
            **_orders(_FAG_6203),
        }  # fmt: skip
        yield WrittenRecording(path.stem, [Signal("DE", samples, 64_000.0, "as_delivered")], cells)


def openei(files: list[Path]) -> Iterator[WrittenRecording]:
    """h30hz50: healthy, 30 Hz, load 50 %; b30hz50: broken tooth."""
    for path in files:
        match = re.search(r"(?:^|_)([hb])30hz(\d+)$", path.stem, re.IGNORECASE)
        if match is None:
            continue
        healthy = match[1].lower() == "h"
        signals = read_signals(path, Meaning("as_delivered", 4300.0))[:4]
        names = {signal.name: f"a{i + 1}" for i, signal in enumerate(signals)}
        cells: dict[str, object] = {
            "machine": "gearbox", "label": "healthy" if healthy else "faulty",
            "fault": "none" if healthy else "gear broken tooth", "speed_rpm": 1800,
            "load": int(match[2]),
        }  # fmt: skip
        yield WrittenRecording(path.stem, signals, cells, names)


_UC204: Final = Bearing("UC204", 3.052, 4.948, 1.995, 0.382)
_UESTC_FAULTS: Final = {"N": "none", "I": "inner", "O": "outer", "B": "ball"}


def uestc(files: list[Path]) -> Iterator[WrittenRecording]:
    """O_1400rpm_rec3: fault, stated speed, repetition. The true speed differs by up to 6 %."""
    for path in files:
        match = re.fullmatch(r"([NIOB])_(\d+)rpm_rec\d+", path.stem)
        if match is not None:
            fault = _UESTC_FAULTS[match[1]]
            yield _one_bearing(path, 20_000.0, "uestc_rig", fault, int(match[2]), _UC204)


_HARBIN_FAULTS: Final = {"Normal": "none", "IR": "inner", "OR": "outer"}


def harbin(files: list[Path]) -> Iterator[WrittenRecording]:
    """selfbuilt_900rpm_OR5: rig, speed, fault and its extent in degrees."""
    for path in files:
        match = re.fullmatch(r"(\w+)_(\d+)rpm_(Normal|IR|OR)(\d*)", path.stem)
        if match is not None:
            extent = f" {match[4]} deg" if match[4] else ""
            fault = f"{_HARBIN_FAULTS[match[3]]}{extent}"
            yield _one_bearing(path, 51_200.0, match[1], fault, int(match[2]), _SKF_6205)


def _one_bearing(
    path: Path, fs_hz: float, machine: str, fault: str, speed_rpm: int, bearing: Bearing
) -> WrittenRecording:
    signal = replace(read_signals(path, Meaning("as_delivered", fs_hz))[0], name="bearing")
    cells: dict[str, object] = {
        "machine": machine, "label": "healthy" if fault == "none" else "faulty", "fault": fault,
        "speed_rpm": speed_rpm, **_orders(bearing),
    }  # fmt: skip
    return WrittenRecording(path.stem, [signal], cells)


def normal_abnormal(files: list[Path]) -> Iterator[WrittenRecording]:
    """MIMII and DCASE: healthy and faulty by folder or by the beginning of the name."""
    for path in files:
        words = f"{path.parent.name} {path.name}".lower()
        faulty = "abnormal" in words or "anomaly" in words
        if not faulty and "normal" not in words:
            continue
        machine = re.search(r"id_\d+", str(path))
        parts = path.parts[-4:-1]
        kind = next((p for p in reversed(parts) if p in _SOUND_MACHINES), "machine")
        signals = read_signals(path)[:1]
        cells: dict[str, object] = {
            "machine": f"{kind}_{machine[0] if machine else 'all'}", "kind": "sound",
            "label": "faulty" if faulty else "healthy",
            "fault": "unspecified" if faulty else "none",
        }  # fmt: skip
        label = "abnormal" if faulty else "normal"
        yield WrittenRecording(
            f"{cells['machine']}/{label}_{path.stem}", [replace(signals[0], name="MIC")], cells
        )


_SOUND_MACHINES: Final = {
    "fan", "pump", "slider", "valve", "ToyCar", "ToyConveyor", "gearbox", "bearing", "ToyTrain",
}  # fmt: skip
