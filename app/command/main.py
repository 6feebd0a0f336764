"""`auscult`: run a gateway, a dashboard or both, and evaluate the detector on recordings.

Exit codes: 0 on success, 2 on a usage or configuration error (one line, no traceback), 1 on
any other failure.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from enum import StrEnum
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from auscult.app.command import backup, datasets, enrol, import_files, learned, rehearse, sensors
from auscult.app.command.account import account_cli
from auscult.app.command.certs import certs_cli
from auscult.app.command.diode import diode_cli
from auscult.app.command.extras import needs
from auscult.app.command.running import stop_on_signals
from auscult.app.command.updates import updates_cli
from auscult.errors import ConfigurationError, MissingExtraError, UnusableSettingError

# Imports stay inside the commands: `--help` answers at once, and without any extra.

cli = typer.Typer(
    name="auscult",
    help="Predictive maintenance at the edge: learn each machine's healthy baseline, "
    "and report when and why it departs from it.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"auscult {version('auscult')}")
        raise typer.Exit


@cli.callback()
def _root(
    _asked: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Take the options that come before a command."""


UNCHECKED = 3
"""Exit code of `verify` without a key to compare the signer with."""
ConfigOption = Annotated[
    Path,
    typer.Option("--config", "-c", help="The TOML configuration; docs/configuration.md lists it."),
]


@cli.command()
def demo(
    data_dir: Annotated[
        Path, typer.Option(help="Data folder of broker, gateway and dashboard.")
    ] = Path("auscult-data/demo"),
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the page.")] = 8420,
    pace: Annotated[
        float,
        typer.Option(
            min=0.1, max=100, help="Relative to the pace of the demo's own configuration."
        ),
    ] = 1.0,
) -> None:
    """Run a small plant that learns, fails and is labelled: broker, gateway and page."""
    with needs("demo", "demo"):
        import amqtt  # noqa: F401  # the broker's own process imports it later

        from auscult.app.command.demo import DemoError, run_demo
        from auscult.host.log import set_up_log

    set_up_log()
    try:
        run_demo(data_dir, port, pace)
    except (DemoError, OSError) as error:
        typer.echo(f"auscult demo: {error}", err=True)
        raise typer.Exit(1) from None


@cli.command()
def gateway(config: ConfigOption) -> None:
    """Run the edge service that monitors machines and publishes over MQTT."""
    with needs("gateway", "gateway"):
        from auscult.app.command.configuration import check_sources, load
        from auscult.gateway.service import run
        from auscult.gateway.storage.lock import FolderError, InUseError
        from auscult.gateway.storage.store import StoreError
        from auscult.host.log import set_up_log

    configuration = load(config)
    settings = configuration.for_gateway(config)
    check_sources(config, settings)
    set_up_log(configuration.log)
    try:
        run(settings, stop_on_signals())
    except (FolderError, InUseError, StoreError) as error:
        typer.echo(f"auscult gateway: {error}", err=True)
        raise typer.Exit(1) from None
    except ConfigurationError as error:
        raise ConfigurationError(f"{config}: {error}") from None


@cli.command()
def dashboard(config: ConfigOption) -> None:
    """Run the dashboard server: MQTT in, web page and HTTP API out."""
    with needs("dashboard", "dashboard"):
        from auscult.app.command.configuration import load
        from auscult.app.http.serve import serve
        from auscult.app.store.connection import StoreOpenError
        from auscult.host.log import set_up_log

    configuration = load(config)
    set_up_log(configuration.log)
    try:
        serve(configuration.dashboard, configuration.mqtt, configuration.log)
    except StoreOpenError as error:
        typer.echo(f"auscult dashboard: {error}", err=True)
        raise typer.Exit(1) from None


@cli.command()
def move_store(config: ConfigOption) -> None:
    """Copy the dashboard's SQLite file into the PostgreSQL database that is configured."""
    with needs("move-store", "postgres"):
        from auscult.app.command.configuration import load
        from auscult.app.store.connection import StoreOpenError
        from auscult.app.store.move import move
        from auscult.app.store.place import FILE_NAME, place
        from auscult.app.store.sqlite import SqliteFile

    settings = load(config).dashboard
    if settings.database is None:
        raise ConfigurationError(
            f"{config}: dashboard.database is not set: name the PostgreSQL database to move to"
        )
    file = settings.data_dir / FILE_NAME
    if not file.is_file():
        raise ConfigurationError(f"{config}: there is no {file} to move")
    try:
        move(SqliteFile(file), place(settings), typer.echo)
    except StoreOpenError as error:
        typer.echo(f"auscult move-store: {error}", err=True)
        raise typer.Exit(1) from None


class HoldOut(StrEnum):
    """Operating condition that is left out of the baseline, one value at a time."""

    SPEED = "speed_rpm"
    LOAD = "load"


def _writable(path: Path | None) -> Path | None:
    """Reject a file that can't be written before the work begins."""
    if path is not None and not path.absolute().parent.is_dir():
        raise typer.BadParameter(f"there is no folder {path.parent}; make it first")
    return path


