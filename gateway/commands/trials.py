"""The command `try_source`: what a source delivers, before a machine is set up with it."""

from __future__ import annotations

import time

from auscult.contract.payloads import Command
from auscult.contract.requests import TrySourceArgs
from auscult.contract.said import Said
from auscult.contract.trials import TrialPart
from auscult.gateway.commands.commissioning import checked_source
from auscult.gateway.commands.handler import CommandOutcome, CommandRejection
from auscult.gateway.commands.origin import REPORTED
from auscult.gateway.settings.gateway import GatewaySettings
from auscult.gateway.settings.value_source import ValueSource
from auscult.gateway.sources.trial import Trials


class TrialCommand:
    """Handler; it runs in a thread of its own, so that other commands do not wait.

    Parameters
    ----------
    settings : GatewaySettings
        Of the gateway's own file: they say which kinds the page may use.
    trials : Trials
    """

    def __init__(self, settings: GatewaySettings, trials: Trials) -> None:
        self._settings = settings
        self._trials = trials

    def try_source(self, command: Command, asked: TrySourceArgs) -> CommandOutcome:
        """Return what a source of values delivers, or why nothing arrives."""
        if command.actor.endswith(REPORTED):
            # It makes the gateway connect to any address: only a trusted dashboard may ask for it.
            raise CommandRejection("command_unsigned")
        source = checked_source(asked.source, asked.machine, self._settings)
        if not isinstance(source, ValueSource):
            raise CommandRejection("trial_only_values", kind=source.type)
        begun_s = time.monotonic()
        values = self._trials.run(source, asked.machine)
        arrived = sum(value.value is not None for value in values)
        return CommandOutcome(
            Said("trial_done", {"count": arrived, "all": len(values)}),
            trial=TrialPart(values=values, seconds=round(time.monotonic() - begun_s, 1)),
        )
