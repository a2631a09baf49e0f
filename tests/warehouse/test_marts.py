"""Mart figures against a calculation of their own: polars and plain Python over the tables of Postgres."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import polars as pl
import psycopg
import pytest

from reports.catalogue.best_seller import COVER
from tests.warehouse.conftest import (
    AS_OF,
    BOTH,
    DEMO,
    GROUP,
    SMALL,
    Core,
    Mart,
    assert_frames_agree,
    build_core_query,
    open_mart,
    publish_warehouse,
)
from tests.warehouse.fifo import compute_layers, label_age
from tests.warehouse.group import BILL, RECEIPT, REVERSAL, TRANSFER

TODAY = dt.date.fromisoformat(AS_OF)
OF_SALES = "rebate = 0 and supplier_rebate = 0 and expected_rebate = 0"
MONTH_ENDS = ("2025-11-30", "2026-03-31", "2026-08-31", "2026-09-30", "2026-10-31")
MONTHS = pl.col("business_date").dt.truncate("1mo").alias("month")

# Claimed pieces of what a company also sells lie in a warehouse of their own, worth nothing, then something; the last
# pieces of goods leave two warehouses of a company at its average, which is not what each of them had paid.
POOLS = """
with places as (
    insert into warehouse (warehouse_id, warehouse_name, company_id, type) values (801, '三包仓', 2, 3)
), things as (
    insert into goods (goods_id, goods_num, goods_name, goods_type_id, brand_id, unit_id)
    values (901, 'G901', '清空的商品', 101, 1, 1), (902, 'G902', '倒填的商品', 101, 1, 1)
)
insert into stock_ledger (company_id, warehouse_id, allocation_id, goods_id, pool_id, batch_id, quantity, unit_cost, amount,
    bill_type, bill_id, bill_no, line_id, business_date)
