"""The catalogue: every sentence that reaches a person, as an English template by its code.

`auscult.models.said` renders the templates and describes how to write and add one. A code is part
of the wire format: it keeps its meaning and its values for ever.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from auscult.models.phrases.cases import CASES
from auscult.models.phrases.commands import COMMANDS
from auscult.models.phrases.commissioning import COMMISSIONING
from auscult.models.phrases.dashboard import DASHBOARD
from auscult.models.phrases.decisions import DECISIONS
from auscult.models.phrases.learning import LEARNING
from auscult.models.phrases.machines import MACHINES
from auscult.models.phrases.overall_values import OVERALL_VALUES
from auscult.models.phrases.sources import SOURCES
from auscult.models.phrases.values import VALUES
from auscult.models.phrases.words import WORDS as WORDS

_TOPICS: Final[tuple[Mapping[str, str], ...]] = (
    CASES, DECISIONS, MACHINES, LEARNING, COMMANDS, SOURCES, COMMISSIONING, DASHBOARD,
    VALUES, OVERALL_VALUES,
)  # fmt: skip

PHRASES: Final[Mapping[str, str]] = {
    code: template for topic in _TOPICS for code, template in topic.items()
}
"""English templates by code."""

if len(PHRASES) != sum(map(len, _TOPICS)):
    raise ValueError("a code is in two topics of auscult.models.phrases")
