"""What the pages say: headline, trend, the picture that proves it, and what to do."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from typing import Final

from reportlab.platypus import Flowable

from auscult.app.cases import compose
from auscult.app.cases.measured import VELOCITY
from auscult.app.cases.words import number, text_of, value_of, worded
from auscult.app.reports import figures, pdf, ticks
from auscult.app.reports.charts import ReportChart, drawn
from auscult.app.store import checkpoints, gateways, machines, spectra, spectral_history, trends
from auscult.app.store.connection import Database
from auscult.app.store.freshness import Freshness
from auscult.app.store.trends import TrendRequest
from auscult.app.views import (
    Case,
    CaseDetail,
    CaseEntry,
    Machine,
    Mark,
    MonthFigures,
    Picture,
    Point,
    TrendSeries,
)
from auscult.contract.records import Detectable
from auscult.contract.words import words_in

MOST_CASES: Final = 14
MOST_LINES: Final = 8
MOST_DETECTABLE: Final = 20
BUCKETS: Final = 500
BAND_OF: Final = 50
MULTIPLES: Final = 5.6
"""Multiples of the fault's line that are shown, as on the page."""
"""Healthy spectra that the band is made of."""
WORDS: Final = {
    "plant": ("Plant report", "Anlagenbericht"),
    "machine": ("Machine report", "Maschinenbericht"),
    "to": ("to", "bis"),
    "zone": ("times in {}", "Zeiten in {}"),
    "cases": ("Cases", "Fälle"),
    "more": ("… and {} more", "… und {} weitere"),
    "none": ("No departure from the baseline in this time.",
             "Keine Abweichung von der Referenz in dieser Zeit."),
    "case": ("Case", "Fall"),
    "urgency": ("Urgency", "Dringlichkeit"),
    "who": ("With", "Bei"),
    "open": ("open", "offen"),
    "figures": ("By the month", "Nach Monaten"),
    "account": ("False events: promised and seen", "Fehlalarme: zugesagt und gesehen"),
    "month": ("Month", "Monat"),
    "alarms": ("Alarms", "Alarme"),
    "answered": ("Answered", "Beantwortet"),
    "right": ("Right", "Richtig"),
    "ack": ("Time to acknowledge", "Zeit bis Quittung"),
    "closed": ("Closed", "Abgeschlossen"),
    "avoided": ("Stops avoided", "Stillstand vermieden"),
    "stops": ("Stops", "Stillstand"),
    "trend": ("Trend: {}, {}", "Verlauf: {}, {}"),
    "proof": ("The picture that proves it: {}, {}", "Das Bild, das es zeigt: {}, {}"),
    "spectrum": ("spectrum", "Spektrum"),
    "envelope": ("envelope spectrum", "Hüllkurvenspektrum"),
    "band": ("Black: now. Grey: healthy, the middle 80 % of {} measurements.",
             "Schwarz: jetzt. Grau: gesund, die mittleren 80 % von {} Messungen."),
    "check": ("Check first", "Zuerst prüfen"),
    "source": ("Source: {}", "Quelle: {}"),
    "history": ("What happened", "Was geschah"),
    "made": ("Made by Auscult on {}", "Erstellt von Auscult am {}"),
    "sure": ("{:.0f} % sure of the cause", "{:.0f} % sicher in der Ursache"),
    "opened": ("opened", "eröffnet"), "worse": ("got worse", "schlimmer geworden"),
    "ended": ("ended", "zu Ende"), "acknowledged": ("acknowledged", "quittiert"),
    "answered_": ("answered", "beantwortet"),
    "undone": ("taken back", "zurückgenommen"),
    "taken_back": ("answer taken back", "Antwort zurückgenommen"), "note": ("note", "Notiz"),
    "photo": ("photo", "Foto"), "assigned": ("assigned to", "zugewiesen an"),
    "due": ("due", "fällig"), "handed_over": ("handed over", "übergeben"),
    "order": ("work order", "Auftrag"), "closed_": ("closed", "abgeschlossen"),
    "reopened": ("opened again", "wieder geöffnet"), "notified": ("notified", "benachrichtigt"),
    "sensors": ("What this machine's sensors would show",
                "Was die Sensoren dieser Maschine zeigen würden"),
    "least": ("Least change that would be found", "Kleinste Änderung, die gefunden würde"),
    "in_day": ("in a day", "in einem Tag"),
    "in_week": ("a week", "einer Woche"),
    "in_month": ("a month", "einem Monat"),
    "step": ("step", "Sprung"),
    "drift": ("steady drift", "stetige Änderung"),
    "lost": ("its gateway no longer has it", "das Gateway kennt es nicht mehr"),
}  # fmt: skip


