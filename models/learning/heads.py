"""All heads of a machine as one run of bytes: the payload of a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from auscult.models.learning.gate import PointContext
from auscult.models.learning.head import Head
from auscult.models.learning.packing import pack, unpack
from auscult.models.learning.settings import SETTINGS, LearningSettings
from auscult.models.learning.stored_head import read_head


@dataclass(frozen=True, slots=True)
class HeadsFormat:
    """Packs heads that belong to one baseline.

    ``points`` are in the order of the machine's rows.
    """

    points: Mapping[str, PointContext]
    baseline_id: str
    settings: LearningSettings = SETTINGS

    def start(self) -> dict[str, Head]:
        """Return heads that change nothing."""
        return {
            name: Head.start(point.coordinates, self.settings)
            for name, point in self.points.items()
        }

    def pack(self, heads: Mapping[str, Head]) -> bytes:
        """Serialise, the same bytes for the same heads."""
        parts = {point: head.to_bytes() for point, head in heads.items()}
        return pack(parts, {"baseline_id": self.baseline_id})

    def unpack(self, payload: bytes) -> dict[str, Head] | None:
        """Read heads; None if they belong to another baseline or other points."""
        parts, about = unpack(payload)
        if about["baseline_id"] != self.baseline_id or parts.keys() != self.points.keys():
            return None
        return {point: read_head(part) for point, part in parts.items()}
