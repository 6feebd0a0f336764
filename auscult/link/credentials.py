"""Credentials for a broker: passwords, client certificates, and the check of the broker's own.

Every connection to a broker gets its credentials here. Errors name the file and the remedy,
because TLS itself reports neither.
"""

from __future__ import annotations

import ssl
import time
from pathlib import Path
from typing import TYPE_CHECKING

import paho.mqtt.client as paho
from paho.mqtt.enums import LogLevel

from auscult.contract.times import DAY_S
from auscult.link.broker import BrokerSettings, CredentialsError, TlsSettings

if TYPE_CHECKING:
    from cryptography.x509 import Certificate


REMEDIES = (
    # What OpenSSL finds wrong with the broker's certificate.
    ("certificate has expired", "the broker's certificate has expired: renew it at the broker"),
    (
        "certificate is not yet valid",
        "the broker's certificate is not valid yet: set this machine's clock if it is behind; else "
        "a clock was ahead when it was signed: make it again (auscult certs make)",
    ),
    (
        "self-signed certificate",
        "the broker's certificate is signed by an authority that ca_file does not hold: give the "
        "authority that signed it",
    ),
    (
        "unable to get local issuer certificate",
        "the broker's certificate is signed by an authority that ca_file does not hold: give the "
        "authority that signed it",
    ),
    (
        "certificate signature failure",
        "the broker's certificate is signed by another authority of the same name than the one in "
        "ca_file: give the authority that signed it",
    ),
    (
        "mismatch, certificate is not valid for",
        "the broker's certificate is for another name: set host to a name in it, or have one "
        "issued for this name",
    ),
    # The broker's alerts about our certificate: RFC 8446, section 6.2.
    ("alert certificate expired", "the broker finds our certificate expired: renew cert_file"),
    ("alert certificate revoked", "the broker finds our certificate revoked: get a new one"),
    (
        "alert unknown ca",
        "the broker does not trust the authority that signed our certificate: have cert_file "
        "signed by the broker's authority",
    ),
    (
        "alert certificate required",
        "the broker asks for a client certificate: set cert_file and key_file",
    ),
    ("alert bad certificate", "the broker does not accept our certificate: renew cert_file"),
    (
        "alert handshake failure",
        "the broker refuses the TLS handshake: it may ask for a client certificate (cert_file and "
        "key_file), or speak other ciphers only",
    ),
    ("alert protocol version", "the broker does not support TLS 1.2 or newer: update it"),
    ("unsupported protocol", "the broker does not support TLS 1.2 or newer: update it"),
    ("wrong version number", "the broker's port does not use TLS: use its TLS port, usually 8883"),
)
"""Part of OpenSSL's message, and what it means here."""


NO_TLS_THERE = ("connection reset by peer", "eof occurred")
"""How a handshake ends with a server that takes it for a damaged packet."""


class BrokerCredentials:
    """What one client of a broker shows, and an explanation when that is not taken.

    Raises
    ------
    CredentialsError
        If a file can't be read or holds no usable password or certificate.
    """

    def __init__(self, settings: BrokerSettings) -> None:
        self._settings = settings
        self._password = _password(settings)
        self._context = None if settings.tls is None else _context(settings.tls)
        self._alert = ""

    def give_to(self, client: paho.Client) -> None:
        """Set user name, password and TLS; the client asks no more than this.

        Our certificate is read again before each connection, so a renewed one needs no restart.
        """
        if self._settings.username is not None:
            client.username_pw_set(self._settings.username, self._password)
        if self._context is not None:
            client.tls_set_context(self._context)
            client.on_pre_connect = self._renew
            # Only paho's log has the cause of a failed read, and a TLS alert is a failed read.
            client.on_log = self._note_alert

    def why(self, error: str) -> str:
        """Return an error of the connection with its remedy."""
        found = remedy(f"{error} {self._alert}", self._settings)
        if not found and self._context and any(part in error.lower() for part in NO_TLS_THERE):
            found = "the broker's port may speak no TLS: use its TLS port, usually 8883"
        return f"{error}: {found}" if found else error

    def why_unanswered(self) -> str:
        """Say why a connection ended before the broker had answered.

        With TLS 1.3 a certificate is refused only then, and the alert may be lost on the way.
        """
        found = remedy(self._alert, self._settings) or _guess(self._settings)
        return f"the connection ended before the broker answered: {found}"

    def _renew(self, _client: paho.Client, _userdata: object) -> None:
        self._alert = ""
        if self._context is not None and self._settings.tls is not None:
            _load_own(self._context, self._settings.tls)

    def _note_alert(self, _client: paho.Client, _userdata: object, level: int, text: str) -> None:
        if level == LogLevel.MQTT_LOG_ERR:
            self._alert = text


