"""Reports that are sent every week: which are due, and their pages."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final

from auscult.app.cases import compose
from auscult.app.cases.words import worded
from auscult.app.notify.sending import SendError
from auscult.app.notify.transport import Attachment
from auscult.app.store.connection import Database
from auscult.app.store.freshness import Freshness
from auscult.app.store.notifications import NewDelivery
from auscult.app.store.scope import SomeSites
from auscult.app.views import ReportSchedule

WEEK_MS: Final = 7 * 86_400_000


def due(
    db: Database,
    freshness: Freshness,
    schedules: Iterable[ReportSchedule],
    now: datetime,
    page: str,
    *,
    at_once: str = "",
) -> list[NewDelivery]:
    """Return the messages of reports that are due, each once a week; ``at_once`` names one sending.

    A schedule that was made after its time of the day begins next week.
    """
    made = []
    for one in schedules:
        hour, minute = map(int, one.at.split(":"))
        time = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
        began_ms = int(time.timestamp() * 1000)
        if not at_once:
            today = now.weekday() == one.weekday and now >= time
            if not one.enabled or not today or began_ms < one.changed_ms:
                continue
        from auscult.app.reports.pages import WORDS  # loads what writes PDF

        week = at_once or "{}-{}".format(*time.isocalendar())
        until_ms = int(now.timestamp() * 1000) + 1 if at_once else began_ms
        span = {"since_ms": until_ms - WEEK_MS, "until_ms": until_ms}
        extra = {**span, "machine_id": one.machine_id, "site": one.site, "language": one.language}
        status = compose.view_active(_of_site(db, one.site), freshness).status
        lines = [worded(said, one.language) for said in (status.said, *status.details)]
        title = WORDS["machine" if one.machine_id else "plant"][one.language == "de"]
        made += [
            NewDelivery(
                key=f"report:{one.id}:{week}:{channel}",
                reason="report",
                channel_id=channel,
                subject=f"Auscult: {title}, {one.name}",
                body="\n".join([*lines, "", page] if page else lines),
                extra=json.dumps(extra),
            )
            for channel in dict.fromkeys(one.channels)
        ]
    return made


def attachment(
    db: Database, freshness: Freshness, row: dict[str, Any], now: datetime
) -> Attachment:
    """Return the page that a message carries.

    Raises
    ------
    SendError
        If its machine is gone.
    """
    from auscult.app.reports.pages import Pages

    extra = json.loads(row["extra"])
    pages = Pages(_of_site(db, extra.get("site")), freshness, now, extra["language"])
    if extra["machine_id"] is None:
        content: bytes | None = pages.plant(extra["since_ms"], extra["until_ms"])
    else:
        content = pages.machine(extra["machine_id"], extra["since_ms"], extra["until_ms"])
    if content is None:
        raise SendError("the machine of this report is gone")
    return Attachment(f"auscult-{now:%Y-%m-%d}.pdf", content, "application/pdf")


def _of_site(db: Database, site: str | None) -> Database:
    return db if site is None else SomeSites(db, {site})
