"""快照核对（报表 = 账簿）：已发布的快照与业务库的账簿逐分核对，是完整性检查的一部分。

A snapshot's stamp names the transactions that it shows, and journals are append-only: whatever has been posted since,
each sum is compared as of that moment. Bills can be undone and changed; months of companies where one was since then
are left out. The queries of the ledgers are written here and owe nothing to the models.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError

from api.kit.database import TIME_ZONE
from api.kit.errors import Refusal
from api.kit.flow import POSTED_SQL
from api.ledger.checks import SAMPLE, Finding, Rule, register
from api.reporting import freshness
from api.reporting.snapshot import published, stamp
from warehouse.extract import INSTANCE, changes_query
from warehouse.position import Position

OTHER_DATABASE = "快照来自另一个数据库（如恢复备份之前），数仓刷新后再检查"
UNREADABLE = "快照文件无法读取"

_GONE = text("""
select count(*) from tombstone
where table_name = any(:tables) and not pg_visible_in_snapshot(row_xid, cast(:seen as pg_snapshot))
""")


class UnreadableError(Exception):
    """The published file is damaged; the message tells what of it."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What the published figures show: which transactions of which database, up to which business date."""

    number: int
    refreshed_at: datetime | None
    position: Position
    as_of: date

    def is_of(self, conn: Connection) -> bool:
        """Whether a session is on the database that the figures are of."""
        identity, _ = conn.execute(text(INSTANCE)).one()
        return bool(identity == self.position.identity)


@contextmanager
def _stamped() -> Iterator[tuple[Connection, Stamp]]:
    """The newest snapshot with its stamp. Refuses as `published` does; raises UnreadableError."""
    try:
        with published() as snapshot:
            row = snapshot.execute(text("select snapshot, identity, seen, as_of from refreshed_at")).one()
            yield snapshot, Stamp(row.snapshot, stamp(snapshot), Position(row.identity, row.seen), row.as_of)
    except DBAPIError as error:
        raise UnreadableError(f"{UNREADABLE}：{error.orig}") from error


@dataclass(frozen=True, slots=True)
class Tie:
    """Sums of a report that equal sums of the ledgers, by `keys`.

    `published` asks the snapshot, `ledger` Postgres, with binds `seen` and `as_of`: both give the keys and then the
    figures under the same names. `moved`, likewise: the keys where the sums at that moment can't be known any more.
    `journals` are the tables that tell no sums of then once rows were wiped from them.
    """

    name: str
    label: str
    keys: tuple[str, ...]
    published: str
    ledger: str
    journals: tuple[str, ...]
    moved: str = ""

    def find(self, conn: Connection) -> Finding:
        """Compare, in a transaction of `conn` that has just begun: it must not be older than the snapshot."""
        try:
            with _stamped() as (snapshot, stamped):
                here = self._sums(snapshot, self.published)
        except Refusal as refusal:
            return Finding(self, 0, [], str(refusal), compared=False)
        except UnreadableError as error:
            return Finding(self, 1, [{"error": str(error)}])
        if not stamped.is_of(conn):
            return Finding(self, 0, [], OTHER_DATABASE, compared=False)
        asked = {"seen": stamped.position.snapshot, "as_of": stamped.as_of}
        if conn.execute(_GONE, {"seen": asked["seen"], "tables": list(self.journals)}).scalar_one():
            return Finding(self, 0, [], "快照之后账簿被清理过，数仓刷新后再检查", compared=False)
        there = self._sums(conn, self.ledger, **asked)
        moved = {tuple(row) for row in conn.execute(text(self.moved), asked)} if self.moved else set()
        differing = [
            {**dict(zip(self.keys, key, strict=True)), **self._told(here.get(key, {}), there.get(key, {}))}
            for key in sorted((here.keys() | there.keys()) - moved)
            if any(_differ(here.get(key, {}), there.get(key, {})))
        ]
        note = f"{len(moved)} 个月份在快照之后有单据变动，不在核对之内" if moved else ""
        return Finding(self, len(differing), differing[:SAMPLE], note)

    def _sums(self, conn: Connection, sql: str, **asked: Any) -> dict[tuple[Any, ...], dict[str, Decimal]]:
        rows = [dict(row) for row in conn.execute(text(sql), asked).mappings()]
        return {
            tuple(row[key] for key in self.keys): {name: row[name] for name in row if name not in self.keys}
            for row in rows
        }

    def _told(self, here: dict[str, Decimal], there: dict[str, Decimal]) -> dict[str, Decimal]:
        return {
            f"{place}_{name}": sums.get(name, Decimal())
            for name in here or there
            for place, sums in (("published", here), ("ledger", there))
        }


