"""System initialisation (系统初始化): a company's steps 0 to 6, and the uploads that take it from one to the next.

States (spec/1-shell.md 4): 0 goods file, 1 goods processing, 2 stock file, 3 stock processing, 4 customer file,
5 customers processing, 6 done. A company that keeps books without having been initialised here counts as done.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, Connection, DateTime, ForeignKey, Row, Text, func, select
from sqlalchemy import text as sql
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.context import Context
from api.kit.declaration.fields import (
    datetime_field,
    enum_field,
    integer_field,
    key_field,
    reference_field,
    text_field,
)
from api.kit.declaration.resource import Declaration, Menu, Resource
from api.kit.errors import NotFound, Refusal
from api.kit.storage.database import Base

GOODS, STOCK, CUSTOMERS = "goods", "stock", "customer"
STEPS = {GOODS: 0, STOCK: 2, CUSTOMERS: 4}
"""Each upload with the state that it starts from; the next state processes it, the one after is its success."""
STEP_LABELS = {GOODS: "商品", STOCK: "库存", CUSTOMERS: "客户"}
STATES = {
    0: "待上传商品",
    1: "商品处理中",
    2: "待上传库存",
    3: "库存处理中",
    4: "待上传客户",
    5: "客户处理中",
    6: "已完成",
}
DONE_STATE = 6
WAITING, RUNNING, SUCCEEDED, FAILED, PARTLY = 0, 1, 2, 3, 4
STATUSES = {WAITING: "等待处理", RUNNING: "处理中", SUCCEEDED: "成功", FAILED: "失败", PARTLY: "部分成功"}


class Initialisation(Base):
    """State of a company's initialisation."""

    __tablename__ = "initialisation"
    __table_args__ = (CheckConstraint("state between 0 and 6", name="state"),)

    company_id: Mapped[int] = mapped_column(
        BigInteger, ForeignKey("company.company_id"), primary_key=True, autoincrement=False
    )
    state: Mapped[int] = mapped_column(server_default="0")
    changed_at: Mapped[datetime] = mapped_column(DateTime(timezone=True), server_default=func.now())


class InitialisationTask(Resource):
    """初始化上传: one uploaded file, what has been read of it and what became of its rows."""

    __tablename__ = "initialisation_task"
    declaration = Declaration(
        "初始化上传",
        "v2/system/Initialization",
        "file_name",
        routes={"list": "/system/initialization"},
        menu=Menu("系统管理", "期初设置", 5),
        actions=("list", "export", "upload"),
    )
    extract = False

    initialisation_task_id: Mapped[int] = key_field()
    company_id: Mapped[int] = reference_field(
        "company", "公司", required=True, search=True, index=True, width=160
    )
    step: Mapped[int] = enum_field(
        "内容", {STEPS[name]: label for name, label in STEP_LABELS.items()}, default=0, search=True, width=80
    )
    file_name: Mapped[str] = text_field("文件名", required=True, search=True, max_length=200, width=220)
    status: Mapped[int] = enum_field("状态", STATUSES, default=WAITING, search=True, width=90)
    rows_total: Mapped[int] = integer_field("总行数", width=90)
    rows_done: Mapped[int] = integer_field("已处理", width=90)
    rows_taken: Mapped[int] = integer_field("新增", width=90)
    rows_known: Mapped[int] = integer_field("已存在", width=90)
    rows_refused: Mapped[int] = integer_field("失败", width=90)
    message: Mapped[str | None] = text_field("说明", max_length=500, width=320)
    asked_by: Mapped[int] = reference_field(
        "user_account", "上传人", target="user_id", required=True, label_field="asked_by_name", width=90
    )
    asked_at: Mapped[datetime] = datetime_field(
        "上传时间", column={"server_default": func.now(), "nullable": False}
    )
    finished_at: Mapped[datetime | None] = datetime_field("完成时间")
    path: Mapped[str] = mapped_column(Text)
    """Path of the file below the uploads folder."""
    attempts: Mapped[int] = mapped_column(server_default="0")


STATE_SQL = f"""
coalesce(i.state, case when exists (select from cost_balance b where b.company_id = c.company_id)
    or exists (select from settlement_item s where s.company_id = c.company_id)
    or exists (select from money_balance m where m.company_id = c.company_id) then {DONE_STATE} else 0 end)
"""
"""SQL: state of company `c` with its row `i`; a company that has ledger rows counts as done."""
_STATE_OF = sql(
    f"select {STATE_SQL} from company c left join initialisation i using (company_id) where c.company_id = :id"
)
_ENTER = sql("insert into initialisation (company_id, state) values (:id, :state) on conflict do nothing")
_ADVANCE = sql("""
update initialisation set state = :target, changed_at = now() where company_id = :id and state = :source
""")


def read_state(conn: Connection, company_id: int) -> int:
    """Return the state of a company's initialisation."""
    return int(conn.execute(_STATE_OF, {"id": company_id}).scalar_one())


def advance_state(conn: Connection, company_id: int, source: int, target: int) -> None:
    """Take a company from one state to another.

    Raises: Refusal where it isn't in `source`, or another request was faster.
    """
    conn.execute(_ENTER, {"id": company_id, "state": read_state(conn, company_id)})
    if not conn.execute(_ADVANCE, {"id": company_id, "source": source, "target": target}).rowcount:
        raise Refusal(f"当前步骤是“{STATES[read_state(conn, company_id)]}”，请刷新后再试")


def require_company(ctx: Context, company_id: int | None) -> int:
    """Return the requested company, the user's own where none is given.

    Raises: NotFound outside his scope.
    """
    wanted = company_id or ctx.principal.company_id
    in_scope = ctx.principal.covers_company(wanted) or wanted == ctx.principal.company_id
    query = sql("select from company where company_id = :id")
    if not in_scope or ctx.conn.execute(query, {"id": wanted}).first() is None:
        raise NotFound("公司")
    return wanted


def read_latest_task(conn: Connection, company_id: int) -> Row[Any] | None:
    """Return the row of the company's newest upload."""
    table = InitialisationTask.table()
    statement = select(table).where(table.c.company_id == company_id)
    return conn.execute(statement.order_by(table.c.initialisation_task_id.desc()).limit(1)).first()
