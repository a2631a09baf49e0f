"""Cost recalculation (成本重算): a company's costs from a month on, corrected goods by goods in the background.

Each batch of goods commits with its progress, so that a killed run resumes where it stopped.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import BigInteger, Connection, Index, Row, insert, or_, select, text, update
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.context import Context
from api.kit.declaration.fields import (
    COST,
    datetime_field,
    enum_field,
    integer_field,
    key_field,
    money_field,
    reference_field,
    text_field,
)
from api.kit.declaration.resource import READ, Declaration, Menu, Resource
from api.kit.errors import NotFound, Refusal
from api.kit.http import consequences
from api.kit.http.consequences import Fact
from api.kit.scope import Principal, scope_condition
from api.kit.storage import business_log
from api.kit.storage.database import TIME_ZONE, main_engine, run_transaction, today
from api.ledger import recalculation
from api.ledger.refusals import LedgerRefusal
from api.master.organization.companies import Company
from api.money.month_close import parse_period, require_whole_company

WAITING, RUNNING, DONE, FAILED = 0, 1, 2, 3
STATES = {WAITING: "等待处理", RUNNING: "重算中", DONE: "已完成", FAILED: "失败"}


class CostRecalculation(Resource):
    """成本重算: one row per run; the month is the first one replayed, later ones follow from it."""

    __tablename__ = "cost_recalculation"
    __table_args__ = (
        Index(
            "uq_cost_recalculation_unfinished",
            "company_id",
            unique=True,
            postgresql_where=text("status in (0, 1)"),
        ),
    )
    declaration = Declaration(
        "成本重算",
        "v2/system/CostRecalculate",
        "period",
        routes={"list": "/system/costrecalculate"},
        menu=Menu("系统管理", "账务管理", 30),
        actions=(*READ, "start", "export"),
    )

    recalculation_id: Mapped[int] = key_field()
    company_id: Mapped[int] = reference_field("company", "公司", required=True, search=True)
    period: Mapped[str] = text_field("起始期间", required=True, search=True, max_length=7, width=100)
    status: Mapped[int] = enum_field("状态", STATES, default=WAITING, search=True, width=90)
    goods_total: Mapped[int] = integer_field("商品数", width=90)
    goods_done: Mapped[int] = integer_field("已重算", width=90)
    row_count: Mapped[int] = integer_field("流水行数", width=100)
    difference_count: Mapped[int] = integer_field("差异行数", width=100)
    difference_amount: Mapped[Decimal] = money_field("差异金额合计", permission=COST, width=130)
    left_count: Mapped[int] = integer_field("未能重算商品", width=120)
    asked_by: Mapped[int] = reference_field(
        "user_account", "操作人", target="user_id", required=True, label_field="asked_by_name", width=90
    )
    started_at: Mapped[datetime | None] = datetime_field("开始时间")
    finished_at: Mapped[datetime | None] = datetime_field("完成时间")
    failure: Mapped[str | None] = text_field("失败原因", max_length=500, width=260)
    last_goods_id: Mapped[int] = mapped_column(BigInteger, server_default="0")
    """Goods up to this id are done."""
    horizon: Mapped[int | None] = mapped_column(BigInteger)
    """All transactions below this xid had ended when the run began, so it has read their postings."""


_TABLE = CostRecalculation.table()
_CLOSED = text("""
select min(period) from accounting_period where company_id = :company_id and period >= :period and status = 1
""")
_REACHED = text("""
select count(distinct l.goods_id) as goods, count(*) as moves,
    (select company_name from company where company_id = :company_id) as company_name
