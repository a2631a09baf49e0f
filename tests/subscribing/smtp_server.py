"""SMTP server for tests, with TLS: records the letters of authenticated clients, refuses as configured."""

from __future__ import annotations

import asyncio
import ssl
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import trustme
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

HOST, USER, PASSWORD = "127.0.0.1", "reports", "post-office-secret"


class SmtpServer(Controller):
    """`refusal` answers each recipient, when set; a letter is acknowledged `slow` seconds after it came."""

    def __init__(self, place: Path, encrypted: bool) -> None:
        authority, secure = trustme.CA(), ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        authority.issue_cert(HOST).configure_cert(secure)
        self.certificate = place / "authority.pem"
        authority.cert_pem.write_to_path(self.certificate)
        self.letters: list[EmailMessage] = []
        self.recipients: list[str] = []
        self.refusal = ""
        self.slow = 0.0
        # Of TLS that was there before it spoke, the server does not know.
        tls: dict[str, Any] = (
            {"ssl_context": secure, "auth_require_tls": False} if encrypted else {"tls_context": secure}
        )
        super().__init__(self, HOST, 0, server_hostname="post.example", authenticator=_authenticate, **tls)
        self.start()
        self.url = f"{'smtps' if encrypted else 'smtp'}://{USER}@{HOST}:{self.port}"

    def _trigger_server(self) -> None:
        """Read the bound port before the controller's start-up check, which fails at port 0."""
        self.port = self.server.sockets[0].getsockname()[1]
        super()._trigger_server()

    async def handle_RCPT(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if self.refusal or not session.authenticated:
            return self.refusal or "530 log in first"
        envelope.rcpt_tos.append(address)
        return "250 well"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        found: Any = message_from_bytes(envelope.content, policy=policy.default)
        self.letters.append(found)
        self.recipients += envelope.rcpt_tos
        await asyncio.sleep(self.slow)
        return "250 taken"


def _authenticate(
    server: SMTP, session: Session, envelope: Envelope, mechanism: str, credentials: LoginPassword
) -> AuthResult:
    known = (credentials.login, credentials.password) == (USER.encode(), PASSWORD.encode())
    return AuthResult(
        success=known, handled=False, message=None if known else f"535 {credentials.password.decode()}"
    )
