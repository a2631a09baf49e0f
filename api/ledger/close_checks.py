"""Checks before a month close (结账检查): named queries over one company and month, each a list to work off.

The ledger checks its own balances; bill types and other packages add theirs with `register_close_checks`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import Connection, text

from api.ledger.integrity_checks import balance_mismatch_sql

SAMPLE = 50


@dataclass(frozen=True, slots=True)
class CloseCheck:
    """A check before a close: `sql` returns the rows in the way; `:company_id`, `:first` and `:last` day are
    bound.

    A row that has `resource` and `record_id` links to that record; `serial` names it, `msg` says what is
    wrong. `advice` says what to do; one that is not `blocking` only warns.
    """

    name: str
    label: str
    advice: str
    sql: str
    blocking: bool = True


@dataclass(frozen=True, slots=True)
class CloseBlocker:
    """Rows that block a month close: their number, and the first of them."""

    question: CloseCheck
    count: int
    rows: list[dict[str, Any]]


_registered: list[CloseCheck] = []


def register_close_checks(*questions: CloseCheck) -> None:
    """Add checks; they run in the order of registration."""
    _registered.extend(questions)


def run_close_checks(conn: Connection, company_id: int, first: date, last: date) -> Iterator[CloseBlocker]:
    """Run every check on a company's month; one without rows blocks nothing."""
    values = {"company_id": company_id, "first": first, "last": last}
    for question in _registered:
        sql = f"select *, count(*) over () as found from ({question.sql}) f limit {SAMPLE}"
        rows = [dict(row) for row in conn.execute(text(sql), values).mappings()]
        count = rows[0]["found"] if rows else 0
        yield CloseBlocker(question, count, [{k: v for k, v in row.items() if k != "found"} for row in rows])


def _mismatch_rows_sql(balance: str, keys: str, sums: dict[str, str], journal: str) -> str:
    rows = balance_mismatch_sql(balance, keys, sums, journal, where="company_id = :company_id")
    return f"select '{balance}' as serial, {_key_text_sql(keys)} as msg from ({rows}) f"


def _key_text_sql(keys: str) -> str:
    return "concat_ws(' ', " + ", ".join(f"'{key.strip()}', {key.strip()}" for key in keys.split(",")) + ")"


_BEFORE = """
select distinct date_trunc('month', l.business_date) as month
from {journal} l
where l.company_id = :company_id and l.business_date < :first
"""
_MONTHS = " union ".join(
    _BEFORE.format(journal=journal) for journal in ("stock_ledger", "settlement_ledger", "money_ledger")
)

register_close_checks(
    CloseCheck(
        "previous_periods",
        "以前的会计期间都已结账",
        "请按月份顺序结账",
        f"""
        select to_char(m.month, 'YYYY-MM') as serial, '该期间有业务但尚未结账' as msg
        from ({_MONTHS}) m
        where not exists (
            select from accounting_period p
            where p.company_id = :company_id and p.period = to_char(m.month, 'YYYY-MM') and p.status = 1
        )
        order by m.month
        """,
    ),
    CloseCheck(
        "stock_ties",
        "库存余额与库存流水一致",
        "请联系管理员运行完整性检查",
        _mismatch_rows_sql(
            "stock_balance",
            "company_id, warehouse_id, allocation_id, goods_id, batch_id",
            {"quantity": "sum(quantity)"},
            "stock_ledger",
        )
        + " union all "
        + _mismatch_rows_sql(
            "cost_balance",
            "company_id, goods_id, pool_id",
            {"quantity": "sum(quantity)", "amount": "sum(amount)"},
            "stock_ledger",
        ),
    ),
    CloseCheck(
        "settlements_tie",
        "往来余额与往来流水一致",
        "请联系管理员运行完整性检查",
        _mismatch_rows_sql(
            "settlement_item",
            "settlement_id, company_id, party_type, party_id",
            {"open_amount": "sum(amount)"},
            "settlement_ledger",
        ),
    ),
    CloseCheck(
        "money_ties",
        "资金余额与资金流水一致",
        "请联系管理员运行完整性检查",
        _mismatch_rows_sql(
            "money_balance", "company_id, receivables_mode_id", {"amount": "sum(amount)"}, "money_ledger"
        ),
    ),
)
