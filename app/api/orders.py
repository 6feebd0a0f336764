"""Work orders: the maintenance systems, an order for a case, and its status back."""

from __future__ import annotations

import json
import uuid
from datetime import datetime
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import APIRouter, Path, Response
from pydantic import Field

from auscult.app.api.inputs import ID_LENGTH, ActingBody, Identity, Reader, Running
from auscult.app.api.problems import ProblemError, documented, not_found
from auscult.app.api.rights import EngineerOfAll, Technician, acting
from auscult.app.cases import compose
from auscult.app.dashboard import Dashboard
from auscult.app.notify.orders import shipped
from auscult.app.people.sessions import Person
from auscult.app.store import cases, notifications, orders
from auscult.app.store.cases import NewEntry
from auscult.app.store.connection import WritableDatabase
from auscult.app.store.notifications import NewDelivery
from auscult.app.store.orders import StoredSystem
from auscult.app.store.received import Change
from auscult.app.views import (
    Case,
    OrderPriority,
    OrderState,
    OrderSystem,
    OrderSystemBody,
    OrderSystemList,
    OrderTemplateList,
    WorkOrder,
)
from auscult.contract.message import MAX_TIME_MS, now_ms
from auscult.contract.requests import Note

router = APIRouter(tags=["orders"])

Headers = Annotated[
    dict[
        Annotated[str, Field(pattern=r"^[A-Za-z0-9\-]{1,64}$")],
        Annotated[str, Field(max_length=1000, pattern=r"^[^\r\n]*$")],
    ],
    Field(max_length=10, description="With the credentials; no answer holds them"),
]


class SystemRequest(OrderSystemBody, ActingBody):
    """A maintenance system; without `secrets` a stored one keeps its own."""

    url: Annotated[
        str,
        Field(
            pattern=r"^https?://[^\s@?#]+$",
            max_length=300,
            description="Without a query: credentials belong into `secrets`",
        ),
    ]
    secrets: Headers | None = None


class NewOrder(ActingBody):
    """Ask a maintenance system for work on a case."""

    system_id: str = Field(max_length=64)
    text: Note = ""
    priority: OrderPriority = "medium"
    due_ms: int | None = Field(default=None, ge=0, lt=MAX_TIME_MS)


class OrderStatus(ActingBody):
    """What became of an order, as the maintenance system reports it."""

    state: OrderState
    number: str | None = Field(default=None, max_length=64)
    url: str | None = Field(default=None, max_length=300, pattern=r"^https?://\S+$")
    reason: str = Field(default="", max_length=500)


@router.get("/order-templates", summary="How known systems take a work order")
def list_order_templates() -> OrderTemplateList:
    """Return the shipped templates, to start from."""
    return OrderTemplateList(items=list(shipped()))


@router.get("/order-systems", summary="The maintenance systems")
def list_order_systems(reader: Reader) -> OrderSystemList:
    """Return the systems without their credentials."""
    return OrderSystemList(items=[one.system for one in orders.systems(reader)])


@router.post(
    "/order-systems",
    summary="Add a maintenance system",
    status_code=201,
    responses=documented(403, 409),
)
def post_order_system(
    body: SystemRequest, engineer: EngineerOfAll, dashboard: Running
) -> OrderSystem:
    """Store a system; it is contacted with the first order."""
    if len(orders.systems(dashboard.store.read())) >= orders.MOST:
        raise ProblemError("list_full", status=409, most=orders.MOST)
    secrets = body.secrets or {}
    return _put(dashboard, acting(engineer, body), uuid.uuid4().hex, body, secrets)


@router.put("/order-systems/{system_id}", summary="Change a system", responses=documented(403, 404))
def put_order_system(
    system_id: Identity, body: SystemRequest, engineer: EngineerOfAll, dashboard: Running
) -> OrderSystem:
    """Replace a system. A new address needs the credentials again: they go nowhere else."""
    stored = _system(dashboard, system_id)
    same = stored.system.url == body.url
    secrets = body.secrets if body.secrets is not None else stored.secrets if same else {}
    return _put(dashboard, acting(engineer, body), system_id, body, secrets)


@router.delete(
    "/order-systems/{system_id}",
    summary="Remove a system",
    status_code=204,
    responses=documented(403, 404),
)
def delete_order_system(
    system_id: Identity, engineer: EngineerOfAll, dashboard: Running
) -> Response:
    """Remove a system; orders that it has keep their status."""
    name = _system(dashboard, system_id).system.template.name
    dashboard.access.do(
        engineer, "remove order system", name, lambda db: orders.remove(db, system_id)
    )
    return Response(status_code=204)


