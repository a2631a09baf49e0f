"""Goods and warehouses that the stock report of any days lists: by emptied ones, as by the figures of
each."""

from __future__ import annotations

from datetime import date, timedelta

import duckdb
import pytest

from api.kit.scope import Principal
from api.reporting.lists.stock.stock_flow import InventoryOutIn
from tests.warehouse.conftest import BOTH, Mart

ANYONE = Principal(1, "anyone", "anyone", 1, 1)
# Of goods 1 to 7, in January 2026: a receipt that stays, one that is sold, one taken back on its day and one later; worth
# without a piece that goes, and that comes and goes; a receipt taken back after all was sold.
ODD = """
create schema facts;
create table goods as select g as goods_id, 1 as goods_type_id, 1 as brand_id from range(1, 8) as t(g);
create table facts.fct_stock_move as
select 1 as company_id, 1 as warehouse_id, g as goods_id, date '2026-01-01' + d as business_date, k as kind, i as is_inbound,
    r as is_reversal, cast(q as decimal(18, 3)) as quantity, cast(q * 100 as decimal(18, 2)) as value
from (values (1, 4, 'purchase', true, false, 2),
    (2, 4, 'purchase', true, false, 2), (2, 8, 'sale', false, false, -2),
    (3, 4, 'purchase', true, false, 2), (3, 4, 'purchase', true, true, -2),
    (4, 4, 'purchase', true, false, 2), (4, 8, 'purchase', true, true, -2),
    (7, 2, 'purchase', true, false, 2), (7, 4, 'sale', false, false, -2), (7, 8, 'purchase', true, false, 3),
    (7, 9, 'purchase', true, true, -3)) as moves(g, d, k, i, r, q);
create table facts.fct_stock_balance_daily as
select 1 as company_id, 1 as warehouse_id, g as goods_id, date '2026-01-01' + a as valid_from,
    date '2026-01-01' + b as valid_to, cast(c as decimal(18, 3)) as change_quantity,
    cast(q as decimal(18, 3)) as closing_quantity, cast(v as decimal(18, 2)) as closing_value
from (values (1, 4, 9999, 2, 2, 200),
    (2, 4, 7, 2, 2, 200), (2, 8, 9999, -2, 0, 0),
    (3, 4, 9999, 0, 0, 0),
    (4, 4, 7, 2, 2, 200), (4, 8, 9999, -2, 0, 0),
    (5, -9, 5, -1, 0, 30), (5, 6, 9999, 0, 0, 0),
    (6, 3, 5, 0, 0, 30), (6, 6, 9999, 0, 0, 0),
    (7, 2, 3, 2, 2, 200), (7, 4, 7, -2, 0, 0), (7, 8, 8, 3, 3, 300), (7, 9, 9999, -3, 0, 0)) as held(g, a, b, c, q, v);
"""


def _places_sql(part: str, first: date, last: date) -> str:
    """Return the query for the places of some days, by the keys or by the summary of every figure."""
    query = InventoryOutIn.source(ANYONE, {**InventoryOutIn.default_filters()})[0]
    for name, day in (("before", first - timedelta(1)), ("first", first), ("last", last)):
        query = query.replace(f":{name}", f"'{day}'")
    return (
        f"with figures as not materialized ({query}) select inventory_out_in_id % 4294967296 as goods_id,"
        f" inventory_out_in_id from ({part.format(rows='figures')}) order by all"
    )


def _keys_sql() -> str:
    assert InventoryOutIn.paging.keys_sql
    return InventoryOutIn.paging.keys_sql


def _summary_sql() -> str:
    return InventoryOutIn.summary({})


def test_places_are_those_with_a_figure() -> None:
    first, last = date(2026, 1, 1), date(2026, 1, 31)
    with duckdb.connect() as conn:
        conn.execute(ODD)
        named = [
            [goods for goods, _ in conn.execute(_places_sql(part, first, last)).fetchall()]
            for part in (_keys_sql(), _summary_sql())
        ]
    assert named == [[1, 2, 5, 7]] * 2


@pytest.mark.parametrize("first", [date(2025, 11, 1), date(2026, 5, 20), date(2026, 10, 31)])
@pytest.mark.parametrize("days", [0, 17, 60, 394])
@BOTH
def test_places_of_any_days(mart: Mart, first: date, days: int) -> None:
    last = first + timedelta(days)
    named = mart(_places_sql(_keys_sql(), first, last))
    assert named.height > 0
    assert named.equals(mart(_places_sql(_summary_sql(), first, last)))
