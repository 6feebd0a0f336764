"""How much an outbox must hold while the broker is away: a plant's real messages, stored.

Half an hour of stream, played as fast as possible with the link down, at the default rates.
"""

from __future__ import annotations

import multiprocessing
import tempfile
from pathlib import Path

from gateway.bench import bare
from gateway.bench.gateway_worker import POINTS_A_MACHINE, Load, Plant
from gateway.bench.timing import Figure
from gateway.settings import GatewaySection

STREAM_S = 1800.0
OUTAGE_S = 30 * 86_400.0
SPECTRA = 2
"""Each time: the spectrum, and that of the envelope."""
KB_A_MB = 1e3


def figures(port: int, state: bytes) -> list[Figure]:
    """Measure what a healthy point sends in 30 days, and what the default outbox lasts for."""
    load = Load(POINTS_A_MACHINE, STREAM_S, 0.0, port, state)
    with multiprocessing.get_context("spawn").Pool(1, initializer=bare.without_extras) as pool:
        kb = pool.apply(store_without_broker, (load,))
    bound_mb, trend_s, spectrum_s = (
        GatewaySection.model_fields[name].default
        for name in ("outbox_max_mb", "trend_interval_s", "spectrum_interval_s")
    )
    spectra_kb = SPECTRA * kb.get("spectrum", 0.0)
    point_mb = OUTAGE_S * (kb["trend"] / trend_s + spectra_kb / spectrum_s) / KB_A_MB
    return [
        *(Figure(f"outbox_kb_{kind}", size, "kB") for kind, size in sorted(kb.items())),
        Figure("outbox_mb_a_point_in_30_days", point_mb, "MB"),
        Figure("points_whose_30_days_fit_the_default_outbox", bound_mb / point_mb, "points"),
    ]


def store_without_broker(load: Load) -> dict[str, float]:
    """Play with the broker away; gives kB a message of each kind that waits for it then."""
    with tempfile.TemporaryDirectory() as folder:
        plant = Plant(load, Path(folder), "outage")
        plant.away()
        plant.play(load.stream_s, pace=0)
        sizes = plant.kb_a_message()
        plant.close()
    return sizes
