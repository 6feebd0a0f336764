"""The plant's certificate authority: makes, renews and revokes certificates in one folder.

The folder holds `ca.crt` and `ca.key`, `broker.crt` and `.key`, `client_NAME.crt` and `.key` for
each gateway or program, and `crl.pem` once something is revoked. All keys are ECDSA P-256.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from auscult.app.enrolment.pem_files import CertificateError, read_certificate, read_key
from auscult.durable import write_durably

CA, BROKER, CLIENT, CRL = "ca", "broker", "client_", "crl.pem"
CA_DAYS = 7300
DAYS = 825
"""Longest that common TLS clients accept of a server."""
SOON_DAYS = 30
"""Certificates with less time left are renewed, and reported by `check`."""
CRL_DAYS = 3650
BITS = 256
CLOCKS_APART = timedelta(days=1)
"""Certificates begin to be valid so long before they are signed: a time zone that is taken for UTC
is up to 14 h off."""
EARLIEST = datetime(2025, 1, 1, tzinfo=UTC)
"""No version of this program is older: a clock before it has lost its time."""
READABLE, OWN = 0o444, 0o600
"""Containers read broker and client files under users of their own; the folder is for its owner
only. Only the authority itself uses `ca.key`."""


@dataclass(frozen=True, slots=True)
class StoredCertificate:
    """A certificate of the folder."""

    path: Path
    names: tuple[str, ...]
    first_day: datetime
    days_left: float
    revoked: bool = False

    @property
    def early(self) -> bool:
        """Return whether it is not valid yet."""
        return self.first_day > datetime.now(UTC)

    @property
    def due(self) -> bool:
        """Return whether it must be renewed: it expires soon, is expired, or is not valid yet."""
        return (self.early or self.days_left < SOON_DAYS) and not self.revoked

    @property
    def renewal(self) -> str:
        """Return the command that renews it."""
        own_key = not self.path.with_suffix(".key").exists()
        return "auscult enrol-code, then auscult enrol" if own_key else "auscult certs make"


class PlantCa:
    """The authority of a folder.

    Parameters
    ----------
    folder : Path
    begin : bool
        Make folder and authority where there is none.

    Raises
    ------
    CertificateError
        If there is none, `ca.crt` or `ca.key` can't be read, or one of the two is missing, or if
        this machine's clock has lost its time: it would replace certificates that are valid.
    """

    def __init__(self, folder: Path, *, begin: bool = False) -> None:
        if (now := datetime.now(UTC)) < EARLIEST:
            raise CertificateError(
                f"this machine's clock says {now:%Y-%m-%d}, before there was this program: set it"
            )
        self.folder = folder
        if folder.exists() and not folder.is_dir():
            raise CertificateError(f"{folder} is no folder")
        paths = self._path(CA, "crt"), self._path(CA, "key")
        if not any(path.exists() for path in paths):
            if not begin:
                raise CertificateError(
                    f"there is no authority in {folder}: check the path, or make one with "
                    "`auscult certs make`"
                )
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            self._key = ec.generate_private_key(ec.SECP256R1())
            self._write_key(CA, self._key, OWN)
            self._write_ca()
        self._certificate = read_certificate(paths[0])
        if now > (end := self._certificate.not_valid_after_utc):
            raise CertificateError(
                f"this machine's clock says {now:%Y-%m-%d}, and {paths[0]} ended on "
                f"{end:%Y-%m-%d}: set the clock, or begin with an empty folder"
            )
        self._key = read_key(paths[1])
        if self._certificate.public_key() != self._key.public_key():
            raise CertificateError(f"{paths[0]} and {paths[1]} don't belong together")

    def expect_plausible_clock(self) -> None:
        """Check the date against the newest certificate of the folder.

        Raises
        ------
        CertificateError
            If all have expired at this date: rather the clock is years ahead.
        """
        now, newest = datetime.now(UTC), max(one.first_day for one in self.stored())
        if now - newest > timedelta(days=DAYS):
            raise CertificateError(
                f"this machine's clock says {now:%Y-%m-%d}, and nothing in {self.folder} was "
                f"signed after {newest + CLOCKS_APART:%Y-%m-%d}: all would have expired. Set the "
                "clock if it is wrong; if it is right, repeat this with --clock-is-right"
            )

    def renew_own(self) -> list[str]:
        """Renew `ca.crt` if it may expire before what it signs, or is not valid yet.

        It keeps key and name, so that certificates of the old one stay valid. Returns what was
        written.
        """
        if _days_left(self._certificate) >= DAYS and not _is_early(self._certificate):
            return []
        self._write_ca()
        path = self._path(CA, "crt")
        self._certificate = read_certificate(path)
        return [path.name]

    def broker(self, names: Iterable[str]) -> list[str]:
        """Make or renew the broker's certificate; return what was written.

        Parameters
        ----------
        names : iterable of str
            ``DNS:name`` or ``IP:address``; none = those of the present certificate.
        """
        wanted = tuple(names)
        path = self._path(BROKER, "crt")
        present = _names(read_certificate(path)) if path.exists() else ()
        if not wanted and not present:
            raise CertificateError("name how clients reach the broker: --broker DNS:… or IP:…")
        if path.exists() and not self._due(path) and (not wanted or wanted == present):
            return []
        alternatives = x509.SubjectAlternativeName([_general(n) for n in wanted or present])
        self._issue(BROKER, "broker", ExtendedKeyUsageOID.SERVER_AUTH, alternatives)
        return [path.name]

    def client(self, name: str) -> list[str]:
        """Make or renew the certificate of a client; return what was written."""
        path = self._path(CLIENT + name, "crt")
        if path.exists() and not self._due(path) and not self._is_revoked(read_certificate(path)):
            return []
        self._issue(CLIENT + name, name, ExtendedKeyUsageOID.CLIENT_AUTH)
        return [path.name]

    def sign(self, name: str, csr: str) -> str:
        """Make the certificate of a client that keeps its own key; revoke an earlier one.

        Parameters
        ----------
        name : str
        csr : str
            Certificate signing request, PEM; its subject counts for nothing.

        Returns
        -------
        str
            PEM.

        Raises
        ------
        CertificateError
            If the request is malformed, not signed by its key, or its key is not ECDSA P-256.
        """
        try:
            request = x509.load_pem_x509_csr(csr.encode())
            key = request.public_key()
            usable = request.is_signature_valid and isinstance(key, ec.EllipticCurvePublicKey)
        except (ValueError, UnsupportedAlgorithm) as error:
            raise CertificateError(f"the signing request can't be read: {error}") from None
        if not (usable and isinstance(key, ec.EllipticCurvePublicKey) and key.key_size == BITS):
            raise CertificateError("the signing request needs an ECDSA P-256 key and its signature")
        path = self._path(CLIENT + name, "crt")
        if path.exists() and not self._is_revoked(read_certificate(path)):
            self.revoke(name)
        self._path(CLIENT + name, "key").unlink(missing_ok=True)
        return self._certify(CLIENT + name, name, key, ExtendedKeyUsageOID.CLIENT_AUTH).decode()

    def renew(self) -> list[str]:
        """Renew all certificates that expire soon or are not valid yet; return what was written.

        Revoked ones are left out, and those of clients that keep their own key.
        """
        written = self.broker(()) if self._path(BROKER, "crt").exists() else []
        for path in sorted(self.folder.glob(f"{CLIENT}*.crt")):
            own = not path.with_suffix(".key").exists()
            if not own and self._due(path) and not self._is_revoked(read_certificate(path)):
                written += self.client(path.stem.removeprefix(CLIENT))
        return written

    def revoke(self, name: str) -> Path:
        """Add a client's certificate to the list that the broker reads as `crlfile`."""
        certificate = read_certificate(self._path(CLIENT + name, "crt"))
        now = datetime.now(UTC)
        builder = (
            x509.CertificateRevocationListBuilder()
            .issuer_name(self._certificate.subject)
            .last_update(EARLIEST)  # a later one of a clock that was ahead would bar all clients
            .next_update(now + timedelta(days=CRL_DAYS))
        )
        for old in self._revoked():
            if old.serial_number != certificate.serial_number:
                builder = builder.add_revoked_certificate(old)
        one = x509.RevokedCertificateBuilder().serial_number(certificate.serial_number)
        builder = builder.add_revoked_certificate(one.revocation_date(now).build())
        signed = builder.sign(self._key, hashes.SHA256())
        path = self.folder / CRL
        write_durably(path, signed.public_bytes(serialization.Encoding.PEM), READABLE)
        return path

    def stored(self) -> list[StoredCertificate]:
        """Return all certificates of the folder, the authority first."""
        clients = sorted(self.folder.glob(f"{CLIENT}*.crt"))
        paths = [self._path(CA, "crt"), self._path(BROKER, "crt"), *clients]
        found = [(path, read_certificate(path)) for path in paths if path.exists()]
        return [
            StoredCertificate(
                path, _names(one), one.not_valid_before_utc, _days_left(one), self._is_revoked(one)
            )
            for path, one in found
        ]

    def _path(self, name: str, kind: str) -> Path:
        return self.folder / f"{name}.{kind}"

    def _due(self, path: Path) -> bool:
        certificate = read_certificate(path)
        return _days_left(certificate) < SOON_DAYS or _is_early(certificate)

    def _revoked(self) -> list[x509.RevokedCertificate]:
        path = self.folder / CRL
        if not path.exists():
            return []
        try:
            return list(x509.load_pem_x509_crl(path.read_bytes()))
        except ValueError:
            raise CertificateError(
                f"{path} is damaged: restore it from a backup, or delete it and revoke again what "
                "was revoked"
            ) from None

    def _is_revoked(self, certificate: x509.Certificate) -> bool:
        return any(one.serial_number == certificate.serial_number for one in self._revoked())

    def _write_ca(self) -> None:
        name = _subject("Auscult plant CA")
        builder = _begun(name, name, self._key.public_key(), CA_DAYS).add_extension(
            x509.BasicConstraints(ca=True, path_length=0), critical=True
        )
        usage = x509.KeyUsage(
            digital_signature=False, content_commitment=False, key_encipherment=False,
            data_encipherment=False, key_agreement=False, key_cert_sign=True, crl_sign=True,
            encipher_only=False, decipher_only=False,
        )  # fmt: skip
        builder = builder.add_extension(usage, critical=True)
        signed = builder.sign(self._key, hashes.SHA256())
        write_durably(
            self._path(CA, "crt"), signed.public_bytes(serialization.Encoding.PEM), READABLE
        )

    def _issue(
        self,
        file: str,
        name: str,
        usage: x509.ObjectIdentifier,
        alternatives: x509.SubjectAlternativeName | None = None,
    ) -> None:
        key = self._kept_key(file)
        if key is None:
            key = ec.generate_private_key(ec.SECP256R1())
            self._write_key(file, key, READABLE)
        self._certify(file, name, key.public_key(), usage, alternatives)

    def _kept_key(self, file: str) -> ec.EllipticCurvePrivateKey | None:
        """Return the key of a certificate to be renewed: the two files fit at any moment.

        None where there is none that can be used, or its certificate was revoked.
        """
        path = self._path(file, "crt")
        try:
            return (
                None
                if self._is_revoked(read_certificate(path))
                else read_key(path.with_suffix(".key"))
            )
        except CertificateError:
            return None

    def _certify(
        self,
        file: str,
        name: str,
        key: ec.EllipticCurvePublicKey,
        usage: x509.ObjectIdentifier,
        alternatives: x509.SubjectAlternativeName | None = None,
    ) -> bytes:
        self.renew_own()
        builder = _begun(_subject(name), self._certificate.subject, key, DAYS)
        builder = builder.add_extension(x509.BasicConstraints(ca=False, path_length=None), True)
        builder = builder.add_extension(x509.ExtendedKeyUsage([usage]), critical=False)
        if alternatives is not None:
            builder = builder.add_extension(alternatives, critical=False)
        signed = builder.sign(self._key, hashes.SHA256())
        pem = signed.public_bytes(serialization.Encoding.PEM)
        write_durably(self._path(file, "crt"), pem, READABLE)
        return pem

    def _write_key(self, name: str, key: ec.EllipticCurvePrivateKey, mode: int) -> None:
        pem = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        write_durably(self._path(name, "key"), pem, mode)


