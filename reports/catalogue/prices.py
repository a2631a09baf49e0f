"""采购价格分析：每个商品、每个供应商的价格，与上月、去年同月和基期相比。

A price is what was paid net of tax for what was no gift; a role without cost rights gets its changes only. Prices of
different goods are not averaged: what all of them did says the index.
"""

from __future__ import annotations

from reports.catalogue.boards import Board
from reports.catalogue.climate import climate_datasets, moves_by_month
from reports.catalogue.compare import compared_datasets
from reports.catalogue.datasets import MONEY, QUANTITY, Dataset, Metric
from reports.catalogue.expressions import (
    CaseWhen,
    Expression,
    compare,
    count_distinct,
    default_to_zero,
    is_positive,
    sum_of,
)
from reports.catalogue.metrics import change_metric, money, quantity, ratio
from reports.catalogue.parts import (
    GOODS,
    GOODS_LABEL,
    MONTH_DAYS,
    NAMED,
    PLACES,
    SUPPLIER,
    board,
    goods_filter,
    line,
    period_filter,
    place_and_goods_filters,
    ranking,
    supplier_filter,
    table,
    variant,
)
from reports.catalogue.price_index import base_filter, index_datasets, index_head, index_trend
from reports.catalogue.purchase import bought_bills, centre_report


def price(suffix: str = "") -> Expression:
    """The mean price of what was bought of one goods; empty where nothing was."""
    mean = ratio(sum_of(f"paid{suffix}"), sum_of(f"pieces{suffix}"))
    return CaseWhen(compare(count_distinct("goods_id"), "=", 1), mean)


def price_datasets(cost: bool) -> tuple[Dataset, Dataset]:
    shown = (
        (
            Metric("price", "采购均价", price(), MONEY),
            Metric("price_before", "上月整月均价", price("_before"), MONEY),
            Metric("price_year", "去年同月整月均价", price("_year"), MONEY),
            money("paid", "采购金额"),
        )
        if cost
        else ()
    )
    return compared_datasets(
        variant("purchase_price", cost),
        "采购价格分析",
        "mart_purchase_price_month",
        grain="warehouse",
        cost=cost,
        keys=("goods_id", "supplier_id"),
        columns=(*PLACES, SUPPLIER, *GOODS, GOODS_LABEL, bought_bills(MONTH_DAYS)),
        measures={"paid": "priced_amount", "pieces": "priced_quantity"},
        metrics=(
            *shown,
            change_metric("price_change", "价格较上月整月", price(), price("_before"), "rise"),
            change_metric("price_growth", "价格较去年同月整月", price(), price("_year"), "rise"),
            quantity("pieces", "采购数量"),
            quantity("pieces_before", "上月整月数量"),
            Metric(
                "suppliers",
                "供应商数",
                count_distinct(CaseWhen(is_positive("pieces"), default_to_zero("supplier_id"))),
                QUANTITY,
            ),
        ),
    )


def price_board(cost: bool) -> Board:
    data, series = price_datasets(cost)
    of_goods, of_months = index_datasets()
    _, all_moves = climate_datasets()
    goods = ("supplier_name", "goods_num", "goods_name", "specification_type", "brand_name")
    compared = ("price_change", "price_growth")
    detail = table(
        "商品与供应商的价格",
        data,
        ("company_name", *goods, "detail_link"),
        (
            *(("price", "price_before", "price_change", "price_year", "price_growth") if cost else compared),
            *("pieces", "pieces_before", *(("paid",) if cost else ())),
        ),
        "pieces",
        bar="pieces",
        only_filed=NAMED,
    )
    months = table(
        "各月价格" if cost else "各月采购数量",
        series,
        ("month_label", *goods),
        (*(("price",) if cost else ()), "pieces", "suppliers"),
        "pieces",
        key="months",
    )
    lines = (
        line(
            44,
            (index_trend(of_months), 6),
            (moves_by_month(all_moves), 6),
        ),
        line(
            46,
            (ranking("pushed", "拉动指数上涨前十商品（点）", of_goods, "effect", "goods_label"), 6),
            (ranking("dearer", "较去年同月涨价前十商品", data, "price_growth", "goods_label"), 6),
        ),
        line(82, (detail, 12)),
        line(76, (months, 12)),
    )
    filters = (
        period_filter(data, "month_label", "月"),
        base_filter(of_goods),
        *place_and_goods_filters(data),
        supplier_filter(data),
        goods_filter(data),
    )
    return board((data, series, of_goods, of_months, all_moves), index_head(of_goods), lines, filters)


PRICE_ANALYSIS = centre_report(
    code="inPurchasingPriceAnalysisTable",
    label="采购价格分析",
    question="哪些商品涨价了，向谁买更便宜？",
    group="采购分析",
    words="进价 进货价",
    make=price_board,
)
