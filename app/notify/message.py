"""The text of a message: headline, machine, urgency, what to check, and the way to the page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from auscult.app.cases.words import text_of, value_of, worded
from auscult.app.views import Case, PlantStatus, Prescription

MOST_STEPS: Final = 3
MOST_CASES: Final = 20
MOST_MACHINES: Final = 10
WORDS: Final = {
    "opened": ("", ""),
    "worse": ("Worse: ", "Schlimmer: "),
    "again": ("Again: ", "Wieder: "),
    "escalated": ("Still unacknowledged: ", "Noch nicht quittiert: "),
    "since": ("since", "seit"),
    "urgency": ("Urgency", "Dringlichkeit"),
    "check": ("Check first", "Zuerst prüfen"),
    "sure": ("sure", "sicher"),
    "times": ("times", "mal"),
    "together": (
        "{} machines of {}, probably one cause",
        "{} Maschinen von {}, vermutlich eine Ursache",
    ),
    "urgent": ("Most urgent", "Am dringendsten"),
    "more": ("… and {} more", "… und {} weitere"),
    "test": ("Auscult test message", "Auscult-Testnachricht"),
    "test_body": (
        "This way works. Messages about machines come by it.",
        "Dieser Weg funktioniert. Nachrichten über Maschinen kommen hierher.",
    ),
}


def word(key: str, language: str) -> str:
    """Return a word of `WORDS`."""
    return WORDS[key][language == "de"]


def about_case(
    case: Case, check: Prescription | None, reason: str, language: str, now: datetime, page: str
) -> tuple[str, str]:
    """Return subject and body of a message about a case."""
    head = worded(case.headline, language)
    subject = f"{word(reason, language)}{case.machine_name}: {head}"
    opened = datetime.fromtimestamp(case.opened_ms / 1000, now.tzinfo)
    lines = [
        head,
        ", ".join(part for part in (case.machine_name, case.area) if part),
        *([_machines(case, language)] if len(case.machines) > 1 else []),
        f"{_severity(case, language)}, {word('since', language)} {opened:%Y-%m-%d %H:%M %Z}"
        + (f", {case.repeats.times} {word('times', language)}" if case.repeats.times > 1 else ""),
        f"{word('urgency', language)}: {worded(case.urgency.said, language)}",
    ]
    if case.measured is not None:
        lines.insert(1, value_of(case.measured, language))
    if case.confidence is not None:
        lines[0] += f" ({100 * case.confidence:.0f} % {word('sure', language)})"
    if check is not None:
        lines += ["", f"{word('check', language)}:"]
        if check.action is not None:
            lines.append(text_of(check.action, language))
        lines += [f"- {text_of(step.text, language)}" for step in check.steps[:MOST_STEPS]]
    if page:
        lines += ["", f"{page}/cases/{case.id}"]
    return subject, "\n".join(lines)


def about_several(
    case: Case, together: Sequence[Case], text: tuple[str, str], reason: str, language: str
) -> tuple[str, str]:
    """Return subject and body about the cases of a common cause; `text` is about the first of them.

    Without a common cause it is returned as it is.
    """
    if case.common is None or len(together) < 2:
        return text
    place = case.common.area or case.common.gateway
    title = word("together", language).format(len(together), place)
    lines = [
        f"- {one.machine_name}: {_severity(one, language)}, {worded(one.headline, language)}"
        for one in together[:MOST_CASES]
    ]
    if len(together) > MOST_CASES:
        lines.append(word("more", language).format(len(together) - MOST_CASES))
    body = "\n".join([title, *lines, "", f"{word('urgent', language)}:", text[1]])
    return f"{word(reason, language)}{title}", body


def _machines(case: Case, language: str) -> str:
    """Return the machines of a common cause, the first ones by name."""
    named = ", ".join(one.name for one in case.machines[:MOST_MACHINES])
    further = len(case.machines) - MOST_MACHINES
    return f"{named} {word('more', language).format(further)}" if further > 0 else named


def digest(status: PlantStatus, cases: Sequence[Case], language: str, page: str) -> tuple[str, str]:
    """Return subject and body of the message of the day."""
    subject = worded(status.said, language)
    details = [worded(clause, language) for clause in status.details]
    lines = [subject, *details, ""]
    lines += [
        f"- {case.machine_name}: {worded(case.headline, language)}. "
        f"{worded(case.urgency.said, language)}"
        for case in cases[:MOST_CASES]
    ]
    if len(cases) > MOST_CASES:
        lines.append(word("more", language).format(len(cases) - MOST_CASES))
    if page:
        lines += ["", page]
    return f"Auscult: {subject}", "\n".join(lines)


def _severity(case: Case, language: str) -> str:
    german = {"alarm": "Alarm", "warning": "Warnung"}
    english = {"alarm": "Alarm", "warning": "Warning"}
    named = (german if language == "de" else english).get(case.peak_condition)
    return named or worded(case.status, language)
