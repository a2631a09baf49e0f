"""`erp prepare`：把数据库备到可用——结构、管理员、演示数据；已有的不再动。"""

from __future__ import annotations

from typing import Any

from api.kit.settings import Settings
from api.launch.attach import database
from api.launch.progress import Progress


def prepare(config: Settings) -> dict[str, Any]:
    """Bring the database up and answer the logins: `{admin: {…}, demo: [{role, user_name, password}]}`."""
    progress = Progress()
    with database(config) as url:
        with progress.step("升级数据库结构"):
            from api.migrations import upgrade

            upgrade(url)
        return {"admin": _ensure_admin(config), "demo": _load_demo(config, progress)}


def _ensure_admin(config: Settings) -> dict[str, str]:
    from api.identity.setup import ADMIN, ensure_admin
    from api.kit.database import transact

    password = config.admin_password or config.secrets["admin_password"]
    transact(lambda conn: ensure_admin(conn, password))
    return {"user_name": ADMIN, "password": password}


def _load_demo(config: Settings, progress: Progress) -> list[dict[str, str]]:
    if config.demo == "none":
        return []
    from api.demo import load, logins

    with progress.step(f"载入演示集团（{config.demo}）"):
        load(config.demo, tell=progress.say)
    return logins()
