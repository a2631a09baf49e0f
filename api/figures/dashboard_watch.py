"""Check job of published dashboards (看板核对任务), once after a release and once after a change of roles' rights.

Dashboards with broken charts are hidden from everybody, others from roles that may not see them
(`api.reporting.superset_gateway.dashboard_validation.list_visible_copies`); here the author is notified of the reason.
"""

from __future__ import annotations

from sqlalchemy import Connection, select, update

from api.kit.storage.database import run_transaction
from api.reporting.superset_gateway.dashboard_tables import (
    DASHBOARD,
    VERSION,
    PublishedDashboard,
    read_role_ids,
)
from api.reporting.superset_gateway.dashboard_validation import (
    describe_problem,
    describe_unseen,
    digest_audience,
)
from api.shell import jobs
from api.subscribing.delivery_jobs import remind_user

PAGE = "/report/board"


@jobs.app.periodic(cron="* * * * *")
@jobs.app.task(name="check_boards", queue=jobs.QUEUE, pass_context=False)
def check_boards(timestamp: int) -> None:
    """Check the dashboards not checked since the release, or since a change of their roles' rights."""
    run_transaction(_check_boards)


def _check_boards(conn: Connection) -> None:
    for row in conn.execute(select(DASHBOARD.c.board_id, DASHBOARD.c.checked_release)).all():
        now = digest_audience(conn, read_role_ids(conn, row.board_id))
        if now != row.checked_release:
            _check_board(conn, row.board_id, now)


def _check_board(conn: Connection, board_id: int, now: str) -> None:
    shown = DASHBOARD.join(
        VERSION, (VERSION.c.board_id == DASHBOARD.c.board_id) & (VERSION.c.version == DASHBOARD.c.version)
    )
    mine = select(DASHBOARD, VERSION.c.charts).select_from(shown).where(DASHBOARD.c.board_id == board_id)
    row = conn.execute(mine.with_for_update(of=DASHBOARD, skip_locked=True)).first()
    if row is None:
        return
    lost = describe_problem(row.charts)
    problem = lost or describe_unseen(conn, row.charts, read_role_ids(conn, board_id))
    values = {"problem": problem, "checked_release": now}
    conn.execute(update(PublishedDashboard).where(DASHBOARD.c.board_id == board_id).values(values))
    if problem and not row.withdrawn and problem != row.problem:
        closed = "打不开了" if lost else "有角色打不开了"
        message = f"您发布的看板“{row.title}”{closed}：{problem}。请在自助分析中修改后重新发布"
        remind_user(conn, row.user_id, message, PAGE)
