"""Initialization of the report platform (初始化): `python -m reports.superset.bootstrap`.

Migrates metadata, sets roles and admin, imports assets; returns at once if nothing has changed.

Everything in one process, because importing Superset costs seconds each time.
"""

from __future__ import annotations

import gc
import hashlib
import importlib.metadata
import json
import logging
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

from api.kit.settings import Settings, read_settings
from reports.superset import metadata
from reports.superset.assets import bundle_hash, compile_assets, list_dashboards

CODE_DIR = Path(__file__).resolve().parent
CODE_FILES = ("installer.py", "superset_config.py", "security.py")


def main() -> None:
    """Install the catalogue's assets into Superset's metadata if anything has changed."""
    started = time.monotonic()
    current = read_settings()
    current.superset_dir.mkdir(parents=True, exist_ok=True)
    bundle = compile_assets()
    wanted = installed_state(bundle, current)
    state_path = current.superset_dir / metadata.STATE
    if is_usable(current.superset_dir / metadata.NAME) and _read_state(state_path) == wanted:
        _print_message("报表资产没有变化")
        return
    state_path.unlink(missing_ok=True)
    install(bundle, current)
    state_path.write_text(json.dumps(wanted), "utf-8")
    _print_message(
        f"报表平台已就绪，用时 {time.monotonic() - started:.1f} 秒，处理器 {time.process_time():.1f} 秒"
    )


def is_usable(path: Path) -> bool:
    """Return whether a metadata file is sound and has every dashboard.

    A broken file is set aside; it and a lost one are rebuilt over the users' own charts of the newest
    backup.
    """
    if path.exists():
        problem = metadata.describe_problem(path)
        if not problem:
            return not metadata.is_missing_boards(path, (item.embedded_uuid for item in list_dashboards()))
        _print_message(f"元数据文件损坏（{problem}），已另存为 {metadata.set_aside(path).name} 并重建")
    elif path.with_name(metadata.STATE).exists():
        _print_message("元数据文件不见了，重建")
    else:
        return False
    found, _ = metadata.recover_metadata(path, metadata.list_backups(read_settings().backups_dir))
    _print_message(
        f"自制的图表和看板已从备份 {found.name} 取回，此后所做的不在其中"
        if found
        else "备份里没有完好的元数据，自制的图表和看板没有取回；别处有备份时用 erp restore --reports"
    )
    return False


def _read_state(path: Path) -> dict[str, str] | None:
    """Return the state that was installed last; None for a torn or missing file."""
    try:
        found: dict[str, str] = json.loads(path.read_text("utf-8"))
        return found
    except (FileNotFoundError, ValueError):
        return None


def installed_state(bundle: dict[str, str], current: Settings) -> dict[str, str]:
    """Return the hashes that decide whether to install.

    Assets, Superset's version, our code, the admin's password.
    """
    code = hashlib.sha256()
    for name in CODE_FILES:
        code.update((CODE_DIR / name).read_bytes())
    password = hashlib.sha256((current.secrets["superset_secret_key"] + admin_password(current)).encode())
    return {
        "assets": bundle_hash(bundle),
        "superset": importlib.metadata.version("apache-superset"),
        "code": code.hexdigest(),
        "admin": password.hexdigest(),
    }


def admin_password(current: Settings) -> str:
    return current.admin_password or current.secrets["superset_admin_password"]


def install(bundle: dict[str, str], current: Settings) -> None:
    """Migrate, then write roles, administrator and assets."""
    use_config()
    from superset.app import create_app

    logging.getLogger().setLevel(logging.WARNING)
    app = create_app()
    # What is loaded stays, and a process that soon ends need not look for garbage after every few objects.
    gc.freeze()
    gc.set_threshold(100_000, 20, 50)
    with app.app_context():
        _run_step("升级元数据", _migrate_metadata)
        from reports.superset import installer as installing

        with installing.one_transaction():
            _run_step("权限", _sync_permissions)
            _run_step("角色", installing.set_roles)
            _run_step("管理员", lambda: installing.set_admin(admin_password(current)))
            _run_step(f"导入 {len(bundle)} 个资产", lambda: installing.import_bundle(bundle))


def use_config() -> None:
    """Set the path of Superset's configuration; to be called before Superset is imported."""
    os.environ["SUPERSET_CONFIG_PATH"] = str(CODE_DIR / "superset_config.py")


def _migrate_metadata() -> None:
    import flask_migrate
    import superset

    flask_migrate.upgrade(directory=str(Path(superset.__file__).parent / "migrations"))


def _sync_permissions() -> None:
    from superset import appbuilder, security_manager

    appbuilder.add_permissions(update_perms=True)
    security_manager.sync_role_definitions()


def _run_step(label: str, work: Callable[[], object]) -> None:
    started, busy = time.monotonic(), time.process_time()
    work()
    _print_message(
        f"{label}（{time.monotonic() - started:.1f} 秒，处理器 {time.process_time() - busy:.1f} 秒）"
    )


def _print_message(text: str) -> None:
    print(f"报表：{text}", file=sys.stdout, flush=True)


if __name__ == "__main__":
    main()
