"""The plant's maintenance systems, and the work orders that they get."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from auscult.app.views.base import View

OrderPriority = Literal["low", "medium", "high"]


class OrderTemplate(View):
    """How a maintenance system takes a work order.

    Texts in `body` and `path` may hold `{title}`, `{text}`, `{machine}`, `{machine_id}`, `{area}`,
    `{priority}`, `{due_date}`, `{case_url}` and `{order_id}`.
    """

    name: str = Field(min_length=1, max_length=64)
    method: Literal["POST", "PUT"]
    path: str = Field(max_length=300, description="After the address of the system")
    body: dict[str, Any] = Field(description="JSON")
    priorities: dict[OrderPriority, str] = Field(description="Its word for each priority")
    number_path: str = Field(
        max_length=100, description="Where its answer holds the number, e.g. `data._id`"
    )
    source: str = Field(max_length=300, description="Where the interface is described")


class OrderTemplateList(View):
    """Templates that are shipped."""

    items: list[OrderTemplate]


class OrderSystemBody(View):
    """A maintenance system of the plant."""

    url: Annotated[str, Field(pattern=r"^https?://[^\s@]+$", max_length=300)]
    template: OrderTemplate


class OrderSystem(OrderSystemBody):
    """A maintenance system of the plant; its credentials are in no answer."""

    id: str
    headers: list[str] = Field(description="Names of its secret headers")
    actor: str
    changed_ms: int


class OrderSystemList(View):
    """The maintenance systems by name."""

    items: list[OrderSystem]
