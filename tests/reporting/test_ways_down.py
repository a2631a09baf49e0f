"""Every way down from a framed report: the list that a row's link opens adds up to the row's figures, whatever the board
is filtered by."""

from __future__ import annotations

import html
import random
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import parse_qsl

import pytest

from api.kit.declaration import registry
from api.reporting.snapshot.snapshot_connection import open_snapshot
from reports.catalogue import REPORTS
from reports.semantics.dashboards import COST, Board, Chart
from reports.semantics.datasets import bind_range
from reports.semantics.drilldown_filters import DRILLDOWN_FILTERS, PAGES
from tests.reporting.frame_client import FrameClient
from tests.reporting.namesakes import Namesakes, sum_columns
from tests.support.bill_client import BillClient

HREF = re.compile(r'href="([^"?]+)\?([^"]*)"')
SOLD = {"quantity": "quantity", "revenue": "revenue", "profit": "profit"}
ON_HAND = (
    *("goodsinventoryrpt/detail/detail_link", "inventoryAgingReport/detail/detail_link"),
    *("sluggishstock/detail/detail_link", "inventoryDOTReport/detail/detail_link"),
    *("CompanyInventoryreport/detail/detail_link", "commodityStocksQuery/detail/detail_link"),
    "inDecisionAnalysisTable/detail/detail_link",
)
LISTS: Mapping[str, Mapping[str, str]] = {
    "CommodityProfit/detail/detail_link": SOLD,
    "ClassifiedProfit/detail/detail_link": SOLD,
    "CustomerProfit/detail/detail_link": SOLD,
    "stationProfitAnalysis/detail/detail_link": SOLD,
    "OperatingRevenue/detail/detail_link": {"revenue": "revenue"},
    "BusinessDailyReport/detail/detail_link": {"mtd_sales": "revenue"},
    "OperationMonthlyReport/detail/detail_link": {"sales": "revenue"},
    "BestSeller/detail/detail_link": {"quantity": "quantity", "amount": "amount", "profit": "profit"},
    "BestSeller/compared/detail_link": {"quantity": "quantity", "amount": "amount", "profit": "profit"},
    "SalesBuy/detail/detail_link": {"sold": "cost", "revenue": "revenue"},
    "SalesBuy/detail/purchases_link": {"bought": "no_tax_amount"},
    "categorySalesPurchase/detail/detail_link": {"sold": "cost"},
    "categorySalesPurchase/detail/purchases_link": {"bought": "no_tax_amount"},
    "inPurchasingAnalysisTable/detail/detail_link": {"bought": "no_tax_amount"},
    "BusinessDailyReport/spent/bought_link": {"mtd_purchase": "no_tax_amount"},
    "OperationMonthlyReport/others/bought_link": {"purchase": "no_tax_amount"},
    "BusinessDailyReport/received/paid_link": {"mtd_receipts": "amount"},
    "OperationMonthlyReport/others/paid_link": {"receipts": "amount"},
    "BusinessDailyReport/detail/day_sold_link": {"sales": "revenue"},
    "BusinessDailyReport/spent/day_bought_link": {"purchase": "no_tax_amount"},
    "BusinessDailyReport/received/day_paid_link": {"receipts": "amount"},
    **{
        f"{code}/levels/{link}": {figure: "increase_amount"}
        for code in ("BusinessDailyReport", "OperationMonthlyReport")
        for link, figure in (("owed_link", "receivable_increase"), ("owing_link", "payable_increase"))
    },
    "inAnalysisTablePayment/detail/detail_link": {
        "purchased": "increase_amount",
        "settled": "settled_amount",
    },
    "inPurchasingPriceAnalysisTable/detail/detail_link": {"pieces": "quantity", "paid": "no_tax_amount"},
    "BestSeller/detail/stock_link": {"stock": "quantity"},
    "warehouseTurnover/detail/sold_link": {"sales": "cost"},
    "inventoryturnover/detail/sold_link": {"sales": "cost"},
    **{place: {"quantity": "quantity"} for place in ON_HAND},
}
"""Figures by what the list behind them calls them, by report, table and link."""
KEYED = frozenset(
    ("company_id", "warehouse_id", "goods_id", "brand_id", "customer_id", "supplier_id", "policy_id")
)
"""Keys that rows of lists bear as they are asked for."""
COARSE = frozenset(("cover_range", "bucket", "overdue", "threshold", "advice", "speed", "dot_bucket"))
"""What several bills together are: no list of bills is filtered by it."""
ENDS: Mapping[str, tuple[str, ...]] = {
    "BusinessDailyReport/levels/owed_link": ("receivable_closing",),
    "BusinessDailyReport/levels/owing_link": ("payable_closing",),
    "OperationMonthlyReport/levels/owed_link": ("receivable_closing",),
    "OperationMonthlyReport/levels/owing_link": ("payable_closing",),
    "accountsReceivable/detail/detail_link": ("balance",),
    "accountsReceivable/compared/detail_link": ("balance",),
    "ScheduleAccountsReceivable/detail/detail_link": ("closing",),
    "ScheduleAccountsPayable/detail/detail_link": ("closing", "balance"),
    "ScheduleAccountsPayable/compared/detail_link": ("balance",),
    "facyorypayment/detail/detail_link": ("needed",),
    "facyorypayment/compared/detail_link": ("needed",),
}
"""What the statements end in that a link opens, all partners' together: by the first of these that the table has."""
BILLS = (
    "accountsReceivable/bills/detail_link",
    "ScheduleAccountsPayable/bills/detail_link",
    "facyorypayment/bills/detail_link",
)
"""Rows that are bills, each of which the statement tells."""
MOVES = "all moves of the days, whose means, layers and speeds the row tells"
PRICES = "the purchases of which an index is made"
OTHERWISE: Mapping[str, str] = {
    "inventoryAgingReportDetailed/detail/detail_link": MOVES,
    "warehouseTurnover/detail/detail_link": MOVES,
    "inventoryturnover/detail/detail_link": MOVES,
    "inventoryOccupation/detail/detail_link": MOVES,
    "facyorypayment/late/detail_link": "the statement, of which the row has what is open, without what was paid ahead",
    "IncomeStatement/detail/detail_link": "an item's own bills",
    "ScheduleSupplierRebate/detail/lines_link": "what a policy is counted on",
    "ScheduleSupplierRebate/detail/detail_link": "a policy's bills",
    "commodityStocksQuery/detail/orders_link": "all orders, of which the row has what is still to come",
    "inDecisionAnalysisTable/detail/orders_link": "all orders, of which the row has what is still to come",
    "pmi/detail/detail_link": PRICES,
}
"""Links to lists that are no sums of the row, and what they are: each has the row's keys."""
WITHOUT_ROWS: Mapping[str, str] = {
    **dict.fromkeys(
        ("purchasecenterpriceindex/detail/detail_link", "purchasingPriceIndex/detail/detail_link"), PRICES
    ),
    "PledgeGoodsValueTable/goods/detail_link": "stock of pledged goods",
    "verificationDetails/detail/detail_link": "the statement of whose bills were written off",
    "ScheduleSupplierRebate/uses/detail_link": "the account of a supplier's rebates",
    "aftersalesprofit/detail/detail_link": "what happened to the pieces, whose payments are told by their claims",
    "aftersalesprofit/pieces/detail_link": "the claims of the pieces",
}
"""Links of tables that nothing in this trade gives a row: no year before, no pledge, no write-off, no claim."""
FOLLOWED = (*dict.fromkeys((*LISTS, *ENDS, *BILLS, *OTHERWISE)),)


