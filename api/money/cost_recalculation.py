"""Cost recalculation (成本重算): a company's costs from a month on, corrected goods by goods in the background.

Each batch of goods commits with the progress that it makes, so that a killed run goes on where it stopped.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import BigInteger, Connection, Index, Row, insert, or_, select, text, update
from sqlalchemy.orm import Mapped, mapped_column

from api.kit import business_log, consequences
from api.kit.consequences import Fact
from api.kit.context import Context
from api.kit.database import TIME_ZONE, engine, today, transact
from api.kit.errors import NotFound, Refusal
from api.kit.fields import COST, enum, integer, key, moment, money, ref
from api.kit.fields import text as words
from api.kit.resource import READ, Declaration, Menu, Resource
from api.kit.scope import Principal, within
from api.ledger import recalculation
from api.ledger.refusals import LedgerRefusal
from api.master.organisation import Company
from api.money.month_close import in_scope, span

WAITING, RUNNING, DONE, FAILED = 0, 1, 2, 3
STATES = {WAITING: "等待处理", RUNNING: "重算中", DONE: "已完成", FAILED: "失败"}


class CostRecalculation(Resource):
    """成本重算: one row a run; the month is the first whose costs are replayed, later ones follow from it."""

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

    recalculation_id: Mapped[int] = key()
    company_id: Mapped[int] = ref("company", "公司", required=True, search=True)
    period: Mapped[str] = words("起始期间", required=True, search=True, max_length=7, width=100)
    status: Mapped[int] = enum("状态", STATES, default=WAITING, search=True, width=90)
    goods_total: Mapped[int] = integer("商品数", width=90)
    goods_done: Mapped[int] = integer("已重算", width=90)
    row_count: Mapped[int] = integer("流水行数", width=100)
    difference_count: Mapped[int] = integer("差异行数", width=100)
    difference_amount: Mapped[Decimal] = money("差异金额合计", permission=COST, width=130)
    left_count: Mapped[int] = integer("未能重算商品", width=120)
    asked_by: Mapped[int] = ref(
        "user_account", "操作人", target="user_id", required=True, label_field="asked_by_name", width=90
    )
    started_at: Mapped[datetime | None] = moment("开始时间")
    finished_at: Mapped[datetime | None] = moment("完成时间")
    failure: Mapped[str | None] = words("失败原因", max_length=500, width=260)
    last_goods_id: Mapped[int] = mapped_column(BigInteger, server_default="0")
    """Goods up to this one are done."""
    horizon: Mapped[int | None] = mapped_column(BigInteger)
    """Every transaction below this one had ended when the run began: it has read what they posted."""


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
_ATTEND = text(f"select pg_advisory_lock({_LOCK_KEY.format('cast(:key as bigint)')})")
_LEAVE = text(f"select pg_advisory_unlock({_LOCK_KEY.format('cast(:key as bigint)')})")
_UNATTENDED = text(f"""
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


def foresee(ctx: Context, company_id: int, period: str) -> dict[str, Any]:
    """What a run would go over; refuses a month from which none can begin."""
    in_scope(ctx, company_id)
    ctx.require(CostRecalculation.right("start"))
    first = _first_open(ctx, company_id, period)
    values = {"company_id": company_id, "first": first}
    row = ctx.conn.execute(_REACHED, values).one()
    told = consequences.CONSEQUENCES["start"]
    facts = [
        Fact(label="公司", value=row.company_name or ""),
        Fact(label="期间", value=f"{period} 起至今"),
        Fact(label="涉及商品", value=f"{row.goods} 个"),
        Fact(label="出入库流水", value=f"{row.moves} 行"),
    ]
    dumped = [fact.model_dump() for fact in facts]
    return {"effect": told.effect, "undo": told.undo, "facts": dumped, "warnings": []}


def ask(ctx: Context, company_id: int, period: str) -> int:
    """Enter a run; the unfinished one of the same month is taken up again. Answers its key."""
    in_scope(ctx, company_id)
    owner = ctx.conn.execute(
        text("select 1 from company where company_id = :id for no key update"), {"id": company_id}
    )
    if owner.first() is None:
        raise NotFound("公司")
    _first_open(ctx, company_id, period)
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
    business_log.write(
        ctx.conn,
        ctx.principal,
        CostRecalculation.name(),
        made,
        "start",
        company_id=company_id,
        after={"period": period},
    )
    return made


