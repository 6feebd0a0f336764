"""Notification: channels, rules, and what became of each message."""

from __future__ import annotations

import uuid
from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import Field

from auscult.app.api.inputs import ID_LENGTH, ActingBody, Identity, Limit, Reader, Running
from auscult.app.api.problems import ProblemError, documented, not_found
from auscult.app.api.rights import EngineerOfAll, Viewer, acting
from auscult.app.dashboard import Dashboard
from auscult.app.notify import message, transport
from auscult.app.people.sessions import Person
from auscult.app.store import notifications, scope
from auscult.app.store.connection import Database
from auscult.app.store.notifications import NewDelivery, StoredChannel
from auscult.app.views import (
    Channel,
    ChannelList,
    Delivery,
    DeliveryPage,
    Language,
    Rule,
    RuleBody,
    RuleList,
)
from auscult.app.views.roles import Role
from auscult.contract.message import now_ms

router = APIRouter(prefix="/notifications", tags=["notifications"])

Url = Annotated[
    str,
    Field(
        min_length=5,
        max_length=1000,
        description="Address as Apprise writes it, with its secrets; no answer holds it",
        examples=[
            "mailto://mail.plant.example:25?from=auscult@plant.example&to=shift@plant.example"
        ],
    ),
]


class NewChannel(ActingBody):
    """A way to reach people."""

    name: str = Field(min_length=1, max_length=64)
    url: Url
    language: Language = "en"
    enabled: bool = True


class ChannelChange(ActingBody):
    """What is to change of a channel."""

    name: str = Field(min_length=1, max_length=64)
    url: Url | None = Field(default=None, description="null = as it is")
    language: Language
    enabled: bool


class RuleRequest(RuleBody, ActingBody):
    """Whom to notify of which cases, and when."""


@router.get("/channels", summary="All channels")
def list_channels(reader: Reader) -> ChannelList:
    """Return the channels without their secrets."""
    return ChannelList(items=_channels(reader))


@router.post("/channels", summary="Add a channel", status_code=201, responses=documented(403, 409))
def post_channel(body: NewChannel, engineer: EngineerOfAll, dashboard: Running) -> Channel:
    """Store a channel; its address is checked, and not contacted before the first message."""
    transport.described(body.url)
    if len(notifications.channels(dashboard.store.read())) >= notifications.MOST_CHANNELS:
        raise ProblemError("list_full", status=409, most=notifications.MOST_CHANNELS)
    return _put(dashboard, acting(engineer, body), uuid.uuid4().hex, body, body.url)


@router.put("/channels/{channel_id}", summary="Change a channel", responses=documented(403, 404))
def put_channel(
    channel_id: Identity, body: ChannelChange, engineer: EngineerOfAll, dashboard: Running
) -> Channel:
    """Change a channel; without an address it keeps its own."""
    stored = _stored(dashboard.store.read(), channel_id)
    url = body.url or stored.url
    transport.described(url)
    return _put(dashboard, acting(engineer, body), channel_id, body, url)


@router.delete(
    "/channels/{channel_id}",
    summary="Remove a channel",
    status_code=204,
    responses=documented(403, 404),
)
def delete_channel(channel_id: Identity, engineer: EngineerOfAll, dashboard: Running) -> Response:
    """Remove a channel; what waits for it is dropped, and rules skip it."""
    stored = _stored(dashboard.store.read(), channel_id)
    dashboard.access.do(
        engineer,
        "remove channel",
        stored.name,
        lambda db: notifications.remove_channel(db, channel_id),
    )
    return Response(status_code=204)


@router.post(
    "/channels/{channel_id}/test", summary="Send a test message", responses=documented(403, 404)
)
async def post_test(
    channel_id: Identity,
    body: ActingBody,
    engineer: EngineerOfAll,
    dashboard: Running,
    wait_s: Annotated[float, Query(ge=0, le=30, description="How long to wait for it, s")] = 30,
) -> Delivery:
    """Send a test message once and return what became of it."""
    stored = await dashboard.reading(_stored, channel_id)
    key = f"test:{uuid.uuid4().hex}"
    new = NewDelivery(
        key=key,
        reason="test",
        channel_id=channel_id,
        subject=message.word("test", stored.language),
        body=message.word("test_body", stored.language),
    )
    await dashboard.working(
        dashboard.access.do,
        acting(engineer, body),
        "test channel",
        stored.name,
        lambda db: notifications.plan(db, new, now_ms()),
    )
    return await dashboard.delivered(key, wait_s)


@router.get("/rules", summary="All rules")
def list_rules(reader: Reader) -> RuleList:
    """Return the rules by name that concern a site of the caller, with the caller's sites only."""
    seen = ((rule, tuple(filter(scope.sees, rule.sites))) for rule in notifications.rules(reader))
    return RuleList(
        items=[
            rule.model_copy(update={"sites": sites})
            for rule, sites in seen
            if sites or not rule.sites
        ]
    )


