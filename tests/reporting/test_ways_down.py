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

from api.kit import registry
from api.reporting.snapshot import published
from reports.catalogue import REPORTS
from reports.catalogue.boards import COST, Board, Chart
from reports.catalogue.datasets import in_range
from reports.catalogue.ways import PAGES, WAYS
from tests.kit.desk import Desk
from tests.reporting.frames import Frames
from tests.reporting.namesakes import Namesakes, summed

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
def namesakes(desk: Desk, now: date, refresh: Callable[[], None]) -> Namesakes:
    """What is called alike and was traded, and partly paid."""
    found = Namesakes(desk, now)
    found.settle()
    found.trade()
    for day, amount in (
        (now.replace(day=1) - timedelta(days=9), "300"),
        (now.replace(day=1), "70.5"),
        (now, "29.5"),
    ):
        desk.audited("customer_receipt", amount=amount, business_date=day.isoformat())
    refresh()
    return found


def links() -> Iterator[tuple[str, Board, str, Chart, str]]:
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
    assert {place for place, *_ in links()} == {*FOLLOWED, *WITHOUT_ROWS}
    assert not {*FOLLOWED} & WITHOUT_ROWS.keys()


def test_pages_are_asked_for_what_they_can_be_asked_for() -> None:
    for page, asked in PAGES.items():
        [cls, *_] = registry.by_route(page)
        assert {*asked} <= cls.searched().keys(), page
        keys = {way.asked for way in WAYS} & cls.searched().keys()
        assert {*asked} == keys, (page, keys - {*asked})


@pytest.mark.parametrize("place", FOLLOWED)
def test_the_list_is_the_figure(frames: Frames, namesakes: Namesakes, desk: Desk, place: str) -> None:
    """Of each tab a month, or days across two, under some of its filters with one value or two."""
    chance = random.Random(place)
    followed_rows = 0
    for at, board, tab, chart, name in links():
        if at != place:
            continue
        days, chosen = narrowed(namesakes, board, chart, chance)
        rows = [row for row in frames.rows(place.split("/")[0], chart.key, tab, days, **chosen) if row[name]]
        for row in chance.sample(rows, min(2, len(rows))):
            page, asked = followed(row[name])
            found = listed(desk, frames, page, asked)
            for figure, told, there in compared(place, row, found):
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
def test_tables_without_rows_have_none(frames: Frames, namesakes: Namesakes, place: str) -> None:
    """Whoever gives the trade what they tell of follows their links too."""
    for at, board, tab, chart, _ in links():
        if at == place:
            days, chosen = narrowed(namesakes, board, chart, random.Random(place))
            assert frames.rows(place.split("/")[0], chart.key, tab, days, **chosen) == [], tab


def compared(
    place: str, row: Mapping[str, Any], found: list[dict[str, Any]]
) -> Iterator[tuple[str, Decimal, Decimal]]:
    """Figures of a row, what they are, and what the list that its link opens says that they are."""
    sums = summed(found)
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


def has_keys(row: Mapping[str, Any], asked: Mapping[str, str]) -> bool:
    """Whether a list's row has the keys that the list was asked for, those of a tree apart."""
    return all(
        str(row[name]) in asked[name].split(",")
        for name in KEYED & asked.keys() & row.keys()
        if row[name] is not None
    )


def narrowed(
    namesakes: Namesakes, board: Board, chart: Chart, chance: random.Random
) -> tuple[str, dict[str, list[str]]]:
    """Days or a period, and values for about half of what else a table is filtered by, of rows that there are."""
    now = namesakes.now
    since = now.replace(day=1) - timedelta(days=12)
    sql = in_range(board.dataset(chart.dataset).sql, since, now)
    days, chosen = "", dict[str, list[str]]()
    with published() as source:
        for item in board.filters_of(chart):
            if item.ranged:
                days = f"{since} : {now + timedelta(days=1)}"
                continue
            where = " and ".join(
                ["true", *(f"{name} in ({_texts(values)})" for name, values in chosen.items())]
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


def _texts(values: list[str]) -> str:
    return ", ".join(f"'{value}'" for value in values)


def followed(link: str) -> tuple[str, dict[str, str]]:
    """The page that a link opens, and what it is asked for."""
    found = HREF.search(link)
    assert found, link
    return found[1], dict(parse_qsl(html.unescape(found[2]), keep_blank_values=True))


def listed(desk: Desk, frames: Frames, page: str, asked: Mapping[str, str]) -> list[dict[str, Any]]:
    """The rows of the list that a link opens."""
    report = next((one for one in REPORTS if one.route == page), None)
    if report:
        tab = report.first_tab
        opened = desk.caller.get("v2/report/Frame/getFrame", code=report.code, **asked).data["tabs"][0]
        columns = {item.key: item.column for item in tab.board(COST).filters}
        return frames.rows(
            report.code, tab=tab.key, **{columns[key]: values for key, values in opened["opens_with"].items()}
        )
    [cls, *_] = registry.by_route(page)
    query = {name: value for name, value in asked.items() if not name.endswith("__label")}
    answer = desk.caller.get(f"{cls.declaration.api}/getList", per_page=500, **query)
    assert answer.ok, (page, answer)
    rows: list[dict[str, Any]] = answer.data["data"]
    assert len(rows) == answer.data["total"]
    return rows
