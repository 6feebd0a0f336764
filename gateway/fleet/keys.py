"""Keys of gateways and of the fleet's server: Ed25519 in PEM files, as OpenSSL makes them.

openssl genpkey -algorithm ed25519 -out gateway-1.key
openssl pkey -in gateway-1.key -pubout -out trusted/gateway-1.pem
"""

from __future__ import annotations

from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from gateway.fleet.problem import FleetError


def private_key(path: Path) -> Ed25519PrivateKey:
    """Read the key that signs.

    Raises
    ------
    FleetError
        If the file is missing or holds no Ed25519 private key.
    """
    try:
        key = load_pem_private_key(path.read_bytes(), None)
    except (OSError, ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise FleetError(f"{path}: no private key can be read ({error})") from None
    if not isinstance(key, Ed25519PrivateKey):
        raise FleetError(f"{path}: no Ed25519 key; make one with openssl genpkey")
    return key


def trusted_keys(folder: Path) -> list[Ed25519PublicKey]:
    """Read all public keys (``*.pem``) of a folder.

    Raises
    ------
    FleetError
        If there is none, or a file holds no Ed25519 public key.
    """
    keys = []
    for path in sorted(folder.glob("*.pem")):
        try:
            key = load_pem_public_key(path.read_bytes())
        except (OSError, ValueError, UnsupportedAlgorithm) as error:
            raise FleetError(f"{path}: no public key can be read ({error})") from None
        if not isinstance(key, Ed25519PublicKey):
            raise FleetError(f"{path}: no Ed25519 public key")
        keys.append(key)
    if not keys:
        raise FleetError(f"{folder}: no public key (*.pem), so nothing could be trusted")
    return keys
