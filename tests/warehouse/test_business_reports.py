"""Open items, partners' months, write-offs, orders and the business day against polars over the tables of Postgres."""

from __future__ import annotations

import calendar
import datetime as dt

import polars as pl
import pytest

from tests.warehouse.conftest import AS_OF, BOTH, Core, Mart, assert_frames_agree
from tests.warehouse.settlement import UNAPPLIED

TODAY = dt.date.fromisoformat(AS_OF)
MONTHS = pl.date_range(dt.date(2024, 11, 1), dt.date(2026, 11, 1), "1mo", eager=True).alias("month")
ENDS = pl.DataFrame({"month": MONTHS}).with_columns(
    pl.min_horizontal(pl.col("month").dt.month_end(), pl.lit(TODAY)).alias("as_of")
)
MONTH = pl.col("business_date").dt.truncate("1mo").alias("month")
SIDES = pytest.mark.parametrize(("side", "party"), [("receivable", "customer"), ("payable", "supplier")])


@pytest.fixture(scope="module")
def entries(core_rows: Core) -> pl.DataFrame:
    """The settlement ledger with the items that its entries change."""
    return core_rows(
        "select l.entry_id, l.settlement_id, l.company_id, l.party_type, l.party_id, l.amount, l.bill_type,"
        f" l.bill_id, l.business_date, i.kind, {UNAPPLIED} as unapplied, i.due_date, i.amount as item_amount, i.bill_type as item_type,"
        " i.bill_id as item_id from settlement_ledger l join settlement_item i using (settlement_id)"
    )


def is_settlement() -> pl.Expr:
    """Return whether an entry settles: it changes an advance, or an item that another bill opened.

    What the books opened with settled nothing, advances neither.
    """
    own = (pl.col("bill_type") == pl.col("item_type")) & (pl.col("bill_id") == pl.col("item_id"))
    return (pl.col("kind") == "advance") | ~own


def label_bucket(days: int) -> str:
    edges = {0: "未到期", 30: "1–30天", 60: "31–60天", 90: "61–90天", 180: "91–180天"}
    return next((label for edge, label in edges.items() if days <= edge), "180天以上")


