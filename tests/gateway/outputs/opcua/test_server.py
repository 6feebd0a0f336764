"""The OPC UA server, read by clients in other processes: asyncua's, and node-opcua from npm."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from auscult.contract.host_actions import HostAction
from auscult.contract.parts import HandlingPart
from auscult.contract.requests import AcknowledgeArgs, OutOfServiceArgs, ReleaseArgs, ShelveArgs
from auscult.gateway.outputs.opcua.methods import REASON
from auscult.gateway.outputs.opcua.server import OpcUaServer
from auscult.gateway.outputs.opcua.settings import OpcUaSettings
from auscult.link.broker import CredentialsError
from tests.certificates import Authority
from tests.gateway.outputs.context import context
from tests.gateway.outputs.sparkplug.plant import (
    BEARING,
    ZONE,
    event,
    machine_state,
    point_state,
    status,
)
from tests.gateway.programs import Program, install, program
from tests.ports import free_port
from tests.waiting import DEADLINE_S, wait_until

FOREIGN = Path(__file__).parent / "foreign"


class Served:
    """A server with the small plant's values, and what its clients asked for."""

    def __init__(self, folder: Path, **settings: object) -> None:
        self.folder = folder
        self.actions: list[HostAction] = []
        self.refused: list[tuple[str, str, str]] = []
        self.refusal = ""
        self.port = free_port()
        self.endpoint = f"opc.tcp://127.0.0.1:{self.port}/auscult"
        self._programs: list[Program] = []
        secret = folder / "secret"
        secret.write_text("right\n")
        users = [
            {
                "name": "anna",
                "password_file": secret,
                "commands": ["acknowledge", "shelve", "out_of_service"],
            },
            {"name": "viewer", "password_file": secret},
        ]
        self.settings = OpcUaSettings.model_validate(
            {"enabled": True, "port": self.port, "users": users} | settings
        )
        self.server = OpcUaServer(
            self.settings,
            context(folder / "opcua", self._act, lambda *refused: self.refused.append(refused)),
        )
        self.server.start()
        assert self.server.ready.wait(DEADLINE_S)
        self.state = point_state(velocity=2.5)
        for message in (self.state, point_state("fan-1", "M"), machine_state(), status()):
            self.server.publish(message)

    def _act(self, action: HostAction) -> str:
        self.actions.append(action)
        return self.refusal

    def client(
        self, mode: str, user: str = "", password: str = "right", folder: Path | None = None
    ) -> Program:
        folder = folder or self.folder / f"client{len(self._programs)}"
        folder.mkdir(exist_ok=True)
        return self._running(
            sys.executable, "-m", "tests.gateway.outputs.opcua.client",
            self.endpoint, folder, mode, user, password,
        )  # fmt: skip

    def foreign(self, user: str, password: str) -> Program:
        install(FOREIGN, "node-opcua-client")
        folder = self.folder / "pki"
        return self._running(
            program("node"), FOREIGN / "client.js", self.endpoint, folder, user, password, "120"
        )

    def _running(self, *command: str | Path) -> Program:
        running = Program(*command)
        self._programs.append(running)
        return running

    def close(self) -> None:
        for running in self._programs:
            running.end()
        self.server.stop()


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[type]:
    served: list[Served] = []

    def start(**settings: object) -> Served:
        served.append(Served(tmp_path, **settings))
        return served[-1]

    yield start  # type: ignore[misc]
    for one in served:
        one.close()


def handled(state: str, event_id: str | None = "01EV", condition: str = "alarm"):
    return machine_state(condition=condition, event_id=event_id).model_copy(
        update={"handling": HandlingPart(state=state), "reasons": (BEARING, ZONE)}
    )