select 2, warehouse_id, 0, goods_id, pool_id, 0, quantity, 0, amount, bill_type, 91000 + line_id, bill_type, 91000 + line_id, day
from (
    values
        (1, 801, 3, 801, 4, 0.00, 'QTRK', date '2026-03-20'),
        (2, 801, 5, 801, 2, 0.00, 'QTRK', date '2026-09-02'),
        (3, 801, 5, 801, 1, 40.00, 'QTRK', date '2026-10-03'),
        (4, 801, 3, 801, -1, 0.00, 'QTCK', date '2026-10-09'),
        (5, 1, 901, 0, 2, 150.00, 'CGRK', date '2026-02-02'),
        (6, 4, 901, 0, 1, 100.00, 'CGRK', date '2026-02-03'),
        (7, 1, 901, 0, -2, -166.67, 'QTCK', date '2026-03-02'),
        (8, 4, 901, 0, -1, -83.33, 'QTCK', date '2026-03-12')
) as move(line_id, warehouse_id, goods_id, pool_id, quantity, amount, bill_type, day)
"""


@pytest.fixture(scope="module")
def core_rows(core: str, world: str) -> Core:
    """A query over Postgres as a frame, numbers as floats. The small group gets its odd cases first."""
    if world == GROUP:
        _add_odd_cases(core)
    return build_core_query(core)


def _add_odd_cases(core: str) -> None:
    with psycopg.connect(core, autocommit=True) as conn:
        conn.execute("set session_replication_role = replica")
        for bill_id, (warehouse_id, day) in enumerate(
            [(1, "2026-03-05"), (4, "2026-03-05"), (7, "2026-10-21"), (1, "2026-08-22")], 90001
        ):
            receipt = {
                "goods_id": 3,
                "batch_id": bill_id % 2,
                "quantity": 10,
                "amount": 997,
                "bill_id": bill_id,
            }
            conn.execute(RECEIPT, {**receipt, "warehouse_id": warehouse_id, "day": day})
        conn.execute(REVERSAL, {"bill_type": "CGRK", "bill_id": 90003})
        moved = {"goods_id": 118, "quantity": 7, "bill_id": 90010, "warehouse_id": 1}
        conn.execute(TRANSFER, {**moved, "day": "2026-10-20", "first_date": "2025-02-03"})
        conn.execute(BILL, {"day": "2026-10-31", "warehouse_id": 5, "goods_id": 119, "quantity": 300})
        conn.execute(POOLS)
        _move_early(conn)


def _move_early(conn: psycopg.Connection[Any]) -> None:
    """Bills of August move what came in October, so it lies there before what came in September."""
    bought = {"goods_id": 902, "batch_id": 0, "amount": 905}
    conn.execute(RECEIPT, {**bought, "quantity": 9, "bill_id": 90011, "warehouse_id": 1, "day": "2026-07-01"})
    moved = {"goods_id": 902, "first_date": "2026-10-03"}
    for bill_id, warehouse_id, day, quantity in ((90012, 1, "2026-08-20", 7), (90013, 4, "2026-08-25", 4)):
        where = {"bill_id": bill_id, "warehouse_id": warehouse_id, "day": day, "quantity": quantity}
        conn.execute(TRANSFER, {**moved, **where})
    conn.execute(
        RECEIPT, {**bought, "quantity": 11, "bill_id": 90014, "warehouse_id": 4, "day": "2026-09-05"}
    )


@pytest.fixture(scope="module")
def mart(
    world: str,
    core: str,
    core_rows: Core,
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Mart]:
    """Over a warehouse of the group with what was written to it, or that of the demo group."""
    assert core_rows
    made = (
        request.getfixturevalue("demo_figures")
        if world == DEMO
        else publish_warehouse(core, tmp_path_factory)
    )
    with open_mart(made) as ask:
        yield ask


@pytest.fixture(scope="module")
def ledger(core_rows: Core) -> pl.DataFrame:
    return core_rows(
        "select company_id, warehouse_id, goods_id, pool_id, batch_id, quantity, amount, bill_type, line_id, business_date, first_date, reverses"
        " from stock_ledger"
    )


@pytest.fixture(scope="module")
def lines(core_rows: Core, ledger: pl.DataFrame) -> pl.DataFrame:
    """Counting sales lines with their cost; returns negative."""
    rows = core_rows(
        "select 'XSCK' as bill_type, b.*, l.line_id, l.goods_id, l.quantity, l.no_tax_amount as revenue"
        " from (select bill_id, company_id, warehouse_id, customer_id, employee_id, department_id, business_date"
        "       from sales_outbound where status in (2, 4, 5)) b join sales_outbound_line l using (bill_id)"
        " union all"
        " select 'XSTH', b.*, l.line_id, l.goods_id, -l.quantity, -l.no_tax_amount"
        " from (select bill_id, company_id, warehouse_id, customer_id, employee_id, department_id, business_date"
        "       from sales_return where status in (2, 4, 5)) b join sales_return_line l using (bill_id)"
    )
    cost = ledger.group_by("bill_type", "line_id").agg((-pl.col("amount").sum()).alias("cost"))
    return rows.join(cost, on=["bill_type", "line_id"], how="left").with_columns(pl.col("cost").fill_null(0))


@pytest.fixture(scope="module")
def days(ledger: pl.DataFrame) -> pl.DataFrame:
    """Each day's closing stock by warehouse and goods, the value of those that share an average allotted by quantity."""
    first = ledger["business_date"].min()
    calendar = pl.DataFrame({"day": pl.date_range(first, TODAY, "1d", eager=True)})
    keys = ledger.select("company_id", "pool_id", "warehouse_id", "goods_id").unique()
    moved = ledger.group_by("warehouse_id", "goods_id", pl.col("business_date").alias("day")).agg(
        pl.col("quantity").sum(), pl.col("amount").sum()
    )
    own = ["warehouse_id", "goods_id"]
    pool = ["company_id", "pool_id", "goods_id", "day"]
    ratio = pl.col("so_far") / pl.col("total")
    before = (pl.col("so_far") - pl.col("quantity")) / pl.col("total")
    return (
        keys.join(calendar, how="cross")
        .join(moved, on=[*own, "day"], how="left")
        .sort(*own, "day")
        .with_columns(
            pl.col("quantity").fill_null(0).cum_sum().over(own),
            pl.col("amount").fill_null(0).cum_sum().over(own),
        )
        .sort("warehouse_id")
        .with_columns(
            pl.col("quantity").sum().over(pool).alias("total"),
            pl.col("amount").sum().over(pool).round(2).alias("worth"),
            pl.col("quantity").cum_sum().over(pool).alias("so_far"),
        )
        .with_columns(
            pl.when(pl.col("total") > 1e-9)
            .then(_round_cents(pl.col("worth") * ratio) - _round_cents(pl.col("worth") * before))
            .when((pl.col("total") < -1e-9) | (pl.col("worth") != 0))
            .then(pl.col("amount"))
            .otherwise(0)
            .alias("value")
        )
    )


