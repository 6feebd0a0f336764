"""Questions about stretches without an event, as messages and as the events of their answers."""

from __future__ import annotations

from auscult.contract.event import Event, EventPhase
from auscult.contract.learning import QuestionPart
from auscult.contract.message import millis
from auscult.contract.records import Condition, Provenance, Reason, ReasonKind
from auscult.models.learning.questions import Question


def question_part(question: Question) -> QuestionPart:
    """Encode a question."""
    return QuestionPart(
        id=question.question_id,
        cause=question.cause.value,
        start_ms=millis(question.start_ns),
        end_ms=millis(question.end_ns),
        windows=question.windows,
        sigma=round(question.information, 2),
        points=question.points,
        said=question.said,
    )


def event_of(question: Question, machine: str, provenance: Provenance) -> Event:
    """Return the event of an answer: over, and known to the person who answered."""
    reason = Reason(ReasonKind.LEARNED, Condition.WARNING, question.said)
    return Event(
        event_id=question.question_id,
        machine=machine,
        phase=EventPhase.END,
        condition=Condition.NORMAL,
        started_ms=millis(question.start_ns),
        updated_ms=millis(question.end_ns),
        ended_ms=millis(question.end_ns),
        peak_condition=Condition.WARNING,
        peak_evidence=question.evidence,
        points=question.points,
        reasons=(reason,),
        ids=provenance,
    )
