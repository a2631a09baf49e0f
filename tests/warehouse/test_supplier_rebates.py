"""Supplier rebates against polars over the tables of Postgres."""

from __future__ import annotations

import datetime as dt
from decimal import ROUND_HALF_UP, Decimal

import polars as pl
import pytest

from tests.warehouse.conftest import AS_OF, BOTH, GROUP, Core, Mart

TODAY = dt.date.fromisoformat(AS_OF)


@BOTH
class TestRebates:
    """Each policy's cycles walked month by month; tiers tried one after the other."""

    def cycles(self, policy: dict) -> list[tuple[dt.date, dt.date]]:
        months, found = policy["cycle_months"], []
        day = policy["starts_on"].replace(month=(policy["starts_on"].month - 1) // months * months + 1, day=1)
        while day <= min(policy["ends_on"], TODAY):
            year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
            after = dt.date(year, month + 1, 1)
            found.append(
                (max(day, policy["starts_on"]), min(after - dt.timedelta(days=1), policy["ends_on"]))
            )
            day = after
        return found

    def late_cycles(self, policy: dict, days: list[dt.date]) -> list[tuple[dt.date, dt.date]]:
        """The cycles after the end that have one of the days."""
        endless = self.cycles({**policy, "ends_on": TODAY + dt.timedelta(days=4000)})
        cut = [(max(start, policy["ends_on"] + dt.timedelta(days=1)), end) for start, end in endless]
        return [(start, end) for start, end in cut if any(start <= day <= end for day in days)]

    def counted(self, policy: dict, rules: pl.DataFrame, purchased: pl.DataFrame) -> pl.DataFrame:
        own = purchased.filter(
            pl.col("company_id") == policy["company_id"],
            pl.col("supplier_id") == policy["supplier_id"],
            pl.col("earned_on").is_between(policy["starts_on"], policy["ends_on"]),
            ~pl.col("is_gift"),
        )
        if rules.is_empty():
            return own
        types = rules["goods_type_id"].drop_nulls()
        return own.filter(
            pl.col("goods_id").is_in(rules["goods_id"].drop_nulls())
            | pl.col("brand_id").is_in(rules["brand_id"].drop_nulls())
            | pl.any_horizontal(pl.col(f"type{level}").is_in(types) for level in (1, 2, 3))
        )

    def test_cycles_earn_what_their_bills_reach(
        self, mart: Mart, core_rows: Core, purchased: pl.DataFrame, world: str
    ) -> None:
        tiers = core_rows("select * from supplier_rebate_policy_tier")
        rules = core_rows("select * from supplier_rebate_policy_goods")
        granted = {
            (row["policy_id"], row["cycle_start"]): row
            for row in core_rows(
                "select r.policy_id, r.cycle_start, r.status, r.amount, -coalesce(i.open_amount, 0) as left_over"
                " from supplier_rebate r left join settlement_item i on i.bill_type = 'CGFL' and i.bill_id = r.bill_id"
            ).to_dicts()
        }
        expected, late = {}, 0
        for policy in core_rows("select * from supplier_rebate_policy where status in (2, 4, 5)").to_dicts():
            number = policy["bill_id"]
            own = self.counted(policy, rules.filter(pl.col("bill_id") == number), purchased)
            earlier = [Decimal(0), Decimal(0)]
            after = [day for day in own["business_date"] if day > policy["ends_on"]]
            after += [start for key, start in granted if key == number and start > policy["ends_on"]]
            late += len(after)
            for start, end in self.cycles(policy) + self.late_cycles(policy, after):
                base = own.filter(pl.col("business_date").is_between(start, end))
                pieces, amount = round(base["quantity"].sum(), 3), round(base["amount"].sum(), 2)
                measured, reward = (pieces, "unit_rebate") if policy["measure"] == 1 else (amount, "rate")
                reached = [
                    row
                    for row in tiers.filter(pl.col("bill_id") == number).sort("starts_from").to_dicts()
                    if row["starts_from"] <= max(measured, 0)
                ]
                accrued = Decimal(0)
                if reached:
                    factor = Decimal(str(reached[-1][reward])) / (1 if policy["measure"] == 1 else 100)
                    taken = Decimal(str(reached[-1]["quick_deduction"]))
                    accrued = Decimal(str(measured)) * factor - taken
                if measured > 0:
                    earlier = [earlier[0] + Decimal(str(measured)), earlier[1] + accrued]
                elif measured < 0 < earlier[0]:
                    accrued = Decimal(str(measured)) * earlier[1] / earlier[0]
                rebate = granted.get((number, start))
                status = rebate and (2 if rebate["status"] in (2, 4, 5) else rebate["status"])
                confirmed = rebate["amount"] if rebate and status == 2 else 0
                left = rebate["left_over"] if rebate else 0
                waiting = "进行中" if end >= TODAY else "待确认" if accrued else "未达标"
                state = {None: waiting, 1: "待审核", 2: "已确认"}[status]
                expected[number, start] = (
                    *(end, pieces, amount),
                    float(accrued.quantize(Decimal("0.01"), ROUND_HALF_UP)),
                    *(confirmed, confirmed - left, left, state),
                )
        found = mart(
            "select policy_id, cycle_start, cycle_end, base_quantity, base_amount, accrued_amount, confirmed_amount,"
            " used_amount, left_amount, state from mart_supplier_rebate"
        )
        assert {row[:2]: row[2:] for row in found.rows()} == expected
        assert {row[-1] for row in expected.values()} >= {"进行中", "待审核", "已确认"}
        if world != GROUP:
            return
        assert {row[-1] for row in expected.values()} == {"进行中", "待确认", "待审核", "已确认", "未达标"}
        assert {key[0] for key, row in expected.items() if row[3]} == {1, 2, 3, 4, 5, 6}
        assert late

    def test_a_rebate_falls_on_the_pieces_that_were_sold(
        self, mart: Mart, core_rows: Core, purchased: pl.DataFrame, world: str
    ) -> None:
        """Line by line: the piece of a goods bears as much whether it was sold or still lies there."""
        rules = core_rows("select * from supplier_rebate_policy_goods")
        sold = core_rows(
            "select 'XSCK' as bill_type, l.line_id, h.company_id, h.business_date, l.goods_id, l.quantity"
            " from sales_outbound h join sales_outbound_line l using (bill_id) where h.status in (2, 4, 5)"
            " union all select 'XSTH', l.line_id, h.company_id, h.business_date, l.goods_id, -l.quantity"
            " from sales_return h join sales_return_line l using (bill_id) where h.status in (2, 4, 5)"
        )
        cycles = mart("select * from facts.fct_supplier_rebate").to_dicts()
        found = mart("select * from facts.fct_supplier_rebate_line").rows_by_key(
            ["policy_id", "cycle_start"], named=True
        )
        policies = {
            row["bill_id"]: row for row in core_rows("select * from supplier_rebate_policy").to_dicts()
        }
        kinds_seen: set[str] = set()
        for cycle in cycles:
            number, start = cycle["policy_id"], cycle["cycle_start"]
            granted = cycle["state"] == "已确认"
            amounts = {
                "confirmed": cycle["confirmed_amount"],
                "expected": 0 if granted else cycle["accrued_amount"],
            }
            parts = found.get((number, start), [])
            for kind, amount in amounts.items():
                assert round(sum(part[f"{kind}_amount"] for part in parts), 2) == round(amount, 2)
            of_cycle = pl.col("business_date").is_between(start, cycle["cycle_end"])
            base = self.counted(
                policies[number], rules.filter(pl.col("bill_id") == number), purchased
            ).filter(of_cycle)
            measure = "quantity" if policies[number]["measure"] == 1 else "amount"
            whole = base[measure].sum()
            if whole == 0:
                assert all(part["goods_id"] is None for part in parts)
                continue
            own = sold.filter(of_cycle, pl.col("company_id") == cycle["company_id"])
            expected = {}
            for (goods,), rows in base.group_by("goods_id"):
                of_goods = own.filter(pl.col("goods_id") == goods)
                pieces = of_goods["quantity"].sum()
                borne = max(pieces, rows["quantity"].sum()) if pieces > 0 else 0
                for kind, amount in amounts.items():
                    share = amount * rows[measure].sum() / whole
                    for bill_type, line_id, quantity in (
                        of_goods.select("bill_type", "line_id", "quantity").rows() if borne else ()
                    ):
                        expected[kind, goods, bill_type, line_id] = share * quantity / borne
                    expected[kind, goods, None, None] = share * (1 - pieces / borne if borne else 1)
            told = {
                (kind, part["goods_id"], part["bill_type"], part["line_id"]): part[f"{kind}_amount"]
                for kind in amounts
                for part in parts
            }
            assert told.keys() <= expected.keys()
            for key, worth in expected.items():
                assert told.get(key, 0) == pytest.approx(worth, abs=0.021), (number, start, key)
            kinds_seen |= {
                f"{kind} {'sold' if line_id else 'left'}"
                for (kind, _, _, line_id), amount in told.items()
                if amount
            }
        assert kinds_seen >= {"confirmed sold", "expected sold"}
        if world == GROUP:
            assert kinds_seen == {"confirmed sold", "confirmed left", "expected sold", "expected left"}

    def test_profits_of_goods_and_of_customers_hold_the_same_rebates(self, mart: Mart) -> None:
        given = mart(
            "select sum(confirmed_amount), sum(expected_amount) from facts.fct_supplier_rebate_line"
            " where goods_id is not null"
        ).row(0)
        nowhere = mart(
            "select coalesce(sum(confirmed_amount), 0), coalesce(sum(expected_amount), 0)"
            " from facts.fct_supplier_rebate_line where goods_id is null"
        ).row(0)
        sums = "sum(supplier_rebate), sum(expected_rebate), sum(profit_after_rebate - profit + rebate)"
        goods, customers = (
            mart(f"select {sums} from mart_{name}_profit").row(0) for name in ("commodity", "customer")
        )
        assert goods == pytest.approx((*given, given[0])) and given[0] > 0 < given[1]
        assert customers[:2] == pytest.approx(
            [one + other for one, other in zip(given, nowhere, strict=True)]
        )
