"""`auscult updates`: bundles and staged updates of gateways, at the dashboard's console."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auscult.app.command.extras import needs

if TYPE_CHECKING:
    from auscult.app.settings import DashboardSettings
    from auscult.app.store.database import DashboardStore

updates_cli = typer.Typer(help="Staged updates of gateways.", no_args_is_help=True)

ConfigOption = Annotated[
    Path, typer.Option("--config", "-c", help="The dashboard's configuration.")
]
RolloutArgument = Annotated[str, typer.Argument(help="Id, as `auscult updates list` shows it.")]
CONSOLE = "console"


@updates_cli.command("add")
def add(
    config: ConfigOption,
    bundle: Annotated[Path, typer.Argument(help="`auscult-VERSION-MACHINE.bundle`.")],
    key: Annotated[str, typer.Option(help="Public key of the release, or its file.")],
) -> None:
    """Verify a bundle and store it, so that it can be offered; gateways verify it again."""
    with _store(config) as (settings, store):
        from auscult.app.people import audit
        from auscult.app.people.audit import Action
        from auscult.app.store import rollouts
        from auscult.app.store.connection import Database
        from auscult.app.updates import bundles
        from auscult.app.views import UpdateBundle
        from auscult.contract.message import now_ms

        public = _public(key)
        folder = settings.updates.folder
        if folder is None:
            raise _failed("[dashboard.updates] folder and address are not set")
        try:
            found = bundles.add(bundle, folder, public)
        except (bundles.BundleError, OSError) as error:
            raise _failed(str(error)) from None

        def job(db: Database) -> None:
            now = now_ms()
            about = {**asdict(found), "actor": CONSOLE, "added_ms": now}
            rollouts.add_bundle(db, UpdateBundle(**about))
            name = f"{found.version} for {found.platform}"
            audit.add(db, Action(now, CONSOLE, "", "add bundle", name))

        store.write(job)
    typer.echo(f"version {found.version} for {found.platform} can be offered")


@updates_cli.command("start")
def start(
    config: ConfigOption,
    version: Annotated[str, typer.Argument(help="A version that was added.")],
    gateway: Annotated[
        list[str] | None, typer.Option(help="SITE~GATEWAY; repeat for more.")
    ] = None,
    site: Annotated[
        list[str] | None, typer.Option(help="All gateways of a site; repeat for more.")
    ] = None,
    stages: Annotated[str, typer.Option(help="Gateways after each stage.")] = "1,10%,100%",
    wait: Annotated[float, typer.Option(min=0, help="Least hours between two stages.")] = 1,
    timeout: Annotated[float, typer.Option(min=0.02, help="Longest hours of a stage.")] = 6,
) -> None:
    """Begin a rollout; the running dashboard carries it on."""
    with _store(config) as (settings, store):
        from auscult.app.people.sessions import Person
        from auscult.app.store.freshness import Freshness
        from auscult.app.updates.rollouts import RolloutError, begin, plan
        from auscult.app.updates.stages import StageError
        from auscult.app.views.roles import Role
        from auscult.contract.message import now_ms

        fresh = Freshness(now_ms(), int(1000 * settings.stale_after_s))
        person = Person(CONSOLE, Role.ADMINISTRATOR)
        times = int(3600 * wait), int(3600 * timeout)
        try:
            placed = plan(
                store.read(), version, gateway or [], site or [], stages.split(","), fresh
            )
            identity = store.write(lambda db: begin(db, version, placed, person, *times))
        except (RolloutError, StageError) as error:
            raise _failed(str(error)) from None
    for number in range(1 + max(placed.values())):
        names = [name for name, stage in placed.items() if stage == number]
        typer.echo(f"stage {number + 1}: {', '.join(names)}")
    typer.echo(f"rollout {identity} begins")


@updates_cli.command("list")
def show(config: ConfigOption) -> None:
    """Show bundles and rollouts with each gateway."""
    with _store(config) as (_, store):
        from auscult.app.store import rollouts

        for bundle in rollouts.bundles(store.read()):
            size = bundle.size / 1e6
            typer.echo(f"bundle {bundle.version} for {bundle.platform}, {size:.1f} MB")
        for rollout in rollouts.view_all(store.read()):
            typer.echo(
                f"rollout {rollout.id}: {rollout.version}, {rollout.state}, stage "
                f"{rollout.stage + 1}{': ' if rollout.text else ''}{rollout.text}"
            )
            for one in rollout.gateways:
                why = f": {one.text}" if one.text else ""
                typer.echo(f"  stage {one.stage + 1}  {one.gateway_id}  {one.state}{why}")


@updates_cli.command("stop")
def stop(config: ConfigOption, rollout: RolloutArgument) -> None:
    """Offer no more; downloads pause."""
    _change(config, rollout, "stop")


@updates_cli.command("resume")
def resume(config: ConfigOption, rollout: RolloutArgument) -> None:
    """Continue without the gateways that failed."""
    _change(config, rollout, "resume")


@updates_cli.command("cancel")
def cancel(config: ConfigOption, rollout: RolloutArgument) -> None:
    """End a rollout; what is installed stays."""
    _change(config, rollout, "cancel")


def _change(config: Path, rollout: str, action: str) -> None:
    with _store(config) as (_, store):
        from auscult.app.people import audit
        from auscult.app.people.audit import Action
        from auscult.app.store import rollouts
        from auscult.app.store.connection import Database
        from auscult.contract.message import now_ms

        changes: dict[str, Callable[[Database], bool]] = {
            "stop": lambda db: rollouts.put(db, rollout, "stopped", None, ("running",)),
            "resume": lambda db: rollouts.resume(db, rollout, now_ms()),
            "cancel": lambda db: rollouts.put(
                db, rollout, "cancelled", None, ("running", "stopped")
            ),
        }

        def job(db: Database) -> bool:
            changed = changes[action](db)
            outcome = "done" if changed else "refused"
            audit.add(db, Action(now_ms(), CONSOLE, "", f"{action} update", rollout, outcome))
            return changed

        if not store.write(job):
            raise _failed(f"no rollout {rollout} that could be changed so")


def _public(key: str) -> str:
    """Return the public key, as it is given or from a file."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        text = Path(key).read_text(encoding="ascii").strip() if Path(key).is_file() else key
        Ed25519PublicKey.from_public_bytes(bytes.fromhex(text))
    except (OSError, ValueError):
        raise _failed(
            f"--key {key}: neither a public key of 64 hexadecimal digits nor a file with one"
        ) from None
    return text


@contextmanager
def _store(config: Path) -> Iterator[tuple[DashboardSettings, DashboardStore]]:
    with needs("updates", "dashboard"):
        from auscult.app.command.configuration import load
        from auscult.app.store.connection import StoreOpenError
        from auscult.app.store.database import DashboardStore
        from auscult.app.store.place import FILE_NAME, place
    settings = load(config).dashboard
    file = settings.data_dir / FILE_NAME
    try:
        if settings.database is None and not file.is_file():
            raise _failed(f"there is no database {file}: check {config} and its data_dir")
        store = DashboardStore(place(settings))
        try:
            yield settings, store
        finally:
            store.close()
    except (StoreOpenError, PermissionError) as error:
        raise _failed(str(error)) from None


def _failed(why: str) -> typer.Exit:
    typer.echo(f"auscult updates: {why}", err=True)
    return typer.Exit(1)
