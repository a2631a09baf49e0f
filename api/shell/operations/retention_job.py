"""Retention job (保留任务): deletes what is past its time, as retention.py declares it."""

from __future__ import annotations

from api.shell import jobs
from api.shell.operations import retention


@jobs.app.periodic(cron="40 * * * *")
@jobs.app.task(name="end_what_is_past", queue=jobs.QUEUE, pass_context=False)
def sweep_retention(timestamp: int) -> None:
    """Run all sweeps hourly, so that a machine that is off at night has its turn as well.

    Raises: ExceptionGroup of what failed, after everything else had its turn.
    """
    failed = [outcome for _, outcome in retention.sweep_expired() if isinstance(outcome, Exception)]
    if failed:
        raise ExceptionGroup("kept too long", failed)
