"""The configuration that a new gateway begins with."""

from __future__ import annotations

import re
from dataclasses import dataclass

DEFAULT_PORT = 8883
HOST = re.compile(r"[\w.\-]+|\[?[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*\]?")
KEY = re.compile("[0-9a-fA-F]{64}")
_TEXT = """# Made by `{command}`. Add machines here, or commission them on the page.
[site]
id = "{site}"

[gateway]
id = "{name}"
{data_dir}{keys}
[mqtt]
host = "{host}"
port = {port}
tls = {{ ca_file = "ca.crt", cert_file = "client_{name}.crt", key_file = "client_{name}.key" }}
"""


@dataclass(frozen=True, slots=True)
class GatewayFile:
    """The few values that a gateway can't choose itself."""

    command: str
    site: str
    name: str
    broker: str
    """HOST or HOST:PORT."""
    dashboard_key: str = ""
    """With it, commands of others are rejected."""
    data_dir: str = ""
    """Left out = the default of `gateway.data_dir`."""

    def text(self) -> str:
        """Return the TOML file.

        Raises
        ------
        ValueError
            If broker or key are none.
        """
        host, port = address(self.broker)
        if self.dashboard_key and not KEY.fullmatch(self.dashboard_key):
            raise ValueError(f"the key {self.dashboard_key!r} is not of 64 hexadecimal digits")
        keys = (
            f'dashboard_keys = ["{self.dashboard_key}"]\nunsigned_commands = "reject"\n'
            if self.dashboard_key
            else ""
        )
        data_dir = f'data_dir = "{self.data_dir}"\n' if self.data_dir else ""
        return _TEXT.format(
            command=self.command, site=self.site, name=self.name, host=host, port=port, keys=keys,
            data_dir=data_dir,
        )  # fmt: skip


def address(broker: str) -> tuple[str, int]:
    """Return host and port.

    >>> address("broker.plant.example"), address("192.0.2.10:8884"), address("[2001:db8::7]:8883")
    (('broker.plant.example', 8883), ('192.0.2.10', 8884), ('2001:db8::7', 8883))
    """
    host, colon, port = broker.rpartition(":")
    if not colon or "]" in port:
        host, port = broker, str(DEFAULT_PORT)
    if not (HOST.fullmatch(host) and port.isdecimal() and 0 < int(port) < 65_536):
        raise ValueError(f"the broker {broker!r} is not HOST or HOST:PORT")
    return host.strip("[]"), int(port)
