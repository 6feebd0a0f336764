"""What a command's handler gets and returns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from pydantic import ValidationError

from auscult.contract import invalid
from auscult.contract.learning import DeltaPart, PreviewPart
from auscult.contract.payloads import Command, ProblemPart
from auscult.contract.records import HeadUpdate
from auscult.contract.requests import COMMANDS, ArgsT, CommandSpec
from auscult.contract.said import Rejection, Said
from auscult.contract.tables import TableHead
from auscult.contract.trials import TrialPart
from auscult.gateway.publishing.publisher import Publication
from auscult.gateway.storage.outgoing import DatabaseWrite

SHOWN_PLACE = 100


class CommandRejection(Rejection):
    """A rejected command: why, and ``problems`` for all that is wrong with its `args`."""

    def __init__(
        self, code: str | Said, /, *, problems: Sequence[ProblemPart] = (), **values: Any
    ) -> None:
        super().__init__(code, **values)
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True)
class CommandOutcome:
    """What a handler did: the answer, and what is stored and published together with it.

    ``then`` is the effect of a command that is stored first: it runs once answer and ``writes`` are
    stored. Until they can be, the whole command is tried again. Without ``then``, the handler had
    its effect before; what can't be stored yet waits in memory.
    """

    reason: Said | None = None
    lesson: HeadUpdate | None = None
    preview: PreviewPart | None = None
    delta: DeltaPart | None = None
    trial: TrialPart | None = None
    table: TableHead | None = None
    publications: tuple[Publication, ...] = ()
    writes: tuple[DatabaseWrite, ...] = ()
    then: Callable[[], None] | None = None


@dataclass(frozen=True, slots=True)
class CommandHandler(Generic[ArgsT]):
    """A command, and the function that does it or raises `Rejection`."""

    spec: CommandSpec[ArgsT]
    handle: Callable[[Command, ArgsT], CommandOutcome]

    def do(self, command: Command) -> CommandOutcome:
        """Do a command; its `args` were checked when it came in."""
        return self.handle(command, self.spec.args.model_validate(command.args))


def handlers_in(*parts: object) -> list[CommandHandler[Any]]:
    """Return the handler of each command: the method of the command's name of one of the parts.

    Raises
    ------
    LookupError
        If no part has such a method.
    """
    found = []
    for name, spec in COMMANDS.items():
        methods = [getattr(part, name) for part in parts if hasattr(part, name)]
        if len(methods) != 1:
            raise LookupError(f"{len(methods)} handlers of the command {name}, not 1")
        found.append(CommandHandler(spec, methods[0]))
    return found


def invalid_fields(error: ValidationError) -> CommandRejection:
    """Return the rejection of a command with invalid fields."""
    first = error.errors(include_url=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    return CommandRejection("value_at", place=place[:SHOWN_PLACE], cause=invalid.said_of(first))


def said_of(error: Exception) -> Said:
    """Return the sentence of an error; texts of libraries have no code."""
    if isinstance(error, Rejection):
        return error.said
    return Said("text", {"text": str(error).removeprefix("Value error, ")})
