"""The page in German: what a gateway says by code and values, and no English left on any page."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from auscult.contract.inventory import MachinePart
from auscult.contract.parts import WordedReason, worded
from auscult.contract.records import Condition, Contribution, OperatingState, Reason, ReasonKind
from auscult.contract.said import Said
from auscult.dsp.health import SensorHealth
from auscult.dsp.spec import FeatureSpec
from auscult.models.baseline.collection import Baseline
from auscult.models.baseline.states import state_values
from auscult.models.decision.diagnosis import diagnose
from auscult.models.decision.iso20816 import Boundaries, Severity
from auscult.models.decision.limits import LimitChecks
from auscult.models.decision.sensor_checks import SensorChecks
from auscult.models.settings import DetectorSettings
from tests.app.messages import (
    FakeGateway,
    event,
    inventory,
    machine_state,
    point_state,
    status,
    ulid,
)
from tests.e2e.conftest import OpenPage, PublishedPlant
from tests.e2e.pages import MACHINE, PAGES, expect_current, sideways_px

pytestmark = pytest.mark.e2e

SPEC = FeatureSpec.vibration(25_600, 25_600, "g", nominal_speed_rpm=1500)
ENGLISH = re.compile(
    r"\b(the|is|are|were|of|with|without|from|this|that|which|what|when|where|not|no|and|or|"
    r"its|for|by|at|has|have|would|can|more|limit|above|below|baseline|learned|windows?|"
    r"machine|gateway file|fault|sensor OK|normal state|speed|load|vibration|none|yes)\b",
    re.IGNORECASE,
)
"""Words that German does not have, or writes otherwise."""


def iso() -> Reason:
    """ISO zone C as the limit check reports it."""
    zones = Severity("ISO 20816-3 group 2, rigid", Boundaries(1.4, 2.8, 4.5), None)
    checks = LimitChecks({"DE-H": zones.limits()}, {"DE-H": SPEC}, windows=1)
    values = np.zeros(len(SPEC), np.float32)
    values[SPEC.index["velocity_rms_mm_s"]] = 3.1
    checks.update("DE-H", values)
    return checks.reasons("DE-H")[0]


def said() -> tuple[WordedReason, ...]:
    """Reasons of every kind, made where the gateway makes them."""
    moved = dict.fromkeys(SPEC.model_names, 0.0) | {"order_1x": 12.0, "rms": 4.0}
    named = diagnose(SPEC, moved)
    assert named is not None
    sensors = SensorChecks(windows=1)
    sensors.update("NDE-H", int(SensorHealth.BIAS))
    (cable,) = sensors.beside("NDE-H")
    band = Contribution("band_39", 2.0, 1.0, "g", 6.0, 0.6, 6.0, "", 10_704.0, 12_800.0)
    departs = Reason(
        ReasonKind.LEARNED, Condition.ALARM, Said("departs"), "DE-H", contributions=(band,),
    )  # fmt: skip
    unseen = Reason(
        ReasonKind.STATE, Condition.UNKNOWN,
        Said(
            "unseen_state",
            state_values(OperatingState(1480.0, 40.0)) | state_values(OperatingState(), "nearest_"),
        ),
        "DE-H",
    )  # fmt: skip
    forecast = Reason(
        ReasonKind.TREND, Condition.NORMAL,
        Said(
            "forecast",
            {"feature": "velocity_rms_mm_s", "title": "velocity r.m.s.", "level": "alarm",
             "standard": "", "expected_s": 12 * 86_400, "earliest_s": 9 * 86_400,
             "latest_s": None},
        ),
        "DE-H", 3.1, 4.5, "mm/s",
    )  # fmt: skip
    reasons = (departs, named.reason(Condition.ALARM, "DE-H"), iso(), cable, unseen, forecast)
    return tuple(map(worded, reasons))


def publish(gateway: FakeGateway) -> str:
    """Say all of it of one machine; return its event's id."""
    event_id, reasons = ulid(), said()
    baseline = Baseline({"DE-H": SPEC}, DetectorSettings())
    for i in range(30):
        features = np.ones(len(SPEC), np.float32)
        baseline.add("DE-H", i * 10**9, features, OperatingState(1480.0, 10.0 * (i % 5 == 0)))
    meter = baseline.coverage()
    gateway.publish(status())
    listed = inventory("pump-3")
    machine: MachinePart = listed.machines[0].model_copy(
        update={
            "zones_refusal": "neither power nor class is known",
            "zones_said": Said("iso_class_unknown"),
        }
    )
    gateway.publish(listed.model_copy(update={"machines": (machine,)}))
    gateway.publish(event("pump-3", event_id, reasons=reasons))
    gateway.publish(
        machine_state("pump-3", "alarm", reasons=reasons, event_id=event_id, coverage=meter)
    )
    gateway.publish(point_state("pump-3", "DE-H", "alarm", reasons=reasons, sensor=("clipping",)))
    return event_id