@pytest.fixture(scope="module")
def namesakes(desk: BillClient, now: date, refresh: Callable[[], None]) -> Namesakes:
    """Records of one name that were traded, and partly paid."""
    found = Namesakes(desk, now)
    found.create_masters()
    found.trade()
    for day, amount in (
        (now.replace(day=1) - timedelta(days=9), "300"),
        (now.replace(day=1), "70.5"),
        (now, "29.5"),
    ):
        desk.add_audited("customer_receipt", amount=amount, business_date=day.isoformat())
    refresh()
    return found


def list_links() -> Iterator[tuple[str, Board, str, Chart, str]]:
    """The tables with links to other than bills, each with its place, board and tab."""
    for report in REPORTS:
        for tab in report.tabs:
            board = tab.board(COST)
            for chart in board.tables:
                for name in chart.by:
                    column = board.dataset(chart.dataset).column(name)
                    if column.kind == "link" and "?id=" not in column.sql:
                        yield f"{report.code}/{chart.key}/{name}", board, tab.key, chart, name


def test_every_link_is_known_for_what_it_opens() -> None:
    assert {place for place, *_ in list_links()} == {*FOLLOWED, *WITHOUT_ROWS}
    assert not {*FOLLOWED} & WITHOUT_ROWS.keys()


def test_pages_are_asked_for_what_they_can_be_asked_for() -> None:
    for page, asked in PAGES.items():
        [cls, *_] = registry.find_by_route(page)
        assert {*asked} <= cls.search_fields().keys(), page
        keys = {way.parameter for way in DRILLDOWN_FILTERS} & cls.search_fields().keys()
        assert {*asked} == keys, (page, keys - {*asked})


