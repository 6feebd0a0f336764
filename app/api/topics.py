"""What arrives on topics of the broker, to set up values."""

from __future__ import annotations

import threading
from typing import Annotated

from fastapi import APIRouter, Query

from auscult.app.api.inputs import Running
from auscult.app.api.problems import ProblemError, documented
from auscult.app.api.rights import EngineerOfAll
from auscult.app.commissioning.topic_preview import preview
from auscult.app.views.topics import TopicValues

router = APIRouter(prefix="/topics", tags=["commissioning"])

Filter = Annotated[
    str,
    Query(
        alias="filter",
        min_length=1,
        max_length=500,
        pattern=r"^(#|(\+|[^+#/\x00]*)(/(\+|[^+#/\x00]*))*(/#)?)$",
        description="Topic filter, with the wildcards + and #",
        examples=["zigbee2mqtt/+"],
    ),
]
Seconds = Annotated[float, Query(ge=0.1, le=30, description="How long to listen")]

_one_at_a_time = threading.Lock()


@router.get(
    "", summary="Numbers that arrive on a topic filter", responses=documented(403, 429, 503)
)
def listen_to_topics(
    topic_filter: Filter, engineer: EngineerOfAll, dashboard: Running, seconds: Seconds = 5.0
) -> TopicValues:
    """Listen for some seconds, and propose what each number is; one preview at a time."""
    del engineer
    if not _one_at_a_time.acquire(blocking=False):
        raise ProblemError("preview_busy", status=429)
    try:
        return preview(dashboard.broker, topic_filter, seconds)
    except TimeoutError as error:
        raise ProblemError("preview_no_broker", status=503) from error
    finally:
        _one_at_a_time.release()