def _begun(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey, days: int
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - CLOCKS_APART)
        .not_valid_after(now + timedelta(days=days))
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key), critical=False)
    )


def _subject(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _general(name: str) -> x509.GeneralName:
    kind, _, value = name.partition(":")
    try:
        if kind == "IP":
            return x509.IPAddress(ipaddress.ip_address(value))
        if kind == "DNS" and value:
            return x509.DNSName(value)
    except ValueError as error:
        raise CertificateError(f"{name}: {error}") from None
    raise CertificateError(f"{name}: write DNS:broker.plant.example or IP:192.0.2.10")


def _names(certificate: x509.Certificate) -> tuple[str, ...]:
    """Return the names as `_general` takes them, or the common name."""
    try:
        found = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    except x509.ExtensionNotFound:
        (common,) = certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)
        return (str(common.value),)
    return tuple(
        f"IP:{one.value}" if isinstance(one, x509.IPAddress) else f"DNS:{one.value}"
        for one in found
    )


def _days_left(certificate: x509.Certificate) -> float:
    return (certificate.not_valid_after_utc - datetime.now(UTC)) / timedelta(days=1)


def _is_early(certificate: x509.Certificate) -> bool:
    """Return whether a certificate is not valid yet: a clock was ahead when it was signed."""
    return certificate.not_valid_before_utc > datetime.now(UTC)
