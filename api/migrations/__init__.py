"""Migrations (数据库结构): Alembic revisions, then functions and triggers, which are replaced as a whole."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import text

from api.kit.declaration import detail_reports
from api.kit.gc_freeze import frozen_gc
from api.kit.storage.database import build_engine
from api.ledger import order_demand
from api.ledger.install import install
from api.shell import jobs
from warehouse.pinyin_weights import keep_function

HERE = Path(__file__).parent
LOCK = 20260101
"""Two starts at once take turns."""


def build_config(url: str) -> Config:
    """Build Alembic's configuration for a database."""
    found = Config()
    found.set_main_option("script_location", str(HERE))
    found.attributes["url"] = url
    return found


def upgrade(url: str) -> None:
    """Migrate a database to the present schema; all or nothing, and nothing to do the second time."""
    with frozen_gc():
        from api import catalogue

    assert catalogue.__all__
    engine = build_engine(url)
    try:
        with engine.begin() as conn:
            conn.execute(text("select pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
            settings = build_config(url)
            settings.attributes["connection"] = conn
            detail_reports.drop_views(conn)
            order_demand.drop_view(conn)
            command.upgrade(settings, "head")
            keep_function(conn)
            order_demand.create_view(conn)
            jobs.install(conn)
            install(conn)
            detail_reports.install_views(conn)
    finally:
        engine.dispose()
