"""scipy's transforms of float32 arrays.

scipy lists all names of numpy when it is first imported, which loads `numpy.f2py` and
`numpy.testing` (9 MB, 0.1 s); here they stay unloaded until somebody asks for them.
"""

import numpy as np

from auscult.lean import without_parts

with without_parts(np.__name__, "f2py", "testing"):
    from scipy.fft import dct, ifft, irfft, next_fast_len, rfft

__all__ = ["dct", "ifft", "irfft", "next_fast_len", "rfft"]