@BOTH
class TestTurnover:
    def test_by_month_and_goods(self, mart: Mart, days: pl.DataFrame, ledger: pl.DataFrame) -> None:
        first = dt.date(2024, 11, 1)
        keys = ["month", "warehouse_id", "goods_id"]
        sales = (
            ledger.filter(pl.col("bill_type").is_in(["XSCK", "XSTH"]), pl.col("business_date") >= first)
            .group_by(MONTHS, "warehouse_id", "goods_id")
            .agg(
                (-pl.col("amount").sum()).alias("sales_cost"),
                (-pl.col("quantity").sum()).alias("sales_quantity"),
            )
        )
        moved = (
            ledger.filter(pl.col("business_date") >= first)
            .select(MONTHS, "warehouse_id", "goods_id")
            .unique()
        )
        held = (
            days.filter(pl.col("day") >= first)
            .group_by(pl.col("day").dt.truncate("1mo").alias("month"), "warehouse_id", "goods_id")
            .agg(
                pl.col("value").sum().alias("value_days"),
                pl.col("quantity").sum().alias("quantity_days"),
                ((pl.col("quantity") != 0) | (pl.col("value").abs() > 0.001)).any().alias("had_stock"),
                pl.col("value").sort_by("day").last().alias("closing_value"),
                pl.col("quantity").sort_by("day").last().alias("closing_quantity"),
            )
        )
        expected = (
            held.join(sales, on=keys, how="left")
            .join(moved.with_columns(pl.lit(True).alias("had_moves")), on=keys, how="left")
            .filter(pl.col("had_stock") | pl.col("had_moves").fill_null(False))
            .drop("had_stock", "had_moves")
            .fill_null(0)
        )
        found = mart(
            "select period_start as month, warehouse_id, goods_id, value_days, quantity_days, sales_cost, sales_quantity,"
            " closing_quantity, closing_value from mart_inventory_turnover"
        )
        assert_frames_agree(found, expected, keys)

    @pytest.mark.parametrize("kind", ["week", "month"])
    def test_by_period(self, mart: Mart, days: pl.DataFrame, ledger: pl.DataFrame, kind: str) -> None:
        label = "%G年第%V周" if kind == "week" else "%Y-%m"
        keys = ["period_label", "warehouse_id"]
        held = (
            days.group_by("day", "warehouse_id")
            .agg(pl.col("value").sum())
            .sort("day")
            .group_by(
                pl.col("day").dt.strftime(label).alias("period_label"), "warehouse_id", maintain_order=True
            )
            .agg(pl.col("value").sum().alias("value_days"), pl.col("value").last().alias("closing_value"))
        )
        sales = (
            ledger.filter(pl.col("bill_type").is_in(["XSCK", "XSTH"]))
            .group_by(pl.col("business_date").dt.strftime(label).alias("period_label"), "warehouse_id")
            .agg((-pl.col("amount").sum()).alias("sales_cost"))
        )
        expected = held.join(sales, on=keys, how="left").fill_null(0).filter(pl.col("value_days") != 0)
        found = mart(
            "select period_label, warehouse_id, sum(value_days) as value_days, sum(closing_value) as closing_value,"
            f" sum(sales_cost) as sales_cost from mart_turnover_period where period_kind = '{kind}'"
            " group by all having sum(value_days) <> 0"
        )
        assert_frames_agree(found, expected, keys)

    def test_what_lay_there_at_the_end_of_each_day(
        self, mart: Mart, core_rows: Core, days: pl.DataFrame
    ) -> None:
        """By kind and brand of the goods."""
        keys = ["day", "company_id", "warehouse_id", "type1_name", "brand_name"]
        goods = core_rows(
            "select g.goods_id, a.goods_type_name as type1_name, n.brand_name from goods g"
            " join goods_type c using (goods_type_id) join goods_type b on b.goods_type_id = c.p_id"
            " join goods_type a on a.goods_type_id = b.p_id join brand n using (brand_id)"
        )
        sums = days.join(goods, on="goods_id").group_by(keys).agg(pl.col("quantity", "value").sum().round(3))
        held = pl.any_horizontal(pl.col("quantity", "value") != 0)
        first = mart("select min(day) from mart_stock_occupation").item()
        found = mart(
            f"select {', '.join(keys)}, sum(quantity) as quantity, sum(value) as value from mart_stock_occupation"
            " group by all"
        )
        assert_frames_agree(found.filter(held), sums.filter(held, pl.col("day") >= first), keys)
        assert first <= dt.date(TODAY.year - 1, TODAY.month, 1)

    def test_a_range_of_stock_begins_with_a_move_of_its_own_or_with_another_value(self, mart: Mart) -> None:
        begun = mart(
            "select b.change_value <> 0 as is_worth_another, m.business_date is not null as has_moves"
            " from facts.fct_stock_balance_daily b left join (select distinct warehouse_id, goods_id, business_date"
            " from facts.fct_stock_move) m on m.warehouse_id = b.warehouse_id and m.goods_id = b.goods_id"
            " and m.business_date = b.valid_from"
        )
        assert begun.filter(~pl.col("is_worth_another"), ~pl.col("has_moves")).is_empty()
        assert not begun.filter("is_worth_another", ~pl.col("has_moves")).is_empty()

    def test_days_of_the_current_period_are_those_elapsed(self, mart: Mart) -> None:
        found = mart(
            "select distinct period_kind, period_label, days from mart_turnover_period"
            " where period_label in ('2026-11', '2026-10', '2026年第47周')"
        )
        assert set(found.rows()) == {
            ("month", "2026-11", 20),
            ("month", "2026-10", 31),
            ("week", "2026年第47周", 5),
        }


