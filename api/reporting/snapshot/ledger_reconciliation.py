"""Reconciliation of the snapshot with the ledgers (报表 = 账簿), to the cent; a part of the integrity
check (完整性检查).

A snapshot's stamp names the transactions that it shows, and journals are append-only: whatever has been
posted since, each sum is compared as of that moment. Bills can be undone and changed; months of companies
where one was since then are left out. The queries of the ledgers are written here, independently of the
models.
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

from api.kit.declaration.flow import POSTED_SQL
from api.kit.errors import Refusal
from api.kit.storage.database import TIME_ZONE
from api.ledger.integrity_checks import SAMPLE, Finding, Rule, register_checks
from api.reporting.snapshot import data_freshness
from api.reporting.snapshot.snapshot_connection import open_snapshot, read_refreshed_at
from warehouse.extract import INSTANCE_SQL, changes_sql
from warehouse.extraction_state import Watermark

OTHER_DATABASE = "快照来自另一个数据库（如恢复备份之前），数仓刷新后再检查"
UNREADABLE = "快照文件无法读取"

_WIPED_ROWS = text("""
select count(*) from tombstone
where table_name = any(:tables) and not pg_visible_in_snapshot(row_xid, cast(:seen as pg_snapshot))
""")


class UnreadableError(Exception):
    """The published file is damaged; the message tells what of it."""


@dataclass(frozen=True, slots=True)
class SnapshotStamp:
    """The stamp of a snapshot: the transactions of the database that it shows, and its business date."""

    number: int
    refreshed_at: datetime | None
    position: Watermark
    as_of: date

    def is_of_database(self, conn: Connection) -> bool:
        """Return whether a session is on the database that the figures are of."""
        identity, _ = conn.execute(text(INSTANCE_SQL)).one()
        return bool(identity == self.position.identity)


@contextmanager
def _open_stamped_snapshot() -> Iterator[tuple[Connection, SnapshotStamp]]:
    """The newest snapshot with its stamp. Raises Refusal as `open_snapshot` does, and UnreadableError."""
    try:
        with open_snapshot() as snapshot:
            row = snapshot.execute(text("select snapshot, identity, seen, as_of from refreshed_at")).one()
            yield (
                snapshot,
                SnapshotStamp(
                    row.snapshot, read_refreshed_at(snapshot), Watermark(row.identity, row.seen), row.as_of
                ),
            )
    except DBAPIError as error:
        raise UnreadableError(f"{UNREADABLE}：{error.orig}") from error


@dataclass(frozen=True, slots=True)
class ReconciliationCheck:
    """A check that sums of a report equal sums of the ledgers, by `keys`.

    `published` is the snapshot's query, `ledger` Postgres's, with binds `seen` and `as_of`: both return
    the keys and then the figures under the same names. `moved`, likewise: the keys whose sums at that
    moment can't be known any more. `journals` are the tables whose past sums are unknown once rows were
    wiped from them.
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
            with _open_stamped_snapshot() as (snapshot, stamped):
                here = self._read_sums(snapshot, self.published)
        except Refusal as refusal:
            return Finding(self, 0, [], str(refusal), compared=False)
        except UnreadableError as error:
            return Finding(self, 1, [{"error": str(error)}])
        if not stamped.is_of_database(conn):
            return Finding(self, 0, [], OTHER_DATABASE, compared=False)
        params = {"seen": stamped.position.snapshot, "as_of": stamped.as_of}
        if conn.execute(_WIPED_ROWS, {"seen": params["seen"], "tables": list(self.journals)}).scalar_one():
            return Finding(self, 0, [], "快照之后账簿被清理过，数仓刷新后再检查", compared=False)
        there = self._read_sums(conn, self.ledger, **params)
        moved = {tuple(row) for row in conn.execute(text(self.moved), params)} if self.moved else set()
        differing = [
            {
                **dict(zip(self.keys, key, strict=True)),
                **self._describe_sums(here.get(key, {}), there.get(key, {})),
            }
            for key in sorted((here.keys() | there.keys()) - moved)
            if any(_compare_figures(here.get(key, {}), there.get(key, {})))
        ]
        note = f"{len(moved)} 个月份在快照之后有单据变动，不在核对之内" if moved else ""
        return Finding(self, len(differing), differing[:SAMPLE], note)

    def _read_sums(
        self, conn: Connection, sql: str, **params: Any
    ) -> dict[tuple[Any, ...], dict[str, Decimal]]:
        rows = [dict(row) for row in conn.execute(text(sql), params).mappings()]
        return {
            tuple(row[key] for key in self.keys): {name: row[name] for name in row if name not in self.keys}
            for row in rows
        }

    def _describe_sums(self, here: dict[str, Decimal], there: dict[str, Decimal]) -> dict[str, Decimal]:
        return {
            f"{place}_{name}": sums.get(name, Decimal())
            for name in here or there
            for place, sums in (("published", here), ("ledger", there))
        }


