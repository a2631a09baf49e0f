"""Superset's server (运行 Superset): `python -m reports.superset.server`, on the local ERP_REPORT_PORT only."""

from __future__ import annotations

import os
from typing import Any

from gunicorn.app.base import BaseApplication

from api.kit.settings import read_settings
from reports.superset.bootstrap import use_config
from reports.superset.snapshot import SNAPSHOT_URI

WORKERS = 2
THREADS = 8


def load_drivers(worker: Any) -> None:
    """Import Superset's database drivers in each worker: its first reader would wait for it.

    Not before the workers fork: DuckDB's threads don't live on in them, which aborts them at their end.
    """
    from sqlalchemy.engine import make_url
    from superset.models.core import Database

    with worker.app.wsgi().app_context():
        Database.get_db_engine_spec(make_url(SNAPSHOT_URI))


class ReportServer(BaseApplication):
    """gunicorn with the application loaded once before the workers fork."""

    def load_config(self) -> None:
        host = os.environ.get("ERP_REPORT_HOST", "127.0.0.1")
        options = {
            "bind": f"{host}:{read_settings().report_port}",
            "workers": WORKERS,
            "threads": THREADS,
            "worker_class": "gthread",
            "preload_app": True,
            "timeout": 120,
            "graceful_timeout": 5,
            "keepalive": 30,
            "loglevel": "warning",
            "proc_name": "erp-superset",
            "post_worker_init": load_drivers,
        }
        for name, value in options.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        use_config()
        from superset.app import create_app

        return create_app()


if __name__ == "__main__":
    ReportServer().run()
