"""How to reach the broker: settings that gateway and dashboard share."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from auscult.contract.said import Rejection
from auscult.contract.section import ConfiguredPath, Section
from auscult.errors import UnusableSettingError


class CredentialsError(UnusableSettingError):
    """A password or certificate can't be used; one line that names the file and the remedy."""


class TlsSettings(Section):
    """TLS to the broker; a client certificate proves who we are."""

    ca_file: ConfiguredPath = Field(
        description="CA certificate (PEM) that signed the broker's certificate"
    )
    cert_file: ConfiguredPath | None = Field(
        default=None, description="Our client certificate (PEM)"
    )
    key_file: ConfiguredPath | None = Field(
        default=None, description="Private key of the certificate (PEM)"
    )

    @model_validator(mode="after")
    def _certificate_with_key(self) -> Self:
        if (self.cert_file is None) != (self.key_file is None):
            raise Rejection("certificate_incomplete")
        return self


class BrokerSettings(Section):
    """The MQTT broker."""

    host: str = Field(default="127.0.0.1", min_length=1, description="Broker's name or address")
    port: int = Field(default=1883, ge=1, le=65535, description="Broker's port; 8883 with TLS")
    username: str | None = Field(default=None, description="User name, if the broker requires one")
    password_file: ConfiguredPath | None = Field(
        default=None, description="File whose first line is the password (never in this file)"
    )
    tls: TlsSettings | None = Field(default=None, description="TLS; left out = unencrypted")
    keepalive_s: int = Field(
        default=30,
        ge=5,
        le=600,
        description="A dead link is detected after one to two of these periods, s",
    )
