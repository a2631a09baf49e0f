"""A mail server of the tests' own, with TLS: it keeps the letters it takes, and answers as told."""

from __future__ import annotations

import ipaddress
import socketserver
import ssl
import threading
import time
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from email.message import EmailMessage
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


class PostOffice:
    """`answers` replace the usual ones, by command; a letter is acknowledged `slow` seconds after it came."""

    def __init__(self, place: Path, encrypted: bool) -> None:
        self.certificate = place / "post.pem"
        self.certificate.write_bytes(_certificate())
        self.letters: list[EmailMessage] = []
        self.recipients: list[str] = []
        self.answers: dict[str, str] = {}
        self.slow = 0.0
        secure = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        secure.load_cert_chain(self.certificate)
        self.server = _Server(("127.0.0.1", 0), self, secure, encrypted)
        host, port = self.server.server_address
        self.url = f"{'smtps' if encrypted else 'smtp'}://reports@{host!s}:{port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True

    def __init__(
        self, address: tuple[str, int], office: PostOffice, secure: ssl.SSLContext, encrypted: bool
    ) -> None:
        self.office, self.secure, self.encrypted = office, secure, encrypted
        super().__init__(address, _Conversation)


class _Conversation(socketserver.BaseRequestHandler):
    server: _Server

    def handle(self) -> None:
        if self.server.encrypted:
            self._secure()
        else:
            self._plain = self.request.makefile("rwb")
        self._say("220 ready")
        while line := self._plain.readline().decode():
            verb = line[:4].upper().strip()
            self._answer(verb, line)
            if verb == "QUIT":
                return

    def _answer(self, verb: str, line: str) -> None:
        office = self.server.office
        if verb in office.answers:
            self._say(office.answers[verb])
        elif verb == "EHLO":
            self._say("250-here\r\n250-STARTTLS\r\n250 AUTH PLAIN")
        elif verb == "STAR":
            self._say("220 go")
            self._secure()
        elif verb == "AUTH":
            self._say("235 known")
        elif verb == "DATA":
            self._say("354 go")
            self._take()
        else:
            if verb == "RCPT":
                office.recipients.append(line.strip())
            self._say("250 well")

    def _take(self) -> None:
        office, lines = self.server.office, []
        while (line := self._plain.readline()) != b".\r\n":
            lines.append(line.removeprefix(b"."))
        found: Any = message_from_bytes(b"".join(lines), policy=policy.default)
        office.letters.append(found)
        time.sleep(office.slow)
        self._say("250 taken")

    def _secure(self) -> None:
        self._plain = self.server.secure.wrap_socket(self.request, server_side=True).makefile("rwb")

    def _say(self, words: str) -> None:
        self._plain.write(f"{words}\r\n".encode())
        self._plain.flush()


def _certificate() -> bytes:
    key, name = ec.generate_private_key(ec.SECP256R1()), x509.Name([])
    today = datetime.now(UTC)
    here = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(today - timedelta(days=1))
        .not_valid_after(today + timedelta(days=1))
        .add_extension(here, critical=True)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    kind, open_ = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    return key.private_bytes(pem, kind, open_) + made.public_bytes(pem)
