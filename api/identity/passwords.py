"""Passwords (密码): argon2 hashes, and the rule for new ones."""

from __future__ import annotations

from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher

from api.kit.errors import Refusal

MIN_LENGTH = 8
_hasher = PasswordHash((Argon2Hasher(),))
_DECOY = _hasher.hash("no user has this password")


def hashed(password: str) -> str:
    """The hash of a new password; refuses short ones."""
    if not MIN_LENGTH <= len(password) <= 128:
        raise Refusal(f"密码长度应为{MIN_LENGTH}到128位")
    return _hasher.hash(password)


def matches(password: str, stored: str | None) -> bool:
    """Whether a password fits; an unknown user costs the same time as a known one."""
    fits = _hasher.verify(password[:128], stored or _DECOY)
    return fits and stored is not None