def test_a_client_reads_values_with_units_and_handles_an_alarm(serve):
    served = serve()
    client = served.client("sign_and_encrypt", "anna")
    client.wait_for("listening")
    assert client.of("machines") == [["Feed pump 3", "Fan 1"]]
    values = {line["path"]: line for line in client.lines if "path" in line}
    assert values["Verdict/Condition"]["value"] == "normal"
    assert values["Points/DE/Levels/velocity_rms"]["value"] == 2.5
    assert values["Points/DE/Levels/velocity_rms"]["source_ms"] == served.state.window_ms
    assert values["Points/DE/Load"]["status"] == "Bad"
    assert values["Event/Started"]["status"] == "BadWaitingForInitialData"
    assert next(line for line in client.lines if "unit" in line) == {
        "unit": "mm/s", "id": int.from_bytes(b"C16"), "low": 0.0, "high": 20.0,
    }  # fmt: skip
    assert client.of("analog") == [True]
    assert client.of("denied") == ["BadUserAccessDenied"] * 2

    served.server.publish(event(event_id="01EV"))
    served.server.publish(handled("unacknowledged"))
    shown = client.wait_for("alarm")[-1]
    assert shown == {
        "SourceName": "Feed pump 3", "Severity": 800, "Message": "outer-race defect; zone D",
        "Retain": True, "Active": True, "Acked": False, "Shelved": False,
    }  # fmt: skip
    assert client.wait_for("acknowledged", 2) == ["BadEventIdUnknown", "Good"]
    assert client.of("active_state") == ["Active"]
    action = served.actions[0]
    assert (action.spec.name, action.actor) == ("acknowledge", "anna (OPC UA)")
    assert action.args == AcknowledgeArgs(event_id="01EV", comment="seen")

    served.server.publish(handled("acknowledged"))
    shown = client.wait_for("alarm", 2)[-1]
    assert (shown["Active"], shown["Acked"], shown["Retain"]) == (True, True, True)
    served.server.publish(handled("normal", None, "normal"))
    shown = client.wait_for("alarm", 3)[-1]
    assert (shown["Active"], shown["Acked"], shown["Retain"]) == (False, True, False)


def test_a_late_client_receives_open_alarms(serve):
    served = serve(modes=("none", "sign", "sign_and_encrypt"), anonymous=True)
    served.server.publish(handled("shelved"))
    late = served.client("sign")
    shown = late.wait_for("alarm")[0]
    assert (shown["Active"], shown["Shelved"], shown["Retain"]) == (True, True, True)
    served.server.publish(handled("returned", None, "normal"))
    shown = late.wait_for("alarm", 2)[-1]
    assert (shown["Active"], shown["Acked"], shown["Retain"]) == (False, False, True)
    # This client is anonymous.
    assert late.wait_for("acknowledged", 2) == ["BadUserAccessDenied"] * 2
    assert not served.actions


def test_a_client_shelves_and_takes_out_of_service(serve):
    served = serve()
    client = served.client("sign_and_encrypt", "anna")
    client.wait_for("listening")

    def call(name: str, *args: float, user: Program = client) -> str:
        """What the server answers."""
        count = len(user.of("called"))
        user.say(name, *args)
        return user.wait_for("called", count + 1)[-1]

    assert call("ShelvingState/TimedShelve", 0.0) == "BadShelvingTimeOutOfRange"
    assert call("ShelvingState/TimedShelve", 8 * 86_400_000.0) == "BadShelvingTimeOutOfRange"
    assert call("ShelvingState/Unshelve") == "BadConditionNotShelved"
    assert call("ShelvingState/OneShotShelve") == "BadNotSupported"
    assert not served.actions
    assert call("ShelvingState/TimedShelve", 90_000.0) == "Good"
    assert client.of("shelving")[-1][0] == "Unshelved", "not before the gateway says so"
    until_ms = time.time_ns() // 1_000_000 + 90_000
    shelf = HandlingPart(state="shelved", until_ms=until_ms)
    served.server.publish(machine_state().model_copy(update={"handling": shelf}))
    assert client.wait_for("alarm")[-1]["Shelved"]
    assert call("ShelvingState/TimedShelve", 90_000.0) == "BadConditionAlreadyShelved"
    state, left_ms = client.of("shelving")[-1]
    assert state == "TimedShelved"
    assert 0 < left_ms <= 90_000
    assert call("ShelvingState/Unshelve") == "Good"
    assert call("RemoveFromService") == "Good"
    assert call("PlaceInService") == "Good"
    viewer = served.client("sign_and_encrypt", "viewer")
    viewer.wait_for("listening")
    for name, *args in (
        ("ShelvingState/TimedShelve", 90_000.0), ("ShelvingState/Unshelve",),
        ("RemoveFromService",), ("PlaceInService",),
    ):  # fmt: skip
        assert call(name, *args, user=viewer) == "BadUserAccessDenied"
    assert served.refused[0] == ("viewer (OPC UA)", "pump-3 shelve", "the user has no right to it")
    assert len(served.refused) == 4
    assert [(one.spec.name, one.args) for one in served.actions] == [
        ("shelve", ShelveArgs(machine="pump-3", duration_s=90, reason=REASON)),
        ("unshelve", ReleaseArgs(machine="pump-3", comment=REASON)),
        ("out_of_service", OutOfServiceArgs(machine="pump-3", reason=REASON)),
        ("return_to_service", ReleaseArgs(machine="pump-3", comment=REASON)),
    ]
    assert {one.actor for one in served.actions} == {"anna (OPC UA)"}


