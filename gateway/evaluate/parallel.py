"""Where the jobs of `auscult evaluate` run: in this process, or in processes beside it."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager


@contextmanager
def executor_of(workers: int) -> Iterator[Executor | None]:
    """Yield an executor of ``workers`` processes; None for one, which means this process."""
    if workers == 1:
        yield None
        return
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=spawn) as executor:
        yield executor
