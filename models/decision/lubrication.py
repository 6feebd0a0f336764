"""Poor lubrication and beginning bearing damage by the published stages of ultrasound.

Friction of rolling contacts makes noise above 20 kHz. Its rise over the healthy level gives the
stage: 8 dB ask for grease, 12 dB are the beginning of damage, 16 dB advanced damage, 35 dB and more
the end (UE Systems; NASA's stages, as published since 1972). Leaks, sparks and cavitation rise
alike, so confidence is limited.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from auscult.contract.said import Said
from auscult.dsp.spec import FeatureSpec
from auscult.models.decision.diagnosis import Diagnosis
from auscult.models.decision.feature_names import feature_band_hz

STAGES_DB: Final = (8.0, 12.0, 16.0, 35.0)
"""Rise over the healthy level from which each stage begins."""
DAMAGE_STAGE: Final = 2
"""From this stage on grease alone does not help."""
ULTRASOUND_HZ: Final = 20_000.0
DECIBEL_UNITS: Final = ("dBµV", "dBμV", "dBuV")
"""Units of ultrasonic instruments' overall values (both signs for micro)."""
LEAST_BANDS: Final = 3
"""Bands of a microphone that must lie above `ULTRASOUND_HZ`."""
MOST: Final = 0.6
"""No recording with a known stage was at hand, and other sources of ultrasound sound alike."""


def carries_ultrasound(spec: FeatureSpec) -> bool:
    """Whether a point measures ultrasound: an overall value in dBµV, or sound above 20 kHz."""
    if spec.kind == "value":
        return spec.unit in DECIBEL_UNITS
    return spec.kind == "sound" and len(_bands(spec)) >= LEAST_BANDS


def lubrication_diagnosis(spec: FeatureSpec, moved: Mapping[str, float]) -> Diagnosis | None:
    """Name the stage by the rise over the healthy level.

    Parameters
    ----------
    spec : FeatureSpec
    moved : mapping of feature to float
        Change against the baseline of the operating state, in dB for sound and for values in dBµV.

    Returns
    -------
    Diagnosis or None
        ``lubrication`` in stage 1, ``bearing`` from stage 2 on; None below 8 dB, or where the point
        carries no ultrasound.

    Examples
    --------
    >>> spec = FeatureSpec.value("other", "dBµV", 60.0)
    >>> lubrication_diagnosis(spec, {"value": 9.0}).prescription
    'lubrication.stage1'
    >>> lubrication_diagnosis(spec, {"value": 17.0}).prescription
    'bearing.ultrasound.stage3'
    """
    if not carries_ultrasound(spec):
        return None
    bands = spec.names if spec.kind == "value" else _bands(spec)
    rise_db = float(np.median([moved.get(name, 0.0) for name in bands]))
    stage = sum(rise_db >= least for least in STAGES_DB)
    if not stage:
        return None
    fault = "lubrication" if stage < DAMAGE_STAGE else "bearing"
    key = f"{fault}.stage{stage}" if fault == "lubrication" else f"bearing.ultrasound.stage{stage}"
    values = {"db": round(rise_db, 1), "stage": stage, "from_db": STAGES_DB[stage - 1]}
    return Diagnosis(fault, MOST, Said("ultrasound_rose", {"fault": fault, **values}),
                     prescription=key)  # fmt: skip


def _bands(spec: FeatureSpec) -> tuple[str, ...]:
    """Return the bands of a microphone above `ULTRASOUND_HZ`."""
    bands = ((name, feature_band_hz(spec, name)) for name in spec.names if name.startswith("mel_"))
    return tuple(
        name
        for name, band in bands
        if "fluctuation" not in name and band is not None and band[0] >= ULTRASOUND_HZ
    )
