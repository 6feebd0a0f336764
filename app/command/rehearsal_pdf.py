"""The report of a rehearsal as two pages PDF: what it would have meant, then the lists."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np
from reportlab.platypus import Flowable

from auscult.app.cases.words import number
from auscult.app.reports import pdf, ticks
from auscult.app.reports.charts import ReportChart, drawn
from auscult.contract.times import NS_PER_MS, WEEK_NS
from auscult.gateway.evaluate.rehearsal import (
    MOST_LINES,
    WORDS,
    RehearsedMachine,
    ReportSection,
    sections,
)

CASES = (0.16, 0.17, 0.07, 0.1, 0.5)


def two_pages(name: str, machines: Sequence[RehearsedMachine], language: str) -> bytes:
    """Return the report as PDF in a language, ``en`` or ``de``."""
    head, *tables, most, cases = sections(name, machines, language)
    first = [pdf.paragraph(head.title, pdf.HEAD), *map(pdf.paragraph, head.notes)]
    for section in tables:
        first += _table(section, language)
    first += _weeks(machines, language)
    second = [*_table(most, language), *_table(cases, language, CASES)]
    made = WORDS["footer"][language == "de"].format(f"{datetime.now(UTC):%Y-%m-%d}")
    return pdf.pages(head.title, [first, second], made)


def _table(section: ReportSection, language: str, widths: Sequence[float] = ()) -> list[Flowable]:
    columns = len(section.head)
    widths = widths or [1 / columns] * columns
    table = pdf.table([section.head, *section.rows[:MOST_LINES]], widths)
    notes = list(section.notes)
    if (left := len(section.rows) - MOST_LINES) > 0:
        notes.insert(0, WORDS["more"][language == "de"].format(left))
    small = [pdf.paragraph(note, pdf.NOTE) for note in notes]
    return [pdf.paragraph(section.title, pdf.PART), table, *small]


def _weeks(machines: Sequence[RehearsedMachine], language: str) -> list[Flowable]:
    """Draw how many cases began in each week at the first budget, with the known breakdowns."""
    budget = machines[0].cases[0][0]
    first, last = min(m.from_ns for m in machines), max(m.to_ns for m in machines)
    weeks = max(1, -(-(last - first) // WEEK_NS))
    starts = [(case.from_ns - first) // WEEK_NS for m in machines for case in m.of(budget)]
    counts = np.bincount(np.minimum(np.array(starts, int), weeks - 1), minlength=weeks)
    edges = (first + np.arange(weeks + 1) * WEEK_NS) / NS_PER_MS
    chart = ReportChart(
        np.repeat(edges, 2)[1:-1].tolist(),
        np.repeat(counts, 2).tolist(),
        "",
        ticks.of_time(edges[0], edges[-1], UTC),
        lambda value: number(f"{value:g}", language),
        marks=[(known.from_ns / NS_PER_MS, known.what) for m in machines for known in m.known],
    )
    title = WORDS["weekly"][language == "de"].format(number(f"{budget:g}", language))
    return [pdf.paragraph(title, pdf.PART), drawn(chart, pdf.WIDTH, 130)]
