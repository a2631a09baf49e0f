"""Tests that calculate published figures independently, from the tables of Postgres, by mart or fact."""

from __future__ import annotations

_BEFORE = "test_comparisons.py::"
_SETTLING = "test_settlement_comparison.py::"
_EARLIER = "test_stock_comparison.py::"
_RISK = "test_sales_and_risk_facts.py::"

CALCULATIONS = {
    "mart_best_seller": "test_marts.py::TestSales::test_best_sellers",
    "mart_best_seller_compared": f"{_BEFORE}test_best_sellers_stand_beside_the_days_before_and_a_year_ago",
    "mart_best_seller_info": "test_lines.py::TestSold::test_lines_behind_the_ranks",
    "mart_best_seller_lines": f"{_EARLIER}test_lines_of_best_sellers_in_earlier_days",
    "mart_business_day": "test_business_reports.py::TestBusinessDay::test_each_day_of_each_company",
    "mart_business_month": "test_business_reports.py::TestBusinessDay::test_a_month_stands_beside_the_months_before",
    "mart_business_target": "test_business_reports.py::test_targets_stand_beside_what_their_companies_did_in_their_months",
    "mart_commodity_profit": "test_marts.py::TestSales::test_commodity_profit",
    "mart_commodity_profit_day": "test_days.py::test_any_days_stand_beside_the_same_days_of_the_month_and_the_year_before",
    "mart_company_stock": f"{_BEFORE}test_stock_stands_beside_earlier_month_ends_and_sales_beside_last_year_s",
    "mart_customer_profit": "test_marts.py::TestSales::test_customer_profit",
    "mart_customer_profit_day": "test_days.py::test_any_days_stand_beside_the_same_days_of_the_month_and_the_year_before",
    "mart_goods_sale": "test_lines.py::TestSold::test_goods_by_their_last_days",
    "mart_goods_stock": f"{_BEFORE}test_stock_stands_beside_earlier_month_ends_and_sales_beside_last_year_s",
    "mart_guarantee_claim": "test_warranty.py::TestPieces::test_each_piece_once_and_how_far_it_came",
    "mart_guarantee_month": "test_warranty.py::TestMoney::test_paid_less_settled_by_brand_factory_and_symptom",
    "mart_income": "test_income.py::TestIncome::test_lines_by_month_and_company",
    "mart_inventory_aging": "test_marts.py::TestAging::test_layers_are_what_the_oldest_receipts_lost",
    "mart_inventory_turnover": "test_marts.py::TestTurnover::test_by_month_and_goods",
    "mart_operating_revenue": "test_marts.py::TestSales::test_operating_revenue",
    "mart_payable_aging": "test_business_reports.py::TestPartners::test_open_items_at_each_month_end_by_days_past_due",
    "mart_payable_day": "test_between.py::test_entries_are_told_with_what_they_do",
    "mart_payable_item": f"{_SETTLING}test_open_items_as_of_any_day_beside_a_month_and_a_year_before",
    "mart_payable_month": "test_business_reports.py::TestPartners::test_months_go_from_opening_to_closing",
    "mart_pledge_contract": f"{_RISK}TestPledges::test_the_lower_of_cost_and_price_less_the_haircut",
    "mart_pledge_goods": f"{_RISK}TestPledges::test_the_lower_of_cost_and_price_less_the_haircut",
    "mart_price_index": "test_purchase_reports.py::TestPurchases::test_index_of_a_basket_at_each_month_s_prices",
    "mart_purchase_climate": "test_purchase_reports.py::TestPurchases::test_goods_that_rose_against_the_month_before",
    "mart_purchase_day": "test_days.py::test_any_days_stand_beside_the_same_days_of_the_month_and_the_year_before",
    "mart_purchase_month": "test_purchase_reports.py::TestPurchases::test_by_month_and_supplier",
    "mart_purchase_price_month": "test_purchase_reports.py::TestPurchases::test_prices_by_month_and_supplier",
    "mart_receivable_aging": "test_business_reports.py::TestPartners::test_open_items_at_each_month_end_by_days_past_due",
    "mart_receivable_day": "test_between.py::test_entries_are_told_with_what_they_do",
    "mart_receivable_item": f"{_SETTLING}test_open_items_as_of_any_day_beside_a_month_and_a_year_before",
    "mart_receivable_month": "test_business_reports.py::TestPartners::test_months_go_from_opening_to_closing",
    "mart_sales_order": "test_business_reports.py::TestTrade::test_orders_are_filled_by_what_was_delivered",
    "mart_sales_order_month": f"{_BEFORE}test_orders_stand_beside_those_of_earlier_months",
    "mart_stock_age_month": "test_marts.py::TestAging::test_month_ends_by_age",
    "mart_stock_occupation": "test_marts.py::TestTurnover::test_what_lay_there_at_the_end_of_each_day",
    "mart_supplier_payment": "test_purchase_reports.py::TestPurchases::test_payments_by_month_and_supplier",
    "mart_supplier_payment_day": "test_days.py::test_any_days_stand_beside_the_same_days_of_the_month_and_the_year_before",
    "mart_supplier_rebate": "test_supplier_rebates.py::TestRebates::test_cycles_earn_what_their_bills_reach",
    "mart_trade_balance": "test_business_reports.py::TestTrade::test_purchases_beside_sales",
    "mart_trade_balance_day": "test_days.py::test_any_days_stand_beside_the_same_days_of_the_month_and_the_year_before",
    "mart_turnover_period": "test_marts.py::TestTurnover::test_by_period",
    "mart_write_off": "test_business_reports.py::TestPartners::test_write_offs_name_both_bills",
    "mart_write_off_month": f"{_SETTLING}test_write_offs_stand_beside_those_of_earlier_months",
    "fct_customer_rebate_line": f"{_RISK}TestRebates::test_a_rebate_stands_with_what_earned_it",
    "fct_guarantee_line": "test_warranty.py::TestLines::test_each_line_moves_stock_or_money",
    "fct_purchase_line": "test_lines.py::TestPurchases::test_lines",
    "fct_purchase_order_line": "test_lines.py::TestPurchases::test_orders_with_what_arrived",
    "fct_receipt": "test_lines.py::TestReceipts::test_what_each_settled_and_what_it_left",
    "fct_sales_bill": "test_lines.py::TestSold::test_bills",
    "fct_sales_coupon": f"{_RISK}TestCoupons::test_used_and_what_they_sold",
    "fct_stock_batch": "test_lines.py::TestStock::test_batches",
    "fct_stock_move": "test_lines.py::TestStock::test_moves",
    "fct_stock_out": f"{_RISK}TestStockOuts::test_every_day_walked",
    "fct_supplier_rebate_line": "test_supplier_rebates.py::TestRebates::test_a_rebate_falls_on_the_pieces_that_were_sold",
}
"""By published mart, or fact that no mart shows: its calculation."""

UNCALCULATED = {
    "mart_sluggish_stock": "layers of mart_inventory_aging beside mart_goods_sale, which are calculated; by hand in"
    " test_stock_reports.py on a ledger of a few rows",
}
"""By published mart or fact that nothing calculates apart: why not."""


def find_calculated(nodeid: str) -> set[str]:
    """Return the marts and facts that a test calculates."""
    name = nodeid.rpartition("/")[2].partition("[")[0]
    return {relation for relation, test in CALCULATIONS.items() if test == name}
