"""The registers of the Modbus server, from the register map."""

from __future__ import annotations

from auscult.gateway.outputs.modbus.registers import (
    FAULT_CODES,
    GATEWAY,
    HEAD,
    MACHINE,
    OTHER_FAULT,
    POINT,
    ServedRegister,
)

TITLE = "# Modbus registers"
INTRODUCTION = "[Modbus TCP](modbus.md) explains types, qualities and addresses."
TOP = ["| offset | type | tag | unit | what |", "|---|---|---|---|---|"]


def _what(r: ServedRegister) -> str:
    of = "quality of " if r.quality else "time of " if r.stamp else ""
    return f"| {r.offset} | {r.kind} | {of}`{r.tag}` | {r.unit} | {r.what} |"


def _rows(registers: tuple[ServedRegister, ...]) -> list[str]:
    return [_what(r) for r in sorted(registers, key=lambda r: r.offset)]


def page() -> str:
    """Return the page."""
    head = [f"| {i} | {kind} | {name} |  | {what} |" for i, (name, kind, what) in enumerate(HEAD)]
    codes = ", ".join(f"{i} {word}" for i, word in enumerate(FAULT_CODES) if word)
    return "\n".join(
        [
            TITLE, "", INTRODUCTION, "", "**Gateway**, from register 0", "",
            *TOP, *head, *_rows(GATEWAY), "",
            "**Each machine**, from register 100 + 40 × its place (counted from 0)", "", *TOP,
            *_rows(MACHINE), "",
            "**Each point**, from register 20000 + 40 × its place among all points", "", *TOP,
            *_rows(POINT), "",
            f"Codes of a fault: 0 none named, {codes}, {OTHER_FAULT} another.", "",
        ]
    )  # fmt: skip


def files() -> dict[str, str]:
    """Return the page by its path."""
    return {"docs/integrations/modbus-registers.md": page()}
