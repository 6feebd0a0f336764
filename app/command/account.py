"""`auscult account`: access to the dashboard from the server's console."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import Annotated

import typer

from auscult.app.command.extras import needs

account_cli = typer.Typer(help="Restore access to the dashboard.", no_args_is_help=True)

ConfigOption = Annotated[
    Path, typer.Option("--config", "-c", help="The dashboard's configuration.")
]


@account_cli.command("reset")
def reset(
    config: ConfigOption, name: Annotated[str, typer.Argument(help="Name of the account.")]
) -> None:
    """Give an account a new password, unlock and enable it; the dashboard may run meanwhile."""
    with needs("account reset", "dashboard"):
        from auscult.app.command.configuration import load
        from auscult.app.people import accounts, audit, passwords
        from auscult.app.people.accounts import AccountUpdate
        from auscult.app.people.audit import Action
        from auscult.app.store.connection import StoreOpenError, WritableDatabase
        from auscult.app.store.database import DashboardStore
        from auscult.app.store.place import place
        from auscult.app.store.received import RIGHTS
        from auscult.contract.message import now_ms
    password = secrets.token_urlsafe(12)
    change = AccountUpdate(disabled=False, password_hash=passwords.hashed(password))

    def job(db: WritableDatabase) -> bool:
        found = accounts.view(db, name)
        if found is None:
            return False
        accounts.change(db, found.name, change)
        audit.add(db, Action(now_ms(), "console", "", "reset account", found.name))
        db.announce([RIGHTS])
        return True

    try:
        store = DashboardStore(place(load(config).dashboard))
        try:
            known = store.write(job)
        finally:
            store.close()
    except StoreOpenError as error:
        typer.echo(f"auscult account reset: {error}", err=True)
        raise typer.Exit(1) from None
    if not known:
        typer.echo(f"auscult account reset: there is no account {name!r}", err=True)
        raise typer.Exit(1)
    typer.echo(f"{name}: the new password is {password}\nChange it after signing in.")
