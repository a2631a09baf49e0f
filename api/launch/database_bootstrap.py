"""`erp prepare` (准备数据库): bring the database to use with schema, administrator and demo data; existing
ones stay."""

from __future__ import annotations

from typing import Any

from api.kit.settings import Settings
from api.launch.command_database import open_database
from api.launch.progress import Progress


def prepare_database(config: Settings) -> dict[str, Any]:
    """Prepare the database and return the logins: `{admin: {…}, demo: [{role, user_name, password}]}`."""
    progress = Progress()
    with open_database(config) as url:
        with progress.step("升级数据库结构"):
            from api.migrations import upgrade

            upgrade(url)
        return {"admin": _ensure_admin(config), "demo": _load_demo(config, progress)}


def _ensure_admin(config: Settings) -> dict[str, str]:
    from api.identity.setup import ADMIN, ensure_admin
    from api.kit.storage.database import run_transaction

    password = config.admin_password or config.secrets["admin_password"]
    run_transaction(lambda conn: ensure_admin(conn, password))
    return {"user_name": ADMIN, "password": password}


def _load_demo(config: Settings, progress: Progress) -> list[dict[str, str]]:
    if config.demo == "none":
        return []
    from api.demo import list_logins, load_group

    with progress.step(f"载入演示集团（{config.demo}）"):
        load_group(config.demo, tell=progress.say)
    return list_logins()