def _first_open(ctx: Context, company_id: int, period: str) -> date:
    """The first day of a month that has begun and that no close, of it or of a later one, holds; refuses others."""
    first, _ = span(period)
    if first > today():
        raise Refusal(f"会计期间 {period} 尚未开始，不能重算成本")
    closed = ctx.conn.execute(_CLOSED, {"company_id": company_id, "period": period}).scalar()
    if closed:
        raise Refusal(f"会计期间 {closed} 已结账，不能重算 {period} 起的成本，请先反结账")
    return first


def unfinished(conn: Connection, principal: Principal) -> list[dict[str, Any]]:
    """Companies of the principal's scope whose costs are being recalculated, or were left half-way by a failed run.

    A failed run counts until a later one of the same or an earlier month is done, or until its month is closed: then
    its figures are final.
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
        .where(or_(under_way, _LEFT_HALF_WAY), within(_TABLE, principal))
        .order_by(_TABLE.c.company_id, _TABLE.c.recalculation_id.desc())
    )
    newest: dict[int, dict[str, Any]] = {}
    for row in conn.execute(statement).mappings():
        newest.setdefault(row["company_id"], dict(row))
    return list(newest.values())


def notices(conn: Connection, principal: Principal) -> list[str]:
    """What readers of costs should know: which companies' figures may still change, and since which month."""
    return [_in_words(run) for run in unfinished(conn, principal)]


def _in_words(run: Mapping[str, Any]) -> str:
    what = f"{run['company_name']}、{run['period']} 起的期间"
    done = f"（{run['goods_done']} / {run['goods_total']} 个商品）" if run["goods_total"] else ""
    if run["running"]:
        return f"{what}正在重算成本{done}，数字可能变化"
    return f"{what}的成本重算没有完成{done}，请重新发起重算；完成之前数字可能不一致"


def unattended(conn: Connection) -> list[int]:
    """Unfinished runs that nobody works on: their worker was killed, or never told."""
    return list(conn.execute(_UNATTENDED).scalars())


def run(recalculation_id: int, batch: int = recalculation.BATCH) -> None:
    """Work a run off, from where it stands; a refusal is told in its row, an accident as well.

    Another run of it is waited for, and finds nothing left to do.
    """
    with engine().connect().execution_options(isolation_level="AUTOCOMMIT") as guard:
        guard.execute(_ATTEND, {"key": recalculation_id})
        try:
            while transact(lambda conn: _step(conn, recalculation_id, batch)):
                pass
        except LedgerRefusal as refusal:
            _fail(recalculation_id, refusal.msg)
        except Exception:
            _fail(recalculation_id, "重算出错，请重试或联系管理员")
            raise
        finally:
            guard.execute(_LEAVE, {"key": recalculation_id})


def _step(conn: Connection, recalculation_id: int, batch: int) -> bool:
    """One batch of goods with its progress, or the end; answers whether there is more."""
    mine = _TABLE.c.recalculation_id == recalculation_id
    task = conn.execute(select(_TABLE).where(mine).with_for_update()).one()
    if task.status not in (WAITING, RUNNING):
        return False
    if task.status == WAITING:
        conn.execute(update(_TABLE).where(mine).values(**_started(conn, task)))
        return True
    first, _ = span(task.period)
    goods = recalculation.next_goods(conn, task.company_id, first, task.last_goods_id, batch)
    if not goods:
        conn.execute(update(_TABLE).where(mine).values(status=DONE, finished_at=datetime.now(TIME_ZONE)))
        return False
    done = recalculation.recalculate(conn, task.company_id, first, goods)
    conn.execute(update(_TABLE).where(mine).values(**_further(task, goods, done)))
    return True


def _started(conn: Connection, task: Row[Any]) -> dict[str, Any]:
    return {
        "status": RUNNING,
        "started_at": datetime.now(TIME_ZONE),
        "goods_total": recalculation.count_goods(conn, task.company_id),
        "horizon": conn.execute(_HORIZON).scalar_one(),
    }


def _further(task: Row[Any], goods: list[int], done: recalculation.Replayed) -> dict[str, Any]:
    return {
        "last_goods_id": goods[-1],
        "goods_done": task.goods_done + done.goods,
        "goods_total": max(task.goods_total, task.goods_done + done.goods),
        "row_count": task.row_count + done.rows,
        "difference_count": task.difference_count + done.differences,
        "difference_amount": task.difference_amount + Decimal(done.cents) / 100,
        "left_count": task.left_count + len(done.left),
    }


def _fail(recalculation_id: int, failure: str) -> None:
    mine = (_TABLE.c.recalculation_id == recalculation_id, _TABLE.c.status.in_((WAITING, RUNNING)))
    values = {"status": FAILED, "failure": failure, "finished_at": datetime.now(TIME_ZONE)}
    transact(lambda conn: conn.execute(update(_TABLE).where(*mine).values(values)))
