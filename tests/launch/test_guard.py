"""What a start refuses: a held data directory, a taken port."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from api.kit.settings import PROJECT_DIR, read_settings
from api.launch.guard import StartError, lock_data_dir, require_free_ports

HOLD = (
    "import sys, time; from pathlib import Path; from api.launch.guard import lock_data_dir\n"
    "with lock_data_dir(Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"
)


class TestDataDir:
    def test_a_second_launcher_is_told_who_holds_it(self, tmp_path: Path) -> None:
        with lock_data_dir(tmp_path), pytest.raises(StartError, match=f"{tmp_path}.*{os.getpid()}"):
            with lock_data_dir(tmp_path):
                pass

    def test_is_made_and_is_free_after_the_end(self, tmp_path: Path) -> None:
        with lock_data_dir(tmp_path / "of" / "first start"):
            assert (tmp_path / "of" / "first start").is_dir()
        with lock_data_dir(tmp_path / "of" / "first start"):
            pass

    def test_is_free_after_kill_9(self, tmp_path: Path) -> None:
        holder = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(tmp_path)], cwd=PROJECT_DIR, stdout=subprocess.PIPE, text=True
        )
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(StartError), lock_data_dir(tmp_path):
            pass
        holder.send_signal(signal.SIGKILL)
        holder.wait()
        with lock_data_dir(tmp_path):
            pass


class TestPorts:
    @pytest.fixture
    def taken(self):
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            yield listener.getsockname()[1]

    def test_the_users_port_is_taken(self, taken: int) -> None:
        with pytest.raises(StartError, match=f"端口 {taken} .*ERP_PORT"):
            require_free_ports(replace(read_settings(), port=taken))

    def test_the_report_port_is_taken(self, taken: int) -> None:
        with pytest.raises(StartError, match=f"端口 {taken} .*ERP_REPORT_PORT"):
            require_free_ports(replace(read_settings(), port=0, report_port=taken))

    def test_the_exploring_port_is_taken(self, taken: int) -> None:
        with pytest.raises(StartError, match=f"端口 {taken} .*ERP_EXPLORE_PORT"):
            require_free_ports(replace(read_settings(), port=0, report_port=0, explore_port=taken))

    def test_erp_up_refuses_at_once(self, taken: int, tmp_path: Path) -> None:
        done = subprocess.run(
            [str(Path(sys.executable).with_name("erp")), "up"],
            env={**os.environ, "ERP_PORT": str(taken), "ERP_DATA_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=20,
        )
        assert done.returncode == 1
        assert f"端口 {taken}" in done.stderr
        assert "Traceback" not in done.stderr
        assert not (tmp_path / "postgres").exists()
