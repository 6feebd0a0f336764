"""scipy's transforms of float32 arrays.

scipy lists all names of numpy when it is first imported, which loads each of numpy's parts (11 MB,
0.1 s); those that Auscult does without stay unloaded until somebody asks for them.
"""

import numpy as np

from auscult.lean import without_parts

with without_parts(
    np.__name__,
    "char", "core", "ctypeslib", "f2py", "ma", "matlib", "polynomial", "rec", "strings", "testing",
    "typing",
):  # fmt: skip
    from scipy.fft import dct, ifft, irfft, next_fast_len, rfft

__all__ = ["dct", "ifft", "irfft", "next_fast_len", "rfft"]
