"""Design numbers of the feature pipeline, each with its reason."""

from __future__ import annotations

from typing import Final

FS_RANGE_HZ: Final = (200.0, 200_000.0)
"""From slow structures to ultrasonic bearing monitoring."""

MIN_SAMPLES: Final = 64
"""A shorter window has fewer lines than log bands."""

LOG_BANDS: Final = 40
"""Quarter-octave-like bands over ten octaves; the count that did well on every trial set."""

LOWEST_BAND: Final = 1 / 2560
"""Lower end of the log bands as a share of the rate: 10 Hz at 25.6 kHz."""

LOWEST_LINE: Final = 1.5
"""Log bands begin above DC's own line, so that the removed mean's leakage stays out."""

ENVELOPE_BANDS: Final = 24
ENVELOPE_LOWEST_LINE: Final = 3.5
"""The squared envelope carries Hann², whose DC lobe reaches to line 3."""

ENVELOPE_BAND: Final = (0.08, 0.36)
"""Default demodulation band as shares of the rate, 2–9.2 kHz at 25.6 kHz: above shaft and gear
tones of most machines, clear of the anti-alias filter's edge at 0.39."""

ENVELOPE_TOP_HZ: Final = 1000.0
"""Modulation is seen up to here, or further where fast shafts need it: 5 × BPFI at 2,000 r/min."""

ENVELOPE_TOP_HARMONICS: Final = 3
"""Harmonics of the highest fault frequency that the envelope spectrum must reach."""

ROLLOFF: Final = 0.85
"""Share of the power below the roll-off frequency (Peeters 2004)."""

SMOOTH_HZ: Final = 4.0
"""Shape and cepstrum look at the density averaged over lines up to this width: families closer than
10 Hz are not looked for, and the logarithm of an average scatters less."""

SMOOTH_LINES: Final = 1024
"""… but never to fewer lines than this."""

CEPSTRUM_RANGE_S: Final = (0.002, 0.1)
"""Quefrencies searched for families: spacings of 10 to 500 Hz."""

SPEED_TOLERANCE: Final = 0.06
"""Name-plate speeds were off by up to 6 % on real rigs."""

MEASURED_TOLERANCE: Final = 0.005
"""A measured speed is this good within a window."""

SLIP: Final = 0.01
"""Rolling elements slip by 1–2 % (Randall and Antoni 2011); each fault order moves by itself."""

HARMONICS: Final = 4
"""Harmonics of each fault frequency that are looked for."""

MELS: Final = 64
MEL_FRAME_S: Final = 0.05
"""Frames of 2^k samples nearest to this: 1024 at 16 kHz, 2048 at 48 kHz."""
FLUCTUATION_BANDS: Final = 16
"""Groups of mel bands whose change over time is stated."""

SEVERITY_TOP_HZ: Final = 1000.0
"""Upper edge of the ISO 20816 velocity band."""
