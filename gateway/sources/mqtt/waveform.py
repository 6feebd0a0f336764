"""A waveform in one MQTT message: a JSON header, a line feed, then little-endian samples."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from auscult.contract.invalid import said_of
from auscult.gateway.sources.support.samples import MAX_SAMPLES, WIDTH, WaveformError, numbers

LATEST_NS = 1 << 62
"""The year 2116: what follows a block that begins earlier still fits into 63 bits."""


class WaveformHeader(BaseModel):
    """What a sensor says of its samples; unknown keys are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)

    seq: int = Field(ge=0, lt=1 << 53, description="Counts the sensor's messages")
    t0_ns: int = Field(
        ge=0, lt=LATEST_NS, description="UTC time of the first sample, ns since 1970; 0 = no clock"
    )
    fs_hz: float = Field(ge=200, le=200_000)
    unit: str = Field(max_length=16)
    encoding: Literal["int16", "int24", "float32"]
    scale: float = Field(default=1.0, gt=0, description="Physical value = sample × scale")
    n: int = Field(ge=1, le=MAX_SAMPLES, description="How many samples follow")
    clipped: bool = False


def read_waveform(payload: bytes) -> tuple[WaveformHeader, NDArray[np.float32]]:
    r"""Take a message apart: the header, and float32 samples [shape=(n,)] in its unit.

    Raises
    ------
    WaveformError
        If it is malformed.

    Examples
    --------
    >>> header = b'{"seq":7,"t0_ns":1,"fs_hz":1000,"unit":"g","encoding":"int24","scale":0.5,"n":2}'
    >>> read_waveform(header + b"\n" + b"\xff\xff\xff" + b"\x02\x00\x00")[1]
    array([-0.5,  1. ], dtype=float32)
    """
    head, _, body = payload.partition(b"\n")
    try:
        header = WaveformHeader.model_validate_json(head)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "header"
        raise WaveformError("source_part", what=where, problem=said_of(first)) from error
    if len(body) != header.n * WIDTH[header.encoding]:
        raise WaveformError(
            "waveform_length",
            bytes=len(body),
            samples=header.n,
            encoding=header.encoding,
            expected=header.n * WIDTH[header.encoding],
        )
    samples = numbers(body, header.encoding) * np.float32(header.scale)
    if not np.isfinite(samples).all():
        raise WaveformError("samples_not_finite")
    return header, samples
