"""docker-compose.yml: well formed, every service watched, nothing secret inside."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from api.kit.settings import PROJECT_DIR
from api.launch.postgres import OPTIONS

COMPOSE = PROJECT_DIR / "docker-compose.yml"
DOOR = PROJECT_DIR / "deploy" / "nginx.conf"
EXAMPLE = PROJECT_DIR / ".env.example"
ONE_SHOT = {"prepare"}
KNOWN_KEYS = {
    *("build", "image", "command", "environment", "volumes", "ports", "restart", "depends_on"),
    *("healthcheck", "logging", "shm_size"),
}


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return yaml.safe_load(COMPOSE.read_text("utf-8"))


@pytest.fixture(scope="module")
def services(compose: dict[str, Any]) -> dict[str, Any]:
    return compose["services"]


def example_variables() -> set[str]:
    return {line.split("=")[0] for line in EXAMPLE.read_text("utf-8").splitlines() if re.match("[A-Z]", line)}


class TestShape:
    def test_every_part_is_there(self, services: dict[str, Any]) -> None:
        assert set(services) == {
            *("postgres", "prepare", "api", "work", "refresh", "redis", "superset", "web"),
        }

    def test_only_known_keys(self, services: dict[str, Any]) -> None:
        assert {key for service in services.values() for key in service} <= KNOWN_KEYS

    def test_every_resident_service_has_a_health_check_and_restarts(self, services: dict[str, Any]) -> None:
        for name, service in services.items():
            if name in ONE_SHOT:
                continue
            assert service["healthcheck"]["test"][0] == "CMD", name
            assert {"interval", "timeout", "retries"} <= set(service["healthcheck"]), name
            assert service["restart"] == "unless-stopped", name

    def test_waits_name_a_service_that_can_fulfil_them(self, services: dict[str, Any]) -> None:
        for service in services.values():
            for needed, condition in service.get("depends_on", {}).items():
                if condition["condition"] == "service_completed_successfully":
                    assert needed in ONE_SHOT
                else:
                    assert condition["condition"] == "service_healthy"
                    assert "healthcheck" in services[needed]

    def test_volumes_are_declared(self, compose: dict[str, Any]) -> None:
        used = {
            v.split(":")[0] for service in compose["services"].values() for v in service.get("volumes", [])
        }
        assert used == set(compose["volumes"])

    def test_build_targets_are_stages_of_the_dockerfile(self, services: dict[str, Any]) -> None:
        stages = set(
            re.findall(r"^FROM \S+ AS (\S+)$", (PROJECT_DIR / "Dockerfile").read_text(), re.MULTILINE)
        )
        assert {s["build"]["target"] for s in services.values() if "build" in s} <= stages

    def test_copied_files_exist(self) -> None:
        dockerfile = (PROJECT_DIR / "Dockerfile").read_text()
        for line in re.findall(r"^COPY (?!--from)(.+)$", dockerfile, re.MULTILINE):
            for source in line.split()[:-1]:
                assert (PROJECT_DIR / source).exists(), source

    def test_its_postgres_is_set_as_the_embedded_one(self, services: dict[str, Any]) -> None:
        _, *given = services["postgres"]["command"]
        assert dict(option.removeprefix("-c").split("=") for option in given) == OPTIONS

    def test_every_setting_reaches_a_service(self, services: dict[str, Any]) -> None:
        told = set(
            re.findall(r"^\| `(ERP_\w+)`", (PROJECT_DIR / "README.md").read_text("utf-8"), re.MULTILINE)
        )
        given = {name for service in services.values() for name in service.get("environment", {})}
        assert told - given == {"ERP_CHROMIUM"}, "of tests alone"


class TestDoor:
    def test_a_client_doesnt_say_where_he_comes_from(self, services: dict[str, Any]) -> None:
        """The API believes the first address that it is told, and counts failed logins by it."""
        assert services["api"]["environment"]["ERP_PROXIES"] == "*"
        assert "ports" not in services["api"]
        door = DOOR.read_text("utf-8")
        said = re.findall(r"proxy_set_header X-Forwarded-For (\S+);", door)
        assert said == ["$remote_addr"] * door.count("proxy_pass") != []


class TestSecrets:
    def test_every_variable_is_explained_in_the_example(self) -> None:
        assert set(re.findall(r"\$\{(\w+)", COMPOSE.read_text("utf-8"))) == example_variables()

    def test_the_example_holds_no_password(self) -> None:
        for line in EXAMPLE.read_text("utf-8").splitlines():
            if "PASSWORD" in line and not line.startswith("#"):
                assert line.endswith("=")

    def test_passwords_come_from_the_environment_only(self, services: dict[str, Any]) -> None:
        for service in services.values():
            for name, value in (service.get("environment") or {}).items():
                if "PASSWORD" in name:
                    assert re.fullmatch(rf"\$\{{{name}(:\?[^}}]+|:-)\}}", value), name

    def test_the_real_env_file_is_ignored(self) -> None:
        assert ".env" in (PROJECT_DIR / ".gitignore").read_text().split()


def compose_client() -> list[str] | None:
    if shutil.which("docker-compose"):
        return ["docker-compose"]
    if (
        shutil.which("docker")
        and subprocess.run(["docker", "compose", "version"], capture_output=True).returncode == 0
    ):
        return ["docker", "compose"]
    return None


@pytest.mark.skipif(compose_client() is None, reason="no compose client on this machine")
class TestClient:
    def check(self, tmp_path: Path, variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
        client = compose_client()
        assert client is not None
        (tmp_path / "docker-compose.yml").write_text(COMPOSE.read_text("utf-8"), "utf-8")
        environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), **variables}
        return subprocess.run(
            [*client, "-f", str(tmp_path / "docker-compose.yml"), "config", "-q"],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
        )

    def test_accepts_it(self, tmp_path: Path) -> None:
        done = self.check(tmp_path, {"POSTGRES_PASSWORD": "x", "ERP_ADMIN_PASSWORD": "y"})
        assert done.returncode == 0, done.stderr

    def test_refuses_a_start_without_passwords(self, tmp_path: Path) -> None:
        done = self.check(tmp_path, {})
        assert done.returncode != 0
        assert "PASSWORD" in done.stderr
