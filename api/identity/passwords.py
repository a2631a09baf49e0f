"""Passwords (密码): argon2 hashes, and the rules for new ones."""

from __future__ import annotations

from pwdlib import PasswordHash
from pwdlib.hashers.argon2 import Argon2Hasher

from api.kit.errors import Refusal

MIN_LENGTH = 8
_hasher = PasswordHash((Argon2Hasher(),))
DECOY = "$argon2id$v=19$m=65536,t=3,p=4$jI555Cy5gP3xXMrw2YuFLQ$H4Y0d1p1Yg6Nl2BDCWFlAJmjcOMRQXRhkN4wHjjOse4"
"""What an unknown user's password is held against: a hash that costs what those of users do."""


def hashed(password: str) -> str:
    """The hash of a new password; refuses short ones."""
    if not MIN_LENGTH <= len(password) <= 128:
        raise Refusal(f"密码长度应为{MIN_LENGTH}到128位")
    return _hasher.hash(password)


def chosen(password: str, user_name: str, before: str | None) -> str:
    """The hash of a password that is set for an account: of two kinds of signs, not its name, not the old one."""
    kinds = (str.isalpha, str.isdigit, lambda sign: not sign.isalnum())
    if sum(any(map(kind, password)) for kind in kinds) < 2:
        raise Refusal("密码应包含字母、数字、符号中的至少两种")
    if user_name.lower() in password.lower() and len(user_name) > 2:
        raise Refusal("密码不能包含登录名")
    if before is not None and matches(password, before):
        raise Refusal("新密码不能与原密码相同")
    return hashed(password)


def matches(password: str, stored: str | None) -> bool:
    """Whether a password fits; an unknown user costs the same time as a known one."""
    fits = _hasher.verify(password[:128], stored or DECOY)
    return fits and stored is not None
