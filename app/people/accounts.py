"""Accounts: unique people with a role; none is deleted, because the audit names them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from auscult.app.people import attempts
from auscult.app.store import checksums
from auscult.app.store.connection import Database
from auscult.app.views.roles import SITE_ROLES, Role, SiteRoles, highest
from auscult.contract.said import Rejection

NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._@\-]{1,63}$"


class Account(BaseModel):
    """A person who may sign in."""

    model_config = ConfigDict(frozen=True)

    name: str
    role: Role = Field(description="The highest one, where `sites` has several")
    sites: SiteRoles = Field(default_factory=dict)
    disabled: bool
    created_ms: int
    last_seen_ms: int | None = None
    locked_until_ms: int | None = Field(
        default=None, description="Locked for an address until then, after wrong passwords"
    )


class AccountError(Rejection):
    """An account can't be made or changed so."""


@dataclass(frozen=True, slots=True)
class AccountUpdate:
    """What to change of an account; None = leave it."""

    role: Role | None = None
    sites: Mapping[str, Role] | None = None
    """Empty = the role at all sites, which `role` must then name."""
    disabled: bool | None = None
    password_hash: str | None = None


def any_at_all(db: Database) -> bool:
    """Tell whether there is an account: if not, the first start asks for an administrator.

    A damaged one counts.
    """
    return db.execute("SELECT 1 FROM account LIMIT 1").fetchone() is not None


def add(
    db: Database,
    name: str,
    role: Role,
    password_hash: str,
    now_ms: int,
    sites: Mapping[str, Role] = MappingProxyType({}),
) -> None:
    """Make an account, with a role at all sites or at some.

    Raises
    ------
    AccountError
        If the name is malformed or taken (upper and lower case count as one), or an administrator
        would be one of some sites only.
    """
    if not re.fullmatch(NAME_PATTERN, name):
        raise AccountError("name_malformed")
    if db.execute("SELECT 1 FROM account WHERE name = ?", (name,)).fetchone() is not None:
        raise AccountError("name_taken", name=name)
    db.execute(
        "INSERT INTO account (name, role, sites, password_hash, created_ms) VALUES (?, ?, ?, ?, ?)",
        (name, str(_role(role, sites)), _stored(sites), password_hash, now_ms),
    )
    checksums.seal(db, "account", name)


def change(db: Database, name: str, what: AccountUpdate) -> None:
    """Change an account; its sessions end, so that the change counts at once.

    Raises
    ------
    AccountError
        If no active administrator would be left, one would be of some sites only, or rights at
        some sites would become rights at all of them without a role that says so.
    """
    before = view(db, name)
    if before is None:
        return
    sites = before.sites if what.sites is None else what.sites
    if before.sites and not sites and what.role is None:
        raise AccountError("sites_without_role")
    values: dict[str, Any] = {
        "role": str(_role(what.role or before.role, sites)),
        "sites": _stored(sites),
        "disabled": None if what.disabled is None else int(what.disabled),
        "password_hash": what.password_hash,
    }
    for column, value in values.items():
        if value is not None:
            db.execute(f"UPDATE account SET {column} = ? WHERE name = ?", (value, name))  # noqa: S608
    db.execute("UPDATE account SET locked_until_ms = NULL WHERE name = ?", (name,))
    checksums.seal(db, "account", name)
    attempts.unlock(db, name)
    db.execute("DELETE FROM session WHERE account = ? COLLATE NOCASE", (name,))
    if not any(one.role is Role.ADMINISTRATOR and not one.disabled for one in view_all(db)):
        raise AccountError("last_administrator")


def view(db: Database, name: str) -> Account | None:
    """Return one account, None if there is none of that name."""
    sql = "SELECT * FROM account WHERE name = ?"
    return next(db.records("account", _view, sql, (name,), key="name"), None)


def view_all(db: Database) -> list[Account]:
    """Return all accounts by name."""
    return list(db.records("account", _view, "SELECT * FROM account ORDER BY name", key="name"))


def _view(row: dict[str, Any]) -> Account:
    checksums.expect_intact("account", row)
    return Account(
        **{key: row[key] for key in Account.model_fields if key not in ("disabled", "sites")},
        sites=SITE_ROLES.validate_json(row["sites"]),
        disabled=bool(row["disabled"]),
    )


def _role(role: Role, sites: Mapping[str, Role]) -> Role:
    """Return the role to store: the highest one, where there are several."""
    if Role.ADMINISTRATOR in sites.values():
        raise AccountError("administrator_of_sites")
    return highest(sites) if sites else role


def _stored(sites: Mapping[str, Role]) -> str:
    return SITE_ROLES.dump_json(dict(sites)).decode()