def _differ(here: dict[str, Decimal], there: dict[str, Decimal]) -> Iterator[bool]:
    """Of each figure, whether it does; what is not there is nothing."""
    for name in here or there:
        yield here.get(name, Decimal()) != there.get(name, Decimal())


@dataclass(frozen=True, slots=True)
class Standing:
    """Whether the published figures are this database's; its note tells how far they are behind, and why."""

    name: str
    label: str

    def find(self, conn: Connection) -> Finding:
        try:
            with _stamped() as (_, stamped):
                pass
        except Refusal as refusal:
            return Finding(self, 0, [], str(refusal), compared=False)
        except UnreadableError as error:
            return Finding(self, 1, [{"error": str(error)}])
        if not stamped.is_of(conn):
            return Finding(self, 1, [{"snapshot": stamped.number, "error": OTHER_DATABASE}])
        behind: list[str] = sorted(conn.execute(text(changes_query(stamped.position))).scalars())
        at = stamped.refreshed_at and f"{stamped.refreshed_at.astimezone(TIME_ZONE):%Y-%m-%d %H:%M:%S}"
        told = [
            f"快照 {stamped.number}（{at}，业务日期 {stamped.as_of}）",
            f"之后有变动的表：{'、'.join(behind)}；按快照的时点核对" if behind else "不落后",
            freshness.warning(),
        ]
        return Finding(self, 0, [], "，".join(filter(None, told)))


@dataclass(frozen=True, slots=True)
class Proved:
    """Whether the identities that are tested before publishing held when they were last tested."""

    name: str
    label: str

    def find(self, conn: Connection) -> Finding:
        shown = freshness.state()
        if shown["proved_at"] is None:
            return Finding(self, 0, [], "报表恒等式尚未运行", compared=False)
        failed = shown["failed_tests"]
        at = f"{shown['proved_at'].astimezone(TIME_ZONE):%Y-%m-%d %H:%M:%S}"
        return Finding(self, len(failed), failed[:SAMPLE], f"{at} 运行了 {shown['tests']} 项")


_SEEN = "pg_visible_in_snapshot(row_xid, cast(:seen as pg_snapshot))"
_MONTH = "cast(date_trunc('month', business_date) as date)"
# What is dated later than the snapshot's day is not in its balances and months yet.
_KNOWN = f"{_SEEN} and business_date <= :as_of"
# A year of months is compared.
_YEAR = "date_trunc('month', {}) - interval '12 months'"


def _balance(side: str, party: str, label: str) -> Tie:
    return Tie(
        f"published_{side}s_are_ledger",
        f"报表的{label}余额 = 往来流水合计，按公司",
        ("company_id",),
        f"""select company_id, sum(balance) as balance from mart_{side}_aging
        where month = (select date_trunc('month', as_of) from refreshed_at)
        group by company_id""",
        f"""select company_id, sum(amount) as balance from settlement_ledger
        where party_type = '{party}' and {_KNOWN}
        group by company_id""",
        ("settlement_ledger",),
    )


def _settled(side: str, bill_type: str, sign: str, label: str) -> Tie:
    return Tie(
        f"published_{side}_settled_is_money",
        f"报表的{label} = 资金流水合计，按公司和月份",
        ("company_id", "month"),
        f"""select company_id, month, sum(settled_amount) as amount from mart_{side}_month
        where month >= (select {_YEAR.format("as_of")} from refreshed_at)
        group by company_id, month""",
        f"""select company_id, {_MONTH} as month, sum({sign}amount) as amount from money_ledger
        where bill_type = '{bill_type}' and {_KNOWN}
            and business_date >= {_YEAR.format("cast(:as_of as date)")}
        group by 1, 2""",
        ("money_ledger",),
    )


