"""Secret encryption (密封): other services' secrets are stored encrypted, by a key of the data directory."""

from __future__ import annotations

import base64
import hashlib

from cryptography.fernet import Fernet, InvalidToken

from api.kit.errors import Refusal
from api.kit.settings import read_settings


def encrypt_secret(secret: str) -> str:
    return _build_cipher().encrypt(secret.encode()).decode()


def decrypt_secret(sealed: str) -> str:
    """Return the decrypted secret.

    Raises: Refusal where the data directory's own secrets were lost.
    """
    try:
        return _build_cipher().decrypt(sealed).decode()
    except InvalidToken:
        raise Refusal("短信平台的密钥无法解密，请重新填写密钥") from None


def _build_cipher() -> Fernet:
    key = hashlib.sha256(read_settings().secrets["sealing_secret"].encode()).digest()
    return Fernet(base64.urlsafe_b64encode(key))
