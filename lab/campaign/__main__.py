"""Run the fault campaign and write its table: `python -m lab.campaign [--full] [--seed N]`.

The kill tests of gateway, broker, dashboard and learning run in their own test files with more
kills (`AUSCULT_CAMPAIGN=full`); `make faults` runs both.
"""

from __future__ import annotations

import argparse
import json
import logging
import math
import sys
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from pathlib import Path

from lab.campaign import sensors, stores, whole
from lab.campaign.outcome import Outcome, table

PARTS = ("stores", "whole", "sensors")


def outcomes(
    parts: Iterable[str], seed: int, *, full: bool, only: Sequence[str], minutes: float
) -> Iterable[Outcome]:
    """Yield the outcomes of the parts."""
    if "stores" in parts:
        yield from stores.campaign(seed, 250 if full else 20, only)
    if "whole" in parts:
        yield from whole.campaign(seed, full_run=full, only=only, minutes=minutes)
    if "sensors" in parts:
        yield from sensors.campaign(seed, 20 if full else 2)


def main() -> None:
    """Run, print, and end with 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=16)
    parser.add_argument("--full", action="store_true", help="many faults; 1,000 kills: hours")
    parser.add_argument(
        "--minutes", type=float, default=math.inf, help="limit of each fault of the whole product"
    )
    parser.add_argument("--part", choices=PARTS, action="append")
    parser.add_argument("--only", action="append", help="part of a store's or fault's name")
    parser.add_argument("--json", type=Path, help="file for the outcomes")
    asked = parser.parse_args()
    logging.basicConfig(level=logging.WARNING, handlers=[logging.NullHandler()])
    found: list[Outcome] = []
    parts = asked.part or PARTS
    for outcome in outcomes(
        parts, asked.seed, full=asked.full, only=asked.only or [""], minutes=asked.minutes
    ):
        found.append(outcome)
        print(table([outcome]).splitlines()[-1], *outcome.failures, sep="\n  ", flush=True)
    print(f"\nSeed {asked.seed}:\n\n{table(found)}")
    if asked.json:
        asked.json.write_text(json.dumps([asdict(one) for one in found], indent=1) + "\n")
    sys.exit(not all(one.good for one in found))


if __name__ == "__main__":
    main()
