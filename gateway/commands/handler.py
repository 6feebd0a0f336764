"""What a command's handler gets and gives back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic

from auscult.gateway.messages.learning import DeltaPart, LessonPart, PreviewPart
from auscult.gateway.messages.payloads import Command, ProblemPart
from auscult.gateway.messages.requests import ArgsT, CommandSpec
from auscult.gateway.publishing.publisher import Publication
from auscult.gateway.storage.outbox import Work


class RefusedError(Exception):
    """A rejected command; the message gives the reason, `problems` all that is wrong."""

    def __init__(self, text: str, problems: Sequence[ProblemPart] = ()) -> None:
        super().__init__(text)
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a handler did: the answer, and what is stored and published together with it.

    ``then`` runs after the answer is stored.
    """

    reason: str = ""
    lesson: LessonPart | None = None
    preview: PreviewPart | None = None
    delta: DeltaPart | None = None
    problems: tuple[ProblemPart, ...] = ()
    publications: tuple[Publication, ...] = ()
    work: Work | None = None
    then: Callable[[], None] | None = None


@dataclass(frozen=True, slots=True)
class Handler(Generic[ArgsT]):
    """A command, and the function that does it or raises `RefusedError`."""

    spec: CommandSpec[ArgsT]
    handle: Callable[[Command, ArgsT], Outcome]

    def do(self, command: Command) -> Outcome:
        """Do a command; its `args` were checked when it came in."""
        return self.handle(command, self.spec.args.model_validate(command.args))
