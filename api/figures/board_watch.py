"""Watch over published boards (看板核对任务): each is looked at once after a release, and once after what one of its
roles may see has changed. A board whose charts can't be drawn any more is shown to nobody, one that a role may not see
not to that role (`api.reporting.board_checks.boards_of`); here its author is told why.
"""

from __future__ import annotations

from sqlalchemy import Connection, select, update

from api.kit.database import transact
from api.reporting.board_checks import looked_at, problem_of, unseen_by
from api.reporting.board_tables import BOARD, VERSION, PublishedBoard, roles_of
from api.shell import jobs
from api.subscribing.running import remind_user

PAGE = "/report/board"


@jobs.app.periodic(cron="* * * * *")
@jobs.app.task(name="check_boards", queue=jobs.QUEUE, pass_context=False)
def check_boards(timestamp: int) -> None:
    """Look at the boards that were not looked at since the release began, or their roles' rights changed."""
    transact(_check)


def _check(conn: Connection) -> None:
    for row in conn.execute(select(BOARD.c.board_id, BOARD.c.checked_release)).all():
        now = looked_at(conn, roles_of(conn, row.board_id))
        if now != row.checked_release:
            _check_one(conn, row.board_id, now)


def _check_one(conn: Connection, board_id: int, now: str) -> None:
    shown = BOARD.join(
        VERSION, (VERSION.c.board_id == BOARD.c.board_id) & (VERSION.c.version == BOARD.c.version)
    )
    mine = select(BOARD, VERSION.c.charts).select_from(shown).where(BOARD.c.board_id == board_id)
    row = conn.execute(mine.with_for_update(of=BOARD, skip_locked=True)).first()
    if row is None:
        return
    lost = problem_of(row.charts)
    problem = lost or unseen_by(conn, row.charts, roles_of(conn, board_id))
    values = {"problem": problem, "checked_release": now}
    conn.execute(update(PublishedBoard).where(BOARD.c.board_id == board_id).values(values))
    if problem and not row.withdrawn and problem != row.problem:
        closed = "打不开了" if lost else "有角色打不开了"
        told = f"您发布的看板“{row.title}”{closed}：{problem}。请在自助分析中修改后重新发布"
        remind_user(conn, row.user_id, told, PAGE)
