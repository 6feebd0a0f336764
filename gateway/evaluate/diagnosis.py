"""Protocol `diagnosis`: is the fault named right, without any healthy recording?"""

from __future__ import annotations

from gateway.evaluate.records import Result
from gateway.recordings import DataSet


def diagnosis_results(data: DataSet, machine: str, window_s: float) -> list[Result]:
    return []
