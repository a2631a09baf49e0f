"""The settings of a process: defaults, refusals, secrets."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from api.kit.settings import PROJECT_DIR, SECRET_NAMES, SettingError, read_settings


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith("ERP_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("ERP_DATA_DIR", str(tmp_path / "data"))


class TestDefaults:
    def test_without_any_variable(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.delenv("ERP_DATA_DIR")
        monkeypatch.chdir(tmp_path)
        found = read_settings()
        assert (found.host, found.port, found.report_port, found.explore_port) == (
            "127.0.0.1",
            8000,
            8001,
            8002,
        )
        assert found.data_dir == tmp_path / ".data"
        assert (found.demo, found.database_url, found.proxies) == ("small", "", ())
        assert found.report_sites == {"127.0.0.1": "", "localhost": ""}

    def test_report_port_follows_the_port(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("ERP_PORT", "9100")
        assert (read_settings().report_port, read_settings().explore_port) == (9101, 9102)

    def test_empty_variables_count_as_unset(self, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("ERP_PORT", "ERP_REPORT_PORT", "ERP_DEMO", "ERP_REPORT_SITES", "ERP_DATABASE_URL"):
            monkeypatch.setenv(name, "")
        assert read_settings().port == 8000


class TestRefusals:
    @pytest.mark.parametrize(
        ("name", "value"),
        [
            ("ERP_PORT", "0"),
            ("ERP_PORT", "65536"),
            ("ERP_PORT", "八千"),
            ("ERP_REPORT_PORT", "-1"),
            ("ERP_EXPLORE_PORT", "x"),
            ("ERP_EXPLORE_URL", "explore.example.com"),
            ("ERP_EXPLORE_URL", "javascript://explore.example.com"),
            ("ERP_DEMO", "huge"),
            ("ERP_REPORT_SITES", "127.0.0.1"),
            ("ERP_REPORT_SITES", "[]"),
            ("ERP_REPORT_SITES", '{"localhost": 1}'),
            ("ERP_MAIL_URL", "mail.example.com"),
            ("ERP_MAIL_URL", "http://mail.example.com"),
            ("ERP_MAIL_URL", "smtp://"),
            ("ERP_MAIL_URL", "smtps://mail.example.com:99999"),
            ("ERP_MAIL_URL", "smtps://mail.example.com"),
            ("ERP_MAIL_PASSWORD", "密码"),
            ("ERP_PROXIES", "nginx"),
            ("ERP_PROXIES", "10.0.0.1, *"),
        ],
    )
    def test_a_bad_value_is_named(self, monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
        monkeypatch.setenv(name, value)
        with pytest.raises(SettingError, match=name):
            read_settings()

    def test_the_mail_password_is_told_nowhere(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("ERP_MAIL_FROM", "reports@example.com")
        monkeypatch.setenv("ERP_MAIL_URL", "smtps://reports:secret-1@mail.example.com")
        with pytest.raises(SettingError, match="ERP_MAIL_PASSWORD") as refused:
            read_settings()
        assert "secret-1" not in str(refused.value)
        monkeypatch.setenv("ERP_MAIL_URL", "smtps://reports@mail.example.com")
        monkeypatch.setenv("ERP_MAIL_PASSWORD", "secret-1")
        assert read_settings().mail_password == "secret-1"
        assert "secret-1" not in repr(read_settings())

    def test_equal_ports(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("ERP_PORT", "9100")
        monkeypatch.setenv("ERP_REPORT_PORT", "9100")
        with pytest.raises(SettingError, match="ERP_REPORT_PORT"):
            read_settings()


class TestSecrets:
    def test_made_once_and_kept(self) -> None:
        first = read_settings().secrets
        assert set(first) == set(SECRET_NAMES)
        assert len(set(first.values())) == len(SECRET_NAMES)
        assert read_settings().secrets == first

    def test_only_the_owner_reads_them(self) -> None:
        found = read_settings()
        assert found.secrets
        assert stat.S_IMODE((found.data_dir / "secrets.json").stat().st_mode) == 0o600

    def test_a_file_of_an_older_release_keeps_its_values(self) -> None:
        path = read_settings().data_dir / "secrets.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({"guest_token_secret": "kept"}))
        assert read_settings().secrets["guest_token_secret"] == "kept"
        assert set(json.loads(path.read_text())) == set(SECRET_NAMES)

    def test_a_damaged_file_is_not_overwritten(self) -> None:
        path = read_settings().data_dir / "secrets.json"
        path.parent.mkdir(parents=True)
        path.write_text("{")
        with pytest.raises(SettingError, match="已损坏"):
            _ = read_settings().secrets
        assert path.read_text() == "{"

    def test_processes_that_start_at_once_agree(self) -> None:
        code = "from api.kit.settings import read_settings; import json; print(json.dumps(read_settings().secrets))"

        def read(_: int) -> str:
            return subprocess.check_output([sys.executable, "-c", code], cwd=PROJECT_DIR, text=True)

        with ThreadPoolExecutor(6) as pool:
            assert len(set(pool.map(read, range(6)))) == 1

    def test_needs_only_the_standard_library(self) -> None:
        code = "import sys; sys.path.insert(0, sys.argv[1]); from api.kit.settings import read_settings; read_settings()"
        subprocess.run([sys.executable, "-S", "-I", "-c", code, str(PROJECT_DIR)], check=True)
