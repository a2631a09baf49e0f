"""Every way down from a framed report: the list that a row's link opens adds up to the row's figures, whatever the board
is filtered by."""

from __future__ import annotations

import html
import random
import re
from collections.abc import Iterator, Mapping
from datetime import timedelta
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
}
"""Figures by what the list behind them calls them, by report, table and link."""
COARSE = frozenset(("cover_range", "bucket", "overdue", "threshold", "advice", "speed", "dot_bucket"))
"""What several bills together are: no list of bills is filtered by it."""
MOVES = "all moves of the goods, of which what the row tells is made"
STOCK = (
    "the goods' pieces: what a warehouse has is worth the company's mean, its moves what they were posted at"
)
STATEMENT = "the partner's bills, whose balance ends in the row's"
PRICES = "the purchases of which prices and indices are made"
OTHERWISE: Mapping[str, str] = {
    **dict.fromkeys(("inventoryAgingReportDetailed", "inventoryDOTReport", "sluggishstock"), MOVES),
    **dict.fromkeys(("warehouseTurnover", "inventoryturnover", "inventoryOccupation"), MOVES),
    **dict.fromkeys(("inDecisionAnalysisTable", "PledgeGoodsValueTable", "commodityStocksQuery"), MOVES),
    **dict.fromkeys(("goodsinventoryrpt", "inventoryAgingReport", "CompanyInventoryreport"), STOCK),
    **dict.fromkeys(("accountsReceivable", "facyorypayment", "inAnalysisTablePayment"), STATEMENT),
    **dict.fromkeys(
        ("ScheduleAccountsReceivable", "ScheduleAccountsPayable", "verificationDetails"), STATEMENT
    ),
    **dict.fromkeys(("inPurchasingPriceAnalysisTable", "purchasecenterpriceindex", "pmi"), PRICES),
    **dict.fromkeys(("purchasingPriceIndex", "purchasingMonthlyIndex"), PRICES),
    "BusinessDailyReport": "receipts, and the statements of all partners",
    "OperationMonthlyReport": "receipts, and the statements of all partners",
    "IncomeStatement": "an item's own bills",
    "ScheduleSupplierRebate": "the bills of a policy and what they are counted on",
    "BestSeller": "what all companies have in stock, also those that sold nothing",
    "aftersalesprofit": "what happened to the pieces, whose payments are told by their claims",
}
"""Reports with links to lists that are not sums of the row, and what they are."""


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
    others = {place for place, *_ in links()} - LISTS.keys()
    assert sorted(place for place in others if place.split("/")[0] not in OTHERWISE) == []
    assert LISTS.keys() <= {place for place, *_ in links()}


def test_pages_are_asked_for_what_they_can_be_asked_for() -> None:
    for page, asked in PAGES.items():
        [cls, *_] = registry.by_route(page)
        assert {*asked} <= cls.searched().keys(), page
        keys = {way.asked for way in WAYS} & cls.searched().keys()
        assert {*asked} == keys, (page, keys - {*asked})


@pytest.mark.parametrize("place", LISTS)
def test_the_list_is_the_figure(frames: Frames, namesakes: Namesakes, desk: Desk, place: str) -> None:
    """Of each tab a month, or days across two, under some of its filters with one value or two."""
    chance = random.Random(place)
    followed_rows = 0
    for at, board, tab, chart, name in links():
        if at != place:
            continue
        days, chosen = narrowed(namesakes, board, chart, chance)
        rows = frames.rows(place.split("/")[0], chart.key, tab, days, **chosen)
        for row in chance.sample(rows, min(2, len(rows))):
            page, asked = followed(row[name])
            found = listed(desk, frames, page, asked)
            for figure, called in LISTS[place].items():
                told = Decimal(str(row[figure] or 0))
                assert abs(found.get(called, Decimal()) - told) < Decimal("0.01"), (
                    f"{place} {tab} {figure}: {told}, not {found.get(called)}; {days} {chosen} {row[name]}"
                )
            followed_rows += 1
    assert followed_rows or place.startswith("station"), "nothing was followed"


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


def listed(desk: Desk, frames: Frames, page: str, asked: Mapping[str, str]) -> dict[str, Decimal]:
    """What the columns of the list add up to that a link opens."""
    report = next((one for one in REPORTS if one.route == page), None)
    rows: list[dict[str, Any]]
    if report:
        tab = report.first_tab
        opened = desk.caller.get("v2/report/Frame/getFrame", code=report.code, **asked).data["tabs"][0]
        columns = {item.key: item.column for item in tab.board(COST).filters}
        rows = frames.rows(
            report.code, tab=tab.key, **{columns[key]: values for key, values in opened["opens_with"].items()}
        )
    else:
        [cls, *_] = registry.by_route(page)
        query = {name: value for name, value in asked.items() if not name.endswith("__label")}
        answer = desk.caller.get(f"{cls.declaration.api}/getList", per_page=500, **query)
        assert answer.ok, (page, answer)
        rows = answer.data["data"]
    return summed(rows)
