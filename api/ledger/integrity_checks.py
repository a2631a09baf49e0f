"""Integrity checks (完整性检查): named queries that return the rows which break a rule, and none when all is well.

`erp check` runs every registered one. Other packages add theirs with `register_checks`; the ledger's own
are here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

from sqlalchemy import Connection

SAMPLE = 20


class Rule(Protocol):
    """Interface of a check: English name, Chinese label of what it proves, and the search for rows that break
    it."""

    @property
    def name(self) -> str: ...

    @property
    def label(self) -> str: ...

    def find(self, conn: Connection) -> Finding: ...


@dataclass(frozen=True, slots=True)
class Finding:
    """Result of a check: the number of rows that break it, and the first of them; `note` is a remark in
    Chinese.

    Without `compared` there was nothing to check yet: neither sound nor broken.
    """

    check: Rule
    count: int
    rows: list[dict[str, Any]]
    note: str = ""
    compared: bool = True


@dataclass(frozen=True, slots=True)
class Check:
    """A rule that a query proves: it gives the rows that break it."""

    name: str
    label: str
    sql: str

    def find(self, conn: Connection) -> Finding:
        sql = self.sql.replace("%", "%%")
        result = conn.exec_driver_sql(f"select *, count(*) over () as found from ({sql}) f limit {SAMPLE}")
        rows = [dict(row) for row in result.mappings()]
        count = rows[0]["found"] if rows else 0
        return Finding(self, count, [{name: row[name] for name in row if name != "found"} for row in rows])


_registered: dict[str, Rule] = {}


def register_checks(*checks: Rule) -> None:
    """Add checks; a name is used once."""
    for check in checks:
        if check.name in _registered:
            raise ValueError(f"check {check.name} is registered twice")
        _registered[check.name] = check


def list_checks() -> tuple[Rule, ...]:
    return tuple(_registered.values())


def run_checks(conn: Connection, checks: Iterable[Rule] | None = None) -> Iterator[Finding]:
    """Run checks one after the other, all registered ones by default.

    Give each a transaction of its own, REPEATABLE READ, where postings and refreshes go on meanwhile.
    """
    for check in list_checks() if checks is None else checks:
        yield check.find(conn)


def build_negative_stock_check(allowed: str) -> Check:
    """Build the check that no place is below zero but in the warehouses that the query `allowed` selects."""
    return Check(
        "stock_not_negative",
        "不允许负库存的仓库没有负库存",
        f"""select b.warehouse_id, b.goods_id, b.allocation_id, b.batch_id, b.quantity
        from stock_balance b
        where b.quantity < 0 and b.warehouse_id not in ({allowed})""",
    )


def build_negative_days_check(
    allowed: str, since: str = "select null::bigint as warehouse_id, null::date as day"
) -> Check:
    """Build the check that no place is below zero at the end of any day.

    But in the warehouses that the query `allowed` selects, and before the `day` that the query `since`
    gives a warehouse that has come to refuse it.
    """
    return Check(
        "stock_days_not_negative",
        "不允许负库存的仓库任何一天结存都不为负",
        f"""select d.*
        from (
            select l.warehouse_id, l.goods_id, l.allocation_id, l.batch_id, l.business_date,
                sum(sum(l.quantity)) over (
                    partition by l.warehouse_id, l.goods_id, l.allocation_id, l.batch_id order by l.business_date
                ) as quantity
            from stock_ledger l
            where l.quantity <> 0
            group by l.warehouse_id, l.goods_id, l.allocation_id, l.batch_id, l.business_date
        ) d
        left join ({since}) s on s.warehouse_id = d.warehouse_id
        where d.quantity < 0 and d.business_date >= coalesce(s.day, d.business_date)
            and d.warehouse_id not in ({allowed})""",
    )


def balance_mismatch_sql(
    balance: str, keys: str, sums: dict[str, str], journal: str, where: str = "true"
) -> str:
    """Return SQL of rows where a balance differs from sums over `journal`; a missing row counts as zeros."""
    kept = ", ".join(f"b.{column} as {column}" for column in sums)
    summed = ", ".join(f"{total} as {column}" for column, total in sums.items())
    shown = ", ".join(f"b.{column} as kept_{column}, j.{column} as ledger_{column}" for column in sums)
    differs = " or ".join(f"coalesce(b.{column}, 0) <> coalesce(j.{column}, 0)" for column in sums)
    return f"""select {keys}, {shown}
    from (select {keys}, {kept} from {balance} b where {where}) b
    full join (select {keys}, {summed} from {journal} where {where} group by {keys}) j using ({keys})
    where {differs}"""


def _bad_reversals_sql(table: str, key: str, same: str, values: str) -> str:
    """Return SQL of reversals that negate no row, a reversal, a row with other `same` columns, or by other
    `values`."""
    names = [name.strip() for name in same.split(",")]
    numbers = [name.strip() for name in values.split(",")]
    differs = " or ".join(
        [f"o.{name} is distinct from r.{name}" for name in names]
        + [f"o.{name} <> -r.{name}" for name in numbers]
    )
    return f"""select r.{key}, r.reverses, r.bill_no
    from {table} r
    left join {table} o on o.{key} = r.reverses
    where r.reverses is not null and (o.{key} is null or o.reverses is not null or {differs})"""


_JOURNAL = "company_id, bill_type, bill_id, bill_no, business_date"

LEDGER_CHECKS: tuple[Check, ...] = (
    Check(
        "stock_balance_is_ledger",
        "库位批次库存 = 库存流水合计",
        balance_mismatch_sql(
            "stock_balance",
            "company_id, warehouse_id, allocation_id, goods_id, batch_id",
            {"quantity": "sum(quantity)"},
            "stock_ledger",
        ),
    ),
    Check(
        "stock_total_is_balance",
        "仓库库存 = 库位批次库存合计",
        balance_mismatch_sql(
            "stock_total",
            "company_id, warehouse_id, goods_id",
            {"quantity": "sum(quantity)"},
            "stock_balance",
        ),
    ),
    Check(
        "cost_balance_is_ledger",
        "成本数量、金额 = 库存流水合计",
        balance_mismatch_sql(
            "cost_balance",
            "company_id, goods_id, pool_id",
            {"quantity": "sum(quantity)", "amount": "sum(amount)"},
            "stock_ledger",
        ),
    ),
    Check(
        "latest_date_is_ledger",
        "最近业务日期 = 库存流水的最大业务日期",
        """select company_id, goods_id, pool_id, c.latest_date, l.latest_date as ledger_date
        from cost_balance c
        full join (
            select company_id, goods_id, pool_id, max(business_date) as latest_date
            from stock_ledger
            group by company_id, goods_id, pool_id
        ) l using (company_id, goods_id, pool_id)
        where c.latest_date is distinct from l.latest_date""",
    ),
    Check(
        "no_stock_no_value",
        "数量为 0 的商品金额为 0",
        """select l.company_id, l.goods_id, l.pool_id, sum(l.amount) as amount
        from stock_ledger l
        group by l.company_id, l.goods_id, l.pool_id
        having sum(l.quantity) = 0 and sum(l.amount) <> 0""",
    ),
    Check(
        "stock_has_value",
        "有库存的商品金额不为负",
        """select l.company_id, l.goods_id, l.pool_id, sum(l.quantity) as quantity, sum(l.amount) as amount
        from stock_ledger l
        group by l.company_id, l.goods_id, l.pool_id
        having sum(l.quantity) > 0 and sum(l.amount) < 0""",
    ),
    Check(
        "value_moves_with_goods",
        "每笔流水的金额与数量同向",
        """select l.ledger_id, l.bill_no, l.line_id, l.quantity, l.amount
        from stock_ledger l
        where l.quantity * l.amount < 0""",
    ),
    Check(
        "last_unit_cost_is_ledger",
        "最近进价 = 最近一笔有效采购入库的单价，没有采购过的为最近一笔有效入库的",
        """select c.company_id, c.goods_id, c.last_unit_cost, l.unit_cost
        from cost_balance c
        left join lateral (
            select l.unit_cost
            from stock_ledger l
            where l.company_id = c.company_id and l.goods_id = c.goods_id and l.pool_id = c.pool_id
                and l.quantity > 0 and l.unit_cost > 0
                and l.reverses is null and not exists (select from stock_ledger r where r.reverses = l.ledger_id)
            order by l.bill_type = 'CGRK' desc, l.ledger_id desc
            limit 1
        ) l on true
        where c.last_unit_cost is distinct from l.unit_cost""",
    ),
    Check(
        "returns_within_delivery",
        "关联退货不超过原单出库数量和成本",
        """select r.origin_type, r.origin_line_id, r.quantity, r.amount, d.quantity as delivered, d.amount as issued
        from (
            select l.origin_type, l.origin_line_id, sum(l.quantity) as quantity, sum(l.amount) as amount
            from stock_ledger l
            where l.origin_line_id is not null
            group by l.origin_type, l.origin_line_id
        ) r
        left join lateral (
            select -sum(l.quantity) as quantity, -sum(l.amount) as amount
            from stock_ledger l
            where l.bill_type = r.origin_type and l.line_id = r.origin_line_id
        ) d on true
        where r.quantity > coalesce(d.quantity, 0)""",
    ),
    Check(
        "warehouse_has_one_company",
        "一个仓库的流水只属于一个公司",
        """select l.warehouse_id, count(distinct l.company_id) as companies
        from stock_ledger l
        group by l.warehouse_id
        having count(distinct l.company_id) > 1""",
    ),
    Check(
        "frozen_is_ledger",
        "冻结数量 = 冻结流水合计 + 盘点冻结，且不为负",
        """select b.*, coalesce(l.frozen, 0) as ledger_frozen
        from (select t.warehouse_id, t.goods_id, t.frozen from stock_total t) b
        full join (
            select f.warehouse_id, f.goods_id, sum(f.quantity) as frozen
            from (
                select l.warehouse_id, l.goods_id, l.quantity from stock_ledger l where l.frozen
                union all
                select h.warehouse_id, h.goods_id, h.quantity from stock_hold h
            ) f
            group by f.warehouse_id, f.goods_id
        ) l using (warehouse_id, goods_id)
        where coalesce(b.frozen, 0) <> coalesce(l.frozen, 0) or b.frozen < 0""",
    ),
    Check(
        "pool_is_the_warehouse",
        "单独核算的流水只属于其仓库",
        """select l.ledger_id, l.bill_no, l.warehouse_id, l.pool_id
        from stock_ledger l
        where l.pool_id not in (0, l.warehouse_id)""",
    ),
    Check(
        "reserved_is_ledger",
        "占用数量 = 占用流水合计",
        balance_mismatch_sql(
            "stock_total",
            "company_id, warehouse_id, goods_id",
            {"reserved": "sum(quantity)"},
            "reservation_ledger",
        ),
    ),
    Check(
        "reservation_not_negative",
        "每个订单行的占用不为负",
        """select l.order_line_id, l.warehouse_id, l.goods_id, sum(l.quantity) as quantity
        from reservation_ledger l
        group by l.order_line_id, l.warehouse_id, l.goods_id
        having sum(l.quantity) < 0""",
    ),
    Check(
        "settlement_open_is_ledger",
        "未核销金额 = 往来流水合计",
        balance_mismatch_sql(
            "settlement_item",
            "settlement_id, company_id, party_type, party_id",
            {"open_amount": "sum(amount)"},
            "settlement_ledger",
        ),
    ),
    Check(
        "settlement_amount_is_opened",
        "往来金额 = 立账金额",
        balance_mismatch_sql(
            "settlement_item",
            "settlement_id",
            {"amount": "sum(amount) filter (where entry = 'open')"},
            "settlement_ledger",
        ),
    ),
    Check(
        "settlement_due_follows_bill",
        "应收应付的到期日不早于业务日期（期初除外）",
        """select i.settlement_id, i.bill_no, i.business_date, i.due_date
        from settlement_item i
        where i.kind <> 'opening' and i.due_date < i.business_date""",
    ),
    Check(
        "settlement_open_within_amount",
        "未核销金额在 0 与往来金额之间",
        """select i.settlement_id, i.bill_no, i.amount, i.open_amount
        from settlement_item i
        where i.open_amount not between least(i.amount, 0) and greatest(i.amount, 0)""",
    ),
    Check(
        "settlement_open_on_every_day",
        "每一天终了的未核销金额都在 0 与往来金额之间",
        """select o.settlement_id, o.business_date, i.bill_no, i.amount, o.open_amount
        from (
            select l.settlement_id, l.business_date,
                sum(sum(l.amount)) over (partition by l.settlement_id order by l.business_date) as open_amount
            from settlement_ledger l
            group by l.settlement_id, l.business_date
        ) o
        join settlement_item i using (settlement_id)
        where o.open_amount not between least(i.amount, 0) and greatest(i.amount, 0)""",
    ),
    Check(
        "waived_settles",
        "抹零只出现在核销及其冲销",
        """select l.entry_id, l.bill_no, l.entry, l.amount
        from settlement_ledger l
        where l.waived and l.entry = 'open'""",
    ),
    Check(
        "money_balance_is_ledger",
        "账户余额 = 资金流水合计",
        balance_mismatch_sql(
            "money_balance", "company_id, receivables_mode_id", {"amount": "sum(amount)"}, "money_ledger"
        ),
    ),
    Check(
        "stock_reversals_negate",
        "库存冲销与原流水完全相反",
        _bad_reversals_sql(
            "stock_ledger",
            "ledger_id",
            f"{_JOURNAL}, warehouse_id, allocation_id, goods_id, batch_id, line_id, unit_cost",
            "quantity, amount",
        ),
    ),
    Check(
        "reservation_reversals_negate",
        "占用冲销与原流水完全相反",
        _bad_reversals_sql(
            "reservation_ledger", "entry_id", f"{_JOURNAL}, order_line_id, warehouse_id, goods_id", "quantity"
        ),
    ),
    Check(
        "settlement_reversals_negate",
        "往来冲销与原流水完全相反",
        _bad_reversals_sql(
            "settlement_ledger",
            "entry_id",
            f"{_JOURNAL}, settlement_id, party_type, party_id, waived",
            "amount",
        ),
    ),
    Check(
        "money_reversals_negate",
        "资金冲销与原流水完全相反",
        _bad_reversals_sql("money_ledger", "entry_id", f"{_JOURNAL}, receivables_mode_id", "amount"),
    ),
    Check(
        "differences_follow_their_rows",
        "成本差异行与其更正的流水同单同行，且随其冲销",
        """select d.ledger_id, d.bill_no, d.corrects
        from stock_ledger d
        left join stock_ledger o on o.ledger_id = d.corrects
        left join stock_ledger back on back.reverses = o.ledger_id
        left join stock_ledger gone on gone.reverses = d.ledger_id
        where d.corrects is not null and (
            o.ledger_id is null or o.reverses is not null or o.corrects is not null
            or (o.company_id, o.bill_type, o.bill_id, o.line_id, o.business_date, o.goods_id, o.pool_id)
                <> (d.company_id, d.bill_type, d.bill_id, d.line_id, d.business_date, d.goods_id, d.pool_id)
            or (back.ledger_id is null) <> (gone.ledger_id is null)
        )""",
    ),
    Check(
        "bill_stands_once",
        "每张单据只有一次有效过账",
        """select l.bill_type, l.bill_id, l.bill_no, count(distinct l.row_xid) as postings
        from stock_ledger l
        where l.reverses is null and l.corrects is null
            and not exists (select from stock_ledger r where r.reverses = l.ledger_id)
        group by l.bill_type, l.bill_id, l.bill_no
        having count(distinct l.row_xid) > 1""",
    ),
)
register_checks(*LEDGER_CHECKS)