CHECKS: tuple[Rule, ...] = (
    Standing("published_is_of_this_database", "已发布的报表数据属于本数据库"),
    Proved("published_identities_hold", "报表恒等式最近一次运行全部成立"),
    Tie(
        "published_stock_is_ledger",
        "报表的库存数量、金额 = 库存流水合计，按公司",
        ("company_id",),
        "select company_id, sum(quantity) as quantity, sum(value) as value from mart_company_stock group by company_id",
        f"""select company_id, sum(quantity) as quantity, sum(amount) as value from stock_ledger
        where {_KNOWN}
        group by company_id""",
        ("stock_ledger",),
    ),
    Tie(
        "published_goods_stock_is_ledger",
        "报表的商品库存数量 = 库存流水合计，按仓库",
        ("warehouse_id",),
        "select warehouse_id, sum(quantity) as quantity from mart_goods_stock group by warehouse_id",
        f"""select warehouse_id, sum(quantity) as quantity from stock_ledger
        where {_KNOWN}
        group by warehouse_id""",
        ("stock_ledger",),
    ),
    _balance("receivable", "customer", "应收"),
    _balance("payable", "supplier", "应付"),
    Tie(
        "published_write_offs_are_ledger",
        "报表的核销金额 = 往来流水合计，按公司和月份",
        ("company_id", "side", "month"),
        """select company_id, side, month, sum(amount) as amount from mart_write_off_month
        group by company_id, side, month""",
        f"""select
            company_id, case party_type when 'customer' then '应收' else '应付' end as side, {_MONTH} as month,
            sum(-amount) as amount
        from settlement_ledger l
        where {_KNOWN} and not exists (
            select from settlement_item i
            where i.settlement_id = l.settlement_id and i.bill_type = l.bill_type and i.bill_id = l.bill_id
        )
        group by 1, 2, 3""",
        ("settlement_ledger", "settlement_item"),
    ),
    _settled("receivable", "KHSK", "", "收款"),
    _settled("payable", "GYFK", "-", "付款"),
    Tie(
        "published_receipts_are_money",
        "报表的收款单金额 = 资金流水合计，按公司和月份",
        ("company_id", "month"),
        f"select company_id, {_MONTH} as month, sum(amount) as amount from facts.fct_receipt group by 1, 2",
        f"""select company_id, {_MONTH} as month, sum(amount) as amount from money_ledger
        where bill_type = 'KHSK' and {_SEEN}
        group by 1, 2""",
        ("money_ledger",),
    ),
    Tie(
        "published_sales_cost_is_ledger",
        "报表的销售成本、数量 = 库存流水合计，按公司和月份",
        ("company_id", "month"),
        """select company_id, month, sum(cost) as cost, sum(quantity) as quantity from mart_commodity_profit
        group by company_id, month""",
        f"""select company_id, {_MONTH} as month, sum(-amount) as cost, sum(-quantity) as quantity from stock_ledger
        where bill_type in ('XSCK', 'XSTH') and {_KNOWN}
        group by 1, 2""",
        ("stock_ledger",),
    ),
    Tie(
        "published_revenue_is_bills",
        "报表的销售收入 = 销售出库、退货单的不含税金额，按公司和月份",
        ("company_id", "month"),
        "select company_id, month, sum(revenue) as revenue from mart_commodity_profit group by company_id, month",
        f"""select company_id, {_MONTH} as month, sum(no_tax_amount) as revenue
        from (
            select b.company_id, b.business_date, l.no_tax_amount
            from sales_outbound b join sales_outbound_line l using (bill_id)
            where b.status in {POSTED_SQL}
            union all
            select b.company_id, b.business_date, -l.no_tax_amount
            from sales_return b join sales_return_line l using (bill_id)
            where b.status in {POSTED_SQL}
        ) s
        where business_date <= :as_of
        group by 1, 2""",
        ("stock_ledger", "settlement_ledger"),
        # To undo an audit leaves its trace in the month where the bill stood, to audit it in the one where it stands.
        " union ".join(
            f"select company_id, {_MONTH} from {journal} where bill_type in ('XSCK', 'XSTH') and not {_SEEN}"
            for journal in ("stock_ledger", "settlement_ledger")
        ),
    ),
)
register(*CHECKS)