@BOTH
@SIDES
class TestPartners:
    def test_open_items_at_each_month_end_by_days_past_due(
        self, mart: Mart, entries: pl.DataFrame, side: str, party: str
    ) -> None:
        open_items = (
            entries.filter(pl.col("party_type") == party)
            .join(ENDS, how="cross")
            .filter(pl.col("business_date") <= pl.col("as_of"))
            .group_by("month", "as_of", "settlement_id", "unapplied", "due_date")
            .agg(pl.col("amount").sum().round(2))
            .filter(pl.col("amount") != 0)
        )
        expected = {}
        for month, as_of, number, unapplied, due, amount in open_items.rows():
            late = 0 if unapplied else max((as_of - due).days, 0)
            expected[month, number] = (
                late,
                label_bucket(late),
                0 if unapplied else amount,
                -amount if unapplied else 0,
            )
        found = mart(
            f"select month, settlement_id, days_past_due, bucket, open_amount, advance_amount from mart_{side}_aging"
        )
        assert {row[:2]: row[2:] for row in found.rows()} == expected
        assert len(expected) > len(MONTHS)

    def test_months_go_from_opening_to_closing(
        self, mart: Mart, entries: pl.DataFrame, side: str, party: str
    ) -> None:
        keys = ["month", "company_id", f"{party}_id"]
        own = entries.filter(pl.col("party_type") == party).rename({"party_id": f"{party}_id"})
        partners = own.select(keys[1:]).unique().join(ENDS, how="cross")
        # A bill that was voided neither came nor went back.
        moved = (
            own.with_columns(MONTH, is_settlement().alias("settling"))
            .group_by(*keys, "settling", "bill_type", "bill_id")
            .agg(pl.col("amount").sum().round(2))
            .group_by(keys)
            .agg(
                pl.col("amount").filter(~pl.col("settling"), pl.col("amount") > 0).sum().alias("in"),
                (-pl.col("amount").filter(~pl.col("settling"), pl.col("amount") < 0).sum()).alias("back"),
                (-pl.col("amount").filter(pl.col("settling")).sum()).alias("settled_amount"),
                pl.len().alias("moves"),
            )
        )
        before = (
            partners.join(own, on=keys[1:])
            .group_by(keys)
            .agg(
                pl.col("amount")
                .filter(pl.col("business_date") < pl.col("month"))
                .sum()
                .alias("opening_amount"),
                pl.col("amount")
                .filter(pl.col("business_date") <= pl.col("as_of"))
                .sum()
                .alias("closing_amount"),
            )
        )
        expected = (
            before.join(moved, on=keys, how="left")
            .filter((pl.col("closing_amount").abs() > 0.001) | pl.col("moves").is_not_null())
            .fill_null(0)
        )
        found = mart(
            f"select {', '.join(keys)}, opening_amount, delivery_amount + greatest(other_amount, 0) as in,"
            f" return_amount - least(other_amount, 0) as back, settled_amount + offset_amount as settled_amount, closing_amount"
            f" from mart_{side}_month"
        )
        assert_frames_agree(found, expected.drop("moves"), keys)

    def test_write_offs_name_both_bills(
        self, mart: Mart, entries: pl.DataFrame, side: str, party: str
    ) -> None:
        expected = (
            entries.filter(
                pl.col("party_type") == party,
                (pl.col("bill_type") != pl.col("item_type")) | (pl.col("bill_id") != pl.col("item_id")),
            )
            .with_columns(
                -pl.col("amount"),
                pl.max_horizontal(
                    (pl.col("business_date") - pl.col("due_date")).dt.total_days(), pl.lit(0)
                ).alias("late_days"),
            )
            .select("entry_id", "bill_id", "item_id", "amount", "late_days")
        )
        name = {"receivable": "应收", "payable": "应付"}[side]
        found = mart(
            "select entry_id, bill_id, item_bill_id as item_id, amount, late_days from mart_write_off"
            f" where side = '{name}'"
        )
        assert_frames_agree(found, expected, ["entry_id"])
        assert len(expected) > 0


