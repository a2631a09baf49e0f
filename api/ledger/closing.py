"""What a month close asks first (结账检查): named queries over one company and month, each a list to work off.

The ledger asks whether its own books tie; bill types and other packages add what they know with `register`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import Connection, text

from api.ledger.checks import tied

SAMPLE = 50


@dataclass(frozen=True, slots=True)
class Question:
    """`sql` answers the rows that stand in the way, `:company_id`, `:first` and `:last` (day of the month) bound.

    A row that has `resource` and `record_id` leads to that record; `serial` names it, `msg` says what is wrong.
    `advice` tells what to do; one that is not `blocking` only warns.
    """

    name: str
    label: str
    advice: str
    sql: str
    blocking: bool = True


@dataclass(frozen=True, slots=True)
class Obstacle:
    """What a question found: how many rows, and the first of them."""

    question: Question
    count: int
    rows: list[dict[str, Any]]


_registered: list[Question] = []


def register(*questions: Question) -> None:
    """Add questions; they are asked in the order of registration."""
    _registered.extend(questions)


def ask(conn: Connection, company_id: int, first: date, last: date) -> Iterator[Obstacle]:
    """Ask every question about a company's month; one without rows is no obstacle."""
    values = {"company_id": company_id, "first": first, "last": last}
    for question in _registered:
        sql = f"select *, count(*) over () as found from ({question.sql}) f limit {SAMPLE}"
        rows = [dict(row) for row in conn.execute(text(sql), values).mappings()]
        count = rows[0]["found"] if rows else 0
        yield Obstacle(question, count, [{k: v for k, v in row.items() if k != "found"} for row in rows])


def _ties(balance: str, keys: str, sums: dict[str, str], journal: str) -> str:
    rows = tied(balance, keys, sums, journal, where="company_id = :company_id")
    return f"select '{balance}' as serial, {_words(keys)} as msg from ({rows}) f"


def _words(keys: str) -> str:
    return "concat_ws(' ', " + ", ".join(f"'{key.strip()}', {key.strip()}" for key in keys.split(",")) + ")"


_BEFORE = """
select distinct date_trunc('month', l.business_date) as month
from {journal} l
where l.company_id = :company_id and l.business_date < :first
"""
_MONTHS = " union ".join(
    _BEFORE.format(journal=journal) for journal in ("stock_ledger", "settlement_ledger", "money_ledger")
)

register(
    Question(
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
    Question(
        "stock_ties",
        "库存余额与库存流水一致",
        "请联系管理员运行完整性检查",
        _ties(
            "stock_balance",
            "company_id, warehouse_id, allocation_id, goods_id, batch_id",
            {"quantity": "sum(quantity)"},
            "stock_ledger",
        )
        + " union all "
        + _ties(
            "cost_balance",
            "company_id, goods_id, pool_id",
            {"quantity": "sum(quantity)", "amount": "sum(amount)"},
            "stock_ledger",
        ),
    ),
    Question(
        "settlements_tie",
        "往来余额与往来流水一致",
        "请联系管理员运行完整性检查",
        _ties(
            "settlement_item",
            "settlement_id, company_id, party_type, party_id",
            {"open_amount": "sum(amount)"},
            "settlement_ledger",
        ),
    ),
    Question(
        "money_ties",
        "资金余额与资金流水一致",
        "请联系管理员运行完整性检查",
        _ties("money_balance", "company_id, receivables_mode_id", {"amount": "sum(amount)"}, "money_ledger"),
    ),
)
