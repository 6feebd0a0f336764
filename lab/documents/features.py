"""The list of all features, from the catalogue."""

from __future__ import annotations

import re
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

The feature set of a point (`auscult.dsp.spec.FeatureSpec`) depends on its kind, sampling rate,
window and unit, and, where known, on shaft speed, bearings and gears. A feature that these do not
support is absent from the set, never NaN. Velocity needs a declared unit, 2,560 Hz and a window of
two periods of its lowest frequency. An octave or 1/3-octave band needs four lines. An order or
fault frequency must lie above the lines at 0 Hz and below the top of its spectrum. Values are
physical and always finite. Features marked *log* are levels, at least {LEVEL_FLOOR:g} in their
unit; plot them on a logarithmic scale.

Spectra: one periodic Hann window over the whole window of samples, mean removed, line spacing
Δf = rate / samples, one-sided density scaled to the mean square (Parseval). Bands with an index
follow the rate (`band_00` … `band_39` from max(rate / 2560, 1.5 Δf) up to half the rate), so they
exist at every rate. *M* marks the features that the detector uses (`FeatureSpec.model_names`); the
others are redundant or for people.

A window without a signal (NaN, infinity, constant, denormal) is flagged
(`auscult.dsp.health.SensorHealth`) and has the values of silence.
"""


def reference_specs() -> tuple[FeatureSpec, FeatureSpec]:
    """Feature sets of vibration at 25.6 kHz with all parts known, and of sound at 48 kHz."""
    bearing = Bearing.from_geometry(9, 7.94, 39.04, name="6205")
    vibration = FeatureSpec.vibration(
        25600, 25600, "g", nominal_speed_rpm=1500, bearings=(bearing,), gear_teeth=(23,)
    )
    return vibration, FeatureSpec.sound(48000, 48000)


def features_markdown() -> str:
    """Text of `docs/features.md`."""
    vibration, sound = reference_specs()
    parts = [INTRODUCTION]
    known = f"{vibration.nominal_speed_rpm:g} r/min, one bearing, one gear"
    for heading, spec in (
        (f"Vibration ({_samples(vibration)}, {known})", vibration),
        (f"Sound ({_samples(sound)})", sound),
    ):
        parts.append(
            f"## {heading}\n\n{len(spec)} features, {len(spec.model_names)} for the detector.\n"
        )
        for group, found in groupby(spec.features, key=lambda f: f.group):
            parts.append(f"### {TITLES[group]}\n\n{_table(found)}")
    return "\n".join(parts)


def _samples(spec: FeatureSpec) -> str:
    return f"in {spec.unit}, {spec.fs_hz / 1000:g} kHz, {spec.n_samples / spec.fs_hz:g} s"


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
    """Return the name without its index or frequency."""
    return re.sub(r"_[\d.]+(hz)?$", "", feature.name)


def files() -> dict[str, str]:
    """Return the page by its path."""
    return {"docs/features.md": features_markdown()}
