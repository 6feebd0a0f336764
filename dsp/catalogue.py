"""The catalogue: every feature with its definition, its source and the fault it shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from auscult.dsp.bearing import FAULTS
from auscult.dsp.feature import Feature
from auscult.dsp.mels import filled_mels
from auscult.dsp.parameters import Parameters
from auscult.dsp.quantities import feature_of
from auscult.dsp.settings import FLUCTUATION_BANDS, HARMONICS, MELS

RENAMED: Final[dict[str, str]] = {}
"""Today's name of each feature that an earlier release named otherwise, with the same values."""

_STATISTICS = "ISO 13373-2; Lei, Intelligent Fault Diagnosis, Elsevier 2017"
_RANDALL = "Randall and Antoni, MSSP 25 (2011) 485–520"
_SHAPE = "Peeters, A large set of audio features, IRCAM 2004"

_FAULT_WORDS: Final = {
    "bpfo": "outer-race defect",
    "bpfi": "inner-race defect",
    "bsf": "ball or roller defect",
    "ftf": "cage defect",
}


def features(spec: Parameters) -> tuple[Feature, ...]:
    """Return all features that `spec` supports, grouped in the order of the pipeline's stages."""
    if spec.kind == "value":
        return (feature_of(spec.quantity, spec.unit),)
    return tuple(_vibration(spec) if spec.kind == "vibration" else _sound(spec))


def _vibration(spec: Parameters) -> Iterator[Feature]:
    yield from _time(spec)
    if spec.carries_severity:
        yield from _overall(spec)
    yield from _shape()
    yield from _bands(spec)
    yield from _octaves(spec)
    yield from _envelope(spec)
    yield from _bearing(spec)
    yield from _cepstrum(spec)
    yield from _orders(spec)
    yield from _gears(spec)


def _sound(spec: Parameters) -> Iterator[Feature]:
    yield from _time(spec)
    yield from _shape()
    yield from _mel(spec)
    yield from _level(spec)
    yield from _octaves(spec)
    yield from _envelope(spec)
    yield from _cepstrum(spec)


def _time(spec: Parameters) -> Iterator[Feature]:
    u, g, s = spec.value_unit, "time", _STATISTICS
    yield Feature(
        "mean", u, g, "linear", "mean of the samples", s, "sensor bias, static load", model=False
    )
    yield Feature("rms", u, g, "log", "√mean((x − x̄)²)", s, "overall severity of any fault")
    yield Feature("peak", u, g, "log", "max |x − x̄|", s, "impacts, rub")
    yield Feature(
        "peak_to_peak", u, g, "log", "max x − min x", s, "impacts, looseness", model=False
    )
    yield Feature(
        "crest_factor", "1", g, "log", "peak / rms", s, "early impacts: bearing, gear tooth"
    )
    yield Feature(
        "kurtosis",
        "1",
        g,
        "log",
        "mean((x − x̄)⁴) / rms⁴; 3 for Gaussian noise, 1.5 for a sine",
        s,
        "impulsiveness: early bearing and gear faults",
    )
    yield Feature(
        "skewness",
        "1",
        g,
        "linear",
        "mean((x − x̄)³) / rms³",
        s,
        "one-sided motion: rub, looseness, clipping",
    )
    yield Feature(
        "shape_factor", "1", g, "log", "rms / mean |x − x̄|", s, "change of the amplitude's shape"
    )
    yield Feature(
        "impulse_factor", "1", g, "log", "peak / mean |x − x̄|", s, "early impacts", model=False
    )
    yield Feature(
        "clearance_factor",
        "1",
        g,
        "log",
        "peak / (mean √|x − x̄|)²",
        s,
        "early impacts, the most sensitive of the factors",
        model=False,
    )


