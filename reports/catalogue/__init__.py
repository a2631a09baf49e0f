"""Report catalogue (报表目录): each report is declared once; assets, addresses and rights follow.

Standard library only.
"""

from __future__ import annotations

from collections.abc import Iterable

from reports.catalogue.account_balances import PAYABLE_SCHEDULE, RECEIVABLE_SCHEDULE
from reports.catalogue.best_seller import BEST_SELLER, BEST_SELLER_INFO
from reports.catalogue.business_reports import BUSINESS_DAILY, OPERATION_MONTHLY
from reports.catalogue.goods_stock import COMPANY_STOCK, GOODS_STOCK
from reports.catalogue.income_statement import INCOME_STATEMENT
from reports.catalogue.introductions import (
    EXPLORER_AUDIENCE,
    EXPLORER_HEADER,
    EXPLORER_ROLE,
    FILE_GUEST_ROLE,
    GUEST_AUDIENCE,
    GUEST_ROLE,
)
from reports.catalogue.inventory_holding import INVENTORY_HOLDING
from reports.catalogue.partners import ACCOUNTS_RECEIVABLE
from reports.catalogue.pledge import PLEDGE_VALUE
from reports.catalogue.price_index import CENTRE_PRICE_INDEX, PRICE_INDEX
from reports.catalogue.profit import CLASSIFIED_PROFIT, COMMODITY_PROFIT, CUSTOMER_PROFIT, STATION_PROFIT
from reports.catalogue.purchase_analysis import PAYMENT_ANALYSIS, PURCHASE_ANALYSIS
from reports.catalogue.purchase_decisions import BUYER_STOCK, PURCHASE_DECISION
from reports.catalogue.purchase_prices import PRICE_ANALYSIS
from reports.catalogue.purchasing_managers_index import PURCHASING_MANAGERS_INDEX
from reports.catalogue.revenue import OPERATING_REVENUE
from reports.catalogue.sluggish_stock import SLUGGISH_STOCK
from reports.catalogue.stock_aging import INVENTORY_AGING
from reports.catalogue.stock_layers import INVENTORY_AGING_DETAILED, INVENTORY_DOT
from reports.catalogue.supplier_payments import FACTORY_PAYMENT
from reports.catalogue.supplier_rebates import SUPPLIER_REBATE
from reports.catalogue.trade import CATEGORY_TRADE, SALES_BUY, SALES_ORDER
from reports.catalogue.turnover import INVENTORY_TURNOVER, WAREHOUSE_TURNOVER
from reports.catalogue.warranty import AFTERSALES_PROFIT
from reports.catalogue.write_offs import VERIFICATION_DETAILS
from reports.semantics.dashboards import COST, PLAIN, Report, Variant, embed_id, filter_id
from reports.semantics.datasets import Dataset

REPORTS: tuple[Report, ...] = (
    BUSINESS_DAILY,
    OPERATION_MONTHLY,
    INCOME_STATEMENT,
    WAREHOUSE_TURNOVER,
    INVENTORY_TURNOVER,
    INVENTORY_HOLDING,
    GOODS_STOCK,
    INVENTORY_AGING,
    INVENTORY_AGING_DETAILED,
    SLUGGISH_STOCK,
    INVENTORY_DOT,
    COMPANY_STOCK,
    PLEDGE_VALUE,
    ACCOUNTS_RECEIVABLE,
    RECEIVABLE_SCHEDULE,
    PAYABLE_SCHEDULE,
    FACTORY_PAYMENT,
    VERIFICATION_DETAILS,
    SUPPLIER_REBATE,
    COMMODITY_PROFIT,
    CLASSIFIED_PROFIT,
    CUSTOMER_PROFIT,
    STATION_PROFIT,
    OPERATING_REVENUE,
    BEST_SELLER,
    BEST_SELLER_INFO,
    SALES_ORDER,
    SALES_BUY,
    CATEGORY_TRADE,
    BUYER_STOCK,
    PURCHASE_ANALYSIS,
    PURCHASE_DECISION,
    PAYMENT_ANALYSIS,
    PRICE_ANALYSIS,
    CENTRE_PRICE_INDEX,
    PRICE_INDEX,
    PURCHASING_MANAGERS_INDEX,
    AFTERSALES_PROFIT,
)
_BY_CODE = {report.code: report for report in REPORTS}


def find_report(code: str) -> Report | None:
    """The report of a route code, or None."""
    return _BY_CODE.get(code)


def datasets_of(codes: Iterable[str], sees_cost: bool) -> dict[str, Dataset]:
    """The datasets that own charts may be drawn of, by their keys: those behind the tables and figures of some reports
    as a role sees them; who sees cost draws without it too, for those who don't."""
    tabs = [tab for code in codes if (report := find_report(code)) for tab in report.tabs]
    shown: tuple[Variant, ...] = (PLAIN, COST) if sees_cost else (PLAIN,)
    boards = [tab.board(variant) for tab in tabs for variant in shown]
    return {dataset.key: dataset for board in boards for dataset in board.datasets if dataset.explorable}


__all__ = [
    "EXPLORER_AUDIENCE",
    "EXPLORER_HEADER",
    "EXPLORER_ROLE",
    "FILE_GUEST_ROLE",
    "GUEST_AUDIENCE",
    "GUEST_ROLE",
    "REPORTS",
    "Report",
    "datasets_of",
    "embed_id",
    "filter_id",
    "find_report",
]