def _compare_figures(here: dict[str, Decimal], there: dict[str, Decimal]) -> Iterator[bool]:
    """Yield for each figure whether it differs; missing ones are zero."""
    for name in here or there:
        yield here.get(name, Decimal()) != there.get(name, Decimal())


@dataclass(frozen=True, slots=True)
class SnapshotIdentityCheck:
    """A check that the published figures are this database's; its note tells how far they are behind, and
    why."""

    name: str
    label: str

    def find(self, conn: Connection) -> Finding:
        try:
            with _open_stamped_snapshot() as (_, stamped):
                pass
        except Refusal as refusal:
            return Finding(self, 0, [], str(refusal), compared=False)
        except UnreadableError as error:
            return Finding(self, 1, [{"error": str(error)}])
        if not stamped.is_of_database(conn):
            return Finding(self, 1, [{"snapshot": stamped.number, "error": OTHER_DATABASE}])
        behind: list[str] = sorted(conn.execute(text(changes_sql(stamped.position))).scalars())
        at = stamped.refreshed_at and f"{stamped.refreshed_at.astimezone(TIME_ZONE):%Y-%m-%d %H:%M:%S}"
        differences = [
            f"快照 {stamped.number}（{at}，业务日期 {stamped.as_of}）",
            f"之后有变动的表：{'、'.join(behind)}；按快照的时点核对" if behind else "不落后",
            data_freshness.describe_staleness(),
        ]
        return Finding(self, 0, [], "，".join(filter(None, differences)))


@dataclass(frozen=True, slots=True)
class DataTestsPassedCheck:
    """A check that the identities tested before publishing held when they were last tested."""

    name: str
    label: str

    def find(self, conn: Connection) -> Finding:
        shown = data_freshness.read_state()
        if shown["proved_at"] is None:
            return Finding(self, 0, [], "报表恒等式尚未运行", compared=False)
        failed = shown["failed_tests"]
        at = f"{shown['proved_at'].astimezone(TIME_ZONE):%Y-%m-%d %H:%M:%S}"
        return Finding(self, len(failed), failed[:SAMPLE], f"{at} 运行了 {shown['tests']} 项")


_SEEN = "pg_visible_in_snapshot(row_xid, cast(:seen as pg_snapshot))"
_MONTH = "cast(date_trunc('month', business_date) as date)"
# What is dated later than the snapshot's day is not in its balances and months yet.
_VISIBLE_BY_DAY = f"{_SEEN} and business_date <= :as_of"
# A year of months is compared.
_YEAR = "date_trunc('month', {}) - interval '12 months'"


def _build_balance_check(side: str, party: str, label: str) -> ReconciliationCheck:
    return ReconciliationCheck(
        f"published_{side}s_are_ledger",
        f"报表的{label}余额 = 往来流水合计，按公司",
        ("company_id",),
        f"""select company_id, sum(balance) as balance from mart_{side}_aging
        where month = (select date_trunc('month', as_of) from refreshed_at)
        group by company_id""",
        f"""select company_id, sum(amount) as balance from settlement_ledger
        where party_type = '{party}' and {_VISIBLE_BY_DAY}
        group by company_id""",
        ("settlement_ledger",),
    )