@BOTH
class TestTrade:
    def test_purchases_beside_sales(self, mart: Mart, core_rows: Core) -> None:
        keys = ["month", "company_id", "warehouse_id", "goods_id"]
        bought = core_rows(
            "select b.company_id, b.warehouse_id, l.goods_id, b.business_date, l.quantity as purchase_quantity,"
            " l.no_tax_amount as purchase_value from purchase_inbound b join purchase_inbound_line l using (bill_id)"
            " where b.status in (2, 4, 5) union all"
            " select b.company_id, b.warehouse_id, l.goods_id, b.business_date, -l.quantity, -l.no_tax_amount"
            " from purchase_return b join purchase_return_line l using (bill_id) where b.status in (2, 4, 5)"
        )
        sold = core_rows(
            "select company_id, warehouse_id, goods_id, business_date, -quantity as sales_quantity,"
            " -amount as sales_cost from stock_ledger where bill_type in ('XSCK', 'XSTH')"
        )
        for rows, names in (
            (bought, ["purchase_quantity", "purchase_value"]),
            (sold, ["sales_quantity", "sales_cost"]),
        ):
            expected = rows.with_columns(MONTH).group_by(keys).agg(pl.col(names).sum())
            sums = ", ".join(f"sum({name}) as {name}" for name in names)
            kept = f"{names[0]} <> 0 or {names[1]} <> 0"
            found = mart(
                f"select {', '.join(keys)}, {sums} from mart_trade_balance where {kept} group by all"
            )
            assert_frames_agree(found, expected.filter(pl.any_horizontal(pl.col(names) != 0)), keys)

    def test_orders_are_filled_by_what_was_delivered(self, mart: Mart, core_rows: Core) -> None:
        lines = core_rows(
            "select o.line_id, b.status, b.business_date, b.delivery_date, o.quantity,"
            " coalesce(d.quantity, 0) as delivered, d.last_date"
            " from sales_order b join sales_order_line o using (bill_id) left join ("
            "   select e.order_line_id, sum(e.quantity) as quantity, max(e.business_date) as last_date from ("
            "     select l.order_line_id, l.quantity, h.business_date"
            "     from sales_outbound h join sales_outbound_line l using (bill_id) where h.status in (2, 4, 5)"
            "     union all select l.order_line_id, -l.quantity, null"
            "     from sales_return h join sales_return_line l using (bill_id) where h.status in (2, 4, 5)"
            "   ) e group by 1"
            " ) d on d.order_line_id = o.line_id where b.status in (2, 4, 5)"
        )
        expected = {}
        for line_id, status, ordered_on, due, ordered, delivered, last in lines.rows():
            missing = max(ordered - delivered, 0)
            closed = status == 4
            state = "已关闭" if closed and missing else "部分发货" if missing and delivered else "未发货"
            late = max(((TODAY if missing else last) - due).days, 0) if not closed else 0
            expected[line_id] = (
                "已发完" if not missing else state,
                None if missing else (last - ordered_on).days,
                late,
                ordered - missing,
                0 if closed else missing,
                missing if closed else 0,
            )
        found = mart(
            "select line_id, state, lead_days, late_days, filled_quantity, rest_quantity, cancelled_quantity"
            " from mart_sales_order"
        )
        assert {row[0]: row[1:] for row in found.rows()} == expected
        assert {row[0] for row in expected.values()} >= {"已发完", "已关闭"}


