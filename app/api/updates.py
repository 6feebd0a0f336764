"""Staged updates of gateways: rollouts of administrators, downloads of gateways."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Request, Response
from fastapi.responses import FileResponse
from pydantic import Field

from auscult.app.api.inputs import ID_LENGTH, ActingBody, Reader, Running
from auscult.app.api.problems import ProblemError, documented, not_found
from auscult.app.api.rights import Administrator, acting
from auscult.app.people.cookie import bearer_of
from auscult.app.store import rollouts
from auscult.app.updates import bundles, stages
from auscult.app.updates.rollouts import RolloutError, begin, plan
from auscult.app.updates.stages import StageError
from auscult.app.views import Rollout, UpdateList
from auscult.contract.message import now_ms

router = APIRouter(prefix="/updates", tags=["gateways"])
gateway_router = APIRouter(prefix="/updates", tags=["gateways"])
"""Needs no sign-in: the key of the download came in a signed command."""

RolloutId = Annotated[str, Path(max_length=ID_LENGTH, examples=["9f1c2d3e4a5b6c7d"])]


class NewRollout(ActingBody):
    """Which gateways get which version, and in which steps."""

    version: str = Field(max_length=64)
    gateways: tuple[Annotated[str, Field(max_length=ID_LENGTH)], ...] = Field(
        default=(), max_length=10_000, description="`site~gateway` in their order"
    )
    sites: tuple[Annotated[str, Field(max_length=64)], ...] = Field(
        default=(), max_length=1000, description="All gateways of these sites; none of both = all"
    )
    stages: tuple[Annotated[str, Field(max_length=8)], ...] = Field(
        default=stages.DEFAULT,
        min_length=1,
        max_length=20,
        description="How many gateways are updated after each stage: a number or a share",
    )
    wait_s: int = Field(
        default=3600, ge=0, le=30 * 86_400, description="Least time between two stages, s"
    )
    timeout_s: int = Field(
        default=6 * 3600,
        ge=60,
        le=30 * 86_400,
        description="A stage that takes longer stops the rollout, s",
    )


class RolloutAction(ActingBody):
    """What to do with a rollout."""

    action: Literal["stop", "resume", "cancel"] = Field(
        description="`resume` leaves out the gateways that failed; `cancel` ends it"
    )


@router.get("", summary="Bundles and rollouts")
def list_updates(dashboard: Running, reader: Reader) -> UpdateList:
    """Return the versions that gateways can be offered, and all rollouts."""
    return UpdateList(
        open=dashboard.settings.updates.folder is not None,
        bundles=rollouts.bundles(reader),
        rollouts=rollouts.view_all(reader),
    )


@router.post(
    "/rollouts", summary="Begin a rollout", status_code=201, responses=documented(403, 409, 503)
)
def begin_rollout(
    body: NewRollout, person: Administrator, dashboard: Running, reader: Reader
) -> Rollout:
    """Offer a version to gateways in stages; it stops where one fails."""
    if dashboard.settings.updates.folder is None:
        raise ProblemError("updates_closed", status=409)
    who = acting(person, body)

    try:
        placed = plan(
            reader, body.version, body.gateways, body.sites, body.stages, dashboard.freshness()
        )
        identity = dashboard.store.write(
            lambda db: begin(db, body.version, placed, who, body.wait_s, body.timeout_s)
        )
    except (RolloutError, StageError) as error:
        raise ProblemError(error.said, status=409) from error
    dashboard.rollouts.wake()
    return _rollout(dashboard, identity)


@router.post(
    "/rollouts/{rollout_id}",
    summary="Stop, resume or cancel a rollout",
    responses=documented(403, 404, 409, 503),
)
def change_rollout(
    rollout_id: RolloutId, body: RolloutAction, person: Administrator, dashboard: Running
) -> Rollout:
    """Stop, resume or cancel; an installation that has begun on a gateway ends by itself."""
    rollout, who = _rollout(dashboard, rollout_id), acting(person, body)
    changed = dashboard.access.do(
        who,
        f"{body.action} update",
        rollout.version,
        lambda db: (
            rollouts.resume(db, rollout_id, now_ms())
            if body.action == "resume"
            else rollouts.put(
                db,
                rollout_id,
                "stopped" if body.action == "stop" else "cancelled",
                None,
                ("running",) if body.action == "stop" else ("running", "stopped"),
            )
        ),
    )
    if not changed:
        raise ProblemError("rollout_is", status=409, state=rollout.state)
    dashboard.rollouts.wake()
    return _rollout(dashboard, rollout_id)


@gateway_router.get(
    "/bundles/{sha256}", summary="Download", responses=documented(401, 404, 503),
    response_class=FileResponse,
)  # fmt: skip
def download_bundle(
    sha256: str,
    request: Request,
    dashboard: Running,
    reader: Reader,
) -> Response:
    """Answer a gateway's request for a bundle or a range of it, while its rollout runs."""
    folder, key = dashboard.settings.updates.folder, bearer_of(request)
    found = rollouts.download(reader, key) if key and folder is not None else None
    if found is None or folder is None:
        raise ProblemError("download_key_wrong", status=401)
    version, state = found
    offered = any(
        one.sha256 == sha256 and one.version == version for one in rollouts.bundles(reader)
    )
    if not offered or state == "cancelled":
        raise not_found("bundle", sha256)
    if state == "stopped":
        raise ProblemError("rollout_is", status=503, state=state)
    path = bundles.path_of(folder, sha256)
    if not path.is_file():
        raise ProblemError("bundle_away", status=503, folder=str(folder))
    return FileResponse(path, media_type="application/octet-stream")


def _rollout(dashboard: Running, identity: str) -> Rollout:
    found = rollouts.view(dashboard.store.read(), identity)
    if found is None:
        raise not_found("rollout", identity)
    return found
