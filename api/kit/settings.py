"""Settings (运行设置): read from environment variables, with their defaults.

Standard library only: the Superset environment and the launcher import it before anything else is
installed.
"""

from __future__ import annotations

import json
import os
import re
import secrets as random_source
import tempfile
from dataclasses import dataclass, field
from functools import cached_property
from ipaddress import ip_network
from pathlib import Path
from urllib.parse import urlsplit

ENVIRONMENTS = ("scm", "gyl")
"""Systems that an installation may be (spec/2-routes.md 4), numbered from 1."""
DEMO_SIZES = ("none", "tiny", "small", "large")
DEFAULT_REPORT_SITES = {"127.0.0.1": "", "localhost": ""}
SECRET_NAMES = (
    "guest_token_secret",
    "explorer_secret",
    "superset_secret_key",
    "superset_admin_password",
    "admin_password",
    "sealing_secret",
    "metrics_token",
)
PROJECT_DIR = Path(__file__).resolve().parents[2]


class SettingError(ValueError):
    """A setting in the environment can't be used; the message is Chinese and says what to change."""


@dataclass(frozen=True)
class Settings:
    """The settings of one process.

    `database_url` is a libpq URI (`postgresql://user@host:port/name`); `report_upstream` is where the API finds
    Superset, which only differs from this machine's report port when Superset runs elsewhere. `explore_url` is where
    browsers find the exploring port, when that is not this host at `explore_port`.
    """

    host: str
    port: int
    report_port: int
    explore_port: int
    report_upstream: str
    data_dir: Path
    database_url: str
    admin_password: str
    demo: str
    explore_url: str = ""
    environment: str = ENVIRONMENTS[0]
    report_sites: dict[str, str] = field(default_factory=lambda: dict(DEFAULT_REPORT_SITES))
    given_metrics_token: str = ""
    mail_url: str = ""
    mail_from: str = ""
    mail_password: str = field(default="", repr=False)
    given_company_file: str = ""
    map_key: str = ""
    map_code: str = field(default="", repr=False)
    proxies: tuple[str, ...] = ()
    """Trusted proxies, whose forwarded client addresses are believed."""

    @property
    def postgres_dir(self) -> Path:
        return self.data_dir / "postgres"

    @property
    def warehouse_dir(self) -> Path:
        return self.data_dir / "warehouse"

    @property
    def superset_dir(self) -> Path:
        return self.data_dir / "superset"

    @property
    def exports_dir(self) -> Path:
        return self.data_dir / "exports"

    @property
    def uploads_dir(self) -> Path:
        return self.data_dir / "uploads"

    @property
    def backups_dir(self) -> Path:
        return self.data_dir / "backups"

    @property
    def company_file(self) -> Path:
        """The file in which companies are looked up; a relative path is one in the data directory."""
        return self.data_dir / Path(self.given_company_file or "companies.csv").expanduser()

    @property
    def logs_dir(self) -> Path:
        return self.data_dir / "logs"

    @cached_property
    def secrets(self) -> dict[str, str]:
        """The generated secrets of this data directory; made on first use, then never changed."""
        return _load_secrets(self.data_dir / "secrets.json")

    @property
    def metrics_token(self) -> str:
        """The token that a monitor shows to read `/metrics`: the given one, or the generated one."""
        return self.given_metrics_token or self.secrets["metrics_token"]


def read_settings() -> Settings:
    """Read the settings from the environment.

    Raises SettingError for a value that can't be used.
    """
    port = _read_port("ERP_PORT", 8000)
    report_port = _read_port("ERP_REPORT_PORT", port + 1)
    explore_port = _read_port("ERP_EXPLORE_PORT", port + 2)
    if port == report_port:
        raise SettingError("ERP_REPORT_PORT 不能与 ERP_PORT 相同")
    if explore_port in (port, report_port):
        raise SettingError("ERP_EXPLORE_PORT 不能与 ERP_PORT、ERP_REPORT_PORT 相同")
    return Settings(
        host=_read_text("ERP_HOST") or "127.0.0.1",
        port=port,
        report_port=report_port,
        explore_port=explore_port,
        report_upstream=_read_text("ERP_REPORT_UPSTREAM") or f"http://127.0.0.1:{report_port}",
        data_dir=Path(_read_text("ERP_DATA_DIR") or ".data").expanduser().resolve(),
        database_url=_read_text("ERP_DATABASE_URL"),
        admin_password=os.environ.get("ERP_ADMIN_PASSWORD", ""),
        demo=_read_demo_size(),
        explore_url=_read_address("ERP_EXPLORE_URL"),
        environment=_read_environment(),
        report_sites=_read_report_sites(),
        given_metrics_token=_read_text("ERP_METRICS_TOKEN"),
        mail_url=_read_mail_url(),
        mail_from=_read_text("ERP_MAIL_FROM") or "reports@localhost.localdomain",
        mail_password=_read_mail_password(),
        given_company_file=_read_text("ERP_COMPANY_FILE"),
        map_key=_read_letters("ERP_MAP_KEY"),
        map_code=_read_letters("ERP_MAP_CODE"),
        proxies=_read_proxies(),
    )


