"""`[opcua]` of the configuration."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from auscult.contract.said import Rejection
from auscult.contract.section import ConfiguredPath, Section

AlarmRight = Literal["acknowledge", "shelve", "out_of_service"]
"""`shelve` and `out_of_service` are both ways."""
Mode = Literal["none", "sign", "sign_and_encrypt"]


class OpcUaUser(Section):
    """A user of the OPC UA server."""

    name: str = Field(min_length=1, max_length=64, description="User name")
    password_file: ConfiguredPath = Field(
        description="File whose first line is the password (never in this file)"
    )
    commands: tuple[AlarmRight, ...] = Field(
        default=(), description="Alarm commands of the user; reading needs no right"
    )


class OpcUaSettings(Section):
    """An OPC UA server on the gateway, off by default; needs the extra `opcua`."""

    enabled: bool = Field(default=False, description="Serve OPC UA")
    host: str = Field(
        default="127.0.0.1", min_length=1, description="Address to listen on; `0.0.0.0` = all"
    )
    port: int = Field(default=4840, ge=1, le=65535, description="TCP port")
    modes: tuple[Mode, ...] = Field(
        default=("sign_and_encrypt",),
        min_length=1,
        description="Security modes offered: `none`, `sign`, `sign_and_encrypt` (Basic256Sha256, "
        "Aes128Sha256RsaOaep, Aes256Sha256RsaPss)",
    )
    anonymous: bool = Field(default=False, description="Allow reading without login")
    users: tuple[OpcUaUser, ...] = Field(default=(), description="Who may log in")
    cert_file: ConfiguredPath | None = Field(
        default=None,
        description="The server's certificate (PEM or DER); left out = the gateway makes one and "
        "keeps it",
    )
    key_file: ConfiguredPath | None = Field(
        default=None, description="Private key of the certificate (PEM)"
    )
    trusted_dir: ConfiguredPath | None = Field(
        default=None,
        description="Folder with the certificates of the clients (or their authorities) that may "
        "connect; left out = any certificate, the login decides",
    )

    @model_validator(mode="after")
    def _someone_may_enter(self) -> Self:
        if (self.cert_file is None) != (self.key_file is None):
            raise Rejection("certificate_incomplete")
        if self.enabled and not (self.anonymous or self.users):
            raise Rejection("opcua_no_user")
        if self.users and set(self.modes) == {"none"}:
            raise Rejection("opcua_readable_passwords")
        names = [user.name for user in self.users]
        if len(set(names)) != len(names):
            raise Rejection("opcua_user_twice")
        return self
