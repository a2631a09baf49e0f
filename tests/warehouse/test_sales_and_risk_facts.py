"""Stock-outs, allotted rebates, coupons and pledges, worked out in Python over the tables of Postgres."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from decimal import ROUND_HALF_UP, Decimal

import polars as pl
import pytest

from reports.catalogue import find_report
from tests.warehouse.conftest import AS_OF, BOTH, GROUP, Core, Mart

TODAY = dt.date.fromisoformat(AS_OF)
ONE_DAY = dt.timedelta(days=1)
SPAN = 90


def _query_sold(core_rows: Core) -> pl.DataFrame:
    """Lines of sales bills that count, returns negative."""
    parts = (
        f"select '{kind}' as bill_type, h.company_id, h.customer_id, h.business_date, l.line_id, l.goods_id, l.is_gift,"
        f" {sign} * l.quantity as quantity, {sign} * l.amount as amount, {sign} * l.no_tax_amount as revenue"
        f" from {bill} h join {bill}_line l using (bill_id) where h.status in (2, 4, 5)"
        for kind, bill, sign in (("XSCK", "sales_outbound", 1), ("XSTH", "sales_return", -1))
    )
    return core_rows(" union all ".join(parts))


def _round_cents(value: float) -> float:
    """Rounded as money is: halves upward."""
    return float(Decimal(f"{value:.8f}").quantize(Decimal("0.01"), ROUND_HALF_UP))


@pytest.fixture(scope="module")
def sold(core_rows: Core) -> pl.DataFrame:
    return _query_sold(core_rows)


@BOTH
class TestStockOuts:
    def test_every_day_walked(self, mart: Mart, core_rows: Core, sold: pl.DataFrame) -> None:
        """Each goods of a company day by day: out of stock since the last piece left, missed for 90 days at most."""
        keys = ("company_id", "goods_id")
        sales: dict = defaultdict(list)
        for company, goods, day, pieces, revenue in sold.select(
            *keys, "business_date", "quantity", "revenue"
        ).rows():
            sales[company, goods].append((day, pieces, revenue))
        moves: dict = defaultdict(lambda: defaultdict(float))
        for company, goods, day, pieces in core_rows(
            "select company_id, goods_id, business_date, quantity from stock_ledger where quantity <> 0"
        ).rows():
            moves[company, goods][day] += pieces
        expected = {}
        for key, days in moves.items():
            stock, left = 0.0, None
            for number in range((max(days) - min(days)).days + SPAN + 1):
                day = min(days) + number * ONE_DAY
                if day in days:
                    stock, left = round(stock + days[day], 3), day
                elif stock <= 0 and (day - left).days <= SPAN:
                    since = left - (SPAN - 1) * ONE_DAY
                    before = [row for row in sales[key] if since <= row[0] <= left]
                    pieces = round(sum(row[1] for row in before), 3)
                    if pieces > 0:
                        expected[*key, day] = (pieces, round(sum(row[2] for row in before), 2))
        found = {}
        for company, goods, start, end, pieces, revenue in mart(
            "select company_id, goods_id, valid_from, valid_to, quantity_before, revenue_before from facts.fct_stock_out"
        ).rows():
            for number in range((end - start).days + 1):
                found[company, goods, start + number * ONE_DAY] = (pieces, round(revenue, 2))
        assert found == expected
        assert len(expected) > 100


@BOTH
class TestRebates:
    def test_a_rebate_stands_with_what_earned_it(
        self, mart: Mart, core_rows: Core, sold: pl.DataFrame, world: str
    ) -> None:
        types = core_rows(
            "select g.goods_id, g.brand_id, c.goods_type_id as type3, b.goods_type_id as type2, b.p_id as type1"
            " from goods g join goods_type c using (goods_type_id) join goods_type b on b.goods_type_id = c.p_id"
        )
        rules = core_rows("select * from customer_rebate_policy_goods")
        found = mart("select * from facts.fct_customer_rebate_line")
        rebates = core_rows(
            "select r.*, p.starts_on, p.ends_on from customer_rebate r"
            " join customer_rebate_policy p on p.bill_id = r.policy_id"
        ).to_dicts()
        earned = core_rows(
            "select 'XSTH' as bill_type, l.line_id, least(h.business_date, o.business_date) as earned_on"
            " from sales_return h join sales_return_line l using (bill_id)"
            " join sales_outbound_line s on s.line_id = l.source_line_id"
            " join sales_outbound o on o.bill_id = s.bill_id"
        )
        sold = sold.join(earned, on=["bill_type", "line_id"], how="left").with_columns(
            pl.coalesce("earned_on", "business_date").alias("earned_on")
        )
        counts = {}
        for rebate in rebates:
            number = rebate["bill_id"]
            parts = found.filter(pl.col("rebate_id") == number)
            if rebate["status"] not in (2, 4, 5):
                assert parts.is_empty()
                continue
            own = rules.filter(pl.col("bill_id") == rebate["policy_id"])
            lines = sold.join(types, on="goods_id").filter(
                pl.col("company_id") == rebate["company_id"],
                pl.col("customer_id") == rebate["customer_id"],
                pl.col("business_date").is_between(rebate["cycle_start"], rebate["cycle_end"]),
                pl.col("earned_on").is_between(rebate["starts_on"], rebate["ends_on"]),
                ~pl.col("is_gift"),
            )
            if not own.is_empty():
                kinds = own["goods_type_id"].drop_nulls().implode()
                lines = lines.filter(
                    pl.col("goods_id").is_in(own["goods_id"].drop_nulls().implode())
                    | pl.col("brand_id").is_in(own["brand_id"].drop_nulls().implode())
                    | pl.any_horizontal(pl.col(f"type{level}").is_in(kinds) for level in (1, 2, 3))
                )
            counts[number] = len(lines)
            assert round(parts["rebate_amount"].sum(), 2) == round(rebate["amount"], 2)
            if lines.is_empty():
                assert parts.select("business_date", "goods_id", "amount").rows() == [
                    (rebate["cycle_end"], None, 0)
                ]
                continue
            assert set(parts["line_id"]) == set(lines["line_id"])
            both = parts.join(lines, on=["bill_type", "line_id"], suffix="_own")
            worth = pl.col("amount_own") * rebate["amount"] / lines["amount"].sum()
            assert both.select((pl.col("rebate_amount") - worth).abs().max()).item() <= 0.011
            assert (both["business_date"] == both["business_date_own"]).all()
        assert any(counts.values())
        if world == GROUP:
            assert counts[1] > counts[2] > 0 and counts[5] == 0

    def test_profit_after_rebate_is_less_the_rebates_of_the_month(self, mart: Mart, core_rows: Core) -> None:
        given = core_rows("select sum(amount) from customer_rebate where status in (2, 4, 5)").item()
        parts = mart(
            "select date_trunc('month', business_date)::date as month, customer_id, goods_id, rebate_amount"
            " from facts.fct_customer_rebate_line"
        )
        assert round(parts["rebate_amount"].sum(), 2) == round(given, 2) != 0
        for name, key, own in (
            ("mart_customer_profit", "customer_id", parts),
            ("mart_commodity_profit", "goods_id", parts.drop_nulls("goods_id")),
        ):
            sums = mart(
                f"select month, {key}, sum(rebate) as rebate, sum(profit - profit_after_rebate + supplier_rebate) as less"
                f" from {name} group by all having sum(rebate) <> 0"
            )
            expected = (
                own.group_by("month", key)
                .agg(pl.col("rebate_amount").sum())
                .filter(pl.col("rebate_amount") != 0)
            )
            wanted = {row[:2]: round(row[2], 2) for row in expected.rows()}
            assert {row[:2]: round(row[2], 2) for row in sums.rows()} == wanted
            assert {row[:2]: round(row[3], 2) for row in sums.rows()} == wanted

    @pytest.mark.parametrize("tab", ["all", "days"])
    def test_what_suppliers_grant_on_goods_that_nobody_bought_is_told_by_itself(
        self, mart: Mart, tab: str
    ) -> None:
        """In a row that is no customer's, so that customers and goods have the same profit after rebates, save what
        customers were granted for no goods.
        """
        board = find_report("CustomerProfit").tab(tab).cost
        data = board.dataset(board.chart("detail").dataset)
        rows = f"({data.sql}) as d where role_id = 1 and beside_order = 0"
        unsold = mart(
            "select sum(confirmed_amount + expected_amount) from facts.fct_supplier_rebate_line where customer_id is null"
        ).item()
        assert unsold > 0
        told = data.metric("unsold_rebate").sql
        for where in ("true", "customer_name = '未售出'"):
            assert mart(f"select {told} from {rows} and {where}").item() == pytest.approx(unsold)
        of_goods = mart("select sum(profit_after_expected) from mart_commodity_profit").item()
        granted = "select coalesce(sum(rebate_amount), 0) from facts.fct_customer_rebate_line where goods_id is null"
        told = mart(f"select sum(after_expected) from {rows}").item()
        assert told == pytest.approx(of_goods - mart(granted).item())


@BOTH
class TestCoupons:
    def test_used_and_what_they_sold(self, mart: Mart, core_rows: Core, world: str) -> None:
        amounts = dict(
            core_rows(
                "select bill_id, sum(l.amount) from sales_outbound h join sales_outbound_line l using (bill_id)"
                " where h.status in (2, 4, 5) group by 1"
            ).rows()
        )
        uses = core_rows("select * from sales_coupon_use").to_dicts()
        taken: dict = defaultdict(float)
        for use in uses:
            taken[use["bill_id"]] += use["discount_amount"]
        expected = {
            use["sales_coupon_grant_id"]: (
                use["bill_id"],
                use["discount_amount"],
                amounts[use["bill_id"]] * use["discount_amount"] / taken[use["bill_id"]],
            )
            for use in uses
            if use["bill_id"] in amounts
        }
        found = mart("select grant_id, bill_id, discount_amount, sales_amount from facts.fct_sales_coupon")
        assert len(found) == 20 if world == GROUP else len(found) > 20
        for grant, bill, discount, sales in found.rows():
            wanted = expected.pop(grant, (None, 0, 0))
            assert (bill, discount) == wanted[:2]
            assert sales == pytest.approx(wanted[2], abs=0.011)
        assert expected == {}
        sums = found.group_by("bill_id").agg(pl.col("sales_amount").sum()).drop_nulls()
        assert {bill: round(total, 2) for bill, total in sums.rows()} == {
            bill: round(amounts[bill], 2) for bill in sums["bill_id"]
        }


@BOTH
class TestPledges:
    def test_the_lower_of_cost_and_price_less_the_haircut(
        self, mart: Mart, core_rows: Core, world: str
    ) -> None:
        # What is claimed under guarantee has an average of its own.
        stock: dict = defaultdict(lambda: [0.0, 0.0])
        for company, goods, day, pieces, value in core_rows(
            "select company_id, goods_id, business_date, quantity, amount from stock_ledger where pool_id = 0"
        ).rows():
            for month in (10, 11):
                if day <= (TODAY if month == 11 else dt.date(2026, 10, 31)):
                    place = stock[month, company, goods]
                    place[0], place[1] = place[0] + pieces, place[1] + value
        lines = core_rows("select * from pledge_contract_line").to_dicts()
        goods_values, contracts, short = {}, {}, []
        for month, day in ((10, dt.date(2026, 10, 31)), (11, TODAY)):
            for row in core_rows("select * from pledge_contract order by starts_on").to_dicts():
                released = row["released_on"]
                if row["status"] == 3 or row["starts_on"] > day or (released and released <= day):
                    continue
                worth = agreed = 0.0
                for line in (one for one in lines if one["bill_id"] == row["bill_id"]):
                    pieces, value = stock[month, row["company_id"], line["goods_id"]]
                    cost = round(value / pieces, 6) if pieces > 0 else 0
                    left = 1 - row["haircut"] / 100
                    value = _round_cents(line["quantity"] * min(cost, line["price"]) * left)
                    goods_values[month, line["line_id"]] = value
                    worth, agreed = (
                        worth + value,
                        agreed + _round_cents(line["quantity"] * line["price"] * left),
                    )
                gap = max(row["loan_amount"] - worth, 0)
                state = "已解押" if released else "逾期" if row["ends_on"] < TODAY else "在押"
                contracts[month, row["bill_id"]] = (state, round(worth, 2), round(gap, 2), round(agreed, 2))
                short.append(gap > 0)
        found = mart(
            "select month, line_id, pledge_value from mart_pledge_goods where month >= date '2026-10-01'"
        )
        assert {(day.month, line): round(value, 2) for day, line, value in found.rows()} == goods_values
        found = mart(
            "select month, contract_id, state, pledge_value, shortfall, agreed_amount from mart_pledge_contract"
            " where month >= date '2026-10-01'"
        )
        assert {
            (day.month, contract): (state, *(round(figure, 2) for figure in figures))
            for day, contract, state, *figures in found.rows()
        } == contracts
        if world != GROUP:
            return
        assert {row[0] for row in contracts.values()} == {"在押", "逾期"}
        assert any(short) and not all(short)

    def test_pieces_beyond_the_stock_are_told_once(self, mart: Mart, world: str) -> None:
        sums = mart(
            "select company_id, goods_id, sum(quantity) as pledged, sum(missing_quantity) as missing,"
            " greatest(any_value(stock_quantity), 0) as stock from mart_pledge_goods where month = date '2026-11-01'"
            " group by all"
        )
        beyond = (pl.col("pledged") - pl.col("stock")).clip(lower_bound=0)
        assert sums.select((pl.col("missing") - beyond).abs().max()).item() == 0
        assert sums["missing"].sum() > 0 or world != GROUP
