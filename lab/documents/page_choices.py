"""What the page offers where a machine is set up: register maps, units, simulated faults."""

from __future__ import annotations

import json
from typing import get_args

from auscult.dsp.units import WAVEFORM_UNITS
from auscult.gateway.sources.modbus.register_maps import register_maps
from auscult.gateway.sources.simulator.settings import MachineFault


def page_json() -> str:
    """Return how a line of each device is set, and what each register measures."""
    maps = {
        name: {
            "title": one.title,
            "unit_id": one.unit_id,
            "baud_rate": one.baud_rate,
            "parity": one.parity,
            "registers": [
                {"name": r.name, "quantity": r.quantity, "unit": r.unit} for r in one.registers
            ],
        }
        for name, one in register_maps().items()
    }
    return json.dumps(maps, indent=2, ensure_ascii=False) + "\n"


def files() -> dict[str, str]:
    """Return maps and lists by their paths."""
    lists = {"UNITS": WAVEFORM_UNITS, "SIMULATED_FAULTS": get_args(MachineFault)}
    return {
        "web/src/commissioning/register-maps.json": page_json(),
        "web/src/commissioning/choices.ts": "".join(
            f"export const {name} = {json.dumps(values)} as const;\n"
            for name, values in lists.items()
        ),
    }