@BOTH
class TestAging:
    @pytest.mark.parametrize("as_of", [TODAY, *map(dt.date.fromisoformat, MONTH_ENDS)])
    def test_layers_are_what_the_oldest_receipts_lost(
        self, mart: Mart, ledger: pl.DataFrame, as_of: dt.date, world: str
    ) -> None:
        expected = compute_layers(ledger, as_of)
        found = mart(
            "select warehouse_id, goods_id, batch_id, receipt_date, sum(quantity) as quantity, max(age_days) as age"
            f" from mart_inventory_aging where as_of = date '{as_of}' group by all having sum(quantity) <> 0"
        )
        assert {row[:4]: row[4] for row in found.rows()} == pytest.approx(expected)
        assert {row[5] - max((as_of - row[3]).days, 0) for row in found.rows()} == {0}
        if world != GROUP:
            return
        assert any(quantity < 0 for quantity in expected.values()) == (as_of > dt.date(2026, 10, 30))
        kept = [key for key in expected if key[1] == 118 and key[3] == dt.date(2025, 2, 3)]
        assert bool(kept) == (as_of > dt.date(2026, 10, 20)), (
            "transferred goods keep their first receipt date"
        )

    @pytest.mark.parametrize("as_of", [TODAY, *map(dt.date.fromisoformat, MONTH_ENDS)])
    def test_value_is_the_warehouse_balance(self, mart: Mart, days: pl.DataFrame, as_of: dt.date) -> None:
        expected = (
            days.filter(pl.col("day") == as_of, (pl.col("quantity") != 0) | (pl.col("value").abs() > 0.001))
            .group_by("warehouse_id", "goods_id")
            .agg(pl.col("value").sum())
        )
        found = mart(
            "select warehouse_id, goods_id, sum(value) as value from mart_inventory_aging"
            f" where as_of = date '{as_of}' group by all"
        )
        assert_frames_agree(found, expected, ["warehouse_id", "goods_id"])

    @pytest.mark.parametrize("as_of", [TODAY, *map(dt.date.fromisoformat, MONTH_ENDS)])
    def test_month_ends_by_age(
        self, mart: Mart, ledger: pl.DataFrame, days: pl.DataFrame, as_of: dt.date
    ) -> None:
        expected: dict[tuple[int, str], float] = defaultdict(float)
        for (warehouse, _, _, day), quantity in compute_layers(ledger, as_of).items():
            expected[warehouse, label_age(max((as_of - day).days, 0))] += quantity
        at_end = f"from mart_stock_age_month where month = date '{as_of.replace(day=1)}' group by all"
        found = mart(f"select warehouse_id, bucket, sum(quantity) as quantity {at_end}")
        held = {row[:2]: row[2] for row in found.rows() if abs(row[2]) > 1e-6}
        assert held == pytest.approx(
            {key: quantity for key, quantity in expected.items() if abs(quantity) > 1e-6}
        )
        assert len({bucket for _, bucket in held}) > 3
        balance = days.filter(pl.col("day") == as_of).group_by("warehouse_id").agg(pl.col("value").sum())
        assert_frames_agree(
            mart(f"select warehouse_id, sum(value) as value {at_end}"),
            balance.filter(pl.col("warehouse_id").is_in([warehouse for warehouse, _ in held])),
            ["warehouse_id"],
        )

    def test_buckets_include_their_upper_edge(self, mart: Mart) -> None:
        found = mart(
            "select bucket, bucket_order, min(age_days), max(age_days) from mart_inventory_aging group by all"
        )
        edges = {"0–30天": (0, 30), "31–60天": (31, 60), "61–90天": (61, 90), "91–180天": (91, 180)}
        edges |= {"181–365天": (181, 365), "365天以上": (366, 9999)}
        assert len(found) == len(edges)
        for bucket, order, youngest, oldest in found.rows():
            low, high = edges[bucket]
            assert low <= youngest <= oldest <= high
            assert list(edges).index(bucket) + 1 == order


