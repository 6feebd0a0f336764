"""The page of all features, `docs/features.md`, made from the catalogue.

``python -m auscult.dsp.feature_docs > docs/features.md`` makes it; a test compares the two.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from itertools import groupby

from auscult.dsp.bearing import Bearing
from auscult.dsp.feature import LEVEL_FLOOR, Feature
from auscult.dsp.spec import FeatureSpec

TITLES = {
    "time": "Time signal",
    "overall": "Overall values (ISO 20816)",
    "shape": "Shape of the spectrum",
    "band": "Log bands",
    "third_octave": "1/3-octave bands",
    "octave": "Octave bands",
    "envelope": "Envelope bands",
    "bearing": "Bearing faults",
    "cepstrum": "Cepstrum",
    "order": "Shaft orders",
    "gear": "Gear mesh",
    "mel": "Mel bands",
    "level": "Sound level",
}

INTRODUCTION = f"""# Features

Made from the code by `python -m auscult.dsp.feature_docs > docs/features.md`; do not edit.

A feature set (`dsp.spec.FeatureSpec`) follows from what a point is: kind, sampling rate, window,
unit, and, where known, shaft speed, bearings and gears. What these can't carry is absent from the
set, never NaN: velocity needs a declared unit, 2,560 Hz and a window of two periods of its lowest
frequency; an octave or 1/3-octave band needs four lines; an order or fault frequency must lie clear
of 0 Hz and below the top of its spectrum. Values are physical and always finite; features marked
*log* are levels, at least {LEVEL_FLOOR:g} in their unit, best seen on a logarithmic scale.

Spectra: one periodic Hann window over the whole window of samples, mean removed, line spacing
Δf = rate / samples, one-sided density scaled to the mean square (Parseval). Names with an index
follow the rate (`band_00` … `band_39` from max(rate / 2560, 1.5 Δf) up to half the rate), so that
they always exist; *M* marks the features meant for the detector (`FeatureSpec.model_names`), the
others are redundant or for people.

A window without a signal (NaN, infinity, constant, denormal) is flagged (`dsp.health.SensorHealth`)
and has the values of silence.
"""


def reference_specs() -> tuple[FeatureSpec, FeatureSpec]:
    """Vibration with all parts known at 25.6 kHz, sound at 48 kHz; windows of 1 s."""
    bearing = Bearing.from_geometry(9, 7.94, 39.04, name="6205")
    vibration = FeatureSpec.vibration(
        25600, 25600, "g", nominal_speed_rpm=1500, bearings=(bearing,), gear_teeth=(23,)
    )
    return vibration, FeatureSpec.sound(48000, 48000)


def features_page() -> str:
    """Text of `docs/features.md`."""
    vibration, sound = reference_specs()
    parts = [INTRODUCTION]
    for heading, spec in (
        ("Vibration (in g, 25.6 kHz, 1 s, 1500 r/min, one bearing, one gear)", vibration),
        ("Sound (in Pa, 48 kHz, 1 s)", sound),
    ):
        parts.append(
            f"## {heading}\n\n{len(spec)} features, {len(spec.model_names)} for the detector.\n"
        )
        for group, found in groupby(spec.features, key=lambda f: f.group):
            parts.append(f"### {TITLES[group]}\n\n{_table(found)}")
    return "\n".join(parts)


def _table(features: Iterable[Feature]) -> str:
    rows = [
        "| name | unit | scale | | definition | source | shows |",
        "|---|---|---|---|---|---|---|",
    ]
    for _, family in groupby(features, key=_family):
        first, *others = list(family)
        name, definition = f"`{first.name}`", first.definition
        if others:
            name = f"{name} … `{others[-1].name}` ({len(others) + 1})"
            definition = f"{definition} … {others[-1].definition}"
        mark = "M" if first.model else ""
        cells = [name, first.unit, first.scale, mark, definition, first.source, first.shows]
        rows.append("| " + " | ".join(c.replace("|", "\\|") for c in cells) + " |")
    return "\n".join(rows) + "\n"


def _family(feature: Feature) -> str:
    """Name without its index or frequency."""
    return re.sub(r"_[\d.]+(hz)?$", "", feature.name)


if __name__ == "__main__":
    sys.stdout.write(features_page())
