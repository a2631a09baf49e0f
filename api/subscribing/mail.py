"""Mail (邮件): letters with an attachment, sent by a mail server or written to a folder for tests and demos.

A sender may be killed between the server's acceptance and its record, so a letter has the same
number at each try.
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

from api.kit.settings import read_settings
from api.messaging.sms_channels import PermanentError, TemporaryError

SECONDS = 20
MAX_ATTACHMENT_BYTES = 20 * 1024 * 1024
"""Most bytes of an attachment; most servers refuse larger letters."""
KINDS = {
    ".xlsx": ("application", "vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
    ".pdf": ("application", "pdf"),
}
"""Media types of attachments by file suffix."""


class Mailer(Protocol):
    """A sender of letters; raises PermanentError or TemporaryError."""

    def send(self, letter: EmailMessage, to: str) -> None: ...


@dataclass(frozen=True)
class SmtpMailer:
    """A mail server, over TLS from the start or after STARTTLS, never without."""

    host: str
    port: int
    encrypted: bool
    user: str
    password: str = field(repr=False)

    def send(self, letter: EmailMessage, to: str) -> None:
        try:
            with closing(self._open_session()) as session:
                if self.user:
                    session.login(self.user, self.password)
                session.send_message(letter, to_addrs=[to])
                with suppress(OSError):
                    session.quit()
        except smtplib.SMTPAuthenticationError:
            raise TemporaryError("邮件服务器拒绝登录，请联系管理员检查发信设置") from None
        except smtplib.SMTPRecipientsRefused as error:
            [(code, text)] = error.recipients.values()
            raise _build_error(code, text) from error
        except smtplib.SMTPResponseException as error:
            raise _build_error(error.smtp_code, error.smtp_error) from error
        except OSError as error:
            raise TemporaryError(f"邮件服务器没有应答（{type(error).__name__}）") from error

    def _open_session(self) -> smtplib.SMTP:
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
class FolderMailer:
    """A folder with one .eml file a letter."""

    place: Path

    def send(self, letter: EmailMessage, to: str) -> None:
        self.place.mkdir(parents=True, exist_ok=True)
        number = letter["message-id"].strip("<>").partition("@")[0]
        file = self.place / f"{number}.eml"
        file.touch(mode=0o600)
        file.write_bytes(letter.as_bytes())


def build_mailer() -> Mailer | None:
    """Build the mailer of the settings; None where none is set."""
    known = read_settings()
    if not known.mail_url:
        return None
    parts = urlsplit(known.mail_url)
    if parts.scheme == "file":
        return FolderMailer(known.data_dir / "mail")
    encrypted = parts.scheme == "smtps"
    port = parts.port or (465 if encrypted else 587)
    return SmtpMailer(
        parts.hostname or "", port, encrypted, unquote(parts.username or ""), known.mail_password
    )


def build_letter(
    number: str, to: str, subject: str, words: str, file: Path | None = None, file_name: str = ""
) -> EmailMessage:
    """Build a letter, with a workbook or PDF where `file` is given.

    Raises: PermanentError for an address or a file that can't be sent.
    """
    if file and file.stat().st_size > MAX_ATTACHMENT_BYTES:
        raise PermanentError("文件超过 20 MB，不能作为邮件附件，请在导出任务中下载")
    found = EmailMessage()
    try:
        sender = Address(addr_spec=read_settings().mail_from)
        found["To"] = Address(addr_spec=to)
    except (ValueError, IndexError, MessageError):
        raise PermanentError("邮箱地址不正确，请联系管理员修改") from None
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


def _build_error(code: int, said: bytes | str) -> PermanentError | TemporaryError:
    words = said.decode(errors="replace") if isinstance(said, bytes) else said
    message = f"邮件服务器应答 {code}：{words[:200]}"
    return PermanentError(message) if code >= 500 else TemporaryError(message)
