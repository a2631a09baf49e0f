"""Migrations (数据库结构): Alembic revisions, then functions and triggers, which are replaced as a whole."""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import text

from api.kit import details
from api.kit.database import connect
from api.kit.loading import loading
from api.ledger import demand
from api.ledger.install import install
from api.shell import jobs
from warehouse.pinyin_weights import keep_function

HERE = Path(__file__).parent
LOCK = 20260101
"""Two starts at once take turns."""


def config(url: str) -> Config:
    """Alembic's configuration for a database."""
    found = Config()
    found.set_main_option("script_location", str(HERE))
    found.attributes["url"] = url
    return found


def upgrade(url: str) -> None:
    """Bring a database to the present structure; all or nothing, and nothing to do the second time."""
    with loading():
        from api import catalogue

    assert catalogue.__all__
    engine = connect(url)
    try:
        with engine.begin() as conn:
            conn.execute(text("select pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
            settings = config(url)
            settings.attributes["connection"] = conn
            details.drop(conn)
            demand.drop(conn)
            command.upgrade(settings, "head")
            keep_function(conn)
            demand.install(conn)
            jobs.install(conn)
            install(conn)
            details.install(conn)
    finally:
        engine.dispose()
