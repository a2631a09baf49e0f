"""报表平台初始化：`python -m reports.boot`。元数据迁移、角色、管理员、资产；没有变化时立即返回。

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

from api.kit.settings import Settings, settings
from reports import metadata
from reports.assets import boards, bundle_hash, compile_assets

CODE_DIR = Path(__file__).resolve().parent
CODE_FILES = ("install.py", "superset_config.py", "security.py")


def main() -> None:
    """Bring Superset's metadata to the state of the catalogue."""
    started = time.monotonic()
    current = settings()
    current.superset_dir.mkdir(parents=True, exist_ok=True)
    bundle = compile_assets()
    wanted = installed_state(bundle, current)
    state_path = current.superset_dir / metadata.STATE
    if is_usable(current.superset_dir / metadata.NAME) and _state_in(state_path) == wanted:
        _say("报表资产没有变化")
        return
    state_path.unlink(missing_ok=True)
    install(bundle, current)
    state_path.write_text(json.dumps(wanted), "utf-8")
    _say(f"报表平台已就绪，用时 {time.monotonic() - started:.1f} 秒，处理器 {time.process_time():.1f} 秒")


def is_usable(path: Path) -> bool:
    """Whether a metadata file is whole and has every board. A broken one is set aside; it and one that is lost are
    built again, over what users made, as the newest backup has it."""
    if path.exists():
        problem = metadata.problem(path)
        if not problem:
            return not metadata.lacks(path, (item.embedded_uuid for item in boards()))
        _say(f"元数据文件损坏（{problem}），已另存为 {metadata.set_aside(path).name} 并重建")
    elif path.with_name(metadata.STATE).exists():
        _say("元数据文件不见了，重建")
    else:
        return False
    found, _ = metadata.recover(path, metadata.newest(settings().backups_dir))
    _say(
        f"自制的图表和看板已从备份 {found.name} 取回，此后所做的不在其中"
        if found
        else "备份里没有完好的元数据，自制的图表和看板没有取回；别处有备份时用 erp restore --reports"
    )
    return False


def _state_in(path: Path) -> dict[str, str] | None:
    """What was installed last; None of a file that a full disk or a lost machine left torn."""
    try:
        found: dict[str, str] = json.loads(path.read_text("utf-8"))
        return found
    except (FileNotFoundError, ValueError):
        return None


def installed_state(bundle: dict[str, str], current: Settings) -> dict[str, str]:
    """What decides whether anything has to be done: assets, Superset's version, our code, the admin's password."""
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
        _step("升级元数据", _migrate)
        from reports import install as installing

        with installing.one_transaction():
            _step("权限", _sync_permissions)
            _step("角色", installing.set_roles)
            _step("管理员", lambda: installing.set_admin(admin_password(current)))
            _step(f"导入 {len(bundle)} 个资产", lambda: installing.import_bundle(bundle))


def use_config() -> None:
    """Tell Superset where its configuration lies; before it is imported."""
    os.environ["SUPERSET_CONFIG_PATH"] = str(CODE_DIR / "superset_config.py")


def _migrate() -> None:
    import flask_migrate
    import superset

    flask_migrate.upgrade(directory=str(Path(superset.__file__).parent / "migrations"))


def _sync_permissions() -> None:
    from superset import appbuilder, security_manager

    appbuilder.add_permissions(update_perms=True)
    security_manager.sync_role_definitions()


def _step(label: str, work: Callable[[], object]) -> None:
    started, busy = time.monotonic(), time.process_time()
    work()
    _say(f"{label}（{time.monotonic() - started:.1f} 秒，处理器 {time.process_time() - busy:.1f} 秒）")


def _say(text: str) -> None:
    print(f"报表：{text}", file=sys.stdout, flush=True)


if __name__ == "__main__":
    main()
