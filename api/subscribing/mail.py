"""Mail (邮件): letters with a file behind one interface: a mail server, or a folder for tests and demos.

Whoever sends may be killed between the server's yes and the note of it, so a letter has the same number at each try.
"""

from __future__ import annotations

import smtplib
import ssl
from contextlib import closing, suppress
from dataclasses import dataclass, field
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import localtime
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote, urlsplit

from api.kit.settings import settings
from api.messaging.channels import Later, Rejected

SECONDS = 20
LARGEST = 20 * 1024 * 1024
"""Of an attachment; most servers refuse larger letters."""
KINDS = {
    ".xlsx": ("application", "vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ".pdf": ("application", "pdf"),
}
"""Of what is attached, by how its file ends."""


class Mailer(Protocol):
    """Takes letters; raises Rejected for one that will never be taken, Later when there is no sending now."""

    def send(self, letter: EmailMessage, to: str) -> None: ...


@dataclass(frozen=True)
class Smtp:
    """A mail server, over TLS from the start or after STARTTLS, never without."""

    host: str
    port: int
    encrypted: bool
    user: str
    password: str = field(repr=False)

    def send(self, letter: EmailMessage, to: str) -> None:
        try:
            with closing(self._open()) as session:
                if self.user:
                    session.login(self.user, self.password)
                session.send_message(letter, to_addrs=[to])
                with suppress(OSError):
                    session.quit()
        except smtplib.SMTPAuthenticationError:
            raise Later("邮件服务器拒绝登录，请联系管理员检查发信设置") from None
        except smtplib.SMTPRecipientsRefused as error:
            [(code, said)] = error.recipients.values()
            raise _refused(code, said) from error
        except smtplib.SMTPResponseException as error:
            raise _refused(error.smtp_code, error.smtp_error) from error
        except OSError as error:
            raise Later(f"邮件服务器没有应答（{type(error).__name__}）") from error

    def _open(self) -> smtplib.SMTP:
        secure = ssl.create_default_context()
        if self.encrypted:
            return smtplib.SMTP_SSL(self.host, self.port, timeout=SECONDS, context=secure)
        session = smtplib.SMTP(self.host, self.port, timeout=SECONDS)
        try:
            session.starttls(context=secure)
        except BaseException:
            session.close()
            raise
        return session


@dataclass(frozen=True)
class Folder:
    """One .eml file a letter."""

    place: Path

    def send(self, letter: EmailMessage, to: str) -> None:
        self.place.mkdir(parents=True, exist_ok=True)
        number = letter["message-id"].strip("<>").partition("@")[0]
        file = self.place / f"{number}.eml"
        file.touch(mode=0o600)
        file.write_bytes(letter.as_bytes())


def mailer() -> Mailer | None:
    """Who takes letters, by the settings; nobody when none is set."""
    known = settings()
    if not known.mail_url:
        return None
    parts = urlsplit(known.mail_url)
    if parts.scheme == "file":
        return Folder(known.data_dir / "mail")
    encrypted = parts.scheme == "smtps"
    port = parts.port or (465 if encrypted else 587)
    return Smtp(parts.hostname or "", port, encrypted, unquote(parts.username or ""), known.mail_password)


def letter(
    number: str, to: str, subject: str, words: str, file: Path | None = None, file_name: str = ""
) -> EmailMessage:
    """A letter, with a workbook or a sheet if there is one. Raises Rejected for an address or a file that can't be
    sent."""
    if file and file.stat().st_size > LARGEST:
        raise Rejected("文件超过 20 MB，不能作为邮件附件，请在导出任务中下载")
    found = EmailMessage()
    try:
        sender = Address(addr_spec=settings().mail_from)
        found["To"] = Address(addr_spec=to)
    except (ValueError, IndexError, MessageError):
        raise Rejected("邮箱地址不正确，请联系管理员修改") from None
    found["From"] = Address("报表订阅", addr_spec=sender.addr_spec)
    found["Subject"] = subject
    found["Date"] = localtime()
    found["Message-ID"] = f"<{number}@{sender.domain}>"
    found["Auto-Submitted"] = "auto-generated"
    found.set_content(words)
    if file:
        kind, subtype = KINDS[file.suffix]
        found.add_attachment(file.read_bytes(), maintype=kind, subtype=subtype, filename=file_name)
    return found


def _refused(code: int, said: bytes | str) -> Rejected | Later:
    words = said.decode(errors="replace") if isinstance(said, bytes) else said
    told = f"邮件服务器应答 {code}：{words[:200]}"
    return Rejected(told) if code >= 500 else Later(told)