@router.post(
    "/cases/{case_id}/order",
    summary="Order work on a case",
    status_code=201,
    responses=documented(403, 404, 503),
)
async def post_order(
    case_id: Annotated[str, Path(max_length=ID_LENGTH)],
    body: NewOrder,
    technician: Technician,
    dashboard: Running,
) -> Case:
    """Send an order, again until the system takes it; a newer order replaces the shown one."""
    person = acting(technician, body)
    case = await dashboard.reading(compose.view, dashboard.freshness(), case_id)
    if case is None:
        raise not_found("case", case_id)
    system = (await dashboard.working(_system, dashboard, body.system_id)).system
    now, identity = now_ms(), uuid.uuid4().hex
    name = system.template.name
    order = WorkOrder(id=identity, state="requested", system=name, actor=person.name, at_ms=now)
    new = NewDelivery(
        key=f"order:{identity}",
        reason="order",
        channel_id=system.id,
        case_id=case.id,
        subject=f"{case.machine_name}: {case.text}",
        body=body.text,
        extra=json.dumps(_values(dashboard, case, body, identity)),
    )

    def job(db: WritableDatabase) -> None:
        cases.update(db, case.id, work_order=order.model_dump_json(), order_id=identity)
        cases.add_entry(db, NewEntry(case.id, now, person.name, "order", name))
        notifications.plan(db, new, now)
        db.announce([Change("case", case.id)])

    await dashboard.working(
        dashboard.access.do, person, "order work", f"{case.machine_name}, {case.text}: {name}", job
    )
    await dashboard.delivered(new.key, 0)
    return await dashboard.reading(compose.view, dashboard.freshness(), case.id) or case


@router.post(
    "/orders/{order_id}/status",
    summary="Report what became of an order",
    responses=documented(403, 404),
)
def post_order_status(
    order_id: Identity, body: OrderStatus, technician: Technician, dashboard: Running
) -> Case:
    """Set the state of an order; a maintenance system does it with a token of its own."""
    db = dashboard.store.read()
    case_id = orders.case_of(db, order_id)
    case = compose.view(db, dashboard.freshness(), case_id) if case_id else None
    if case is None:
        raise not_found("order", order_id)
    person, now = acting(technician, body), now_ms()
    known = {"number": body.number, "url": body.url}
    values = {key: value for key, value in known.items() if value is not None}
    text = " ".join(part for part in (body.state, body.number, body.reason) if part)

    def job(db: WritableDatabase) -> None:
        orders.change(db, case.id, state=body.state, reason=body.reason, **values)
        cases.add_entry(db, NewEntry(case.id, now, person.name, "order", text))
        db.announce([Change("case", case.id)])

    dashboard.access.do(person, "order status", f"{case.machine_name}: {text}", job)
    return compose.view(dashboard.store.read(), dashboard.freshness(), case.id) or case


def _values(dashboard: Dashboard, case: Case, body: NewOrder, order_id: str) -> dict[str, str]:
    zone = dashboard.notifier.now().tzinfo
    due = (
        "" if body.due_ms is None else datetime.fromtimestamp(body.due_ms / 1000, zone).isoformat()
    )
    page = dashboard.settings.page_url.rstrip("/")
    return {
        "title": f"{case.machine_name}: {case.text}"[:200],
        "text": "\n".join(part for part in (body.text, case.urgency.text) if part),
        "machine": case.machine_name,
        "machine_id": case.machine_id,
        "area": case.area,
        "priority": body.priority,
        "due_date": due,
        "case_url": f"{page}/cases/{case.id}" if page else "",
        "order_id": order_id,
    }


def _system(dashboard: Dashboard, identity: str) -> StoredSystem:
    known = orders.systems(dashboard.store.read())
    found = next((one for one in known if one.system.id == identity), None)
    if found is None:
        raise not_found("order_system", identity)
    return found


def _put(
    dashboard: Dashboard,
    person: Person,
    identity: str,
    body: SystemRequest,
    secrets: dict[str, str],
) -> OrderSystem:
    dashboard.access.do(
        person,
        "set up order system",
        f"{body.template.name}: {urlsplit(body.url).netloc}",
        lambda db: orders.put(db, identity, body, secrets, person.name, now_ms()),
    )
    return _system(dashboard, identity).system
