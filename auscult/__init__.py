"""Auscult: predictive maintenance at the edge. What a notebook needs, in one import.

Features of own samples, a detector that learns a machine's healthy baseline, the diagnosis of a
bearing, recordings with a manifest, and how well scores separate (docs/python.md).
``import auscult`` itself loads nothing else: each name below brings what it needs when it is first
used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from auscult.contract.records import Condition, Coverage, OperatingState, Reason
    from auscult.dsp.bearing import Bearing
    from auscult.dsp.health import SensorHealth
    from auscult.dsp.run_up import RunUp
    from auscult.errors import AuscultError, InputError
    from auscult.gateway.datasets.dataset import DataSet, Recording
    from auscult.models.name_plate import NamePlate
    from auscult.models.records import Decision
    from auscult.surface.bearing import BearingDiagnosis, diagnose_bearing
    from auscult.surface.detector import Detector
    from auscult.surface.evaluation import Separation, evaluate, separation
    from auscult.surface.features import FeatureTable, concat, features
    from auscult.surface.plots import plot_decisions, plot_reasons, plot_spectrum
    from auscult.surface.recordings import example, features_of, read_recordings
    from auscult.surface.run_ups import run_ups
    from auscult.surface.values import (
        ValueAnswer,
        ValueColumn,
        ValueEvent,
        ValueResult,
        evaluate_values,
    )

__all__ = [
    "AuscultError",
    "Bearing",
    "BearingDiagnosis",
    "Condition",
    "Coverage",
    "DataSet",
    "Decision",
    "Detector",
    "FeatureTable",
    "InputError",
    "NamePlate",
    "OperatingState",
    "Reason",
    "Recording",
    "RunUp",
    "SensorHealth",
    "Separation",
    "ValueAnswer",
    "ValueColumn",
    "ValueEvent",
    "ValueResult",
    "concat",
    "diagnose_bearing",
    "evaluate",
    "evaluate_values",
    "example",
    "features",
    "features_of",
    "plot_decisions",
    "plot_reasons",
    "plot_spectrum",
    "read_recordings",
    "run_ups",
    "separation",
]

_HOMES: Final = {
    "auscult.contract.records": ("Condition", "Coverage", "OperatingState", "Reason"),
    "auscult.dsp.bearing": ("Bearing",),
    "auscult.dsp.health": ("SensorHealth",),
    "auscult.dsp.run_up": ("RunUp",),
    "auscult.errors": ("AuscultError", "InputError"),
    "auscult.gateway.datasets.dataset": ("DataSet", "Recording"),
    "auscult.models.name_plate": ("NamePlate",),
    "auscult.models.records": ("Decision",),
    "auscult.surface.bearing": ("BearingDiagnosis", "diagnose_bearing"),
    "auscult.surface.detector": ("Detector",),
    "auscult.surface.evaluation": ("Separation", "evaluate", "separation"),
    "auscult.surface.features": ("FeatureTable", "concat", "features"),
    "auscult.surface.plots": ("plot_decisions", "plot_reasons", "plot_spectrum"),
    "auscult.surface.recordings": ("example", "features_of", "read_recordings"),
    "auscult.surface.run_ups": ("run_ups",),
    "auscult.surface.values": (
        "ValueAnswer",
        "ValueColumn",
        "ValueEvent",
        "ValueResult",
        "evaluate_values",
    ),
}
_HOME_OF: Final = {name: home for home, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        value = getattr(import_module(_HOME_OF[name]), name)
        globals()[name] = value
        return value
    if name == "__version__":
        from importlib.metadata import version

        return version("auscult")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