from stock_ledger l
where l.company_id = :company_id and l.business_date >= :first
""")
# A session's lock, which falls with a killed worker.
_LOCK_KEY = "hashtextextended('cost_recalculation:' || {}, 0)"
_ACQUIRE_LOCK = text(f"select pg_advisory_lock({_LOCK_KEY.format('cast(:key as bigint)')})")
_RELEASE_LOCK = text(f"select pg_advisory_unlock({_LOCK_KEY.format('cast(:key as bigint)')})")
_ABANDONED = text(f"""
select r.recalculation_id
from (select recalculation_id from cost_recalculation where status in (0, 1) order by recalculation_id offset 0) r
where pg_try_advisory_xact_lock({_LOCK_KEY.format("r.recalculation_id")})
""")
_LEFT_HALF_WAY = text("""
cost_recalculation.status = 3 and cost_recalculation.goods_done > 0 and not exists (
    select 1 from cost_recalculation later
    where later.company_id = cost_recalculation.company_id and later.period <= cost_recalculation.period
        and later.recalculation_id > cost_recalculation.recalculation_id and later.status = 2
    union all
    select 1 from accounting_period closed
    where closed.company_id = cost_recalculation.company_id and closed.period = cost_recalculation.period
        and closed.status = 1
)
""")
_HORIZON = text("select pg_snapshot_xmin(pg_current_snapshot())::text::bigint")


def describe_consequence(ctx: Context, company_id: int, period: str) -> dict[str, Any]:
    """Describe the scope of a run. Raises Refusal for a month from which none can begin."""
    require_whole_company(ctx, company_id)
    ctx.require_right(CostRecalculation.right("start"))
    first = _require_open_period(ctx, company_id, period)
    values = {"company_id": company_id, "first": first}
    row = ctx.conn.execute(_REACHED, values).one()
    consequence = consequences.CONSEQUENCES["start"]
    facts = [
        Fact(label="公司", value=row.company_name or ""),
        Fact(label="期间", value=f"{period} 起至今"),
        Fact(label="涉及商品", value=f"{row.goods} 个"),
        Fact(label="出入库流水", value=f"{row.moves} 行"),
    ]
    dumped = [fact.model_dump() for fact in facts]
    return {"effect": consequence.effect, "undo": consequence.undo, "facts": dumped, "warnings": []}


def request_run(ctx: Context, company_id: int, period: str) -> int:
    """Enter a run and return its key; an unfinished run of the same month is resumed."""
    require_whole_company(ctx, company_id)
    owner = ctx.conn.execute(
        text("select 1 from company where company_id = :id for no key update"), {"id": company_id}
    )
    if owner.first() is None:
        raise NotFound("公司")
    _require_open_period(ctx, company_id, period)
    running = ctx.conn.execute(
        select(_TABLE).where(_TABLE.c.company_id == company_id, _TABLE.c.status.in_((WAITING, RUNNING)))
    ).first()
    if running is not None:
        if running.period != period:
            raise Refusal(f"该公司正在重算 {running.period} 起的成本，请等待完成后再试")
        found: int = running.recalculation_id
        return found
    values = {"company_id": company_id, "period": period, "asked_by": ctx.principal.user_id}
    made: int = ctx.conn.execute(
        insert(_TABLE).values(values).returning(_TABLE.c.recalculation_id)
    ).scalar_one()
    business_log.log_action(
        ctx.conn,
        ctx.principal,
        CostRecalculation.name(),
        made,
        "start",
        company_id=company_id,
        after={"period": period},
    )
    return made


def _require_open_period(ctx: Context, company_id: int, period: str) -> date:
    """Return the first day of a month that has begun and has no close of it or a later one; else raise
    Refusal."""
    first, _ = parse_period(period)
    if first > today():
        raise Refusal(f"会计期间 {period} 尚未开始，不能重算成本")
    closed = ctx.conn.execute(_CLOSED, {"company_id": company_id, "period": period}).scalar()
    if closed:
        raise Refusal(f"会计期间 {closed} 已结账，不能重算 {period} 起的成本，请先反结账")
    return first


def list_unfinished_runs(conn: Connection, principal: Principal) -> list[dict[str, Any]]:
    """List companies in the principal's scope with a running recalculation, or one left half-way by a
    failure.

    A failed run counts until a later one of the same or an earlier month is done, or its month is closed:
    then its figures are final.
    """
    company = Company.table()
    under_way = _TABLE.c.status.in_((WAITING, RUNNING))
    statement = (
        select(
            _TABLE.c.company_id,
            company.c.company_name,
            _TABLE.c.period,
            under_way.label("running"),
            _TABLE.c.goods_done,
            _TABLE.c.goods_total,
        )
        .join(company, company.c.company_id == _TABLE.c.company_id)
        .where(or_(under_way, _LEFT_HALF_WAY), scope_condition(_TABLE, principal))
        .order_by(_TABLE.c.company_id, _TABLE.c.recalculation_id.desc())
    )
    newest: dict[int, dict[str, Any]] = {}
    for row in conn.execute(statement).mappings():
        newest.setdefault(row["company_id"], dict(row))
    return list(newest.values())


def list_notices(conn: Connection, principal: Principal) -> list[str]:
    """List notices for readers of costs: companies whose figures may still change, and since which month."""
    return [_describe_run(run) for run in list_unfinished_runs(conn, principal)]


def _describe_run(run: Mapping[str, Any]) -> str:
    what = f"{run['company_name']}、{run['period']} 起的期间"
    done = f"（{run['goods_done']} / {run['goods_total']} 个商品）" if run["goods_total"] else ""
    if run["running"]:
        return f"{what}正在重算成本{done}，数字可能变化"
    return f"{what}的成本重算没有完成{done}，请重新发起重算；完成之前数字可能不一致"


def list_abandoned_runs(conn: Connection) -> list[int]:
    """List unfinished runs without a worker: it was killed, or never notified."""
    return list(conn.execute(_ABANDONED).scalars())


def work_off_run(recalculation_id: int, batch: int = recalculation.BATCH) -> None:
    """Work off a run from its present progress; a refusal or an error is stored in its row.

    Waits for another worker of the same run, and then finds nothing left to do.
    """
    with main_engine().connect().execution_options(isolation_level="AUTOCOMMIT") as guard:
        guard.execute(_ACQUIRE_LOCK, {"key": recalculation_id})
        try:
            while run_transaction(lambda conn: _run_batch(conn, recalculation_id, batch)):
                pass
        except LedgerRefusal as refusal:
            _mark_failed(recalculation_id, refusal.msg)
        except Exception:
            _mark_failed(recalculation_id, "重算出错，请重试或联系管理员")
            raise
        finally:
            guard.execute(_RELEASE_LOCK, {"key": recalculation_id})


def _run_batch(conn: Connection, recalculation_id: int, batch: int) -> bool:
    """Process one batch of goods with its progress, or end the run; return whether there is more."""
    mine = _TABLE.c.recalculation_id == recalculation_id
    task = conn.execute(select(_TABLE).where(mine).with_for_update()).one()
    if task.status not in (WAITING, RUNNING):
        return False
    if task.status == WAITING:
        conn.execute(update(_TABLE).where(mine).values(**_build_start_values(conn, task)))
        return True
    first, _ = parse_period(task.period)
    goods = recalculation.list_next_goods(conn, task.company_id, first, task.last_goods_id, batch)
    if not goods:
        conn.execute(update(_TABLE).where(mine).values(status=DONE, finished_at=datetime.now(TIME_ZONE)))
        return False
    done = recalculation.recalculate_costs(conn, task.company_id, first, goods)
    conn.execute(update(_TABLE).where(mine).values(**_build_progress_values(task, goods, done)))
    return True


def _build_start_values(conn: Connection, task: Row[Any]) -> dict[str, Any]:
    return {
        "status": RUNNING,
        "started_at": datetime.now(TIME_ZONE),
        "goods_total": recalculation.count_goods(conn, task.company_id),
        "horizon": conn.execute(_HORIZON).scalar_one(),
    }


def _build_progress_values(
    task: Row[Any], goods: list[int], done: recalculation.ReplayResult
) -> dict[str, Any]:
    return {
        "last_goods_id": goods[-1],
        "goods_done": task.goods_done + done.goods,
        "goods_total": max(task.goods_total, task.goods_done + done.goods),
        "row_count": task.row_count + done.rows,
        "difference_count": task.difference_count + done.differences,
        "difference_amount": task.difference_amount + Decimal(done.cents) / 100,
        "left_count": task.left_count + len(done.left),
    }


def _mark_failed(recalculation_id: int, failure: str) -> None:
    mine = (_TABLE.c.recalculation_id == recalculation_id, _TABLE.c.status.in_((WAITING, RUNNING)))
    values = {"status": FAILED, "failure": failure, "finished_at": datetime.now(TIME_ZONE)}
    run_transaction(lambda conn: conn.execute(update(_TABLE).where(*mine).values(values)))
