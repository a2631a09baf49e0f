"""Purchase prices (采购价格分析): by goods and supplier, against last month, last year's month and the base month.

A price is net of tax and without gifts; a role without cost rights gets its changes only. Prices of
different goods are not averaged: the index tells their common movement.
"""

from __future__ import annotations

from reports.catalogue.price_index import base_filter, index_datasets, index_head, index_trend
from reports.catalogue.purchase_analysis import centre_report, purchased_bills_link
from reports.catalogue.purchasing_managers_index import build_moves_chart, pmi_datasets
from reports.semantics.dashboards import Board
from reports.semantics.datasets import MONEY, QUANTITY, Dataset, Metric
from reports.semantics.expressions import (
    CaseWhen,
    Expression,
    compare,
    count_distinct,
    default_to_zero,
    is_positive,
    sum_of,
)
from reports.semantics.metrics import change_metric, money_metric, quantity_metric, ratio_of
from reports.semantics.period_comparison import compared_datasets
from reports.semantics.report_builders import (
    GOODS,
    GOODS_LABEL,
    MONTH_DAYS,
    NAMED,
    PLACES,
    SUPPLIER,
    build_board,
    build_ranking_chart,
    build_row,
    build_table,
    goods_filter,
    period_filter,
    place_and_goods_filters,
    supplier_filter,
    variant_key,
)


def build_mean_price(suffix: str = "") -> Expression:
    """Return the mean purchase price of one goods; empty of several, and where nothing was bought."""
    mean = ratio_of(sum_of(f"paid{suffix}"), sum_of(f"pieces{suffix}"))
    return CaseWhen(compare(count_distinct("goods_id"), "=", 1), mean)


def price_datasets(cost: bool) -> tuple[Dataset, Dataset]:
    shown = (
        (
            Metric("price", "采购均价", build_mean_price(), MONEY),
            Metric("price_before", "上月整月均价", build_mean_price("_before"), MONEY),
            Metric("price_year", "去年同月整月均价", build_mean_price("_year"), MONEY),
            money_metric("paid", "采购金额"),
        )
        if cost
        else ()
    )
    return compared_datasets(
        variant_key("purchase_price", cost),
        "采购价格分析",
        "mart_purchase_price_month",
        grain="warehouse",
        cost=cost,
        keys=("goods_id", "supplier_id"),
        columns=(*PLACES, SUPPLIER, *GOODS, GOODS_LABEL, purchased_bills_link(MONTH_DAYS)),
        measures={"paid": "priced_amount", "pieces": "priced_quantity"},
        metrics=(
            *shown,
            change_metric(
                "price_change", "价格较上月整月", build_mean_price(), build_mean_price("_before"), "rise"
            ),
            change_metric(
                "price_growth", "价格较去年同月整月", build_mean_price(), build_mean_price("_year"), "rise"
            ),
            quantity_metric("pieces", "采购数量"),
            quantity_metric("pieces_before", "上月整月数量"),
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
    _, all_moves = pmi_datasets()
    goods = ("supplier_name", "goods_num", "goods_name", "specification_type", "brand_name")
    compared = ("price_change", "price_growth")
    detail = build_table(
        "商品与供应商的价格",
        data,
        ("company_name", *goods, "detail_link"),
        (
            *(("price", "price_before", "price_change", "price_year", "price_growth") if cost else compared),
            *("pieces", "pieces_before", *(("paid",) if cost else ())),
        ),
        "pieces",
        bar="pieces",
        export_only=NAMED,
    )
    months = build_table(
        "各月价格" if cost else "各月采购数量",
        series,
        ("month_label", *goods),
        (*(("price",) if cost else ()), "pieces", "suppliers"),
        "pieces",
        key="months",
    )
    lines = (
        build_row(
            44,
            (index_trend(of_months), 6),
            (build_moves_chart(all_moves), 6),
        ),
        build_row(
            46,
            (
                build_ranking_chart(
                    "pushed", "拉动指数上涨前十商品（点）", of_goods, "effect", "goods_label"
                ),
                6,
            ),
            (build_ranking_chart("dearer", "较去年同月涨价前十商品", data, "price_growth", "goods_label"), 6),
        ),
        build_row(82, (detail, 12)),
        build_row(76, (months, 12)),
    )
    filters = (
        period_filter(data, "month_label", "月"),
        base_filter(of_goods),
        *place_and_goods_filters(data),
        supplier_filter(data),
        goods_filter(data),
    )
    return build_board((data, series, of_goods, of_months, all_moves), index_head(of_goods), lines, filters)


PRICE_ANALYSIS = centre_report(
    code="inPurchasingPriceAnalysisTable",
    label="采购价格分析",
    question="哪些商品涨价了，向谁买更便宜？",
    group="采购分析",
    words="进价 进货价",
    make=price_board,
)
