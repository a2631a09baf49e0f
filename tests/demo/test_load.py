"""The demo group: loaded once, resumed after a break, always the same, and true in every ledger."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Engine

from api.customers.customer_receipt import CustomerReceipt
from api.demo import loader, timeline
from api.demo.loader import load_group
from api.kit.bills.bulk_posting import BulkBill
from api.ledger import integrity_checks
from api.purchase.purchase_invoice import PurchaseInvoice
from api.purchase.purchase_plan import PurchasePlan
from api.purchase.supplier_payment import SupplierPayment
from api.sales.consignment_sale import ConsignmentSale
from api.sales.sales_outbound import SalesOutbound
from tests.demo.conftest import list_traded
from tests.support.demo_database import SIZE, TODAY

MORE_FOLLOW = (CustomerReceipt, SupplierPayment, ConsignmentSale, PurchaseInvoice, PurchasePlan)
"""Of these some are made when the trade is over."""

Ask = Callable[..., list[tuple[Any, ...]]]


@pytest.fixture(scope="module")
def ask(engine: Engine) -> Ask:
    def rows(query: str, *values: object) -> list[tuple[Any, ...]]:
        with engine.connect() as conn:
            return [tuple(row) for row in conn.exec_driver_sql(query, values)]

    return rows


@pytest.fixture(scope="module")
def loaded(engine: Engine) -> int:
    """The company that was loaded in one go."""
    return list_traded(engine)[0]


@pytest.fixture(scope="module")
def resumed(engine: Engine) -> int:
    """The company whose load was broken off in the middle and taken up again."""
    return list_traded(engine)[1]


class TestGroup:
    def test_masters(self, companies: list[int], ask: Ask) -> None:
        assert len(companies) == 8
        assert ask("select count(*) from warehouse where type = 1") == [(20,)]
        assert ask("select array_agg(distinct level order by level) from goods_type") == [([1, 2, 3],)]
        assert ask("select count(*) from goods where logogram is null or barcode is null") == [(0,)]
        placed = (
            "select count(*) = count(c.customer_type_id) and count(*) = count(a.customer_id) from customer c"
            " left join customer_address a on a.customer_id = c.customer_id and a.is_default"
        )
        assert ask(placed) == [(True,)]
        assert ask("select count(*) from supplier where supplier_type_id is null") == [(0,)]

    def test_a_second_call_changes_nothing(self, companies: list[int], engine: Engine, ask: Ask) -> None:
        before = ask("select count(*), max(goods_id) from goods")
        with engine.begin() as conn:
            loader.insert_masters(conn, "large", TODAY)
        assert ask("select count(*), max(goods_id) from goods") == before
        assert ask("select distinct size from demo_load") == [(SIZE,)]


class TestBills:
    def test_every_type_is_there(self, loaded: int, ask: Ask) -> None:
        for table in (
            *("purchase_order", "purchase_inbound", "sales_order", "sales_outbound", "sales_return"),
            *("customer_receipt", "supplier_payment", "other_inbound", "other_outbound"),
        ):
            [(count,)] = ask(f"select count(*) from {table} where company_id = %s", loaded)
            assert count > 3, table

    def test_of_further_kinds_all_but_the_last_are_audited(self, loaded: int, ask: Ask) -> None:
        for table in (
            *("sales_quote", "promotion_policy", "sales_delivery", "sales_invoice", "purchase_invoice"),
            *("purchase_plan", "consignment_sale", "purchase_allocation"),
        ):
            [(found,)] = ask(
                f"select array_agg(status order by bill_id) from {table} where company_id = %s", loaded
            )
            assert found[-3:] == [2, 2, 1], table

    def test_suppliers_invoice_most_of_what_came_a_month_later(self, loaded: int, ask: Ask) -> None:
        months = ask(
            "select sum(l.invoiced_amount) / sum(l.amount)"
            " from purchase_inbound b join purchase_inbound_line l using (bill_id)"
            " where company_id = %s and status in (2, 5) and business_date < %s"
            " group by date_trunc('month', business_date)",
            loaded,
            (TODAY - timedelta(days=45)).replace(day=1),
        )
        assert len(months) > 20
        assert 0.6 < sum(share for (share,) in months) / len(months) < 1

    def test_pieces_under_guarantee_are_taken_in_paid_for_and_mostly_settled(
        self, loaded: int, ask: Ask
    ) -> None:
        """A factory settles no piece that did not go back to it."""
        counted = [
            ask(
                f"select count(*), coalesce(sum({amount}), 0) from {table} b join {table}_line l using (bill_id)"
                " where company_id = %s and status = 2",
                loaded,
            )[0]
            for table, amount in (
                ("guarantee_register", "0"),
                ("company_claim", "amount"),
                ("factory_claim", "amount"),
            )
        ]
        registered, (compensated, paid), (answered, settled) = counted
        assert registered[0] >= compensated > answered > 3
        assert paid > settled > 0
        assert ask("select count(*) from three_inbound where company_id = %s", loaded) == [(registered[0],)]
        strayed = ask(
            "select count(*) from factory_claim_line f join guarantee_register_line g on g.line_id = f.source_line_id"
            " left join tire_back_line t on t.source_line_id = g.inbound_line_id where t.line_id is null"
        )
        assert strayed == [(0,)]

    def test_a_used_coupon_is_a_discount_of_its_bill(self, loaded: int, ask: Ask) -> None:
        [(used, granted)] = ask(
            "select count(u.bill_id), count(*) from sales_coupon_grant g"
            " left join sales_coupon_use u using (sales_coupon_grant_id) where g.company_id = %s",
            loaded,
        )
        assert 3 < used < granted
        wrong = ask(
            "select count(*) from sales_coupon_use u join sales_coupon_grant g using (sales_coupon_grant_id)"
            " join sales_outbound b using (bill_id) cross join lateral (select sum(discount_amount) as discount"
            " from sales_outbound_line l where l.bill_id = b.bill_id) l where g.customer_id <> b.customer_id"
            " or b.business_date not between g.granted_on and g.expires_on or l.discount < u.discount_amount"
        )
        assert wrong == [(0,)]

    def test_a_loan_is_about_what_its_goods_are_worth(self, loaded: int, ask: Ask) -> None:
        found = ask(
            "select b.loan_amount / sum(l.quantity * l.price * (1 - b.haircut / 100)), count(*)"
            " from pledge_contract b join pledge_contract_line l using (bill_id) where b.company_id = %s"
            " group by b.bill_id",
            loaded,
        )
        assert len(found) == 3
        assert all(0.7 < share < 1.3 and goods > 2 for share, goods in found), found

    def test_targets_are_a_little_more_than_a_year_before(self, loaded: int, ask: Ask) -> None:
        found = ask(
            "select t.month, t.sales_target / sum(l.no_tax_amount), t.profit_target, t.receipts_target, t.stock_target"
            " from business_target t join sales_outbound b on b.company_id = t.company_id and b.status in (2, 4, 5)"
            " and to_char(b.business_date + interval '1 year', 'YYYY-MM') = t.month"
            " join sales_outbound_line l using (bill_id) where t.company_id = %s group by t.business_target_id order by 1",
            loaded,
        )
        assert [found[0][0], found[-1][0]] == ["2025-11", "2026-12"]
        assert len(found) == 14
        assert all(1.08 <= share < 1.2 and min(rest) > 0 for _, share, *rest in found), found

    def test_months_are_closed_up_to_the_one_before_the_last(self, loaded: int, ask: Ask) -> None:
        [(closed, first)] = ask(
            "select array_agg(period order by period), to_char(min(b.first), 'YYYY-MM') from accounting_period p"
            " cross join (select min(business_date) as first from stock_ledger where company_id = %s) b"
            " where p.company_id = %s and p.status = 1",
            loaded,
            loaded,
        )
        assert (closed[0], closed[-1], len(closed)) == (first, "2026-09", 23)
        locked = (
            "select array_agg(distinct status) from sales_outbound where company_id = %s and business_date "
        )
        assert ask(f"{locked} < '2026-10-01'", loaded) == [([3, 5],)]
        assert 5 not in ask(f"{locked} >= '2026-10-01'", loaded)[0][0]

    def test_two_years_up_to_today(self, loaded: int, ask: Ask) -> None:
        [(first, last)] = ask("select min(business_date), max(business_date) from sales_outbound")
        assert (TODAY - first).days > 720
        assert (TODAY - last).days < 7

    def test_sales_are_profitable(self, loaded: int, ask: Ask) -> None:
        [(revenue, cost)] = ask(
            "select (select sum(l.no_tax_amount) from sales_outbound_line l join sales_outbound b using (bill_id)"
            " where b.status in (2, 4, 5) and company_id = %s),"
            " (select -sum(amount) from stock_ledger where bill_type = 'XSCK' and company_id = %s)",
            loaded,
            loaded,
        )
        assert 0.08 < float(1 - cost / revenue) < 0.35

    def test_posted_in_order_of_their_dates(self, loaded: int, ask: Ask) -> None:
        late = ask(
            "select count(*) from (select business_date, lag(business_date) over (order by ledger_id) as before"
            " from stock_ledger where company_id = %s and reverses is null and bill_type <> 'XSDB') l where business_date < before",
            loaded,
        )
        assert late == [(0,)]

    def test_tyres_carry_dot_weeks(self, loaded: int, ask: Ask) -> None:
        wrong = ask(
            "select count(*) from purchase_inbound_line l join goods g using (goods_id)"
            " where g.is_batch and (l.batch !~ '^[0-5][0-9]2[0-9]$' or l.production_date is null)"
        )
        assert wrong == [(0,)]

    def test_some_lines_are_counted_by_the_carton(self, loaded: int, ask: Ask) -> None:
        for lines in ("purchase_inbound_line", "sales_outbound_line"):
            [(many,)] = ask(f"select count(*) from {lines} where pack_quantity * pack_factor = quantity")
            assert many > 5, lines

    def test_shelves_are_counted_every_month_and_differ_both_ways(self, loaded: int, ask: Ask) -> None:
        [(months, takes)] = ask(
            "select count(distinct to_char(business_date, 'YYYY-MM')), count(*) from stock_take"
            " where company_id = %s and status in (2, 5)",
            loaded,
        )
        assert months == takes > 12
        for table in ("stock_loss", "stock_surplus"):
            [(made, count)] = ask(
                f"select count(stock_take_id), count(*) from {table} where company_id = %s and status in (2, 5)",
                loaded,
            )
            assert made == count > 3, table
        [(raised, lowered)] = ask(
            "select count(*) filter (where amount > 0), count(*) filter (where amount < 0) from stock_ledger"
            " where bill_type = 'CBTZ' and quantity = 0 and company_id = %s",
            loaded,
        )
        assert raised > 3 and lowered > 3

    def test_consigned_goods_are_sold_returned_and_paid_for(self, loaded: int, ask: Ask) -> None:
        for table in ("consignment_settlement", "consignment_return"):
            [(count,)] = ask(
                f"select count(*) from {table} where company_id = %s and status in (2, 5)", loaded
            )
            assert count > 3, table
        [(paid, owed)] = ask(
            "select count(*) filter (where i.open_amount = 0), count(*) filter (where i.open_amount > 0)"
            " from sales_outbound o join settlement_item i on i.bill_type = 'XSCK' and i.bill_id = o.bill_id"
            " where o.settlement_id is not null and o.company_id = %s",
            loaded,
        )
        assert paid > 3 and owed <= 2

    def test_advances_are_set_against_what_is_owed(self, loaded: int, ask: Ask) -> None:
        for table in ("deposit", "prepaid_offset"):
            [(count, total)] = ask(
                f"select count(*), sum(amount) from {table} where company_id = %s and status in (2, 5)",
                loaded,
            )
            assert count > 3 and total > 1000, table

    def test_companies_sell_to_each_other_set_off_and_pay_the_rest(
        self, loaded: int, resumed: int, ask: Ask
    ) -> None:
        sent = ask(
            "select company_id, to_company_id, count(*) from sales_transfer where status in (2, 5) group by 1, 2 order by 1"
        )
        assert [row[:2] for row in sent] == [(loaded, resumed), (resumed, loaded)]
        assert all(count > 5 for *_, count in sent)
        for company in (loaded, resumed):
            [(count,)] = ask(
                "select count(*) from contra where company_id = %s and status in (2, 5)", company
            )
            assert count > 1
        [(late,)] = ask(
            "select count(*) from settlement_item where bill_type = 'XSDB' and open_amount <> 0 and due_date < %s",
            TODAY.replace(month=9, day=1),
        )
        assert late == 0

    def test_quarters_are_confirmed_when_they_are_over(self, loaded: int, ask: Ask) -> None:
        for table in ("supplier_rebate", "customer_rebate"):
            found = ask(
                f"select business_date - cycle_end, status from {table} where company_id = %s order by cycle_start",
                loaded,
            )
            *confirmed, (_, latest) = found
            assert latest == 1 and len(confirmed) > 3, table
            assert all(0 < days < 30 and status in (2, 5) for days, status in confirmed), table

    def test_a_rebate_is_taken_off_a_payment(self, loaded: int, ask: Ask) -> None:
        used = ask(
            "select sum(amount - open_amount) from settlement_item where bill_type = 'CGFL' and company_id = %s",
            loaded,
        )
        assert used[0][0] < 0

    @pytest.mark.parametrize("party", ["customer", "supplier"])
    def test_some_of_what_is_owed_is_overdue(self, loaded: int, ask: Ask, party: str) -> None:
        [(all_open, overdue)] = ask(
            "select sum(open_amount), sum(open_amount) filter (where due_date < %s) from settlement_item"
            " where party_type = %s and company_id = %s",
            TODAY,
            party,
            loaded,
        )
        assert 0 < overdue < all_open

    def test_every_check_passes(self, loaded: int, resumed: int, engine: Engine) -> None:
        assert loaded != resumed
        with engine.connect() as conn:
            assert [
                finding.check.name for finding in integrity_checks.run_checks(conn) if finding.count
            ] == []


class TestResumed:
    def test_nothing_is_lost_or_doubled(self, resumed: int, engine: Engine, ask: Ask) -> None:
        """The company has the bills that the generator gives without a break."""
        with engine.connect() as conn:
            group = loader.masters.read_group(conn, loader.SIZES[SIZE])
        [branch] = [branch for branch in group.branches if branch.company_id == resumed]
        entries: list[BulkBill] = []
        for portion in timeline.generate_portions(group, branch, loader.SIZES[SIZE], TODAY):
            entries += portion.entries
        for cls in {entry.cls for entry in entries}:
            mine = [entry.draft.header for entry in entries if entry.cls is cls]
            made = "and settlement_id is null" if cls is SalesOutbound else ""
            stored = ask(
                f"select business_date from {cls.name()} where company_id = %s {made} order by bill_id",
                resumed,
            )
            if cls in MORE_FOLLOW:
                stored = stored[: len(mine)]
            days = sorted(header["business_date"] for header in mine)
            assert sorted(row[0] for row in stored) == days, cls.name()

    def test_links_lead_to_the_right_lines(self, resumed: int, ask: Ask) -> None:
        wrong = ask(
            "select count(*) from sales_outbound_line l join sales_order_line o on o.line_id = l.order_line_id"
            " join sales_outbound b on b.bill_id = l.bill_id join sales_order s on s.bill_id = o.bill_id"
            " where l.goods_id <> o.goods_id or b.customer_id <> s.customer_id or b.business_date < s.business_date"
        )
        assert wrong == [(0,)]

    def test_a_finished_group_is_left_alone(self, resumed: int, engine: Engine, ask: Ask) -> None:
        with engine.begin() as conn:
            conn.exec_driver_sql("update demo_load set finished = true")
        before = ask("select count(*) from stock_ledger")
        load_group(SIZE, TODAY)
        assert ask("select count(*) from stock_ledger") == before