def test_a_rejected_acknowledgement_is_reported(serve):
    served = serve()
    served.refusal = "it has become worse"
    client = served.client("sign_and_encrypt", "anna")
    client.wait_for("listening")
    served.server.publish(handled("unacknowledged"))
    assert client.wait_for("acknowledged", 2)[-1] == "BadRequestNotAllowed"
    viewer = served.client("sign_and_encrypt", "viewer")
    assert viewer.wait_for("acknowledged", 2)[-1] == "BadUserAccessDenied"


def test_by_default_only_known_users_come_in_and_only_encrypted(serve):
    served = serve()
    clients = [
        served.client(mode, user, password)
        for mode, user, password in (
            ("none", "", ""),
            ("sign", "anna", "right"),
            ("sign_and_encrypt", "", ""),
            ("sign_and_encrypt", "anna", "wrong"),
            ("sign_and_encrypt", "stranger", "right"),
        )
    ]
    for client in clients:
        client.wait_for("error")
        assert not client.of("machines")


def test_only_trusted_certificates_where_a_folder_names_them(serve, tmp_path):
    trusted = tmp_path / "trusted"
    trusted.mkdir()
    other = Authority(tmp_path / "other").file
    (trusted / "other.pem").write_bytes(other.read_bytes())
    served = serve(trusted_dir=trusted)
    client = served.client("sign_and_encrypt", "anna")
    client.wait_for("error")
    served.server.stop()
    (trusted / "client.der").write_bytes((tmp_path / "client0" / "client.der").read_bytes())
    again = serve(trusted_dir=trusted)
    shutil.copytree(tmp_path / "client0", tmp_path / "client")
    again.client("sign_and_encrypt", "anna", folder=tmp_path / "client").wait_for("machines")


def test_a_level_that_comes_later_appears_and_is_remembered(serve, tmp_path):
    served = serve()
    wait_until(lambda: served.server._levels.levels_of("pump-3", "DE"))
    served.server.stop()
    again = OpcUaServer(served.settings, context(tmp_path / "opcua"))
    assert dict(again._levels.levels_of("pump-3", "DE")) == {
        "velocity_rms": "mm/s",
        "crest_factor": "1",
    }


def test_a_foreign_client_reads_acknowledges_and_shelves(serve):
    served = serve()
    foreign = served.foreign("anna", "right")
    foreign.wait_for("listening")
    assert foreign.of("machines") == [["Feed pump 3", "Fan 1"]]
    values = {line["path"]: (line["value"], line["status"]) for line in foreign.lines
              if "path" in line}  # fmt: skip
    assert values["Verdict/Condition"] == ("normal", "Good")
    assert values["Points/DE/Levels/velocity_rms"] == (2.5, "Good")
    assert values["Points/DE/Load"] == (None, "Bad")
    assert next(line for line in foreign.lines if "unit" in line) == {
        "unit": "mm/s", "id": int.from_bytes(b"C16"), "low": 0, "high": 20,
    }  # fmt: skip
    served.server.publish(handled("unacknowledged"))
    shown = foreign.wait_for("alarm")[0]
    assert shown["SourceName"] == "Feed pump 3"
    assert shown["ActiveState.Id"] is True
    assert foreign.wait_for("acknowledged") == ["Good"]
    assert foreign.wait_for("shelved") == ["Good"]
    shelf = ShelveArgs(machine="pump-3", duration_s=60, reason=REASON)
    assert [action.spec.name for action in served.actions] == ["acknowledge", "shelve"]
    assert served.actions[1].args == shelf
    assert {action.actor for action in served.actions} == {"anna (OPC UA)"}


def test_settings_without_users_or_with_readable_passwords_are_rejected(tmp_path):
    with pytest.raises(ValueError, match="no user may log in"):
        OpcUaSettings(enabled=True)
    with pytest.raises(ValueError, match="passwords readable"):
        OpcUaSettings.model_validate(
            {"modes": ["none"], "users": [{"name": "a", "password_file": tmp_path / "x"}]}
        )
    users = [{"name": "a", "password_file": tmp_path / "missing"}]
    settings = OpcUaSettings.model_validate({"enabled": True, "users": users})
    with pytest.raises(CredentialsError, match="password_file"):
        OpcUaServer(settings, context(tmp_path))
