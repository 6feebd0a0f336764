"""Design numbers of the feature pipeline, each with its reason."""

from __future__ import annotations

from typing import Final

FS_RANGE_HZ: Final = (200.0, 200_000.0)
"""From slow structures to ultrasonic bearing monitoring."""

MIN_SAMPLES: Final = 64
"""Shortest window: a shorter one has fewer lines than log bands."""

LOG_BANDS: Final = 40
"""Quarter octaves over ten octaves; this count did well on every trial set."""

LOWEST_BAND: Final = 1 / 2560
"""Lower end of the log bands as a share of the rate: 10 Hz at 25.6 kHz."""

LOWEST_LINE: Final = 1.5
"""Log bands begin above the line of DC, so that leakage of the removed mean stays out."""

ENVELOPE_BANDS: Final = 24
ENVELOPE_LOWEST_LINE: Final = 3.5
"""The window of the squared envelope is Hann²; its DC lobe reaches to line 3."""

ENVELOPE_BAND: Final = (0.08, 0.36)
"""Default demodulation band as shares of the rate, 2–9.2 kHz at 25.6 kHz: above shaft and gear
tones of most machines, below the edge of the anti-alias filter at 0.39."""

ENVELOPE_TOP_HZ: Final = 1000.0
"""Top of the envelope spectrum, or higher for fast shafts: 5 × BPFI at 2,000 r/min."""

ENVELOPE_TOP_HARMONICS: Final = 3
"""Harmonics of the highest fault frequency that the envelope spectrum includes."""

ROLLOFF: Final = 0.85
"""Share of the power below the roll-off frequency (Peeters 2004)."""

SMOOTH_HZ: Final = 4.0
"""Shape and cepstrum use the density averaged over lines up to this width: the search for families
excludes spacings below 10 Hz, and the logarithm of an average scatters less."""

SMOOTH_LINES: Final = 1024
"""Fewest lines after this averaging."""

CEPSTRUM_RANGE_S: Final = (0.002, 0.1)
"""Quefrencies of the search for families: spacings of 10 to 500 Hz."""

SPEED_TOLERANCE: Final = 0.06
"""Name-plate speeds were wrong by up to 6 % on real rigs."""

MEASURED_TOLERANCE: Final = 0.005
"""Error of a measured speed within a window."""

SLIP: Final = 0.01
"""Rolling elements slip by 1–2 % (Randall and Antoni 2011), each fault order by its own share."""

HARMONICS: Final = 4
"""Harmonics of each fault frequency in the search."""

MELS: Final = 64
MEL_FRAME_S: Final = 0.05
"""Frames of 2^k samples nearest to this: 1024 at 16 kHz, 2048 at 48 kHz."""
FLUCTUATION_BANDS: Final = 16
"""Groups of mel bands whose fluctuation over time is a feature."""

SEVERITY_TOP_HZ: Final = 1000.0
"""Upper edge of the ISO 20816 velocity band."""
