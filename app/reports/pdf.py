"""The pages as PDF (reportlab): one page for the plant, one for a machine."""

from __future__ import annotations

import io
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final
from xml.sax.saxutils import escape

from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.platypus import (
    Flowable,
    KeepInFrame,
    PageBreak,
    Paragraph,
    SimpleDocTemplate,
    Spacer,
    Table,
    TableStyle,
)

from auscult.app.reports.charts import GRID, INK, MUTED

MARGIN: Final = 16 * mm
PADDING: Final = 6.0
"""Of a frame of the page, on each side."""
WIDTH: Final = A4[0] - 2 * MARGIN - 2 * PADDING
HEIGHT: Final = A4[1] - 2 * MARGIN - 6 * mm
BODY: Final = ParagraphStyle("body", fontName="Helvetica", fontSize=9, leading=12, textColor=INK)
HEAD: Final = ParagraphStyle("head", BODY, fontName="Helvetica-Bold", fontSize=17, leading=21)
PART: Final = ParagraphStyle("part", BODY, fontName="Helvetica-Bold", fontSize=11, leading=14,
                             spaceBefore=7, spaceAfter=3)  # fmt: skip
NOTE: Final = ParagraphStyle("note", BODY, fontSize=8, leading=10, textColor=MUTED)
STRONG: Final = ParagraphStyle("strong", BODY, fontName="Helvetica-Bold")


def paragraph(text: str, style: ParagraphStyle = BODY) -> Paragraph:
    """Return a paragraph of plain text: markup in names has no effect."""
    return Paragraph(escape(_printable(text)), style)


def table(rows: Sequence[Sequence[str]], widths: Sequence[float]) -> Table:
    """Return a table whose first row is its head; ``widths`` are shares of the page."""
    cells = [
        [paragraph(cell, STRONG if i == 0 else BODY) for cell in row] for i, row in enumerate(rows)
    ]
    made = Table(cells, colWidths=[WIDTH * share for share in widths], repeatRows=1, hAlign="LEFT")
    made.setStyle(
        TableStyle(
            [
                ("LINEBELOW", (0, 0), (-1, -1), 0.4, GRID),
                ("VALIGN", (0, 0), (-1, -1), "TOP"),
                ("LEFTPADDING", (0, 0), (-1, -1), 0),
                ("TOPPADDING", (0, 0), (-1, -1), 2),
                ("BOTTOMPADDING", (0, 0), (-1, -1), 2),
                ("BACKGROUND", (0, 0), (-1, 0), HexColor("#f2f4f5")),
            ]
        )
    )
    return made


def one_page(title: str, parts: Sequence[Flowable], footer: str) -> bytes:
    """Return a PDF of one A4 page; what is too long is made smaller."""
    return pages(title, [parts], footer)


def pages(title: str, parts: Sequence[Sequence[Flowable]], footer: str) -> bytes:
    """Return a PDF of A4 pages; what is too long for its page is made smaller."""
    target = io.BytesIO()
    document = SimpleDocTemplate(
        target, pagesize=A4, leftMargin=MARGIN, rightMargin=MARGIN, topMargin=MARGIN,
        bottomMargin=MARGIN, title=_printable(title), author="Auscult",
    )  # fmt: skip

    def foot(canvas: Any, _document: Any) -> None:
        canvas.setFont("Helvetica", 7)
        canvas.setFillColor(MUTED)
        canvas.drawString(MARGIN + PADDING, MARGIN - 5 * mm, _printable(footer))

    frames: list[Flowable] = []
    for page in parts:
        frames += [KeepInFrame(WIDTH, HEIGHT, list(page), mode="shrink"), PageBreak()]
    document.build(frames, onFirstPage=foot, onLaterPages=foot)
    return target.getvalue()


def gap() -> Spacer:
    """Return an empty space."""
    return Spacer(1, 2 * mm)


def day(at_ms: float, zone: Any, clock: bool = False) -> str:
    """Return a time in the plant's zone."""
    form = "%Y-%m-%d %H:%M" if clock else "%Y-%m-%d"
    return datetime.fromtimestamp(at_ms / 1000, zone).strftime(form)


def _printable(text: str) -> str:
    """Replace characters that the page's built-in font does not have."""
    return text.encode("cp1252", "replace").decode("cp1252")
