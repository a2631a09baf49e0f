"""The retention job (保留任务): the job worker ends what is kept no longer, as `api.shell.retention` declares it."""

from __future__ import annotations

from api.shell import jobs, retention


@jobs.app.periodic(cron="40 * * * *")
@jobs.app.task(name="end_what_is_past", queue=jobs.QUEUE, pass_context=False)
def end_what_is_past(timestamp: int) -> None:
    """Each hour, so that a machine that is off at night has its turn as well.

    Raises an ExceptionGroup of what failed, after everything else had its turn.
    """
    failed = [outcome for _, outcome in retention.swept() if isinstance(outcome, Exception)]
    if failed:
        raise ExceptionGroup("kept too long", failed)
