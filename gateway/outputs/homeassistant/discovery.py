"""Discovery payloads: one device for each machine and one for the gateway.

Device discovery (one payload a device, Home Assistant 2024.11 and later) with the documented
abbreviations. Nothing else is published for Home Assistant: its entities take their values from
`status`, `{machine}/state` and `{machine}/{point}/state`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, get_args

from auscult.contract.inventory import MachinePart, PointPart
from auscult.contract.parts import AlarmState, Quality
from auscult.contract.records import SEVERITY, Condition
from auscult.contract.topics import Topics
from auscult.dsp.quantities import QUANTITIES

CONDITIONS = sorted(Condition, key=SEVERITY.__getitem__)
HANDLING = list(get_args(AlarmState))
QUALITIES = list(get_args(Quality))
LEVEL_WORDS = {quantity.feature: quantity.words for quantity in QUANTITIES.values()}
LONGEST_STATE = 255
"""Home Assistant rejects longer states."""
WRONG = (
    "{{ 'ON' if value_json.condition in ('warning', 'alarm') or value_json.event_id is defined"
    " else 'OFF' }}"
)
"""An open event is a problem also while its machine is silent or learns."""

Component = dict[str, Any]


def safe_id(*parts: str) -> str:
    """Join ids, with the characters that Home Assistant allows: letters, digits, ``_`` and ``-``.

    >>> safe_id("plant", "pump.3")
    'plant_pump_3'
    """
    return re.sub(r"[^a-zA-Z0-9_-]", "_", "_".join(parts))


def config_topic(prefix: str, topics: Topics, device: str) -> str:
    """Return the topic of a device's payload; the gateway's id is a level, for access lists.

    >>> config_topic("homeassistant", Topics("plant", "gw1"), "pump-3")
    'homeassistant/device/gw1/plant_pump-3/config'
    """
    return f"{prefix}/device/{safe_id(topics.gateway)}/{safe_id(topics.site, device)}/config"


def gateway_payload(topics: Topics, version: str) -> bytes:
    """Return the payload of the gateway's own device."""
    identity = safe_id("auscult", topics.site, topics.gateway)
    measured = {
        "cpu_percent": ("CPU", "%", None),
        "memory_mb": ("Memory", "MB", "data_size"),
        "disk_free_mb": ("Disk free", "MB", "data_size"),
        "temperature_c": ("Temperature", "°C", "temperature"),
        "certificate_days": ("Certificate left", "d", "duration"),
        "outbox_pending": ("Messages waiting", None, None),
    }
    components: dict[str, Component] = {
        "storing": {
            "p": "binary_sensor",
            "name": "Database",
            "dev_cla": "problem",
            "val_tpl": "{{ 'OFF' if value_json.storing else 'ON' }}",
        }
    }
    for key, (name, unit, device_class) in measured.items():
        components[key] = _number(name, f"value_json.{key}", unit) | (
            {"dev_cla": device_class} if device_class else {}
        )
    for component in components.values():
        component["ent_cat"] = "diagnostic"
    device = {"name": f"Auscult {topics.gateway}", "mdl": "Gateway", "sw": version}
    return _payload(identity, device, topics, version, {topics.status: components})


def machine_payload(
    machine: MachinePart, levels: Mapping[str, Mapping[str, str]], topics: Topics, version: str
) -> bytes:
    """Return the payload of a machine's device.

    Parameters
    ----------
    levels : mapping
        Point to its known levels, each with its unit.
    """
    components: dict[str, Component] = {
        "condition": _choice("Condition", "value_json.condition", CONDITIONS),
        "problem": {"p": "binary_sensor", "name": "Problem", "dev_cla": "problem"}
        | {"val_tpl": WRONG},
        "handling": _choice("Alarm", "value_json.handling.state", HANDLING),
        "reason": {
            "p": "sensor",
            "name": "Reason",
            "val_tpl": "{{ (value_json.get('reasons', []) | map(attribute='text') | join('; '))"
            f"[:{LONGEST_STATE}] }}}}",
        },
        "quality": _choice("Quality", "value_json.quality", QUALITIES) | {"ent_cat": "diagnostic"},
        "evidence": _number("Evidence", "value_json.evidence", None),
        "baseline": _number("Baseline", "(value_json.coverage.fraction * 100)", "%")
        | {"ent_cat": "diagnostic"},
    }
    by_topic = {topics.machine_state(machine.id): components}
    for point in machine.points:
        topic = topics.point_state(machine.id, point.id)
        by_topic[topic] = dict(_point(point, levels.get(point.id, {})))
    device = {"name": machine.name, "mdl": "Machine"}
    if machine.area:
        device["sa"] = machine.area
    device["via_device"] = safe_id("auscult", topics.site, topics.gateway)
    identity = safe_id("auscult", topics.site, topics.gateway, machine.id)
    return _payload(identity, device, topics, version, by_topic)


def _point(point: PointPart, levels: Mapping[str, str]) -> Iterator[tuple[str, Component]]:
    def named(name: str) -> str:
        return f"{point.name} {name}"

    key = safe_id(point.id)
    yield f"{key}_condition", _choice(named("condition"), "value_json.condition", CONDITIONS)
    yield (
        f"{key}_sensor",
        {
            "p": "binary_sensor",
            "name": named("sensor"),
            "dev_cla": "problem",
            "ent_cat": "diagnostic",
            "val_tpl": "{{ 'ON' if value_json.get('sensor') else 'OFF' }}",
        },
    )
    if point.kind != "value":
        yield f"{key}_speed", _number(named("speed"), "value_json.speed_rpm", "rpm")
    for level, unit in levels.items():
        value = f"value_json.get('levels', {{}}).get('{level}', {{}}).get('value')"
        words = LEVEL_WORDS.get(level) or level.replace("_", " ")
        shown = None if unit in ("1", "FS", "as_delivered") else unit
        yield (
            f"{key}_{safe_id(level)}",
            _number(point.name if words in point.name.casefold() else named(words), value, shown),
        )


def _choice(name: str, value: str, options: Sequence[str]) -> Component:
    return {"p": "sensor", "name": name, "dev_cla": "enum", "ops": list(options)} | {
        "val_tpl": f"{{{{ {value} }}}}"
    }


def _number(name: str, value: str, unit: str | None) -> Component:
    component = {"p": "sensor", "name": name, "stat_cla": "measurement"}
    if unit is not None:
        component["unit_of_meas"] = unit
    # A value that is missing in the message renders as None, which is "unknown".
    return component | {"val_tpl": f"{{{{ {value} | default(none) }}}}"}


def _payload(
    identity: str,
    device: dict[str, Any],
    topics: Topics,
    version: str,
    by_topic: Mapping[str, Mapping[str, Component]],
) -> bytes:
    components = {
        key: component | {"uniq_id": f"{identity}_{key}", "stat_t": topic.replace(topics.base, "~")}
        for topic, group in by_topic.items()
        for key, component in group.items()
    }
    body = {
        "~": topics.base,
        "dev": {"ids": [identity], "mf": "Auscult", **device},
        "o": {"name": "auscult", "sw": version},
        "avty_t": topics.status.replace(topics.base, "~"),
        "avty_tpl": "{{ value_json.state }}",
        "qos": 1,
        "cmps": components,
    }
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode()
