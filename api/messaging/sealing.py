"""Sealing (密封): secrets of others' services are stored encrypted with a key of the data directory, never answered."""

from __future__ import annotations

import base64
import hashlib

from cryptography.fernet import Fernet, InvalidToken

from api.kit.errors import Refusal
from api.kit.settings import settings


def seal(secret: str) -> str:
    return _box().encrypt(secret.encode()).decode()


def unseal(sealed: str) -> str:
    """The secret again; refused where the data directory's own secrets were lost."""
    try:
        return _box().decrypt(sealed).decode()
    except InvalidToken:
        raise Refusal("短信平台的密钥无法解密，请重新填写密钥") from None


def _box() -> Fernet:
    key = hashlib.sha256(settings().secrets["sealing_secret"].encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))
