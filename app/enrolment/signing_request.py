"""The key of a new gateway and its signing request; both are kept until the answer has arrived."""

from __future__ import annotations

import os
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


def new_or_kept_key(path: Path) -> ec.EllipticCurvePrivateKey:
    """Return the key in a file; a missing one is made, readable by its user only."""
    if path.exists():
        kept = serialization.load_pem_private_key(path.read_bytes(), None)
        if isinstance(kept, ec.EllipticCurvePrivateKey):
            return kept
        path.unlink()
    key = ec.generate_private_key(ec.SECP256R1())
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(pem)
    return key


def signing_request(key: ec.EllipticCurvePrivateKey, path: Path) -> str:
    """Return the request in a file, PEM; a missing one is made.

    ECDSA signs with a random number, so a second request for the same key would differ, and the
    dashboard repeats its answer to the same request only.
    """
    if path.exists():
        return path.read_text(encoding="ascii")
    builder = x509.CertificateSigningRequestBuilder().subject_name(x509.Name([]))
    signed = builder.sign(key, hashes.SHA256())
    text = signed.public_bytes(serialization.Encoding.PEM).decode("ascii")
    path.write_text(text, encoding="ascii")
    return text