def _build_settlement_check(side: str, bill_type: str, sign: str, label: str) -> ReconciliationCheck:
    return ReconciliationCheck(
        f"published_{side}_settled_is_money",
        f"报表的{label} = 资金流水合计，按公司和月份",
        ("company_id", "month"),
        f"""select company_id, month, sum(settled_amount) as amount from mart_{side}_month
        where month >= (select {_YEAR.format("as_of")} from refreshed_at)
        group by company_id, month""",
        f"""select company_id, {_MONTH} as month, sum({sign}amount) as amount from money_ledger
        where bill_type = '{bill_type}' and {_VISIBLE_BY_DAY}
            and business_date >= {_YEAR.format("cast(:as_of as date)")}
        group by 1, 2""",
        ("money_ledger",),
    )


CHECKS: tuple[Rule, ...] = (
    SnapshotIdentityCheck("published_is_of_this_database", "已发布的报表数据属于本数据库"),
    DataTestsPassedCheck("published_identities_hold", "报表恒等式最近一次运行全部成立"),
    ReconciliationCheck(
        "published_stock_is_ledger",
        "报表的库存数量、金额 = 库存流水合计，按公司",
        ("company_id",),
        "select company_id, sum(quantity) as quantity, sum(value) as value from mart_company_stock group by company_id",
        f"""select company_id, sum(quantity) as quantity, sum(amount) as value from stock_ledger
        where {_VISIBLE_BY_DAY}
        group by company_id""",
        ("stock_ledger",),
    ),
    ReconciliationCheck(
        "published_goods_stock_is_ledger",
        "报表的商品库存数量 = 库存流水合计，按仓库",
        ("warehouse_id",),
        "select warehouse_id, sum(quantity) as quantity from mart_goods_stock group by warehouse_id",
        f"""select warehouse_id, sum(quantity) as quantity from stock_ledger
        where {_VISIBLE_BY_DAY}
        group by warehouse_id""",
        ("stock_ledger",),
    ),
    _build_balance_check("receivable", "customer", "应收"),
    _build_balance_check("payable", "supplier", "应付"),
    ReconciliationCheck(
        "published_write_offs_are_ledger",
        "报表的核销金额 = 往来流水合计，按公司和月份",
        ("company_id", "side", "month"),
        """select company_id, side, month, sum(amount) as amount from mart_write_off_month
        group by company_id, side, month""",
        f"""select
            company_id, case party_type when 'customer' then '应收' else '应付' end as side, {_MONTH} as month,
            sum(-amount) as amount
        from settlement_ledger l
        where {_VISIBLE_BY_DAY} and not exists (
            select from settlement_item i
            where i.settlement_id = l.settlement_id and i.bill_type = l.bill_type and i.bill_id = l.bill_id
        )
        group by 1, 2, 3""",
        ("settlement_ledger", "settlement_item"),
    ),
    _build_settlement_check("receivable", "KHSK", "", "收款"),
    _build_settlement_check("payable", "GYFK", "-", "付款"),
    ReconciliationCheck(
        "published_receipts_are_money",
        "报表的收款单金额 = 资金流水合计，按公司和月份",
        ("company_id", "month"),
        f"select company_id, {_MONTH} as month, sum(amount) as amount from facts.fct_receipt group by 1, 2",
        f"""select company_id, {_MONTH} as month, sum(amount) as amount from money_ledger
        where bill_type = 'KHSK' and {_SEEN}
        group by 1, 2""",
        ("money_ledger",),
    ),
    ReconciliationCheck(
        "published_sales_cost_is_ledger",
        "报表的销售成本、数量 = 库存流水合计，按公司和月份",
        ("company_id", "month"),
        """select company_id, month, sum(cost) as cost, sum(quantity) as quantity from mart_commodity_profit
        group by company_id, month""",
        f"""select company_id, {_MONTH} as month, sum(-amount) as cost, sum(-quantity) as quantity from stock_ledger
        where bill_type in ('XSCK', 'XSTH') and {_VISIBLE_BY_DAY}
        group by 1, 2""",
        ("stock_ledger",),
    ),
    ReconciliationCheck(
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
register_checks(*CHECKS)