@pytest.mark.parametrize("place", FOLLOWED)
def test_the_list_is_the_figure(
    frames: FrameClient, namesakes: Namesakes, desk: BillClient, place: str
) -> None:
    """Of each tab a month, or days across two, under some of its filters with one value or two."""
    chance = random.Random(place)
    followed_rows = 0
    for at, board, tab, chart, name in list_links():
        if at != place:
            continue
        days, chosen = draw_filters(namesakes, board, chart, chance)
        rows = [
            row for row in frames.fetch_rows(place.split("/")[0], chart.key, tab, days, **chosen) if row[name]
        ]
        for row in chance.sample(rows, min(2, len(rows))):
            page, asked = parse_link(row[name])
            found = fetch_linked_rows(desk, frames, page, asked)
            for figure, told, there in compare_figures(place, row, found):
                assert abs(there - told) < Decimal("0.01"), (
                    f"{place} {tab} {figure}: {told}, not {there}; {days} {chosen} {row[name]}"
                )
            if place in BILLS:
                assert row["bill_no"] in {one["bill_no"] for one in found}, (place, row, asked)
            strange = [one for one in found if not has_keys(one, asked)]
            assert strange == [], (place, asked)
            followed_rows += 1
    assert followed_rows or place.startswith("station"), "nothing was followed"


@pytest.mark.parametrize("place", WITHOUT_ROWS)
def test_tables_without_rows_have_none(frames: FrameClient, namesakes: Namesakes, place: str) -> None:
    """Whoever gives the trade what they tell of follows their links too."""
    for at, board, tab, chart, _ in list_links():
        if at == place:
            days, chosen = draw_filters(namesakes, board, chart, random.Random(place))
            assert frames.fetch_rows(place.split("/")[0], chart.key, tab, days, **chosen) == [], tab


def compare_figures(
    place: str, row: Mapping[str, Any], found: list[dict[str, Any]]
) -> Iterator[tuple[str, Decimal, Decimal]]:
    """Yield figures of a row with their values and those of the list that its link opens."""
    sums = sum_columns(found)
    for figure, called in LISTS.get(place, {}).items():
        yield figure, Decimal(str(row[figure] or 0)), sums.get(called, Decimal())
    if place in ENDS:
        figure = next(name for name in ENDS[place] if name in row)
        yield figure, Decimal(str(row[figure] or 0)), ended_in(found)


def ended_in(statement: list[dict[str, Any]]) -> Decimal:
    """The balances in which the statements of partners end, together."""
    partner = "customer_id" if statement and "customer_id" in statement[0] else "supplier_id"
    ends = {(row["company_id"], row[partner]): Decimal(str(row["balance_amount"])) for row in statement}
    return sum(ends.values(), Decimal())


def has_keys(row: Mapping[str, Any], params: Mapping[str, str]) -> bool:
    """Return whether a list's row has the keys of the list's request, except those of a tree."""
    return all(
        str(row[name]) in params[name].split(",")
        for name in KEYED & params.keys() & row.keys()
        if row[name] is not None
    )


def draw_filters(
    namesakes: Namesakes, board: Board, chart: Chart, chance: random.Random
) -> tuple[str, dict[str, list[str]]]:
    """Return days or a period, and values of existing rows for about half of a table's other filters."""
    now = namesakes.now
    since = now.replace(day=1) - timedelta(days=12)
    sql = bind_range(board.dataset(chart.dataset).sql, since, now)
    days, chosen = "", dict[str, list[str]]()
    with open_snapshot() as source:
        for item in board.filters_of(chart):
            if item.ranged:
                days = f"{since} : {now + timedelta(days=1)}"
                continue
            where = " and ".join(
                ["true", *(f"{name} in ({_quote_texts(values)})" for name, values in chosen.items())]
            )
            ask = f'select distinct "{item.column}" from ({sql}) as d where {where} order by 1 desc'
            values = [value for (value,) in source.exec_driver_sql(ask) if value is not None]
            if item.latest and values:
                chosen[item.column] = chance.sample(values[:2], 1)
            elif item.default:
                chosen[item.column] = [*item.default]
            elif item.column not in COARSE and values and chance.random() < 0.5:
                chosen[item.column] = chance.sample(values, min(len(values), chance.randint(1, 2)))
    return days, chosen


def _quote_texts(values: list[str]) -> str:
    return ", ".join(f"'{value}'" for value in values)


def parse_link(link: str) -> tuple[str, dict[str, str]]:
    """Return the page that a link opens, and its parameters."""
    found = HREF.search(link)
    assert found, link
    return found[1], dict(parse_qsl(html.unescape(found[2]), keep_blank_values=True))


def fetch_linked_rows(
    desk: BillClient, frames: FrameClient, page: str, params: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return the rows of the list that a link opens."""
    report = next((one for one in REPORTS if one.route == page), None)
    if report:
        tab = report.first_tab
        opened = desk.caller.get("v2/report/Frame/getFrame", code=report.code, **params).data["tabs"][0]
        columns = {item.key: item.column for item in tab.board(COST).filters}
        return frames.fetch_rows(
            report.code, tab=tab.key, **{columns[key]: values for key, values in opened["opens_with"].items()}
        )
    [cls, *_] = registry.find_by_route(page)
    query = {name: value for name, value in params.items() if not name.endswith("__label")}
    answer = desk.caller.get(f"{cls.declaration.api}/getList", per_page=500, **query)
    assert answer.ok, (page, answer)
    rows: list[dict[str, Any]] = answer.data["data"]
    assert len(rows) == answer.data["total"]
    return rows
