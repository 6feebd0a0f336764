"""A certificate authority for tests: certificates that are good, expired, foreign or misnamed."""

from __future__ import annotations

import datetime
import ipaddress
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from auscult.link.broker import TlsSettings

DAY = datetime.timedelta(days=1)
FIRST = -400.0
"""First day of validity, from now."""


class Authority:
    """Issues certificates into a folder; two of them don't know each other."""

    def __init__(self, folder: Path, name: str = "Test plant CA", first: float = FIRST) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _named(name)
        certificate = (
            _dated(self._name, self._name, self._key.public_key(), 3650, first)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .sign(self._key, hashes.SHA256())
        )
        self.file = _write(folder / "ca.crt", certificate)

    def issue(
        self,
        name: str,
        *,
        file: str = "",
        days: float = 90,
        names: tuple[str, ...] = (),
        first: float = FIRST,
    ) -> tuple[Path, Path]:
        """Write certificate and key of `name`, valid from `first` to `days` from now, days."""
        key = ec.generate_private_key(ec.SECP256R1())
        alternatives = [
            x509.IPAddress(ipaddress.ip_address(n)) if n[0].isdigit() else x509.DNSName(n)
            for n in names
        ]
        usage = ExtendedKeyUsageOID.SERVER_AUTH if names else ExtendedKeyUsageOID.CLIENT_AUTH
        builder = _dated(_named(name), self._name, key.public_key(), days, first)
        builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
        if alternatives:
            builder = builder.add_extension(x509.SubjectAlternativeName(alternatives), False)
        stem = self.folder / (file or name)
        key_file = stem.with_suffix(".key")
        key_file.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        return _write(stem.with_suffix(".crt"), builder.sign(self._key, hashes.SHA256())), key_file

    def client(
        self, name: str, *, trusts: Authority | None = None, days: float = 90, first: float = FIRST
    ) -> TlsSettings:
        """What a client called `name` needs, who trusts this authority or another."""
        certificate, key = self.issue(
            name, file=f"{name}{'' if days > 0 else '-expired'}", days=days, first=first
        )
        return TlsSettings(ca_file=(trusts or self).file, cert_file=certificate, key_file=key)


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _dated(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePublicKey,
    days: float,
    first: float,
) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + first * DAY)
        .not_valid_after(now + days * DAY)
    )


def _write(path: Path, certificate: x509.Certificate) -> Path:
    path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    return path