@SMALL
class TestOddCases:
    def test_a_reversed_receipt_leaves_no_layer(self, mart: Mart) -> None:
        assert mart(
            "select * from mart_inventory_aging where goods_id = 3 and warehouse_id = 7 and batch_id = 1"
        ).is_empty()


@BOTH
class TestSales:
    def test_commodity_profit(self, mart: Mart, lines: pl.DataFrame) -> None:
        keys = ["month", "company_id", "warehouse_id", "goods_id"]
        found = mart(
            f"select {', '.join(keys)}, quantity, revenue, cost, profit from mart_commodity_profit where {OF_SALES}"
        )
        assert_frames_agree(found, _sum_profit(lines, keys), keys)

    def test_customer_profit(self, mart: Mart, lines: pl.DataFrame) -> None:
        keys = ["month", "company_id", "warehouse_id", "customer_id", "employee_id"]
        found = mart(
            f"select {', '.join(keys)}, quantity, revenue, cost, profit from mart_customer_profit where {OF_SALES}"
        )
        assert_frames_agree(found, _sum_profit(lines, keys), keys)

    def test_operating_revenue(self, mart: Mart, lines: pl.DataFrame) -> None:
        keys = ["day", "company_id", "warehouse_id", "employee_id"]
        expected = (
            lines.rename({"business_date": "day"}).group_by(keys).agg(pl.col("revenue", "quantity").sum())
        )
        found = mart(
            f"select {', '.join(keys)}, sum(revenue) as revenue, sum(quantity) as quantity from mart_operating_revenue"
            " group by all"
        )
        assert_frames_agree(found, expected, keys)

    def test_bills_are_counted_once(self, mart: Mart, lines: pl.DataFrame) -> None:
        expected = lines.filter(pl.col("bill_type") == "XSCK")["bill_id"].n_unique()
        assert mart("select sum(bill_count) from mart_operating_revenue").item() == expected

    @pytest.mark.parametrize(
        ("key", "first", "length"),
        [
            ("d7", TODAY - dt.timedelta(days=6), 7),
            ("d30", TODAY - dt.timedelta(days=29), 30),
            ("d90", TODAY - dt.timedelta(days=89), 90),
            ("month", TODAY.replace(day=1), 20),
            ("year", TODAY.replace(month=1, day=1), 324),
        ],
    )
    def test_best_sellers(
        self, mart: Mart, lines: pl.DataFrame, days: pl.DataFrame, key: str, first: dt.date, length: int
    ) -> None:
        keys = ["company_id", "goods_id"]
        stock = (
            days.filter(pl.col("day") == TODAY)
            .group_by(keys)
            .agg(pl.col("quantity").sum().alias("stock_quantity"))
        )
        expected = (
            lines.filter(pl.col("business_date") >= first)
            .group_by(keys)
            .agg(pl.col("quantity", "cost").sum(), pl.col("revenue").sum().alias("amount"))
            .join(stock, on=keys, how="left")
            .with_columns((pl.col("stock_quantity") * length / pl.col("quantity")).alias("cover_days"))
            .with_columns(pl.when(pl.col("quantity") > 0).then("cover_days").fill_null(-1.0))
        )
        found = mart(
            "select company_id, goods_id, sum(quantity) as quantity, sum(cost) as cost, sum(amount) as amount,"
            f" sum(stock_quantity) as stock_quantity, coalesce({COVER.sql}, -1) as cover_days"
            f" from mart_best_seller where period_key = '{key}' group by company_id, goods_id"
        )
        assert_frames_agree(found, expected, keys)


