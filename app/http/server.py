"""The dashboard server: one FastAPI application, and how it is run."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import uvicorn
from fastapi import Depends, FastAPI, Response
from fastapi.routing import APIRoute
from starlette.middleware.gzip import GZipMiddleware

import auscult
from auscult.app.api import (
    alarms,
    bearings,
    bulk,
    cases,
    checkpoints,
    clips,
    commands,
    commissioning,
    deltas,
    enrolment,
    events,
    exports,
    gateways,
    health,
    labels,
    live,
    machines,
    notes,
    notifications,
    orders,
    people,
    phase,
    plant_map,
    prescriptions,
    report,
    reports,
    run_ups,
    session,
    spectra,
    tokens,
    topics,
    trends,
    updates,
)
from auscult.app.api.inputs import Running
from auscult.app.api.problems import documented
from auscult.app.api.rights import person
from auscult.app.dashboard import Dashboard
from auscult.app.http import sign_in
from auscult.app.http.admission import Admission
from auscult.app.http.handlers import add_handlers
from auscult.app.http.pages import Documentation, Page
from auscult.app.http.security import KnownHost, SameOrigin, SecurityHeaders
from auscult.app.http.slow import PunctualProtocol
from auscult.app.http.unlimited import NoCaller
from auscult.app.metrics import CONTENT_TYPE
from auscult.app.settings import DashboardSettings
from auscult.app.views import LIVE_VIEWS, Problem, View
from auscult.link.broker import BrokerSettings

API = "/api/v1"
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
STOP_TIMEOUT_S = 5
"""How long open requests may take to end when the server stops."""
GZIP_LEVEL = 5
"""Near the best ratio of JSON at a third of the time of level 9."""


def create_app(settings: DashboardSettings, broker: BrokerSettings) -> FastAPI:
    """Make the application; its database and link begin with its lifespan."""

    @asynccontextmanager
    async def lifespan(application: FastAPI) -> AsyncIterator[None]:
        dashboard = application.state.dashboard = Dashboard(settings, broker)
        await dashboard.start()
        yield
        await dashboard.stop()

    application = FastAPI(
        title="Auscult",
        version=auscult.__version__,
        summary="Machines, their conditions, and the verdicts of technicians",
        description="Times are UTC in milliseconds since 1970. Errors are problem details "
        "(RFC 9457). What is under `/api/v1` changes only by addition.",
        openapi_url="/api/openapi.json",
        docs_url=None,  # its scripts would come from outside the site
        redoc_url=None,
        lifespan=lifespan,
        generate_unique_id_function=_operation_id,
        responses=documented(400, 408, 413, 422),
    )
    application.add_middleware(GZipMiddleware, minimum_size=1000, compresslevel=GZIP_LEVEL)
    application.add_middleware(Admission)
    application.add_middleware(SameOrigin)
    if settings.login == "off":
        application.add_middleware(KnownHost, hosts=(settings.host, *settings.hosts))
    application.add_middleware(SecurityHeaders)
    application.add_middleware(NoCaller)
    add_handlers(application)
    application.include_router(health.router)
    application.include_router(session.router, prefix=API)
    signed_in = [Depends(person)]
    application.include_router(enrolment.box_router, prefix=API)
    application.include_router(updates.gateway_router, prefix=API)
    for resource in (
        enrolment, gateways, machines, notes, checkpoints, deltas, trends, spectra, run_ups, clips,
        phase, events, cases, alarms, labels, prescriptions, commands, live, people, commissioning,
        bulk, bearings, report, plant_map, exports, tokens, notifications, reports, orders, topics,
        updates,
    ):  # fmt: skip
        application.include_router(
            resource.router, prefix=API, dependencies=signed_in, responses=documented(401)
        )
    application.include_router(sign_in.router)
    application.add_api_route(
        "/metrics", _metrics, include_in_schema=False, response_class=Response
    )
    application.mount("/docs", Documentation(), name="documentation")
    application.mount("/", Page(), name="page")
    _complete_openapi(application)
    return application


def server(settings: DashboardSettings, broker: BrokerSettings) -> uvicorn.Server:
    """Make the server; set its `should_exit` to stop it from another thread."""
    application = create_app(settings, broker)
    return _DashboardServer(
        application,
        uvicorn.Config(
            application,
            host=settings.host,
            port=settings.port,
            log_config=None,
            access_log=False,
            server_header=False,
            http=PunctualProtocol,
            proxy_headers=bool(settings.trusted_proxies),
            forwarded_allow_ips=list(settings.trusted_proxies),
            timeout_graceful_shutdown=STOP_TIMEOUT_S,
        ),
    )


class _DashboardServer(uvicorn.Server):
    """Ends the live streams first, which would hold up its stop; a signal is a good end."""

    def __init__(self, application: FastAPI, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._application = application

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop on SIGINT and SIGTERM, and don't raise them again when all is stopped."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self.handle_exit) for number in STOP_SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        dashboard: Dashboard | None = getattr(self._application.state, "dashboard", None)
        if dashboard is not None:  # else the start failed
            dashboard.hub.close()
        await super().shutdown(sockets)


def _metrics(dashboard: Running) -> Response:
    return Response(dashboard.metrics.text(), media_type=CONTENT_TYPE)


def _operation_id(route: APIRoute) -> str:
    return route.name


def _complete_openapi(application: FastAPI) -> None:
    """Add what no endpoint returns as JSON: problems and live events."""
    generate = application.openapi

    def openapi() -> dict[str, Any]:
        if application.openapi_schema is None:
            document = generate()
            schemas = document["components"]["schemas"]
            template = "#/components/schemas/{model}"
            views: list[type[View]] = [Problem, *LIVE_VIEWS.values()]
            for view in views:
                schema = view.model_json_schema(ref_template=template, mode="serialization")
                schema.pop("$defs", None)
                schemas.setdefault(view.__name__, schema)
            schemas["LiveEvent"] = live.live_event_schema()
            for unused in ("HTTPValidationError", "ValidationError"):
                schemas.pop(unused, None)
            from auscult.app.api import examples  # for those who read the document

            examples.add_to(document)
        return application.openapi_schema or {}

    application.openapi = openapi  # type: ignore[method-assign]
