"""Session job (过期会话任务): deletes expired sessions; the login log keeps their ends."""

from __future__ import annotations

from api.identity import sessions
from api.kit.storage.database import run_transaction
from api.shell import jobs


@jobs.app.periodic(cron="10 * * * *")
@jobs.app.task(name="drop_expired_sessions", queue=jobs.QUEUE, pass_context=False)
def drop_expired_sessions(timestamp: int) -> None:
    """Delete expired sessions hourly, so that a machine that is off at night has its turn as well."""
    run_transaction(sessions.delete_expired_sessions)
