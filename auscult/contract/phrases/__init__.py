"""The catalogue: every sentence that reaches a person, as an English template by its code.

`auscult.contract.said` renders the templates and describes how to write and add one. A code is part
of the wire format: it keeps its meaning and its values for ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from auscult.contract.phrases.cases import CASES
from auscult.contract.phrases.commands import COMMANDS
from auscult.contract.phrases.commissioning import COMMISSIONING
from auscult.contract.phrases.dashboard import DASHBOARD
from auscult.contract.phrases.decisions import DECISIONS
from auscult.contract.phrases.learning import LEARNING
from auscult.contract.phrases.machines import MACHINES
from auscult.contract.phrases.overall_values import OVERALL_VALUES
from auscult.contract.phrases.sources import SOURCES
from auscult.contract.phrases.values import VALUES
from auscult.contract.phrases.words import WORDS as WORDS

_TOPICS: Final[tuple[Mapping[str, str], ...]] = (
    CASES, DECISIONS, MACHINES, LEARNING, COMMANDS, SOURCES, COMMISSIONING, DASHBOARD,
    VALUES, OVERALL_VALUES,
)  # fmt: skip

PHRASES: Final[Mapping[str, str]] = {
    code: template for topic in _TOPICS for code, template in topic.items()
}
"""English templates by code."""

if len(PHRASES) != sum(map(len, _TOPICS)):
    raise ValueError("a code is in two topics of auscult.contract.phrases")
