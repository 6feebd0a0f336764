"""One trial of a damaged store: what it gave back is compared with what was put in."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from auscult.app.store.connection import StoreOpenError, StoreUnavailableError
from auscult.errors import InputError
from auscult.gateway.storage.store import StoreError
from auscult.models.network.errors import ModelError
from lab.campaign.outcome import Outcome

Items = dict[str, object]
"""What a store holds, by a name of each item."""


class Versions(list[object]):
    """An item's versions, newest last: where a newer one is damaged, an older one is right."""


@dataclass
class Seen:
    """What a damaged store gave back."""

    items: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Name and content of each item, and how often it came."""
    reported: bool = False

    def add(self, name: str, content: object) -> None:
        self.items[name, repr(content)] += 1


class Reports(logging.Handler):
    """Notes whether anything was reported at level warning or above."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


def compare(outcome: Outcome, truth: Items, seen: Seen) -> None:
    """Count what was doubled or wrong, and what was lost without a report."""
    expected = {
        (name, repr(one))
        for name, content in truth.items()
        for one in (
            (content if seen.reported else content[-1:])
            if isinstance(content, Versions)
            else [content]
        )
    }
    names = Counter(name for name, _ in seen.items.elements())
    wrong = {name for name, _ in set(seen.items) - expected}
    outcome.wrong += len(wrong)
    outcome.wrong_reported += len(wrong) if seen.reported else 0
    outcome.doubled += sum(count > 1 for count in names.values())
    if not seen.reported:
        outcome.lost += len(set(truth) - set(names))
    outcome.reported += seen.reported


def trial(
    outcome: Outcome, folder: Path, truth: Items, read: Callable[[Path, Seen], None], name: str
) -> None:
    """Read one damaged copy and compare it with the truth."""
    outcome.trials += 1
    seen, reports = Seen(), Reports()
    logger = logging.getLogger("auscult")
    logger.addHandler(reports)
    try:
        read(folder, seen)
    except (StoreError, StoreOpenError, StoreUnavailableError, ModelError, InputError):
        seen.reported = True
    except Exception as error:
        outcome.failures.append(f"{name}: {type(error).__name__}: {error}"[:200])
        return
    finally:
        logger.removeHandler(reports)
    seen.reported = seen.reported or bool(reports.lines)
    compare(outcome, truth, seen)
