"""Passwords: hashed with argon2id, and a rule that asks for length rather than for signs."""

from __future__ import annotations

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

MIN_LENGTH = 12
"""Length protects, composition rules don't (NIST SP 800-63B, 5.1.1.2 and appendix A)."""
MAX_LENGTH = 256
"""Bounds the work that one attempt can ask for."""
FEWEST_DIFFERENT = 5
"""Different characters; fewer is a pattern of the keyboard."""

_hasher = PasswordHasher()  # argon2id with the parameters of RFC 9106, low memory
_NOBODY = _hasher.hash("nobody has this password")


def weakness(password: str, name: str) -> str | None:
    """Say why a password is too weak, None if it is not.

    >>> weakness("hunter2", "eva")
    'password: 7 characters; use at least 12'
    >>> weakness("correct horse battery", "eva") is None
    True
    """
    if len(password) < MIN_LENGTH:
        return f"password: {len(password)} characters; use at least {MIN_LENGTH}"
    if len(password) > MAX_LENGTH:
        return f"password: {len(password)} characters; use at most {MAX_LENGTH}"
    if len(set(password)) < FEWEST_DIFFERENT:
        return f"password: use at least {FEWEST_DIFFERENT} different characters"
    if name.lower() in password.lower() and len(password) - len(name) < MIN_LENGTH:
        return "password: must not be made of the name"
    return None


def hashed(password: str) -> str:
    """Return the hash to store, with its parameters and salt."""
    return _hasher.hash(password)


def matches(password: str, stored: str | None) -> bool:
    """Tell whether a password is the stored one; takes as long where there is no account."""
    try:
        return _hasher.verify(stored or _NOBODY, password) and stored is not None
    except (VerificationError, InvalidHashError):
        return False
