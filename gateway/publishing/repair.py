"""The check of planned work as a message."""

from __future__ import annotations

from auscult.contract import parts
from auscult.contract.message import millis
from auscult.models.learning.repair import WINDOWS, RepairCheck


def repair_part(check: RepairCheck) -> parts.RepairPart:
    """Encode the check of planned work."""
    return parts.RepairPart(
        event_id=check.event_id,
        since_ms=millis(check.since_ns),
        windows=check.windows,
        windows_needed=WINDOWS,
        result=check.result.value if check.result else None,
        likeness=None if check.likeness is None else round(check.likeness, 3),
        said=check.said,
    )
