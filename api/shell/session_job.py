"""Expired sessions (过期会话): the job worker deletes them; what the login log tells of them stays."""

from __future__ import annotations

from api.identity import sessions
from api.kit.database import transact
from api.shell import jobs


@jobs.app.periodic(cron="10 * * * *")
@jobs.app.task(name="drop_expired_sessions", queue=jobs.QUEUE, pass_context=False)
def drop_expired_sessions(timestamp: int) -> None:
    """Each hour, so that a machine that is off at night has its turn as well."""
    transact(sessions.drop_expired)