class Pages:
    """Makes the pages of a period in a language.

    Parameters
    ----------
    db : Database
    freshness : Freshness
    now : datetime
        In the plant's time zone.
    language : str
        ``en`` or ``de``.
    """

    def __init__(self, db: Database, freshness: Freshness, now: datetime, language: str) -> None:
        self._db = db
        self._freshness = freshness
        self._now = now
        self._language = language

    def plant(self, since_ms: int, until_ms: int) -> bytes:
        """Return the page of the plant."""
        listed = compose.view_active(self._db, self._freshness)
        cases = compose.view_between(self._db, self._freshness, since_ms, until_ms)
        status = listed.status
        details = ", ".join(worded(clause, self._language) for clause in status.details)
        parts = [
            *self._head(
                self._word("plant"), worded(status.said, self._language), since_ms, until_ms
            ),
            pdf.paragraph(details),
            pdf.paragraph(self._word("cases"), pdf.PART),
            *self._case_table(cases),
            pdf.paragraph(self._word("figures"), pdf.PART),
            self._figure_table(figures.by_month(self._db, self._now, 6).months),
            *self._accounts(),
        ]
        return pdf.one_page(self._word("plant"), parts, self._footer())

    def _accounts(self) -> list[Flowable]:
        """Return what the machines of each gateway promise of false events, and what was seen."""
        lines = []
        for one in gateways.view_all(self._db, self._freshness):
            if one.account is not None:
                said = (one.account.said, one.account.widened)
                text = ". ".join(worded(part, self._language) for part in said if part)
                lines.append(pdf.paragraph(f"{one.gateway}: {text}."))
        if not lines:
            return []
        rest = self._word("more").format(len(lines) - MOST_LINES)
        more = [pdf.paragraph(rest, pdf.NOTE)] if len(lines) > MOST_LINES else []
        return [pdf.paragraph(self._word("account"), pdf.PART), *lines[:MOST_LINES], *more]

    def machine(self, identity: str, since_ms: int, until_ms: int) -> bytes | None:
        """Return the page of a machine, None if it is unknown."""
        machine = machines.view(self._db, self._freshness, identity)
        if machine is None:
            return None
        cases = [
            case
            for case in compose.view_between(self._db, self._freshness, since_ms, until_ms)
            if case.machine_id == identity
        ]
        case = compose.view_detail(self._db, self._freshness, cases[0].id) if cases else None
        headline = worded(case.headline, self._language) if case else self._word("none")
        place = ", ".join(part for part in (machine.name, machine.area) if part)
        title = f"{self._word('machine')}: {place}"
        parts = [*self._head(title, headline, since_ms, until_ms)]
        if case is not None:
            parts.append(pdf.paragraph(self._summary(case)))
        parts += self._trend(machine, case, since_ms, until_ms)
        if case is not None:
            parts += [*self._proof(case), *self._check(case), *self._history(case)]
        else:
            parts += self._detectable(machine)
        return pdf.one_page(title, parts, self._footer())

    def _word(self, key: str) -> str:
        return WORDS[key][self._language == "de"]

    def _head(self, title: str, headline: str, since_ms: int, until_ms: int) -> list[Flowable]:
        zone = self._now.tzinfo
        span = f"{pdf.day(since_ms, zone)} {self._word('to')} {pdf.day(until_ms - 1, zone)}"
        times = self._word("zone").format(zone)
        return [
            pdf.paragraph(f"{title}, {span}, {times}", pdf.NOTE),
            pdf.paragraph(headline, pdf.HEAD),
        ]

    def _footer(self) -> str:
        return self._word("made").format(self._now.strftime("%Y-%m-%d %H:%M %Z"))

    def _summary(self, case: Case) -> str:
        parts = [worded(case.urgency.said, self._language)]
        if case.measured is not None:
            parts.insert(0, value_of(case.measured, self._language))
        if case.confidence is not None:
            parts.append(self._word("sure").format(100 * case.confidence))
        zone = case.urgency.zone
        if zone is not None and not case.urgency.said.code.startswith("urgency_zone"):
            parts.append(f"Zone {zone.zone}, {self._number(zone.value, '.1f')} mm/s")
        return ". ".join(parts) + "."

    def _case_table(self, cases: Sequence[Case]) -> list[Flowable]:
        if not cases:
            return [pdf.paragraph(self._word("none"))]
        rows = [[self._word("case"), self._word("urgency"), self._word("who")]]
        for case in cases[:MOST_CASES]:
            head = f"{case.machine_name}: {worded(case.headline, self._language)}"
            who = case.assignee or case.acknowledged_by or case.closed_by or "–"
            rows.append([head, worded(case.urgency.said, self._language), who])
        made: list[Flowable] = [pdf.table(rows, (0.48, 0.37, 0.15))]
        if len(cases) > MOST_CASES:
            made.append(pdf.paragraph(self._word("more").format(len(cases) - MOST_CASES), pdf.NOTE))
        return made

    def _figure_table(self, months: Sequence[MonthFigures]) -> Flowable:
        head = (
            "month",
            "alarms",
            "cases",
            "closed",
            "answered",
            "right",
            "ack",
            "avoided",
            "stops",
        )
        rows = [[self._word(key) for key in head]]
        for m in months:
            right = "–" if m.right_share is None else f"{100 * m.right_share:.0f} %"
            ack = "–" if m.median_acknowledge_s is None else self._duration(m.median_acknowledge_s)
            counts = [str(n) for n in (m.alarms, m.cases, m.cases_closed, m.answered)]
            stops = [
                f"{one.hours:.0f} h" if one.cases else "–" for one in (m.stops_avoided, m.stops)
            ]
            rows.append([m.month, *counts, right, ack, *stops])
        return pdf.table(rows, (0.1, 0.09, 0.08, 0.13, 0.13, 0.1, 0.11, 0.14, 0.12))

    def _trend(
        self, machine: Machine, case: CaseDetail | None, since_ms: int, until_ms: int
    ) -> list[Flowable]:
        picture = case.picture if case else None
        points = machines.view_points(self._db, self._freshness, machine.id)
        point = picture.point if picture else points[0].point if points else None
        if point is None:
            return []
        for feature in (picture.feature if picture else None, VELOCITY, "rms"):
            wanted = feature and TrendRequest(
                machine.id, point, since_ms, until_ms, BUCKETS, (feature,)
            )
            found = trends.view(self._db, wanted) if wanted else None
            if found is not None and found.series and len(found.t_ms) > 1:
                break
        else:
            return []
        series = found.series[0]
        values = [float("nan") if value is None else value for value in series.maximum]
        name = next((p.name for p in points if p.point == point), point)
        zone = self._now.tzinfo
        marks = [(float(case.opened_ms), pdf.day(case.opened_ms, zone, clock=True))] if case else []
        x = [float(t) for t in found.t_ms]
        chart = ReportChart(
            x, values, series.unit, ticks.of_time(x[0], x[-1], zone), self._plain, marks=marks
        )
        title = self._word("trend").format(self._feature(series, case), name)
        return [pdf.paragraph(title, pdf.PART), drawn(chart, pdf.WIDTH, 120)]

    def _detectable(self, machine: Machine) -> list[Flowable]:
        """Return the table of what would be found, for a machine without a case."""
        found = checkpoints.detectable(self._db, machine.id)
        if not found:
            return []
        points = machines.view_points(self._db, self._freshness, machine.id)
        known = {point.point: point for point in points}
        heads = [self._word(key) for key in ("least", "in_day", "in_week", "in_month")]
        rows = [heads]
        for one in found[:MOST_DETECTABLE]:
            sizes = [self._size(size, one.unit) for size in (one.day, one.week, one.month)]
            point = known.get(one.point)
            name = point.name if point else one.point
            rows.append([f"{name}: {self._change(one, point)}", *sizes])
        return [
            pdf.paragraph(self._word("sensors"), pdf.PART),
            pdf.table(rows, (0.46, 0.18, 0.18, 0.18)),
        ]

    def _change(self, one: Detectable, point: Point | None) -> str:
        words = words_in(self._language)
        if one.change not in ("step", "drift"):
            return ", ".join(part for part in (words.word(one.change), one.name) if part)
        level = point.levels.get(one.name) if point else None  # a factor has no unit
        unit = level.unit if level else one.unit
        title = one.name.removesuffix(f"_{unit.replace('/', '_')}").replace("_", " ")
        return f"{words.feature(title, one.name, unit)}, {self._word(one.change)}"

    def _size(self, size: float | None, unit: str) -> str:
        if size is None:
            return "–"
        value = self._number(size)
        return f"× {value}" if unit == "×" else f"{value} {unit}"

    def _feature(self, series: TrendSeries, case: CaseDetail | None) -> str:
        moved = (m for group in (case.points if case else ()) for m in group.moved)
        titles = (m.title for m in moved if m.feature == series.feature)
        title = next(titles, series.feature.replace("_", " "))
        if self._language == "en" and series.feature == VELOCITY:
            return "vibration velocity, r.m.s."
        return words_in(self._language).feature(title, series.feature, series.unit)

    def _proof(self, case: CaseDetail) -> list[Flowable]:
        picture = case.picture
        shown = (
            spectra.view(self._db, picture.spectrum_id) if picture and picture.spectrum_id else None
        )
        if picture is None or shown is None or len(shown.values) < 2:
            return []
        band = spectral_history.band(
            self._db, case.machine_id, picture.point, picture.kind, BAND_OF, shown.id
        )
        until_hz = MULTIPLES * (picture.line_hz or math.inf)
        x = [shown.f0_hz + i * shown.df_hz for i in range(len(shown.values))]
        x = [at for at in x if at <= until_hz]
        n = len(x)
        alike = len(band.high) == len(shown.values)
        healthy = (band.low[:n], band.high[:n]) if alike else None
        named = [(at, f"{self._number(at)} Hz") for at in ticks.of_numbers(x[0], x[-1])]
        values = shown.values[:n]
        chart = ReportChart(
            x, values, shown.unit, named, self._plain, healthy, self._marks(picture)
        )
        title = self._word("proof").format(self._word(picture.kind), case.location.point_name)
        made: list[Flowable] = [
            pdf.paragraph(title, pdf.PART),
            pdf.paragraph(worded(picture.said, self._language) + "."),
            drawn(chart, pdf.WIDTH, 130),
        ]
        if healthy is not None:
            made.append(pdf.paragraph(self._word("band").format(band.spectra), pdf.NOTE))
        return made

    def _check(self, case: CaseDetail) -> list[Flowable]:
        check = case.check_first
        if check is None:
            return []
        made = [pdf.paragraph(self._word("check"), pdf.PART)]
        if check.action is not None:
            made.append(pdf.paragraph(text_of(check.action, self._language), pdf.STRONG))
        for step in check.steps:
            detail = f": {text_of(step.detail, self._language)}" if step.detail else ""
            made.append(pdf.paragraph(f"– {text_of(step.text, self._language)}{detail}"))
        if check.source:
            made.append(pdf.paragraph(self._word("source").format(check.source), pdf.NOTE))
        return made

    def _history(self, case: CaseDetail) -> list[Flowable]:
        lines = [pdf.paragraph(self._line(entry)) for entry in case.history[:MOST_LINES]]
        return [pdf.paragraph(self._word("history"), pdf.PART), *lines]

    def _line(self, entry: CaseEntry) -> str:
        key = f"{entry.kind}_" if entry.kind in ("answered", "closed") else entry.kind
        where = f"[{self._mark(entry.mark)}]" if entry.mark else ""
        what = " ".join(part for part in (self._word(key), where, entry.text) if part)
        by = f" ({entry.actor})" if entry.actor else ""
        if entry.undone:
            by += f", {self._word('undone')} ({entry.undone_by})"
        return f"{pdf.day(entry.at_ms, self._now.tzinfo, clock=True)}  {what}{by}"

    def _mark(self, mark: Mark) -> str:
        at = f"{self._number(mark.hz)} Hz" if mark.hz else ""
        when = pdf.day(mark.at_ms, self._now.tzinfo, clock=True)
        return ", ".join(part for part in (mark.point, at, when) if part)

    def _marks(self, picture: Picture) -> list[tuple[float, str]]:
        if picture.line_hz is None:
            return []
        first = f"{self._number(picture.line_hz, '.1f')} Hz"
        return [(n * picture.line_hz, f"{n}×" if n > 1 else first) for n in range(1, 6)]

    def _duration(self, seconds: float) -> str:
        """Return a time in minutes, hours or days."""
        if seconds < 5400:
            return f"{seconds / 60:.0f} min"
        hours = seconds / 3600
        amount, unit = (hours, "h") if hours < 48 else (hours / 24, "d")
        return f"{self._number(amount, '.1f')} {unit}"

    def _number(self, value: float, form: str = "g") -> str:
        return number(f"{value:{form}}", self._language)

    def _plain(self, value: float) -> str:
        return number(ticks.plain(value), self._language)
