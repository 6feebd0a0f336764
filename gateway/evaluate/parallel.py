"""Where the jobs of `auscult evaluate` run: here, in processes beside, or on a Dask cluster."""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager

from auscult.errors import UnusableSettingError

CONNECT_S = 10


@contextmanager
def executor_of(workers: int, dask: str | None) -> Iterator[Executor | None]:
    """Give what runs jobs side by side; None for one after the other in this process.

    Parameters
    ----------
    workers : int
        Processes on this machine, >= 1.
    dask : str or None
        Address of a scheduler, such as ``tcp://plant-server:8786``.

    Raises
    ------
    UnusableSettingError
        If the scheduler does not answer.
    """
    if dask is not None:
        from distributed import Client

        try:
            client = Client(dask, timeout=CONNECT_S)
        except (OSError, ValueError) as error:
            raise UnusableSettingError(
                f"--dask {dask}: no scheduler answers within {CONNECT_S} s ({error}); start one "
                "with `dask scheduler`, and workers with `dask worker`"
            ) from error
        with client:
            yield client.get_executor(retries=2)
    elif workers > 1:
        spawn = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(workers, mp_context=spawn) as executor:
            yield executor
    else:
        yield None
