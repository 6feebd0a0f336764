"""Tokens of programs."""

from __future__ import annotations

from pydantic import Field

from auscult.app.views.base import View
from auscult.app.views.roles import Role, SiteRoles


class Token(View):
    """A token of a machine that uses the API; its secret is not stored."""

    id: str
    name: str
    role: Role
    sites: SiteRoles
    actor: str = Field(description="Who made it")
    created_ms: int
    expires_ms: int | None = Field(description="Null = until it is revoked")
    revoked_ms: int | None = Field(description="Null = it is in force")
    used_ms: int | None = Field(description="Last use, to the minute; null = never")


class MadeToken(Token):
    """A token that was just made."""

    secret: str = Field(
        description="To be sent as `Authorization: Bearer …`; it is shown only once"
    )


class TokenList(View):
    """All tokens, newest first."""

    items: list[Token]