def _read_environment() -> str:
    name = _read_text("ERP_ENVIRONMENT") or ENVIRONMENTS[0]
    if name not in ENVIRONMENTS:
        raise SettingError(f"ERP_ENVIRONMENT 应为 {'、'.join(ENVIRONMENTS)} 之一，现在是“{name}”")
    return name


def _read_text(name: str) -> str:
    return os.environ.get(name, "").strip()


def _read_letters(name: str) -> str:
    text = _read_text(name)
    if not re.fullmatch(r"[A-Za-z0-9]{0,100}", text):
        raise SettingError(f"{name} 应由字母和数字组成")
    return text


def _read_port(name: str, default: int) -> int:
    text = _read_text(name)
    if not text:
        return default
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise SettingError(f"{name} 应为 1 到 65535 的端口号，现在是“{text}”")
    return int(text)


def _read_address(name: str) -> str:
    text = _read_text(name).rstrip("/")
    if text and not re.fullmatch(r"https?://[\w.-]+(:\d{1,5})?", text):
        raise SettingError(f"{name} 应为 http(s)://主机名[:端口]，现在是“{text}”")
    return text


def _read_demo_size() -> str:
    size = _read_text("ERP_DEMO") or "small"
    if size not in DEMO_SIZES:
        raise SettingError(f"ERP_DEMO 应为 {'、'.join(DEMO_SIZES)} 之一，现在是“{size}”")
    return size


def _read_report_sites() -> dict[str, str]:
    text = _read_text("ERP_REPORT_SITES")
    if not text:
        return dict(DEFAULT_REPORT_SITES)
    try:
        sites = json.loads(text)
    except ValueError as error:
        raise SettingError(f"ERP_REPORT_SITES 应为 JSON 对象（主机名 → 报表地址）：{error}") from error
    if not isinstance(sites, dict) or not all(isinstance(address, str) for address in sites.values()):
        raise SettingError("ERP_REPORT_SITES 应为 JSON 对象，主机名和报表地址都是文本")
    return sites


def _read_proxies() -> tuple[str, ...]:
    found = tuple(filter(None, map(str.strip, _read_text("ERP_PROXIES").split(","))))
    try:
        for one in found:
            if found != ("*",):
                ip_network(one)
    except ValueError:
        raise SettingError(f"ERP_PROXIES 应为反向代理的 IP 或网段，逗号分隔，现在有“{one}”") from None
    return found


def _read_mail_password() -> str:
    password = os.environ.get("ERP_MAIL_PASSWORD", "")
    if not password.isascii():
        raise SettingError("ERP_MAIL_PASSWORD 只能由字母、数字和英文符号组成，邮件服务器收不了别的")
    return password


def _read_mail_url() -> str:
    text = _read_text("ERP_MAIL_URL")
    if not text:
        return ""
    expected = "应为 smtps://用户@主机:465、smtp://用户@主机:587（STARTTLS）或 file:"
    try:
        parts = urlsplit(text)
        known = parts.scheme == "file" or (parts.scheme in ("smtp", "smtps") and parts.hostname)
        bad_port = parts.scheme != "file" and parts.port == 0
    except ValueError as error:
        raise SettingError(f"ERP_MAIL_URL {expected}") from error
    if not known or bad_port or parts.password is not None:
        raise SettingError(f"ERP_MAIL_URL {expected}，密码放在 ERP_MAIL_PASSWORD")
    if parts.scheme != "file" and not _read_text("ERP_MAIL_FROM"):
        raise SettingError("设置了 ERP_MAIL_URL，还要在 ERP_MAIL_FROM 写发信人的邮箱")
    return text


def _load_secrets(path: Path) -> dict[str, str]:
    """Read the secrets file, adding the missing ones. Two processes that start at once agree on one file."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        found = None
    except ValueError as error:
        raise SettingError(f"密钥文件 {path} 已损坏，请从备份恢复：{error}") from error
    known = found or {}
    missing = {name: random_source.token_urlsafe(32) for name in SECRET_NAMES if name not in known}
    if not missing:
        return known
    path.parent.mkdir(parents=True, exist_ok=True)
    complete = {**known, **missing}
    with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=".secrets", delete=False) as draft:
        json.dump(complete, draft, indent=2)
        draft.flush()
        os.fsync(draft.fileno())
    try:
        if found is None:
            os.link(draft.name, path)
        else:
            os.replace(draft.name, path)
    except FileExistsError:
        return _load_secrets(path)
    finally:
        Path(draft.name).unlink(missing_ok=True)
    return complete