def _overall(spec: Parameters) -> Iterator[Feature]:
    band = f"{spec.severity_low_hz:g}–1000 Hz"
    yield Feature(
        "velocity_rms_mm_s",
        "mm/s",
        "overall",
        "log",
        f"r.m.s. velocity {band}: √Σ PSD(f)/(2πf)² Δf (Parseval, Hann)",
        "ISO 20816-1 and -3; 2 Hz below 600 r/min",
        "imbalance, misalignment, looseness; ISO zones apply",
    )
    yield Feature(
        "displacement_rms_um",
        "µm",
        "overall",
        "log",
        f"r.m.s. displacement {band}: √Σ PSD(f)/(2πf)⁴ Δf (Parseval, Hann)",
        "ISO 20816-3",
        "slow imbalance and shaft motion; ISO zones apply",
    )
    yield Feature(
        "acceleration_rms_m_s2",
        "m/s²",
        "overall",
        "log",
        f"r.m.s. acceleration from {spec.severity_low_hz:g} Hz to 10 kHz or half the rate",
        "ISO 20816-1",
        "bearing and gear condition at high frequency",
        model=False,
    )


def _shape() -> Iterator[Feature]:
    g = "shape"
    yield Feature(
        "spectral_centroid_hz",
        "Hz",
        g,
        "log",
        "Σ f P / Σ P of the density P, summed over lines up to 4 Hz wide",
        _SHAPE,
        "energy moves up with bearing, gear and cavitation faults",
    )
    yield Feature(
        "spectral_spread_hz",
        "Hz",
        g,
        "log",
        "√(Σ (f − centroid)² P / Σ P)",
        _SHAPE,
        "broad-band noise against tones",
    )
    yield Feature(
        "spectral_entropy",
        "1",
        g,
        "linear",
        "−Σ p ln p / ln N with p = P / Σ P; 0 = one line, 1 = white",
        "Misra et al., ICASSP 2004",
        "order against noise: friction, lost lubrication",
    )
    yield Feature(
        "spectral_flatness",
        "1",
        g,
        "log",
        "geometric mean of P over its arithmetic mean; 1 = white, 0 = tones",
        "Johnston, IEEE J. Sel. Areas Commun. 6 (1988)",
        "tones that rise over the noise, or noise that masks them",
    )
    yield Feature(
        "spectral_rolloff_hz",
        "Hz",
        g,
        "log",
        "frequency below which 85 % of the power lies, linear within 16 lines of P",
        _SHAPE,
        "energy moves up or down",
    )


def _bands(spec: Parameters) -> Iterator[Feature]:
    for i, (low, high) in enumerate(spec.band_edges_hz):
        yield Feature(
            f"band_{i:02d}",
            spec.value_unit,
            "band",
            "log",
            f"r.m.s. in {low:.4g}–{high:.4g} Hz, band {i} of 40 equal ratios up to half the rate",
            "Parseval on the Hann spectrum",
            "a change in this part of the spectrum",
        )


def _octaves(spec: Parameters) -> Iterator[Feature]:
    third = spec.kind == "vibration"
    prefix = "third_octave" if third else "octave"
    for name in spec.octaves[0]:
        yield Feature(
            f"{prefix}_{name}hz",
            spec.value_unit,
            prefix,
            "log",
            f"r.m.s. in the {'1/3-octave' if third else 'octave'} band at {name} Hz (base ten)",
            "IEC 61260-1:2014",
            "levels to compare with limits and other instruments",
            model=False,
        )


def _envelope(spec: Parameters) -> Iterator[Feature]:
    b0, b1 = spec.demodulation_band_hz
    for i, (low, high) in enumerate(spec.envelope_edges_hz):
        yield Feature(
            f"envelope_band_{i:02d}",
            spec.value_unit,
            "envelope",
            "log",
            f"⁴√(mean square of the squared envelope of {b0:.5g}–{b1:.5g} Hz, modulation "
            f"{low:.4g}–{high:.4g} Hz)",
            f"squared envelope spectrum, {_RANDALL}",
            "repeated impacts: bearing, gear tooth, impeller, looseness",
        )


