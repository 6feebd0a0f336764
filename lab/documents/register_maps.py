"""The register maps of Modbus devices, as the page imports them."""

from __future__ import annotations

import json

from auscult.gateway.sources.modbus.register_maps import register_maps


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
    """Return the maps by their path."""
    return {"web/src/commissioning/register-maps.json": page_json()}
