"""The tables of the outputs in the configuration; each kind of output is a plugin.

The entry point group `auscult.outputs` names the kinds: the built-in ones in this package's
pyproject.toml, further ones in other packages. The name of a kind is the name of its table, whose
model it brings. The contract of a plugin is `auscult.gateway.outputs.contract`.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Annotated, Any, Protocol, TypeVar, cast

from pydantic import (
    BeforeValidator,
    Field,
    SerializeAsAny,
    SerializerFunctionWrapHandler,
    ValidationInfo,
    create_model,
    model_serializer,
    model_validator,
)
from pydantic_core import PydanticCustomError

from auscult.contract.section import Section

log = logging.getLogger(__name__)

GROUP = "auscult.outputs"
"""The entry point group."""
S = TypeVar("S", bound=Section)


class HasTable(Protocol):
    """The part of a kind of output that a configuration needs."""

    @property
    def title(self) -> str:
        """Return what it is, in a few words."""

    @property
    def settings(self) -> type[Section]:
        """Return the model of its table."""


class OutputTables(Section):
    """The tables of all installed outputs, by their names."""

    def table(self, model: type[S]) -> S:
        """Return the table of a model.

        Raises
        ------
        LookupError
            If no installed output has it.
        """
        for name in type(self).model_fields:
            table = getattr(self, name)
            if isinstance(table, model):
                return table
        raise LookupError(model.__name__)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what makes it in another process: each process makes the model itself."""
        return _in_this_process, ({name: getattr(self, name) for name in type(self).model_fields},)


def _in_this_process(of_kinds: dict[str, Section]) -> OutputTables:
    return tables().model_construct(None, **of_kinds)


class _Given(dict[str, Any]):
    """The tables of outputs as a file gives them."""


@cache
def installed() -> dict[str, EntryPoint]:
    """Return the entry point of each installed kind, by the name of its table."""
    return {point.name: point for point in sorted(entry_points(group=GROUP))}


@cache
def kinds() -> Mapping[str, HasTable | str]:
    """Load every installed kind, by the name of its table; for one that can't be, the reason."""
    found: dict[str, HasTable | str] = {}
    for name, point in installed().items():
        try:
            found[name] = cast(HasTable, point.load())
        except (ImportError, AttributeError) as error:
            log.error("output %s can't be loaded: %s", name, error)
            found[name] = str(error)
    return found


@cache
def tables() -> type[OutputTables]:
    """Return the model of the tables of all kinds that can be loaded."""
    fields: dict[str, Any] = {
        name: (
            kind.settings,
            Field(default_factory=dict, validate_default=True, description=kind.title),
        )
        for name, kind in kinds().items()
        if not isinstance(kind, str)
    }
    return create_model("Outputs", __base__=OutputTables, **fields)


def no_tables() -> OutputTables:
    """Return the defaults of all outputs."""
    return tables()()


def _of_their_kinds(given: Any, info: ValidationInfo) -> OutputTables:
    if isinstance(given, OutputTables):
        return given
    if not isinstance(given, _Given):  # no one writes [outputs]
        raise PydanticCustomError("extra_forbidden", "Extra inputs are not permitted")
    for name in given:
        if isinstance(reason := kinds()[name], str):
            said = f"the output {name} can't be loaded: {reason}: install its package again"
            raise ValueError(said)  # noqa: TRY004 - the value comes from a file
    return tables().model_validate(dict(given), context=info.context)


Outputs = Annotated[SerializeAsAny[OutputTables], BeforeValidator(_of_their_kinds)]
"""The tables of the outputs, each checked by the model of its kind."""


class HasOutputs(Section):
    """Gathers the tables of a file that belong to outputs in the field `outputs`."""

    @model_validator(mode="before")
    @classmethod
    def _gathered(cls, given: Any) -> Any:
        if not isinstance(given, dict) or isinstance(given.get("outputs"), OutputTables):
            return given
        names = installed().keys() - cls.model_fields.keys()
        own = _Given({name: table for name, table in given.items() if name in names})
        rest = {name: table for name, table in given.items() if name not in names}
        return {"outputs": own} | rest

    @model_serializer(mode="wrap")
    def _flat(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Write the tables of outputs where they are read."""
        written: dict[str, Any] = handler(self)
        outputs: dict[str, Any] = written.pop("outputs", {})
        return outputs | written
