"""Posting (过账): the only way into the ledgers. One database call an audit, one an un-audit, whatever the lines.

The caller's transaction must be READ COMMITTED (PostgreSQL's default): the functions lock first and read afterwards.
Run the unit of work through `api.kit.storage.database.retry_deadlocks`: one posting in a transaction never meets a
deadlock through
the ledger's own locks, but rows that the caller locked before, or several postings in one transaction, may.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import orjson
import psycopg
from sqlalchemy import Connection, CursorResult
from sqlalchemy.exc import DBAPIError

from api.kit.declaration.posting import BillRef, Landing, Postings, StockMove
from api.ledger.refusals import SQLSTATE, raise_refusal

_POST = """
select
    erp_post(%s::text, %s::bigint, %s::text, %s::bigint, %s::date, %s::jsonb, %s::bigint[], %s::boolean),
    erp_is_counted(%s::bigint[], %s::bigint[], %s::date) as counted
"""
_COUNTED = "select erp_is_counted(%s::bigint[], %s::bigint[], %s::date)"
_POST_ALL = """
select erp_post(
    b.bill_type, b.bill_id, b.bill_no, b.company_id, b.business_date, b.postings, %s::bigint[], %s::boolean
)
from rows from (
    jsonb_to_recordset(%s::jsonb) as (
        bill_type text, bill_id bigint, bill_no text, company_id bigint, business_date date, postings jsonb
    )
) with ordinality as b (bill_type, bill_id, bill_no, company_id, business_date, postings, turn)
order by b.turn
"""
_BILL = ("bill_type", "bill_id", "bill_no", "company_id", "business_date")
_REVERSE = "select erp_reverse(%s::text, %s::bigint, %s::text, %s::bigint, %s::date, %s::bigint[])"


@dataclass(frozen=True, slots=True)
class Policy:
    """Exceptions from a posting's default rules.

    `negative_warehouses`: may go below zero, and below what orders have reserved (允许负库存).
    `own_cost_warehouses`: are valued on their own, apart from the company's average. `frozen_warehouses`:
    hold nothing that is available. `reserve_beyond_stock`: order lines claim all they ordered; by default
    they claim what is available at the moment of the audit, so that an order for goods on the way can be
    audited and does not block goods that nobody has.
    """

    negative_warehouses: frozenset[int] = frozenset()
    own_cost_warehouses: frozenset[int] = frozenset()
    frozen_warehouses: frozenset[int] = frozenset()
    reserve_beyond_stock: bool = False


STRICT = Policy()


def post_bill(conn: Connection, bill: BillRef, postings: Postings, policy: Policy = STRICT) -> bool:
    """Write an audited bill's postings; returns whether a stocktake of its day or later covers its goods.

    Raises a `LedgerRefusal`, after which the transaction must be rolled back. The period of a bill that
    posts nothing is checked all the same.
    """
    content = orjson.dumps(_build_content(bill, postings, policy)).decode()
    allowed = list(policy.negative_warehouses)
    counted = (*_list_moved_goods([postings]), bill.business_date)
    values = (*_build_reference(bill), content, allowed, policy.reserve_beyond_stock, *counted)
    return bool(call_ledger(conn, _POST, values).one().counted)


def _list_moved_goods(bills: Sequence[Postings]) -> tuple[list[int], list[int]]:
    """Return the warehouses and the goods that postings move."""
    moves = [move for postings in bills for move in postings.stock]
    places = {move.warehouse_id for move in moves}
    places |= {move.lands.warehouse_id for move in moves if move.lands is not None}
    return list(places), list({move.goods_id for move in moves})


def post_bills(conn: Connection, bills: Sequence[tuple[BillRef, Postings]], policy: Policy = STRICT) -> bool:
    """Write the postings of many audited bills in their order, in one database call; all or nothing.

    Raises the `LedgerRefusal` of the first that is refused, without saying which: post them singly to
    learn it. Returns, as for one, whether a stocktake covers their goods.
    """
    rows = [
        dict(zip(_BILL, _build_reference(bill), strict=True), postings=_build_content(bill, postings, policy))
        for bill, postings in bills
    ]
    if not rows:
        return False
    policy_of = (list(policy.negative_warehouses), policy.reserve_beyond_stock)
    call_ledger(conn, _POST_ALL, (*policy_of, orjson.dumps(rows).decode()))
    moved = _list_moved_goods([postings for _, postings in bills])
    counted = (*moved, min(bill.business_date for bill, _ in bills))
    return bool(conn.exec_driver_sql(_COUNTED, counted).scalar_one())


def reverse_bill(conn: Connection, bill: BillRef, policy: Policy = STRICT) -> None:
    """Negate every row of the bill that is not reversed; raises a `LedgerRefusal` when later bills depend on
    it."""
    call_ledger(conn, _REVERSE, (*_build_reference(bill), list(policy.negative_warehouses)))


def _build_reference(bill: BillRef) -> tuple[Any, ...]:
    return bill.bill_type, bill.bill_id, bill.bill_no, bill.company_id, bill.business_date


def call_ledger(
    conn: Connection, sql: str, parameters: tuple[Any, ...] | dict[str, Any]
) -> CursorResult[Any]:
    """Call a ledger function; its refusals are raised as `LedgerRefusal`."""
    try:
        return conn.exec_driver_sql(sql, parameters)
    except DBAPIError as error:
        _raise_refusal(error)


def _raise_refusal(error: DBAPIError) -> NoReturn:
    if isinstance(error.orig, psycopg.Error) and error.orig.sqlstate == SQLSTATE:
        raise_refusal(error.orig)
    raise error


def _build_content(bill: BillRef, postings: Postings, policy: Policy) -> dict[str, Any]:
    """Build the `postings` document of erp_post; absent keys are null there."""
    frozen = policy.frozen_warehouses if postings.as_it_lies else frozenset()
    content: dict[str, Any] = {
        "stock": [
            {**_build_move(place, move, frozen), **_build_pool(bill, policy, move.warehouse_id)}
            for place, move in enumerate(postings.stock)
        ],
        "landings": [
            {
                **_build_landing(place, move.lands, frozen),
                **_build_pool(bill, policy, move.lands.warehouse_id, move.lands.company_id),
            }
            for place, move in enumerate(postings.stock)
            if move.lands is not None
        ],
        "adjustments": [
            {
                "place": place,
                "line_id": item.line_id,
                "warehouse_id": item.warehouse_id,
                "goods_id": item.goods_id,
                "amount": str(item.amount),
                **_build_pool(bill, policy, item.warehouse_id),
            }
            for place, item in enumerate(postings.adjustments)
        ],
        "reservations": [
            {
                "order_line_id": claim.order_line_id,
                "warehouse_id": claim.warehouse_id,
                "goods_id": claim.goods_id,
                "quantity": str(claim.quantity),
            }
            for claim in postings.reservations
        ],
        "settlements": [
            {
                "company_id": item.company_id,
                "party_type": item.party_type,
                "party_id": item.party_id,
                "kind": item.kind,
                "due_date": item.due_date,
                "amount": str(item.amount),
                "settled": [{"on": day, "amount": str(amount)} for day, amount in item.settled],
            }
            for item in postings.settlements
        ],
        "write_offs": [
            {
                "settlement_id": entry.settlement_id,
                "amount": str(entry.amount),
                "on": entry.on or bill.business_date,
                "waived": entry.waived,
            }
            for entry in postings.write_offs
        ],
        "money": [
            {"receivables_mode_id": entry.receivables_mode_id, "amount": str(entry.amount)}
            for entry in postings.money
        ],
        "counted": postings.counted,
        "conversion": postings.conversion and {"labour": str(postings.conversion.labour)},
    }
    return {name: rows for name, rows in content.items() if rows}


def _build_pool(
    bill: BillRef, policy: Policy, warehouse_id: int, company_id: int | None = None
) -> dict[str, int]:
    own = warehouse_id in policy.own_cost_warehouses
    return {"company_id": company_id or bill.company_id, "pool_id": warehouse_id if own else 0}


def _build_landing(place: int, lands: Landing, frozen: frozenset[int]) -> dict[str, Any]:
    return {
        "place": place,
        "warehouse_id": lands.warehouse_id,
        "allocation_id": lands.allocation_id or 0,
        "frozen": lands.frozen or lands.warehouse_id in frozen,
        "extra_amount": str(lands.extra_amount),
    }


def _build_move(place: int, move: StockMove, frozen: frozenset[int]) -> dict[str, Any]:
    row: dict[str, Any] = {
        "place": place,
        "line_id": move.line_id,
        "warehouse_id": move.warehouse_id,
        "goods_id": move.goods_id,
        "quantity": str(move.quantity),
    }
    inbound = move.quantity > 0
    if inbound or move.allocation_id is not None:
        row["allocation_id"] = move.allocation_id or 0
    if inbound or move.batch_id is not None:
        row["batch_id"] = move.batch_id or 0
    if move.amount is not None:
        row["amount"] = str(move.amount)
    if move.origin is not None:
        row["origin_type"], row["origin_line_id"] = move.origin
    if move.fallback_unit_cost is not None:
        row["fallback_unit_cost"] = str(move.fallback_unit_cost)
    if move.share is not None:
        row["share"] = str(move.share)
    if move.order_line_id is not None:
        row["order_line_id"] = move.order_line_id
    if move.frozen or move.warehouse_id in frozen:
        row["frozen"] = True
    if move.production_date is not None:
        row["production_date"] = move.production_date
    return row