@cli.command()
def evaluate(
    manifests: Annotated[
        list[Path],
        typer.Argument(
            help="`manifest.csv` of each data set, its folder, a plain folder of healthy and "
            "faulty files (docs/sensors/files.md), or a folder with `values.toml` "
            "(docs/sensors/values.md)."
        ),
    ],
    json_path: Annotated[
        Path | None,
        typer.Option("--json", help="Write the results to this file.", callback=_writable),
    ] = None,
    window_s: Annotated[
        float, typer.Option(min=0.05, max=60, help="Window length, s; windows overlap by half.")
    ] = 0.4,
    hold_out: Annotated[
        HoldOut | None,
        typer.Option(help="Leave one operating condition at a time out of the baseline."),
    ] = None,
    labels: Annotated[
        int,
        typer.Option(min=0, help="With --hold-out: label the first N events from the truth."),
    ] = 0,
    workers: Annotated[
        int, typer.Option(min=1, max=256, help="Machines that are evaluated side by side.")
    ] = 1,
    resume: Annotated[
        Path | None,
        typer.Option(
            help="Keep finished machines in this folder; the next run takes them from there.",
            file_okay=False,
        ),
    ] = None,
) -> None:
    """Learn each machine's baseline from recordings or values, score the rest, and compare."""
    if labels and hold_out is None:
        raise typer.BadParameter("--labels needs --hold-out speed_rpm or --hold-out load")
    with needs("evaluate", "evaluate"):
        import sklearn  # noqa: F401  # before minutes of work, not after them

        from auscult.contract.said import Rejection
        from auscult.gateway.evaluate.run import run

    try:
        run(
            manifests,
            json_path,
            window_s,
            hold_out.value if hold_out else None,
            labels,
            workers=workers,
            resume=resume,
        )
    except Rejection as error:
        raise ConfigurationError(str(error)) from None


class BenchTopic(StrEnum):
    """What can be timed."""

    DSP = "dsp"
    DETECTOR = "detector"
    LEARN = "learn"
    GATEWAY = "gateway"
    SOURCES = "sources"
    BOX = "box"


@cli.command()
def bench(
    topic: Annotated[BenchTopic, typer.Argument(help="What to time.")],
    json_path: Annotated[
        Path | None,
        typer.Option("--json", help="Write the figures to this file.", callback=_writable),
    ] = None,
) -> None:
    """Time the product beside its references in one run; `box`: size this machine in 20 s."""
    if topic is BenchTopic.BOX:
        _bench_box(json_path)
        return
    _benchmarks()(topic.value, json_path)


def _benchmarks() -> Callable[[str, Path | None], object]:
    """Find the benchmarks beside the source, which the installed command has not in its path."""
    # First: a library may install a `lab` of its own.
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    try:
        from lab.bench import run
    except ModuleNotFoundError as error:
        if error.name not in ("lab", "lab.bench"):
            raise
        raise ConfigurationError(
            "bench is part of the source tree: run it in a checkout, after 'make setup'"
        ) from error
    return run


def _bench_box(json_path: Path | None) -> None:
    for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):  # read when numpy is imported
        os.environ.setdefault(variable, "1")
    with needs("bench box", "gateway"):
        from auscult.gateway.box.measure import measure
    box = measure()
    typer.echo("\n".join(box.lines()))
    if json_path is not None:
        json_path.write_text(box.to_json() + "\n", encoding="utf-8")


@cli.command()
def commands_key(config: ConfigOption) -> None:
    """Show the public key of this dashboard's commands, for `dashboard_keys` of gateways."""
    with needs("commands-key", "dashboard"):
        from auscult.app.command.configuration import load
        from auscult.link.signing import KeyFileError, load_or_make_key, public_hex
    try:
        typer.echo(public_hex(load_or_make_key(load(config).dashboard.commands_key_path)))
    except (KeyFileError, OSError) as error:
        typer.echo(f"auscult commands-key: {error}", err=True)
        raise typer.Exit(1) from None


@cli.command()
def verify(
    proof: Annotated[Path, typer.Argument(help="`EVENT.proof`.", dir_okay=False, exists=True)],
    key: Annotated[str, typer.Option(help="Public key of the gateway (`auscult delta key`).")] = "",
) -> None:
    """Make the decision of an event again from its signed file, and compare every number.

    Exit code 3: it can be made again, but without --key it was not checked who signed it.
    """
    with needs("verify", "gateway"):
        from auscult.gateway.machines import proof as proofs
    try:
        proven = proofs.verify(proof.read_bytes(), key)
    except (proofs.ProofError, OSError) as error:
        typer.echo(f"auscult verify: {proof}: {error}", err=True)
        raise typer.Exit(1) from None
    same = proven.worst_difference
    if same > proofs.TOLERANCE:
        typer.echo(f"auscult verify: {proof}: numbers differ by up to {same:.1e}", err=True)
        raise typer.Exit(1)
    if not key:
        typer.echo(
            "THE SIGNER WAS NOT CHECKED: anyone can sign such a file with a key of their own; give "
            "the gateway's key with --key"
        )
    typer.echo(
        f"event {proven.event_id} of {proven.machine}: {proven.condition}, made again from "
        f"{proven.windows} windows, "
        + ("bit for bit" if same == 0 else f"within {same:.1e} (other architecture or libraries)")
        + "".join(f"\n  {name}: {value}" for name, value in proven.ids.items())
        + f"\n  made by auscult {proven.version} on {proven.architecture}"
        + f"\n  signed by {proven.key}"
        + (", the key that was given" if key else ", a key that was not checked")
    )
    if not key:
        raise typer.Exit(UNCHECKED)


learned.add_to(cli)
import_files.add_to(cli)
backup.add_to(cli)
sensors.add_to(cli)
datasets.add_to(cli)
rehearse.add_to(cli)
enrol.add_to(cli)
cli.add_typer(account_cli, name="account")
cli.add_typer(certs_cli, name="certs")
cli.add_typer(updates_cli, name="updates")
cli.add_typer(diode_cli, name="diode")


def main() -> None:
    """Run the command; configuration errors become one line and exit code 2."""
    try:
        cli(prog_name="auscult")
    except (ConfigurationError, MissingExtraError, UnusableSettingError) as error:
        typer.echo(f"auscult: {error}", err=True)
        raise SystemExit(2) from None


if __name__ == "__main__":
    main()
