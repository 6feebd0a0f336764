"""A gateway loads what it uses: small boxes have 512 MB."""

from __future__ import annotations

import subprocess
import sys

UNUSED = (
    "asyncua", "fastapi", "google.protobuf", "IPython", "matplotlib", "numpy.f2py",
    "numpy.testing", "pandas", "prometheus_client", "pymodbus", "scipy.ndimage", "scipy.signal",
    "scipy.stats", "sklearn", "soundfile",
)  # fmt: skip


def test_a_gateway_without_options_loads_no_library_that_it_does_not_use() -> None:
    script = "import sys, auscult.gateway.service; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    ).stdout.split()
    assert not set(UNUSED) & set(loaded)


def test_the_first_look_at_a_healthy_machine_loads_no_large_library() -> None:
    script = """
import sys
import numpy as np
import auscult.gateway.service
from auscult.dsp.current_lines import current_lines
from auscult.dsp.drive_signs import drive_signs

x = np.random.default_rng(0).standard_normal(51_200).astype(np.float32)
drive_signs([(x, 25_600.0)], 25.0)
current_lines(x, 25_600.0, 25.0, 50.0, 2)
print(*sys.modules)
"""
    loaded = subprocess.run(
        [sys.executable, "-c", script], check=True, capture_output=True, text=True
    ).stdout.split()
    assert not {"scipy.signal", "scipy.stats", "scipy.optimize"} & set(loaded)


def test_what_was_left_out_is_there_when_somebody_asks_for_it() -> None:
    script = (
        "import auscult.gateway.service, numpy, pandas\n"
        "numpy.testing.assert_array_equal(pandas.Series([1]).to_numpy(), [1])"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
