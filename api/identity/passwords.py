"""Passwords (密码): argon2 hashes and the rules for new passwords."""

from __future__ import annotations

from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher

from api.kit.errors import Refusal

MIN_LENGTH = 8
_hasher = PasswordHash((Argon2Hasher(),))
DECOY = "$argon2id$v=19$m=65536,t=3,p=4$jI555Cy5gP3xXMrw2YuFLQ$H4Y0d1p1Yg6Nl2BDCWFlAJmjcOMRQXRhkN4wHjjOse4"
"""Hash that an unknown user's password is verified against, at the same cost as a real one."""


def hash_password(password: str) -> str:
    """Return the hash of a password.

    Raises: Refusal where it is too short or too long.
    """
    if not MIN_LENGTH <= len(password) <= 128:
        raise Refusal(f"密码长度应为{MIN_LENGTH}到128位")
    return _hasher.hash(password)


def hash_new_password(password: str, user_name: str, before: str | None) -> str:
    """Validate and hash a new password of an account.

    It has two kinds of characters, lacks the login name, and differs from the old one. Raises: Refusal.
    """
    kinds = (str.isalpha, str.isdigit, lambda sign: not sign.isalnum())
    if sum(any(map(kind, password)) for kind in kinds) < 2:
        raise Refusal("密码应包含字母、数字、符号中的至少两种")
    if user_name.lower() in password.lower() and len(user_name) > 2:
        raise Refusal("密码不能包含登录名")
    if before is not None and verify_password(password, before):
        raise Refusal("新密码不能与原密码相同")
    return hash_password(password)


def verify_password(password: str, stored: str | None) -> bool:
    """Return whether a password fits; an unknown user takes the same time as a known one."""
    fits = _hasher.verify(password[:128], stored or DECOY)
    return fits and stored is not None
