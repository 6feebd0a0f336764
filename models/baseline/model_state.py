"""Converts a machine's model to arrays and back, so that a detector resumes without training."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from auscult.contract.records import Coverage, Detectable
from auscult.contract.said import Said
from auscult.dsp.spec import FeatureSpec
from auscult.dsp.units import KINDS, PointKind
from auscult.models.baseline.calibration import Calibration, Persistence
from auscult.models.baseline.container import StateError
from auscult.models.baseline.fusion import Fusion
from auscult.models.baseline.kind_model import KindModel, PointModel
from auscult.models.baseline.machine_model import MachineModel
from auscult.models.baseline.scaling import StateScaling
from auscult.models.baseline.score import DistanceStack, ShrunkDistance
from auscult.models.baseline.states import UNKNOWN_STATE, StateMap, state_from_json, state_to_json
from auscult.models.network.input_slots import Known, Slots, under_todays_names
from auscult.models.network.passthrough import network_with_weights

Arrays = dict[str, NDArray[Any]]


def model_to_arrays(model: MachineModel) -> tuple[dict[str, Any], Arrays]:
    """Convert a model to JSON and arrays."""
    arrays: Arrays = {"fusion": model.fusion.covariance}
    for kind in model.kinds:
        arrays[f"weights/{kind.kind}"] = kind.autoencoder.weights()
        for row, (point, own) in enumerate(zip(kind.slots.points, kind.points, strict=True)):
            distance = kind.distance.distance_of(row, kind.autoencoder.width)
            arrays[f"location/{point}"] = own.scaling.location
            arrays[f"spread/{point}"] = own.scaling.spread
            arrays[f"centre/{point}"] = distance.centre
            arrays[f"whiten/{point}"] = distance.whiten
            if own.between is not None:
                arrays[f"between/{point}"] = own.between
            arrays |= _calibration_arrays(f"seen/{point}", own.seen)
            arrays |= _calibration_arrays(f"unseen/{point}", own.unseen)
    arrays |= _calibration_arrays("seen", model.seen)
    arrays |= _calibration_arrays("unseen", model.unseen)
    meta = {
        "kinds": {kind.kind: list(kind.slots.points) for kind in model.kinds},
        "slots": {kind.kind: list(kind.slots.known.items()) for kind in model.kinds},
        "points": {
            point: {
                "persistence": asdict(own.persistence),
                "windows": own.windows,
                "known": own.known,
                "hop_s": own.hop_s,
                "mean_hop_s": own.mean_hop_s,
            }
            for kind in model.kinds
            for point, own in zip(kind.slots.points, kind.points, strict=True)
        },
        "states": [state_to_json(state) for state in model.states.states],
        "max_load": model.states.max_load,
        "inferred": model.states.inferred,
        "knots": [
            [state_to_json(one) for one in of] for of in (model.states.lowest, model.states.highest)
        ],
        "persistence": asdict(model.persistence),
        "windows": model.windows,
        "outliers": model.outliers,
        "hop_s": model.hop_s,
        "mean_hop_s": model.mean_hop_s,
        "baseline_id": model.baseline_id,
        "model_id": model.model_id,
        "coverage": _coverage_fields(model.coverage) if model.coverage else None,
        "detectable": [asdict(one) for one in model.detectable],
    }
    return meta, arrays


def model_from_arrays(
    meta: Mapping[str, Any], arrays: Arrays, specs: Mapping[str, FeatureSpec]
) -> MachineModel:
    """Make a model from `model_to_arrays`.

    Raises
    ------
    StateError
        If it has points that the machine does not have.
    """
    states = StateMap(
        tuple(state_from_json(one) or UNKNOWN_STATE for one in meta["states"]),
        float(meta["max_load"]),
        bool(meta.get("inferred", False)),
        *(  # absent in states of versions before 0.5
            tuple(state_from_json(one) or UNKNOWN_STATE for one in of)
            for of in meta.get("knots", ())
        ),
    )
    kinds = []
    for kind in KINDS:
        points = meta["kinds"].get(kind, [])
        if not points:
            continue
        if missing := [point for point in points if point not in specs]:
            raise StateError("state_point", point=missing[0])
        autoencoder = network_with_weights(kind, arrays[f"weights/{kind}"])
        own_specs = {point: specs[point] for point in points}
        slots = Slots.assign(own_specs, autoencoder.width, _known(kind, meta, own_specs))
        own = tuple(_point(point, meta["points"][point], arrays) for point in points)
        distances = [
            ShrunkDistance(arrays[f"centre/{point}"], arrays[f"whiten/{point}"]) for point in points
        ]
        distance = DistanceStack.stack(distances, len(slots.names), autoencoder.width)
        kinds.append(KindModel(kind, slots, autoencoder, own, distance, states))
    coverage = meta["coverage"]
    return MachineModel(
        kinds=tuple(kinds),
        states=states,
        fusion=Fusion(arrays["fusion"]),
        seen=_calibration("seen", arrays),
        unseen=_calibration("unseen", arrays),
        persistence=Persistence(**meta["persistence"]),
        windows=meta["windows"],
        outliers=meta["outliers"],
        hop_s=meta["hop_s"],
        mean_hop_s=meta["mean_hop_s"],
        baseline_id=meta["baseline_id"],
        model_id=meta["model_id"],
        coverage=_coverage(coverage) if coverage else None,
        # none of older versions
        detectable=tuple(Detectable(**one) for one in meta.get("detectable", ())),
    )


def _known(kind: PointKind, meta: Mapping[str, Any], specs: Mapping[str, FeatureSpec]) -> Known:
    """Return the features that a model of this kind was fitted to."""
    if "slots" in meta:
        return under_todays_names(dict(meta["slots"][kind]))
    # a state of version 0.3 or earlier, which had no other features than these
    return {f.name: 1 for s in specs.values() for f in s.features if f.model and not f.added}


def _point(point: str, meta: Mapping[str, Any], arrays: Arrays) -> PointModel:
    seen = _calibration(f"seen/{point}", arrays)
    if seen is None:
        raise StateError("state_not_calibrated", point=point)
    return PointModel(
        StateScaling(arrays[f"location/{point}"], arrays[f"spread/{point}"]),
        seen,
        _calibration(f"unseen/{point}", arrays),
        Persistence(**meta["persistence"]),
        meta["windows"],
        arrays.get(f"between/{point}"),  # absent in states of versions before 0.3
        tuple(meta["known"]) if meta.get("known") else None,
        meta.get("hop_s"),
        meta.get("mean_hop_s"),
    )


def _calibration_arrays(name: str, calibration: Calibration | None) -> Arrays:
    if calibration is None:
        return {}
    tail = np.array([calibration.scale, calibration.shape, calibration.n])
    return {f"{name}/u": calibration.u, f"{name}/ln_p": calibration.ln_p, f"{name}/tail": tail}


def _calibration(name: str, arrays: Arrays) -> Calibration | None:
    if f"{name}/u" not in arrays:
        return None
    scale, shape, n = arrays[f"{name}/tail"].tolist()
    return Calibration(arrays[f"{name}/u"], arrays[f"{name}/ln_p"], scale, shape, int(n))


def _coverage_fields(coverage: Coverage) -> dict[str, Any]:
    fields = asdict(coverage)
    del fields["moved"]  # of the machine now, not of the model
    del fields["because"]  # of a healthy period, not of its model; earlier versions don't know it
    return fields


def _coverage(value: Mapping[str, Any]) -> Coverage:
    fields = {name: value[name] for name in value if name != "missing"}  # of versions before 0.2
    lacks = tuple(Said(one["code"], one["values"]) for one in value.get("lacks", ()))
    return Coverage(**{**fields, "states": tuple(value["states"]), "lacks": lacks})
