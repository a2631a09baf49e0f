"""Watch over published boards (看板核对任务): each release has every board looked at once, whether its charts can still
be drawn of the datasets that there are; one that can't is closed, and its author told why."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Row, select, update

from api.kit.database import transact
from api.reporting.board_checks import problem_of, release, unseen_by
from api.reporting.board_tables import BOARD, VERSION, PublishedBoard, roles_of
from api.shell import jobs
from api.subscribing.running import remind_user

PAGE = "/report/board"


@jobs.app.periodic(cron="* * * * *")
@jobs.app.task(name="check_boards", queue=jobs.QUEUE, pass_context=False)
def check_boards(timestamp: int) -> None:
    """Look at the boards that were not looked at since the release began: at the first minute of its job worker."""
    transact(_check)


def _check(conn: Connection) -> None:
    shown = BOARD.join(
        VERSION, (VERSION.c.board_id == BOARD.c.board_id) & (VERSION.c.version == BOARD.c.version)
    )
    unseen = BOARD.c.checked_release.is_distinct_from(release())
    asked = select(BOARD, VERSION.c.charts).select_from(shown).where(unseen)
    for row in conn.execute(asked.with_for_update(of=BOARD, skip_locked=True)).all():
        problem = _problem(conn, row)
        values = {"problem": problem, "checked_release": release()}
        conn.execute(update(PublishedBoard).where(BOARD.c.board_id == row.board_id).values(values))
        if problem and not row.withdrawn and problem != row.problem:
            told = f"您发布的看板“{row.title}”打不开了：{problem}。请在自助分析中修改后重新发布"
            remind_user(conn, row.user_id, told, PAGE)


def _problem(conn: Connection, row: Row[Any]) -> str | None:
    return problem_of(row.charts) or unseen_by(conn, row.charts, roles_of(conn, row.board_id))