def days_left(settings: BrokerSettings) -> float | None:
    """Return the days until our client certificate expires; negative after it has expired.

    None without a certificate, or if it can't be read: connecting reports that error.
    """
    if settings.tls is None or settings.tls.cert_file is None:
        return None
    span = _valid(settings.tls.cert_file)
    return None if span is None else (span[1] - time.time()) / DAY_S


def user_of(settings: BrokerSettings) -> str:
    """Return by which name the broker knows us: user name or common name; empty without one."""
    if settings.username or settings.tls is None or settings.tls.cert_file is None:
        return settings.username or ""
    certificate = _certificate(settings.tls.cert_file)
    parts = certificate.subject.rfc4514_string({}).split(",") if certificate else []
    return next((part[3:] for part in parts if part.startswith("CN=")), "")


def _certificate(path: Path) -> Certificate | None:
    try:
        from cryptography import x509  # without TLS it stays unloaded

        return x509.load_pem_x509_certificate(path.read_bytes())
    except (OSError, ValueError):
        return None


def _valid(path: Path) -> tuple[float, float] | None:
    """Return from when to when a certificate is valid; None if it can't be read."""
    certificate = _certificate(path)
    if certificate is None:
        return None
    return certificate.not_valid_before_utc.timestamp(), certificate.not_valid_after_utc.timestamp()


def _too_early(what: str, path: Path | None) -> str | None:
    """Say what to do about a certificate that is not valid yet by this machine's clock."""
    span = None if path is None else _valid(path)
    if span is None or span[0] <= time.time():
        return None
    day = time.strftime("%Y-%m-%d", time.gmtime(span[0]))
    return (
        f"{what} ({path}) is not valid before {day}: set this machine's clock if it is behind; "
        "else a clock was ahead when it was signed: make it again (auscult certs make, or enrol "
        "again)"
    )


def remedy(error: str, settings: BrokerSettings) -> str | None:
    """Say what to do about a failed connection; None where it is nothing of TLS.

    >>> remedy("tlsv1 alert certificate expired", BrokerSettings())
    'the broker finds our certificate expired: renew cert_file'
    """
    # OpenSSL 1.1 writes "self signed".
    message = error.lower().replace("self signed", "self-signed")
    found = next((text for part, text in REMEDIES if part in message), None)
    if found is None or settings.tls is None:
        return found
    own = settings.tls
    if "not yet valid" in message:
        found = _too_early("the authority's certificate", own.ca_file) or found
    elif "alert bad certificate" in message:
        found = _too_early("our certificate", own.cert_file) or found
    files = {"ca_file": settings.tls.ca_file, "cert_file": settings.tls.cert_file}
    named = [f"{key} = {path}" for key, path in files.items() if path and key in found]
    return f"{found} ({', '.join(named)})" if named else found


def _guess(settings: BrokerSettings) -> str:
    left = days_left(settings)
    tls = settings.tls
    if tls is None:
        return "it may want TLS: set [mqtt.tls]"
    if early := _too_early("our certificate", tls.cert_file):
        return early
    if left is not None and left < 0:
        return f"our certificate expired {-left:.0f} days ago: renew cert_file ({tls.cert_file})"
    if tls.cert_file is None:
        return "it may ask for a client certificate: set cert_file and key_file"
    return (
        "it may not trust the authority that signed our certificate: have cert_file "
        f"({tls.cert_file}) signed by the broker's authority"
    )


def _context(tls: TlsSettings) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cafile=str(tls.ca_file))
    except (OSError, ssl.SSLError) as error:
        raise _unusable("ca_file", tls.ca_file, error) from error
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    _load_own(context, tls)
    return context


def _load_own(context: ssl.SSLContext, tls: TlsSettings) -> None:
    if tls.cert_file is None:
        return
    try:
        context.load_cert_chain(tls.cert_file, tls.key_file)
    except (OSError, ssl.SSLError) as error:
        raise _unusable("cert_file and key_file", tls.cert_file, error) from error


def _unusable(key: str, path: object, error: OSError) -> CredentialsError:
    reason = error.strerror or str(error)
    return CredentialsError(
        f"tls.{key} = {str(path)!r}: {reason}: give readable PEM files that belong together"
    )


def _password(settings: BrokerSettings) -> str | None:
    if settings.password_file is None:
        return None
    try:
        lines = settings.password_file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CredentialsError(
            f"password_file = {str(settings.password_file)!r}: cannot be read ({error}): give "
            "a text file whose first line is the password"
        ) from error
    return lines[0].strip() if lines else ""