def test_reasons_are_in_german(open_page: OpenPage, gateway: FakeGateway) -> None:
    event_id = publish(gateway)
    page = open_page(f"/events/{event_id}", language="de-DE")
    why = page.get_by_role("region", name="Warum")
    for text in (
        "Weicht von der Referenz ab: Band 10,7–12,8 kHz +6 dB",
        "Unwucht wahrscheinlich: Anstieg bei 1× Drehfrequenz, 2× Drehfrequenz unverändert, "
        "Hüllkurve unverändert",
        "Schwinggeschwindigkeit, effektiv, ISO 20816-3 Gruppe 2, starr: 3,1 mm/s überschreitet "
        "die Grenze „Warnung“ von 2,8 mm/s",
        "Sensorstörung: Ruhespannung außerhalb des Bereichs: Kabelbruch oder Kurzschluss",
        "Betriebszustand 1480 U/min, Last 40 kam in der Referenz nie vor (am ähnlichsten: "
        "bei unbekannter Drehzahl und Last)",
        "Schwinggeschwindigkeit, effektiv: Hält der Trend an, ist die Grenze „Alarm“ von 4,5 mm/s "
        "in etwa 12 Tagen (frühestens in 9 Tagen) erreicht",
    ):
        expect(why.get_by_role("listitem").filter(has_text=spaced(text))).to_be_visible()

    page.goto(f"/machines/{MACHINE}?tab=setup")
    zones = page.get_by_role("region", name="ISO-Zonen")
    expect(zones.get_by_text("Weder Nennleistung noch Gruppe sind angegeben")).to_be_visible()
    meter = page.get_by_role("region", name="Referenz", exact=True)
    expect(meter.get_by_text(spaced("4 weitere Fenster bei 1480 U/min, Last 10"))).to_be_visible()
    expect(page.get_by_text("übersteuert: Wandler oder Sensor am Anschlag")).to_be_visible()


def spaced(text: str) -> re.Pattern[str]:
    """Find a text whatever spaces its numbers and units have between them."""
    return re.compile(re.escape(text).replace("\\ ", r"\s"))


def words_of(page: Page) -> str:
    """Read what the page shows, except what it marks as English: titles of sources."""
    text: str = page.evaluate(
        """() => {
          for (const one of document.body.querySelectorAll('[lang=en]')) one.hidden = true;
          return document.body.innerText;
        }"""
    )
    return text


def test_every_page_is_german_and_fits_a_phone(
    open_plant: OpenPage, published: PublishedPlant
) -> None:
    """Names, notes and reasons of the published plant are in English; all else must be German.

    German words are longer: nothing may scroll sideways on the smallest screen.
    """
    page = open_plant("/", viewport="phone", language="de-DE")
    left, wide = {}, []
    for name, path in PAGES.items():
        page.goto(path.format(event=published.event_id))
        expect_current(page, name, "phone")
        expect(page.get_by_text("Lädt …")).to_have_count(0)
        found = [line for line in words_of(page).splitlines() if ENGLISH.search(known_out(line))]
        if found:
            left[name] = found
        if sideways_px(page) > 0:
            wide.append(name)
    assert (left, wide) == ({}, [])


ENTERED = (
    r"Cooling water pump \d", r"Exhaust fan \d", r"Gearbox line \d", r"Conveyor motor \d",
    r"Drive end, horizontal", r"Non-drive end, horizontal", r"Seal is changed on Monday",
    r"balancing is ordered", r"Envelope lines at .* baseline", r"BPFO and 4 .* envelope",
    r"level of 2–4 kHz rises", r"sidebands at shaft speed", r"Zone C: not suited .*rigid\)",
    r"Signal is constant: cable or sensor supply", r"constant signal", r"load above 60 %",
    r"72 more windows", r"Case Western.*", r"Smith.*", r"[\w./-]+\.csv",
)  # fmt: skip
"""Words of people and catalogues in the published plant."""


def known_out(line: str) -> str:
    return re.sub("|".join(ENTERED), "", line)