@router.post("/rules", summary="Add a rule", status_code=201, responses=documented(403, 404, 409))
def post_rule(body: RuleRequest, engineer: EngineerOfAll, dashboard: Running) -> Rule:
    """Store a rule; it counts for cases that change from now on."""
    if len(notifications.rules(dashboard.store.read())) >= notifications.MOST_RULES:
        raise ProblemError("list_full", status=409, most=notifications.MOST_RULES)
    return _put_rule(dashboard, acting(engineer, body), uuid.uuid4().hex, body)


@router.put("/rules/{rule_id}", summary="Change a rule", responses=documented(403, 404))
def put_rule(
    rule_id: Identity, body: RuleRequest, engineer: EngineerOfAll, dashboard: Running
) -> Rule:
    """Replace a rule."""
    _rule(dashboard.store.read(), rule_id)
    return _put_rule(dashboard, acting(engineer, body), rule_id, body)


@router.delete(
    "/rules/{rule_id}", summary="Remove a rule", status_code=204, responses=documented(403, 404)
)
def delete_rule(rule_id: Identity, engineer: EngineerOfAll, dashboard: Running) -> Response:
    """Remove a rule."""
    rule = _rule(dashboard.store.read(), rule_id)
    dashboard.access.do(
        engineer, "remove rule", rule.name, lambda db: notifications.remove_rule(db, rule_id)
    )
    return Response(status_code=204)


@router.get("/deliveries", summary="Messages, newest first")
def list_deliveries(
    reader: Reader,
    viewer: Viewer,
    case_id: Annotated[str | None, Query(max_length=ID_LENGTH)] = None,
    limit: Limit = 50,
) -> DeliveryPage:
    """Return the newest messages, and how many failed lately.

    What a peer answered is in `error` for administrators only.
    """
    answers = viewer.role.may(Role.ADMINISTRATOR)
    items = notifications.view_newest(reader, case_id, limit, answers=answers)
    return DeliveryPage(items=items, failing=notifications.failing(reader, now_ms()))


@router.post(
    "/deliveries/{delivery_id}/retry",
    summary="Try a failed message again",
    responses=documented(403, 404, 409),
)
def post_retry(
    delivery_id: Identity, body: ActingBody, engineer: EngineerOfAll, dashboard: Running
) -> Delivery:
    """Put a failed message back into the queue."""
    found = notifications.view(dashboard.store.read(), delivery_id)
    if found is None:
        raise not_found("message", delivery_id)
    subject = f"{found.channel_name}: {found.subject}"
    done = dashboard.access.do(
        acting(engineer, body),
        "retry message",
        subject,
        lambda db: notifications.retry(db, delivery_id, now_ms()),
    )
    if not done:
        raise ProblemError("message_not_failed", status=409)
    dashboard.notifier.wake()
    return notifications.view(dashboard.store.read(), delivery_id) or found


def _put(
    dashboard: Dashboard,
    person: Person,
    identity: str,
    body: NewChannel | ChannelChange,
    url: str,
) -> Channel:
    channel = StoredChannel(
        identity, body.name, url, body.language, body.enabled, person.name, now_ms()
    )
    shown = transport.described(url)
    dashboard.access.do(
        person,
        "set up channel",
        f"{body.name}: {shown.service} {shown.target}".strip(),
        lambda db: notifications.put_channel(db, channel),
    )
    return next(c for c in _channels(dashboard.store.read()) if c.id == identity)


def _channels(db: Database) -> list[Channel]:
    errors = notifications.last_errors(db)

    def view(stored: StoredChannel) -> Channel:
        shown = transport.described(stored.url)
        return Channel(
            id=stored.id,
            name=stored.name,
            service=shown.service,
            target=shown.target,
            language="de" if stored.language == "de" else "en",
            enabled=stored.enabled,
            actor=stored.actor,
            changed_ms=stored.changed_ms,
            failing=errors.get(stored.id, ""),
        )

    stored = notifications.channels(db)
    return list(db.damage.readable("channel", stored, view, lambda channel: channel.id))


def _stored(db: Database, identity: str) -> StoredChannel:
    found = next((c for c in notifications.channels(db) if c.id == identity), None)
    if found is None:
        raise not_found("channel", identity)
    return found


def _rule(db: Database, identity: str) -> Rule:
    found = next((r for r in notifications.rules(db) if r.id == identity), None)
    if found is None:
        raise not_found("rule", identity)
    return found


def _put_rule(dashboard: Dashboard, person: Person, identity: str, body: RuleRequest) -> Rule:
    known = {channel.id for channel in notifications.channels(dashboard.store.read())}
    for channel in (*body.channels, *body.escalate_to):
        if channel not in known:
            raise not_found("channel", channel)
    dashboard.access.do(
        person,
        "set up rule",
        body.name,
        lambda db: notifications.put_rule(db, identity, body, person.name, now_ms()),
    )
    return _rule(dashboard.store.read(), identity)
