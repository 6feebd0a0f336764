"""Chooses the engine of each model: LiteRT with a file whose hash is right, else numpy."""

from __future__ import annotations

import logging
from functools import cache

import numpy as np

from auscult.models.network import artefact, numpy_engine
from auscult.models.network.architecture import Architecture, split
from auscult.models.network.errors import ModelError
from auscult.models.network.guard import Float32, Model
from auscult.models.network.litert import LiteRtEngine

log = logging.getLogger(__name__)


def inference(kind: str, theta: Float32) -> Model:
    """Return `infer` with these weights of the base.

    Raises
    ------
    ModelError
        If the length is wrong or a value is not finite.
    """
    arch = Architecture()
    theta = np.asarray(theta, np.float32)
    if theta.shape != (arch.base_size,) or not np.isfinite(theta).all():
        raise ModelError(f"weights of shape {theta.shape}, must be ({arch.base_size},), finite")
    try:
        data, manifest = artefact.load(kind)
        baked = artefact.bake(data, manifest.parameters, split(theta, arch.base_shapes))
        return Model(LiteRtEngine(baked))
    except (ModelError, OSError) as error:
        warn(str(error))
        return Model(numpy_engine.inference(arch, theta))


def training() -> Model:
    """Return the training steps; all weights are their inputs, so one serves any machine."""
    try:
        data, _ = artefact.load(artefact.TRAINING)
        return Model(LiteRtEngine(data))
    except (ModelError, OSError) as error:
        warn(str(error))
        return Model(numpy_engine.training(Architecture()))


@cache
def warn(reason: str) -> None:
    """Report once for each reason that numpy serves."""
    log.warning("the network is computed with numpy, more slowly, since LiteRT fails: %s", reason)
