"""What a new gateway and the dashboard send each other, protected by a short code.

The code has two parts: a tag, which names it, and a secret of 60 random bits, which is never sent.
Both sides derive a key from it (scrypt). The gateway proves with it that its request is the code
owner's, the dashboard that the answer is its own. So the exchange needs no TLS: it carries nothing
secret, and who changes it is noticed.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from dataclasses import asdict, dataclass

SYMBOLS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: without I, L, O and U, which are read as others."""
MISREAD = str.maketrans("ILO", "110", "- ")
TAG, SECRET = 4, 12
"""Symbols of five bits each."""
SCRYPT = {"n": 2**15, "r": 8, "p": 1, "maxmem": 2**26}
"""32 MiB and some 60 ms a guess: 60 random bits can't be found from a recorded exchange."""
REQUEST, ANSWER = b"auscult enrol request 1\n", b"auscult enrol answer 1\n"
"""Begin what is authenticated, so that no request passes as an answer."""


class CodeError(ValueError):
    """The text is no code."""


def new_code() -> str:
    """Return a random code, as people read it.

    >>> len(new_code()), new_code() != new_code()
    (19, True)
    """
    symbols = "".join(secrets.choice(SYMBOLS) for _ in range(TAG + SECRET))
    return "-".join(symbols[at : at + 4] for at in range(0, TAG + SECRET, 4))


def parts(code: str) -> tuple[str, bytes]:
    """Return the tag of a code and its key, 32 bytes.

    >>> parts("k7q2-m9xd-4trw-8hjo")[0], parts("K7Q2 M9XD 4TRW 8HJ0") == parts("k7q2m9xd4trw8hjo")
    ('K7Q2', True)

    Raises
    ------
    CodeError
        If it is no code.
    """
    symbols = code.upper().translate(MISREAD)
    if len(symbols) != TAG + SECRET or set(symbols) - set(SYMBOLS):
        raise CodeError(f"{code!r} is no enrolment code: it has {TAG + SECRET} letters and digits")
    tag, secret = symbols[:TAG], symbols[TAG:]
    return tag, hashlib.scrypt(secret.encode(), salt=REQUEST + tag.encode(), dklen=32, **SCRYPT)


def request_proof(key: bytes, nonce: str, csr: str) -> str:
    """Return the proof of a request: who sends it has the code."""
    return _mac(key, REQUEST, nonce, csr)


@dataclass(frozen=True, slots=True)
class Enrolled:
    """What a new gateway gets."""

    site: str
    gateway: str
    certificate: str
    """PEM."""
    authority: str
    """PEM of the plant's certificate authority."""
    broker: str
    """HOST:PORT."""
    dashboard_key: str
    """Public key of the dashboard's commands."""
    listed: bool
    """Whether the broker reads the list of gateways that the dashboard writes."""

    def proof(self, key: bytes, nonce: str) -> str:
        """Return the proof that the answer to this request is unchanged."""
        return _mac(key, ANSWER, nonce, json.dumps(asdict(self), sort_keys=True))


def _mac(key: bytes, purpose: bytes, nonce: str, text: str) -> str:
    return hmac.new(key, purpose + f"{nonce}\n{text}".encode(), hashlib.sha256).hexdigest()
