"""Jobs (后台任务): procrastinate over the same Postgres; the web process defers, `erp work` runs."""

from __future__ import annotations

import asyncio
from functools import lru_cache
from typing import Any

import procrastinate
from sqlalchemy import Connection

from api.kit.settings import read_settings

QUEUE = "erp"
ALERT_CHECK = "check_alerts"
app = procrastinate.App(
    connector=procrastinate.PsycopgConnector(),
    import_paths=[
        "api.shell.files.export_job",
        "api.shell.operations.recalculation_job",
        "api.shell.operations.integrity_screen",
        "api.shell.operations.checkpoint_job",
        "api.shell.operations.session_job",
        "api.shell.operations.retention_job",
        "api.printing.print_job",
        "api.exporting.report_job",
        "api.messaging.sms_jobs",
        "api.subscribing.delivery_jobs",
        "api.figures.alert_job",
        "api.figures.dashboard_watch",
        "api.shell.operations.backup_job",
        "api.importing.initialisation_job",
    ],
)


@lru_cache(maxsize=1)
def _get_deferring_app() -> procrastinate.App:
    """Return the application of a web process: a synchronous connector with a small pool."""
    connector = procrastinate.SyncPsycopgConnector(
        conninfo=read_settings().database_url, min_size=1, max_size=2
    )
    deferring = procrastinate.App(connector=connector)
    deferring.open()
    return deferring


def defer_in_transaction(conn: Connection, task: str, **arguments: Any) -> None:
    """Queue a task in the transaction of `conn`: both commit, or neither."""
    driver = conn.connection.driver_connection
    _get_deferring_app().configure_task(task, queue=QUEUE, connection=driver).defer(**arguments)


def defer_once(task: str, lock: str, **arguments: Any) -> None:
    """Queue a task by name, unless one with this lock is waiting."""
    try:
        _get_deferring_app().configure_task(task, queue=QUEUE, queueing_lock=lock).defer(**arguments)
    except procrastinate.exceptions.AlreadyEnqueued:
        return


def defer_alert_check() -> None:
    """Queue the check of the alerts on report figures, after a new snapshot was published."""
    defer_once(ALERT_CHECK, ALERT_CHECK)


def install(conn: Connection) -> None:
    """Create procrastinate's tables and functions where missing."""
    if conn.exec_driver_sql("select to_regclass('procrastinate_jobs')").scalar() is None:
        script = procrastinate.schema.SchemaManager.get_schema()
        driver = conn.connection.driver_connection
        assert driver is not None
        driver.execute(script)


def run_worker() -> None:
    """Run the queue's jobs until stopped, beginning with those that a killed worker left."""
    connector = procrastinate.PsycopgConnector(conninfo=read_settings().database_url, min_size=1, max_size=4)

    async def work() -> None:
        async with working.open_async():
            for job in await working.job_manager.get_stalled_jobs():
                await working.job_manager.retry_job(job)
            await working.run_worker_async(queues=[QUEUE], concurrency=2, delete_jobs="successful")

    # The application itself, not a copy: periodic tasks are deferred through the one that declared them.
    with app.replace_connector(connector) as working:
        asyncio.run(work())
