"""The plant's zone is a name that every browser and program knows."""

from __future__ import annotations

from zoneinfo import available_timezones

import pytest

from auscult.app.settings import zone_name


@pytest.mark.parametrize(
    ("configured", "of_process", "found"),
    [
        ("Europe/Berlin", "America/Lima", "Europe/Berlin"),
        ("", "America/Lima", "America/Lima"),
    ],
)
def test_what_is_configured_comes_before_the_server(monkeypatch, configured, of_process, found):
    monkeypatch.setenv("TZ", of_process)
    assert zone_name(configured) == found


@pytest.mark.parametrize("of_process", ["", ":/etc/localtime", "CET-1CEST,M3.5.0,M10.5.0/3"])
def test_a_zone_without_a_name_is_replaced_by_one(monkeypatch, of_process):
    monkeypatch.setenv("TZ", of_process)
    assert zone_name("") in available_timezones()
