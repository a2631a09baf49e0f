"""Purchases, prices, indices and payments against polars over the tables of Postgres."""

from __future__ import annotations

import datetime as dt

import polars as pl

from tests.warehouse.conftest import AS_OF, BOTH, GROUP, Core, Mart, assert_frames_agree

TODAY = dt.date.fromisoformat(AS_OF)
MONTH = pl.col("business_date").dt.truncate("1mo").alias("month")
MONTHS = pl.date_range(dt.date(2024, 11, 1), dt.date(2026, 11, 1), "1mo", eager=True).to_list()


def select_prior_days(days: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of last month up to the same day."""
    return days.filter(pl.col("business_date").is_between(dt.date(2026, 10, 1), dt.date(2026, 10, TODAY.day)))


def mean_prices(purchased: pl.DataFrame) -> dict[tuple[int, int], dict[dt.date, tuple[float, float]]]:
    """Return pieces and mean price of paid purchases by company and goods, by month."""
    paid = (
        purchased.filter(pl.col("bill_type") == "CGRK", ~pl.col("is_gift"))
        .group_by("company_id", "goods_id", MONTH)
        .agg(pl.col("quantity").sum(), pl.col("net").sum())
    )
    found: dict = {}
    for company, goods, month, pieces, net in paid.rows():
        found.setdefault((company, goods), {})[month] = (pieces, net / pieces)
    return found


@BOTH
class TestPurchases:
    def test_by_month_and_supplier(self, mart: Mart, purchased: pl.DataFrame) -> None:
        keys = ["month", "company_id", "warehouse_id", "supplier_id", "goods_id"]
        back = pl.col("bill_type") == "CGTH"
        expected = (
            purchased.with_columns(MONTH)
            .group_by(keys)
            .agg(
                pl.col("quantity").sum(),
                pl.col("net").sum().alias("value"),
                (-pl.col("quantity").filter(back).sum()).alias("return_quantity"),
                (-pl.col("net").filter(back).sum()).alias("return_value"),
            )
        )
        found = mart(
            f"select {', '.join(expected.columns)} from mart_purchase_month where quantity <> 0 or return_quantity <> 0"
        )
        assert_frames_agree(found, expected, keys)
        assert expected["return_quantity"].sum() > 0

    def test_prices_by_month_and_supplier(self, mart: Mart, purchased: pl.DataFrame, world: str) -> None:
        keys = ["month", "company_id", "warehouse_id", "supplier_id", "goods_id"]
        bought = purchased.with_columns(MONTH).filter(pl.col("bill_type") != "CGTH")
        paid = bought.filter(~pl.col("is_gift"))
        expected = paid.group_by(keys).agg(
            pl.col("quantity").sum().alias("priced_quantity"), pl.col("net").sum().alias("priced_amount")
        )
        assert_frames_agree(
            mart(f"select {', '.join(expected.columns)} from mart_purchase_price_month"), expected, keys
        )
        assert 0 < paid.height <= bought.height
        if world == GROUP:
            assert paid.height < bought.height

    def test_plans_and_orders_stand_beside(
        self, mart: Mart, core_rows: Core, purchased: pl.DataFrame, world: str
    ) -> None:
        keys = ["month", "company_id", "warehouse_id", "supplier_id", "goods_id"]
        counting = "where h.status in (2, 4, 5)"
        plans = core_rows(
            "select h.company_id, h.warehouse_id, h.business_date, h.status, l.supplier_id, l.goods_id, l.quantity,"
            f" l.no_tax_amount, l.executed_quantity from purchase_plan h join purchase_plan_line l using (bill_id) {counting}"
        )
        orders = core_rows(
            "select h.company_id, h.warehouse_id, h.business_date, h.supplier_id, l.goods_id, l.quantity, l.no_tax_amount"
            f" from purchase_order h join purchase_order_line l using (bill_id) {counting}"
        )
        names = {"quantity": "quantity", "no_tax_amount": "value"}
        sides = [
            rows.with_columns(MONTH)
            .group_by(keys)
            .agg(
                *(pl.col(one).sum().alias(f"{side}_{other}") for one, other in names.items()),
                *([pl.col("executed_quantity").sum().alias("carried_quantity")] * (side == "planned")),
            )
            for side, rows in (("planned", plans), ("ordered", orders))
        ]
        planned_for = [key for key in keys if key != "supplier_id"]
        brought = (
            purchased.with_columns(MONTH)
            .join(sides[0].filter(pl.col("planned_quantity") > 0), on=planned_for, how="semi")
            .group_by(keys)
            .agg(
                pl.col("quantity").sum().alias("in_plan_quantity"), pl.col("net").sum().alias("in_plan_value")
            )
        )
        expected = pl.concat([*sides, brought], how="diagonal").group_by(keys).agg(pl.exclude(keys).sum())
        figures = [name for name in expected.columns if name not in keys]
        found = mart(
            f"select {', '.join(keys)}, {', '.join(f'sum({name}) as {name}' for name in figures)} from mart_purchase_month"
            f" group by all having {' or '.join(f'sum({name}) <> 0' for name in figures)}"
        )
        unnamed = pl.col("supplier_id").fill_null(0)
        assert_frames_agree(found.with_columns(unnamed), expected.with_columns(unnamed), keys)
        if world != GROUP:
            return
        assert plans["supplier_id"].null_count() and set(plans["status"]) == {2, 4}
        assert 0 < expected["carried_quantity"].sum() < expected["planned_quantity"].sum()
        assert 0 < expected["in_plan_quantity"].sum() < purchased["quantity"].sum()

    def test_index_of_a_basket_at_each_month_s_prices(self, mart: Mart, purchased: pl.DataFrame) -> None:
        expected = []
        for base_key, base in (("year", dt.date(2025, 11, 1)), ("january", dt.date(2026, 1, 1))):
            for (company, goods), months in mean_prices(purchased).items():
                if base not in months:
                    continue
                pieces, last = months[base]
                for month in MONTHS[MONTHS.index(base) :]:
                    last = months.get(month, (0, last))[1]
                    at_base = pieces * months[base][1]
                    expected.append(
                        (base_key, month, company, goods, at_base, pieces * last, month in months)
                    )
        names = ["base_key", "month", "company_id", "goods_id", "base_amount", "now_amount", "is_bought"]
        frame = pl.DataFrame(expected, schema=names, orient="row").cast({"is_bought": pl.Int8})
        found = mart(f"select {', '.join(names)} from mart_price_index").cast({"is_bought": pl.Int8})
        assert_frames_agree(found, frame, names[:4], 0.011)
        assert 0 < frame["is_bought"].mean() < 1

    def test_goods_that_rose_against_the_month_before(
        self, mart: Mart, core_rows: Core, purchased: pl.DataFrame, world: str
    ) -> None:
        arrivals = core_rows(
            "select o.company_id, l.goods_id, max(i.business_date) as business_date, o.business_date as ordered_on,"
            " sum(r.quantity) - coalesce((select sum(b.quantity) from purchase_return_line b join purchase_return"
            "  using (bill_id) where b.order_line_id = l.line_id and status in (2, 4, 5)), 0) as quantity"
            " from purchase_order o join purchase_order_line l using (bill_id)"
            " join purchase_inbound_line r on r.order_line_id = l.line_id join purchase_inbound i on i.bill_id = r.bill_id"
            " where o.status in (2, 4, 5) and i.status in (2, 4, 5) group by l.line_id, o.bill_id"
        ).with_columns(
            MONTH, ((pl.col("business_date") - pl.col("ordered_on")).dt.total_days()).alias("days")
        )

        def waits(arrivals: pl.DataFrame) -> dict[tuple[int, int], dict[dt.date, float]]:
            by = arrivals.group_by("company_id", "goods_id", "month")
            found: dict = {}
            for company, goods, month, days in by.agg(
                (pl.col("days") * pl.col("quantity")).sum() / pl.col("quantity").sum()
            ).rows():
                found.setdefault((company, goods), {})[month] = days
            return found

        def score(now: float | None, before: float | None, tolerance: float) -> float | None:
            if now is None or before is None:
                return None
            return 0.5 if abs(now - before) <= tolerance else float(now > before)

        bought, waited = mean_prices(purchased), waits(arrivals)
        part = mean_prices(select_prior_days(purchased)), waits(select_prior_days(arrivals))
        expected = {}
        for key, months in bought.items():
            for month in MONTHS:
                earlier = (month - dt.timedelta(days=1)).replace(day=1)
                bought_before, waited_before = part if month == MONTHS[-1] else (bought, waited)
                if month in months and earlier in bought_before.get(key, {}):
                    (pieces, price), (pieces_before, price_before) = (
                        months[month],
                        bought_before[key][earlier],
                    )
                    days, days_before = (
                        of.get(key, {}).get(then) for of, then in ((waited, month), (waited_before, earlier))
                    )
                    expected[month, *key] = (
                        score(price, price_before, 0.005 * price_before),
                        score(pieces, pieces_before, 0.05 * pieces_before),
                        score(days, days_before, 0.5),
                    )
        assert any(month == MONTHS[-1] for month, *_ in expected)
        found = mart(
            "select month, company_id, goods_id, price_score, quantity_score, delivery_score from mart_purchase_climate"
        )
        assert {row[:3]: row[3:] for row in found.rows()} == expected
        for place, seen in ((0, {0, 0.5, 1}), (1, {0, 0.5, 1}), (2, {None, 0, 0.5, 1})):
            found_here = {row[place] for row in expected.values()}
            assert found_here == seen if world == GROUP else len(found_here) > 1

    def test_orders_that_are_still_to_come_stand_beside_the_stock(self, mart: Mart, core_rows: Core) -> None:
        keys = ["warehouse_id", "goods_id"]

        def rest(side: str, other: str, name: str) -> pl.DataFrame:
            return (
                core_rows(
                    f"select h.warehouse_id, l.goods_id, h.delivery_date, greatest(l.quantity - coalesce(d.quantity, 0), 0)"
                    f" as {name} from {side}_order h join {side}_order_line l using (bill_id) left join ("
                    " select order_line_id, sum(quantity) as quantity from ("
                    f" select status, order_line_id, quantity from {other} join {other}_line using (bill_id) union all"
                    f" select status, order_line_id, -quantity from {side}_return join {side}_return_line using (bill_id)"
                    " ) x where x.status in (2, 4, 5) group by 1"
                    ") d on d.order_line_id = l.line_id where h.status in (2, 5)"
                )
                .filter(pl.col(name) > 0)
                .with_columns(
                    pl.col(name).filter(pl.col("delivery_date") < TODAY).sum().over(keys).alias("late")
                )
                .group_by(keys)
                .agg(pl.col(name).sum(), pl.col("late").first())
            )

        coming, claimed = (
            rest("purchase", "purchase_inbound", "ordered"),
            rest("sales", "sales_outbound", "reserved"),
        )
        found = mart(
            "select warehouse_id, goods_id, ordered_quantity as ordered, late_quantity as late,"
            " reserved_quantity as reserved from mart_goods_stock"
        )
        assert_frames_agree(found.filter(pl.col("ordered") > 0).drop("reserved"), coming, keys)
        reserved = found.filter(pl.col("reserved") > 0).select(*keys, "reserved")
        assert len(reserved) == len(claimed)
        if len(claimed):
            assert_frames_agree(reserved, claimed.drop("late"), keys)

    def test_recent_prices_are_those_of_the_last_three_months(
        self, mart: Mart, purchased: pl.DataFrame
    ) -> None:
        keys = ["company_id", "goods_id"]
        expected = (
            purchased.filter(
                pl.col("bill_type") != "CGTH",
                ~pl.col("is_gift"),
                pl.col("business_date").is_between(dt.date(2026, 8, 1), TODAY),
            )
            .group_by(keys)
            .agg(pl.col("net").sum(), pl.col("quantity").sum())
            .select(
                *keys, (pl.col("net").cast(pl.Float64) / pl.col("quantity").cast(pl.Float64)).alias("price")
            )
        )
        held = mart("select distinct company_id, goods_id, recent_price from mart_goods_stock")
        told = held.drop_nulls().join(expected, on=keys, how="full", coalesce=True)
        assert held["recent_price"].null_count() and told.height
        known = told.filter(pl.struct(keys).is_in(held.select(pl.struct(keys)).to_series().implode()))
        difference = known["recent_price"].cast(pl.Float64) - known["price"]
        assert difference.null_count() == 0 and difference.abs().max() < 1e-6  # type: ignore[operator]

    def test_payments_by_month_and_supplier(self, mart: Mart, core_rows: Core) -> None:
        keys = ["month", "company_id", "supplier_id"]
        entries = core_rows(
            "select l.company_id, l.party_id as supplier_id, l.business_date, l.amount, i.business_date as item_date,"
            " l.bill_type <> i.bill_type or l.bill_id <> i.bill_id as settles, l.bill_type"
            " from settlement_ledger l join settlement_item i using (settlement_id) where l.party_type = 'supplier'"
        )
        waited = -pl.col("amount") * (pl.col("business_date") - pl.col("item_date")).dt.total_days()
        traded = pl.col("bill_type").is_in(["CGRK", "CGTH"])
        expected = (
            entries.with_columns(MONTH)
            .filter(pl.col("month") >= MONTHS[0])
            .group_by(keys)
            .agg(
                pl.col("amount").filter(traded).sum().alias("purchased_amount"),
                (-pl.col("amount").filter(pl.col("bill_type") == "GYFK").sum()).alias("settled_amount"),
                waited.filter("settles").sum().alias("write_off_days"),
            )
        )
        invoices = (
            core_rows(
                "select company_id, supplier_id, business_date, total_amount as invoiced_amount from purchase_invoice"
                " where status in (2, 4, 5)"
            )
            .with_columns(MONTH)
            .filter(pl.col("month") >= MONTHS[0])
            .group_by(keys)
            .agg(pl.col("invoiced_amount").sum())
        )
        expected = expected.join(invoices, on=keys, how="full", coalesce=True).fill_null(0)
        figures = [name for name in expected.columns if name not in keys]
        found = mart(f"select {', '.join(keys + figures)} from mart_supplier_payment")
        moved = pl.any_horizontal(pl.col(figures) != 0)
        assert_frames_agree(found.filter(moved), expected.filter(moved), keys, 0.02)
        assert all(expected[name].sum() > 0 for name in figures)
