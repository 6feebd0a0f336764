"""Passwords: hashed with argon2id; long rather than full of special characters."""

from __future__ import annotations

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from argon2.low_level import ARGON2_VERSION

from auscult.contract.said import Said

MIN_LENGTH = 12
"""Length protects, composition rules don't (NIST SP 800-63B, 5.1.1.2 and appendix A)."""
MAX_LENGTH = 256
"""Bounds the work that one attempt can ask for."""
FEWEST_DIFFERENT = 5
"""Different characters; fewer is a pattern of the keyboard."""

HASHER = PasswordHasher()
"""Argon2id with the parameters of RFC 9106, low memory."""


def weakness(password: str, name: str) -> Said | None:
    """Return why a password is too weak, None if it is not.

    >>> weakness("hunter2", "eva").text
    'password: 7 characters; use at least 12'
    >>> weakness("correct horse battery", "eva") is None
    True
    """
    length = len(password)
    if length < MIN_LENGTH:
        return Said("password_short", {"length": length, "least": MIN_LENGTH})
    if length > MAX_LENGTH:
        return Said("password_long", {"length": length, "most": MAX_LENGTH})
    if len(set(password)) < FEWEST_DIFFERENT:
        return Said("password_monotonous", {"least": FEWEST_DIFFERENT})
    if name.lower() in password.lower() and length - len(name) < MIN_LENGTH:
        return Said("password_of_name")
    return None


def hashed(password: str) -> str:
    """Return the hash to store, with its parameters and salt."""
    return HASHER.hash(password)


def matches(password: str, stored: str | None) -> bool:
    """Tell whether a password is the stored one, in the same time where there is no account."""
    try:
        return HASHER.verify(stored or _unknown(), password) and stored is not None
    except (VerificationError, InvalidHashError):
        return False


def _unknown() -> str:
    """Return the hash of an unknown password; to compare with it costs as much as with another."""
    return (
        f"$argon2id$v={ARGON2_VERSION}$m={HASHER.memory_cost},t={HASHER.time_cost}"
        f",p={HASHER.parallelism}${'A' * 22}${'A' * 43}"
    )