def _bearing(spec: Parameters) -> Iterator[Feature]:
    for fault in FAULTS:
        if fault not in spec.faults_carried():
            continue
        up, words = fault.upper(), _FAULT_WORDS[fault]
        yield Feature(
            f"{fault}_level",
            spec.value_unit,
            "bearing",
            "log",
            f"⁴√(½ Σ A²) of the squared envelope's lines at {up} and up to {HARMONICS} harmonics; "
            "the largest of the point's bearings",
            _RANDALL,
            words,
        )
        yield Feature(
            f"{fault}_prominence",
            "1",
            "bearing",
            "log",
            f"height of the lines at {up} and its harmonics over the local noise floor of the "
            "envelope spectrum, as an amplitude ratio; 1 = at the floor",
            f"{_RANDALL}; common speed error searched",
            f"{words}; comparable between machines",
        )
        yield Feature(
            f"{fault}_sidebands",
            "1",
            "bearing",
            "log",
            f"the same for the sidebands of {up}: ± shaft speed (bpfo, bpfi), ± cage (bsf, ftf)",
            _RANDALL,
            f"{words} that passes through the load zone",
        )


def _cepstrum(spec: Parameters) -> Iterator[Feature]:
    g = "cepstrum"
    source = "Randall, A history of cepstrum analysis, MSSP 97 (2017)"
    yield Feature(
        "cepstrum_peak",
        "1",
        g,
        "linear",
        "largest value at 2–100 ms of the real cepstrum: DCT-II of ln P, P summed as for the shape",
        source,
        "families of harmonics or sidebands: gears, looseness, bearings",
    )
    yield Feature(
        "cepstrum_quefrency_s",
        "s",
        g,
        "log",
        "quefrency of that value; 1/quefrency is the family's spacing in Hz",
        source,
        "the shaft or gear to which the family belongs",
        model=False,
    )
    if spec.kind == "vibration" and spec.carries_order(1.0, envelope=False):
        yield Feature(
            "cepstrum_shaft",
            "1",
            g,
            "linear",
            "largest value of the real cepstrum near one shaft revolution (speed tolerance)",
            source,
            "sidebands spaced at shaft speed: gear, eccentricity",
        )


def _orders(spec: Parameters) -> Iterator[Feature]:
    shows = {1: "imbalance", 2: "misalignment, bent shaft", 3: "misalignment, looseness"}
    for order, fault in shows.items():
        if spec.carries_order(order, envelope=False):
            yield Feature(
                f"order_{order}x",
                spec.value_unit,
                "order",
                "log",
                f"r.m.s. of the line at {order} × shaft speed (five lines, Hann)",
                "ISO 13373-3",
                fault,
            )


def _gears(spec: Parameters) -> Iterator[Feature]:
    if not any(spec.carries_order(z, envelope=False) for z in spec.gear_teeth):
        return
    yield Feature(
        "gear_mesh_level",
        spec.value_unit,
        "gear",
        "log",
        "r.m.s. of the line at teeth × shaft speed; the largest of the point's gears",
        "ISO 13373-3; AGMA 6000-B96",
        "tooth wear, overload, misaligned gears",
    )
    yield Feature(
        "gear_mesh_sidebands",
        "1",
        "gear",
        "log",
        "r.m.s. of the lines at mesh ± 1 and ± 2 × shaft speed over that of the mesh",
        "Randall, Vibration-based Condition Monitoring, Wiley 2021, ch. 2",
        "broken or cracked tooth, eccentric gear",
    )


def _mel(spec: Parameters) -> Iterator[Feature]:
    for i in filled_mels(spec.fs_hz, spec.mel_frame):
        yield Feature(
            f"mel_{i:02d}",
            spec.value_unit,
            "mel",
            "log",
            f"√mean over frames of mel band {i} of {MELS} (Slaney scale and norm, power)",
            "Slaney, Auditory Toolbox, 1998; as librosa",
            "change of timbre",
        )
    for i in range(FLUCTUATION_BANDS):
        yield Feature(
            f"mel_fluctuation_{i:02d}",
            "dB",
            "mel",
            "log",
            f"standard deviation over frames of the level of mel bands {4 * i}–{4 * i + 3}",
            "as log-mel",
            "sound that comes and goes: knocks, rub, leaks",
        )


def _level(spec: Parameters) -> Iterator[Feature]:
    yield Feature(
        "a_weighted_rms",
        spec.value_unit,
        "level",
        "log",
        "A-weighted r.m.s.; L_Aeq = 20 lg(value / 20 µPa) where the unit is Pa",
        "IEC 61672-1:2013",
        "loudness of the machine",
    )
