"""Who must look at what first: the attention a case needs, and the plant's sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Final

from auscult.app.store.cases import JOIN_MS
from auscult.app.views import Attention, Case, CaseState, Gateway, Machine, PlantStatus
from auscult.contract.said import Said


def state_of(row: dict[str, Any], now_ms: int, unrepaired: bool) -> CaseState:
    """Return a case's state: closed once nothing is open or waits, by people or after a day.

    A fault that was confirmed and not repaired is closed by people only.
    """
    if row["open_events"]:
        return "open"
    if row["unacknowledged"]:
        return "over"
    quiet = row["last_ms"] <= now_ms - JOIN_MS and not unrepaired
    return "closed" if row["closed_ms"] or quiet else "over"


def attention_of(
    row: dict[str, Any], state: CaseState, suppressed: bool, unrepaired: bool
) -> Attention:
    """Return whether a case needs someone; an unrepaired fault keeps it from closing."""
    if state == "closed" and not unrepaired:
        return "closed"
    if suppressed:
        return "shelved"
    if state == "closed":
        return "in_hand"
    return "needs_someone" if row["unacknowledged"] else "in_hand"


def in_order(cases: Iterable[Case]) -> list[Case]:
    """Sort by attention, then rank, then age."""
    return sorted(cases, key=lambda case: case.sort_key)


def status_of(
    cases: Sequence[Case], machines: Sequence[Machine], gateways: Sequence[Gateway]
) -> PlantStatus:
    """Return the state of the plant in one sentence that holds for every machine.

    A machine counts where its first case lists it, without a case where its own state does, or the
    case of what keeps it from being assessed. One that cannot be assessed needs someone, too.
    """
    ordered = in_order(cases)
    first = {case.machine_id: case for case in reversed(ordered)}
    cause = {m.id: case for case in reversed(ordered) for m in case.machines}
    found = Counter(_listed(m, first.get(m.id), cause.get(m.id)) for m in machines)
    counts = {
        "machines": len(machines),
        "needs_someone": found["needs_someone"] + found["cannot_assess"],
        "in_hand": found["in_hand"],
        "shelved": found["shelved"],
        "cannot_assess": found["cannot_assess"],
        "learning": found["learning"],
        "at_rest": found["at_rest"],
        "awaiting_approval": sum(m.awaiting_approval for m in machines),
        "quiet": found["quiet"],
        "unacknowledged": sum(c.unacknowledged for c in cases),
        "gateways_offline": sum(g.state == "offline" or g.stale for g in gateways),
    }
    said, details = _sentences(counts)
    return PlantStatus(said=said, text=said.text, details=details, **counts)


def _listed(machine: Machine, own: Case | None, cause: Case | None) -> str:
    """Return where a machine counts: its own case says it, else its state or what blinds it.

    A baseline that waits for approval needs someone whatever became of the case.
    """
    if own is not None:
        return "needs_someone" if _asks_approval(machine) else own.attention
    blind = machine.need == "cannot_assess" and cause is not None
    return cause.attention if blind and cause else machine.need


def _asks_approval(machine: Machine) -> bool:
    return machine.awaiting_approval and machine.need == "needs_someone"


CLAUSES: Final = (
    ("needs_someone", "status_needs"),
    ("in_hand", "status_in_hand"),
    ("cannot_assess", "status_cannot_assess"),
    ("awaiting_approval", "status_awaiting"),
    ("learning", "status_learning"),
    ("at_rest", "status_at_rest"),
    ("quiet", "status_quiet"),
    ("shelved", "status_shelved"),
    ("gateways_offline", "status_gateways"),
)
"""What the sentence names first."""


def _sentences(counts: dict[str, int]) -> tuple[Said, list[Said]]:
    if not counts["machines"]:
        return Said("status_no_machines"), []
    clauses = [Said(code, {"count": counts[key]}) for key, code in CLAUSES if counts[key]]
    if counts["quiet"] == counts["machines"]:
        said = Said("status_all_quiet", {"count": counts["machines"]})
        return said, [c for c in clauses if c.code != "status_quiet"]
    return (clauses[0], clauses[1:]) if clauses else (Said("status_no_machines"), [])
