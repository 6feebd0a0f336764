"""Certificates and keys in PEM files, and why one can't be used."""

from __future__ import annotations

from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec


class CertificateError(Exception):
    """A file of the folder can't be used; the message has file, cause and remedy."""


def read_certificate(path: Path) -> x509.Certificate:
    """Read a certificate.

    Raises
    ------
    CertificateError
        If the file can't be read, or holds none.
    """
    try:
        return x509.load_pem_x509_certificate(path.read_bytes())
    except OSError as error:
        raise CertificateError(f"{path} can't be read: {error.strerror}") from None
    except ValueError:
        raise CertificateError(f"{path} holds no certificate: restore it from a backup") from None


def read_key(path: Path) -> ec.EllipticCurvePrivateKey:
    """Read a private ECDSA key without a passphrase.

    Raises
    ------
    CertificateError
        If the file can't be read, or holds none.
    """
    try:
        key = serialization.load_pem_private_key(path.read_bytes(), None)
    except (OSError, ValueError, TypeError) as error:
        why = error.strerror if isinstance(error, OSError) else "no key without a passphrase"
        raise CertificateError(
            f"{path} can't be read ({why}): fetch ca.key from where it is kept"
        ) from None
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise CertificateError(f"{path} is no ECDSA key")
    return key