@SMALL
class TestScopes:
    def test_companies(self, mart: Mart) -> None:
        found = set(mart("select role_id, company_id from role_company_scope").rows())
        assert found == {(1, 1), (1, 2), (1, 3), (2, 1), (4, 1), (4, 2), (4, 3)}

    def test_warehouses(self, mart: Mart) -> None:
        of_role: dict[int, set[int]] = defaultdict(set)
        for role_id, warehouse_id in mart("select role_id, warehouse_id from role_warehouse_scope").rows():
            of_role[role_id].add(warehouse_id)
        every = {*range(1, 8), 801}
        assert of_role == {1: every, 2: {3, 6}, 4: every, 5: {3}}

    def test_cost(self, mart: Mart) -> None:
        assert set(mart("select role_id, company_id from role_cost_scope").rows()) == {
            (1, 1),
            (1, 2),
            (1, 3),
            (2, 1),
        }
        assert {
            role for (role,) in mart("select distinct role_id from role_cost_warehouse_scope").rows()
        } == {1, 2}

    @pytest.mark.parametrize(
        ("role_id", "why"),
        [(3, "own bills"), (6, "no company named"), (7, "own department"), (8, "disabled")],
    )
    def test_roles_that_see_nothing(self, mart: Mart, role_id: int, why: str) -> None:
        for table in (
            "role_company_scope",
            "role_warehouse_scope",
            "role_cost_scope",
            "role_cost_warehouse_scope",
        ):
            assert mart(f"select * from {table} where role_id = {role_id}").is_empty(), why


def _round_cents(value: pl.Expr) -> pl.Expr:
    return value.round(2, mode="half_away_from_zero")


def _sum_profit(lines: pl.DataFrame, keys: list[str]) -> pl.DataFrame:
    named: dict[str, Any] = {"month": MONTHS}
    return (
        lines.group_by([named.get(key, pl.col(key)) for key in keys])
        .agg(pl.col("quantity", "revenue", "cost").sum())
        .with_columns((pl.col("revenue") - pl.col("cost")).alias("profit"))
    )
