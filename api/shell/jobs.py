"""Jobs (后台任务): procrastinate over the same Postgres; the web process defers, `erp work` runs."""

from __future__ import annotations

import asyncio
from functools import lru_cache
from typing import Any

import procrastinate
from sqlalchemy import Connection

from api.kit.settings import settings

QUEUE = "erp"
LOOK_AT_FIGURES = "check_alerts"
app = procrastinate.App(
    connector=procrastinate.PsycopgConnector(),
    import_paths=[
        "api.shell.export_job",
        "api.shell.recalculation_job",
        "api.shell.integrity_screen",
        "api.shell.checkpoint_job",
        "api.shell.session_job",
        "api.shell.retention_job",
        "api.printing.print_job",
        "api.exporting.report_job",
        "api.messaging.sending",
        "api.subscribing.running",
        "api.figures.checking",
        "api.figures.board_watch",
        "api.shell.backup_job",
        "api.importing.initialisation_job",
    ],
)


@lru_cache(maxsize=1)
def _deferring() -> procrastinate.App:
    """The application as a web process uses it: a synchronous connector with a small pool."""
    connector = procrastinate.SyncPsycopgConnector(conninfo=settings().database_url, min_size=1, max_size=2)
    deferring = procrastinate.App(connector=connector)
    deferring.open()
    return deferring


def defer_with(conn: Connection, task: str, **arguments: Any) -> None:
    """Queue a task in the transaction of `conn`: it is there exactly when what it works on is."""
    driver = conn.connection.driver_connection
    _deferring().configure_task(task, queue=QUEUE, connection=driver).defer(**arguments)


def defer_once(task: str, lock: str, **arguments: Any) -> None:
    """Queue a task by name, unless one with this lock is waiting there."""
    try:
        _deferring().configure_task(task, queue=QUEUE, queueing_lock=lock).defer(**arguments)
    except procrastinate.exceptions.AlreadyEnqueued:
        return


def look_at_figures() -> None:
    """Have the alerts on figures of reports looked at: newer ones are published."""
    defer_once(LOOK_AT_FIGURES, LOOK_AT_FIGURES)


def install(conn: Connection) -> None:
    """Create procrastinate's tables and functions where missing."""
    if conn.exec_driver_sql("select to_regclass('procrastinate_jobs')").scalar() is None:
        script = procrastinate.schema.SchemaManager.get_schema()
        driver = conn.connection.driver_connection
        assert driver is not None
        driver.execute(script)


def run() -> None:
    """Work off the queue until stopped; takes over what a killed worker left."""
    connector = procrastinate.PsycopgConnector(conninfo=settings().database_url, min_size=1, max_size=4)

    async def work() -> None:
        async with working.open_async():
            for job in await working.job_manager.get_stalled_jobs():
                await working.job_manager.retry_job(job)
            await working.run_worker_async(queues=[QUEUE], concurrency=2, delete_jobs="successful")

    # The application itself, not a copy: periodic tasks are deferred through the one that declared them.
    with app.replace_connector(connector) as working:
        asyncio.run(work())
