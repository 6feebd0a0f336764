"""The one TOML file: good ones load, bad ones end in one line with file, key, value, remedy."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from auscult.app.command.configuration import check_points, check_sources, load
from auscult.errors import ConfigurationError

MACHINE = """
[[machines]]
id = "pump-3"
[[machines.points]]
id = "DE-H"
kind = "vibration"
unit = "g"
fs_hz = 25600
"""


VALUE = """
[[machines]]
id = "pump-3"
[[machines.points]]
id = "n"
kind = "value"
quantity = "other"
unit = "rpm"
interval_s = 10
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "auscult.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_defaults_fill_what_the_file_leaves_out(tmp_path: Path) -> None:
    path = write(tmp_path, MACHINE)
    settings = load(path).for_gateway(path)
    assert settings.machines[0].points[0].fs_hz == 25_600
    assert settings.mqtt.port == 1883
    assert settings.gateway.data_dir == tmp_path / "auscult-data/gateway"


def test_relative_paths_are_taken_from_the_folder_of_the_file(tmp_path: Path) -> None:
    path = write(tmp_path, '[mqtt]\npassword_file = "secret"\n' + MACHINE)
    assert load(path).mqtt.password_file == tmp_path / "secret"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("spelling = 1", "spelling: unknown key"),
        ("[mqtt]\nprot = 1883", "mqtt.prot: unknown key"),
        ("[mqtt]\nport = 99999", "mqtt.port = 99999: Input should be less than or equal to 65535"),
        ('[dashboard]\ndatabase = "mysql://db/x"', "dashboard.database = 'mysql://db/x': "),
        (
            '[dashboard]\ndatabase = "postgresql://eva:secret@db/x"',
            "leave the password out of the address: use database_password_file",
        ),
        ("[dashboard]\nworkers = 3", "workers = 3 needs a PostgreSQL database (set database): a S"),
        (
            MACHINE.replace("25600", "100"),
            "points[0].fs_hz = 100: samples need at least 200 Hz",
        ),
        (
            MACHINE.replace('"g"', '"furlong"'),
            "points[0].unit = 'furlong': choose one of g, m/s2",
        ),
        (MACHINE.replace('"g"', '"V"'), "unit V needs sensitivity_mv and sensitivity_unit"),
        (MACHINE.replace("pump-3", "a/b"), "id = 'a/b': use 1 to 64 letters"),
        (MACHINE.replace("pump-3", "cmd"), "id cmd is a word of the MQTT topic tree"),
        ('[mqtt.tls]\nca_file = "ca"\ncert_file = "c"', "cert_file and key_file belong together"),
        ('[mqtt]\nusername = "a\\u0000b"', "mqtt.username = 'a\\x00b': holds a control character"),
        (
            '[dashboard]\nclient_id = "/etc/shadow"',
            "'/etc/shadow': a client id holds no",
        ),
        (
            VALUE.replace("rpm", "<script>"),
            "points[0].unit = '<script>': a unit holds none of < > &",
        ),
        ("port = [", "not valid TOML"),
    ],
)
def test_a_bad_file_is_reported_in_one_line(tmp_path: Path, text: str, expected: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigurationError) as caught:
        load(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert expected in message
    assert "\n" not in message
    assert "more)" not in message, "each file has one problem"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (MACHINE + MACHINE.replace("pump-3", "PUMP-3"), "machine id pump-3 is used twice"),
        (
            MACHINE + '[[sources]]\ntype = "recordings"\nmanifest = "m.csv"\nmachine = "fan"\n',
            "source plays machine fan, which is not configured",
        ),
    ],
)
def test_what_a_gateway_cannot_run_with(tmp_path: Path, text: str, expected: str) -> None:
    path = write(tmp_path, text)
    configuration = load(path)
    with pytest.raises(ConfigurationError, match=expected):
        configuration.for_gateway(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"none\.toml: cannot be read: No such file"):
        load(tmp_path / "none.toml")


VALUES = """
[[machines]]
id = "p"
[[machines.points]]
id = "t"
kind = "value"
quantity = "temperature"
unit = "°C"
interval_s = 60
{limits}
[[sources]]
type = "mqtt_json"
machine = "p"
[[sources.values]]
point = "{point}"
topic = "a"
path = "{path}"
"""


@pytest.mark.parametrize(
    ("limits", "point", "path", "expected"),
    [
        ("", "w", "t", "auscult.toml: machine p has no point w"),
        ("", "t", "][", "auscult.toml: sources[0].values[0]: ][ is no JMESPath expression"),
        (
            'limits = [{ feature = "loudness", alarm = 3 }]', "t", "t",
            "auscult.toml: machines[0].points[0].limits: limit of point t: it has no feature loud",
        ),
    ],
)  # fmt: skip
def test_what_can_not_work_is_found_before_anything_starts(
    tmp_path: Path, limits: str, point: str, path: str, expected: str
) -> None:
    config = write(tmp_path, VALUES.format(limits=limits, point=point, path=path))
    with pytest.raises(ConfigurationError, match=re.escape(expected)):
        check(config)


def check(config: Path) -> None:
    """Check a file as `auscult sensors --config` does."""
    settings = load(config).for_gateway(config)
    check_sources(config, settings)
    check_points(config, settings)