@BOTH
class TestBusinessDay:
    def test_each_day_of_each_company(self, mart: Mart, core_rows: Core, entries: pl.DataFrame) -> None:
        days = pl.date_range(dt.date(2024, 11, 1), TODAY, "1d", eager=True).alias("day")
        # Who has never done anything would stand in reports as rows of zeros.
        companies = core_rows(
            "select company_id from stock_ledger union select company_id from settlement_ledger"
        )
        day = pl.col("business_date").alias("day")
        stock = core_rows("select company_id, business_date, amount from stock_ledger")
        sales = core_rows(
            "select company_id, business_date, l.no_tax_amount as amount from sales_outbound"
            " join sales_outbound_line l using (bill_id) where status in (2, 4, 5)"
            " union all select company_id, business_date, -l.no_tax_amount from sales_return"
            " join sales_return_line l using (bill_id) where status in (2, 4, 5)"
        )
        customers = entries.filter(pl.col("party_type") == "customer")
        overdue = (
            customers.filter(
                pl.col("item_amount") > 0,
                pl.col("kind") != "advance",
                pl.col("business_date") <= pl.col("due_date") + dt.timedelta(days=1),
            )
            .with_columns((pl.col("due_date") + dt.timedelta(days=1)).alias("business_date"))
            .select("company_id", "business_date", "amount")
        )
        figures = {
            "sales": sales,
            "receipts": customers.filter(pl.col("bill_type") == "KHSK").with_columns(-pl.col("amount")),
            "payments": entries.filter(pl.col("bill_type") == "GYFK").with_columns(-pl.col("amount")),
            "new_overdue": overdue,
        }
        levels = {
            "stock_closing": stock,
            "receivable_closing": customers,
            "payable_closing": entries.filter(pl.col("party_type") == "supplier"),
        }
        expected = companies.join(days.to_frame(), how="cross")
        for name, rows in (figures | levels).items():
            summed = rows.group_by("company_id", day).agg(pl.col("amount").sum().alias(name))
            if name in levels:
                spread = companies.join(
                    pl.date_range(dt.date(2023, 1, 1), TODAY, "1d", eager=True).alias("day").to_frame(),
                    how="cross",
                )
                summed = (
                    spread.join(summed, on=["company_id", "day"], how="left")
                    .fill_null(0)
                    .sort("day")
                    .with_columns(pl.col(name).cum_sum().over("company_id"))
                )
            expected = expected.join(summed, on=["company_id", "day"], how="left")
        expected = (
            expected.fill_null(0)
            .sort("day")
            .with_columns(
                pl.col("sales")
                .cum_sum()
                .over("company_id", pl.col("day").dt.truncate("1mo"))
                .alias("mtd_sales")
            )
        )
        names = [*figures, *levels, "mtd_sales"]
        found = mart(f"select company_id, day, {', '.join(names)} from mart_business_day")
        assert_frames_agree(found, expected.select("company_id", "day", *names), ["company_id", "day"], 0.02)

    def test_a_month_stands_beside_the_months_before(self, mart: Mart) -> None:
        """The running one beside them up to the same day."""
        flows = ("sales", "purchase", "receipts", "payments")
        for flow in flows:
            months = mart(
                f"select month, company_id, {flow}, {flow}_before, {flow}_year from mart_business_month"
            )
            known = {row[:2]: row[2] for row in months.rows()}
            days = mart(
                f"select cast(date_trunc('month', day) as date), company_id, sum({flow}),"
                f" sum({flow}) filter (where extract(day from day) <= 20) from mart_business_day group by all"
            )
            so_far = {row[:2]: row[3] for row in days.rows()}
            assert known == pytest.approx({row[:2]: row[2] for row in days.rows()})
            for month, company, _, before, year in months.rows():
                earlier = (month - dt.timedelta(days=1)).replace(day=1)
                then = so_far if month == dt.date(2026, 11, 1) else known
                assert before == pytest.approx(then.get((earlier, company)))
                assert year == pytest.approx(then.get((month.replace(year=month.year - 1), company)))
            assert len(known) == 25 * months["company_id"].n_unique()

    def test_a_month_so_far_stands_beside_the_same_days_before(self, mart: Mart) -> None:
        """On the last day of a month beside the whole of the other."""

        def so_far(day: dt.date, months: int) -> dt.date:
            year, month = divmod(12 * day.year + day.month - 1 - months, 12)
            end = calendar.monthrange(year, month + 1)[1]
            is_end = (day + dt.timedelta(days=1)).day == 1
            return dt.date(year, month + 1, end if is_end else min(day.day, end))

        for flow in ("sales", "purchase", "receipts", "payments"):
            days = mart(
                f"select day, company_id, mtd_{flow}, mtd_{flow}_before, mtd_{flow}_year from mart_business_day"
            )
            known = {row[:2]: row[2] for row in days.rows()}
            for day, company, _, before, year in days.rows():
                assert before == known.get((so_far(day, 1), company)), day
                assert year == known.get((so_far(day, 12), company)), day
            ends = {day for day, *_ in days.rows() if (day + dt.timedelta(days=1)).day == 1}
            assert len(ends) >= 24


@BOTH
def test_targets_stand_beside_what_their_companies_did_in_their_months(mart: Mart, core_rows: Core) -> None:
    """Those of months to come stand alone, for they are of nothing yet."""
    columns = "company_id, sales_target, profit_target, receipts_target, stock_target"
    entered = core_rows(f"select month as month_label, {columns} from business_target")
    stand = mart(
        f"select month_label, {columns} from mart_business_month where coalesce(sales_target, stock_target) is not null"
    )
    assert len(entered) >= 5
    assert entered["month_label"].max() > AS_OF[:7]
    keys = ["month_label", "company_id"]
    assert_frames_agree(stand, entered.filter(pl.col("month_label") <= AS_OF[:7]), keys)
    assert_frames_agree(mart(f"select month_label, {columns} from mart_business_target"), entered, keys)
