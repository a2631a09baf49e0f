"""Purchasing managers index (采购经理指数): shares of goods with rising prices, quantities and delivery times.

The diffusion index of a month is the share of goods whose price, quantity or delivery time rose against
the month before, and half of those that did not change, × 100: above 50 more rose than fell. Its total is
the mean of the three. Compared are goods that a company bought in both months, of a running one in the
same days of both; `mart_purchase_climate` says what counts as unchanged.
"""

from __future__ import annotations

from reports.catalogue.price_index import OF_COMPANY
from reports.catalogue.purchase_analysis import centre_report
from reports.semantics.dashboards import Board, Chart
from reports.semantics.datasets import DAYS, QUANTITY, Dataset, Metric
from reports.semantics.expressions import (
    Aggregate,
    ColumnRef,
    Constant,
    CountRows,
    Expression,
    ListAverage,
    ToDouble,
    compare,
)
from reports.semantics.kpi_comparison import Kpi, build_kpi_header
from reports.semantics.period_comparison import compared_datasets
from reports.semantics.report_builders import (
    COMPANY,
    GOODS,
    GOODS_LABEL,
    TYPE2,
    build_bar_chart,
    build_board,
    build_ranking_chart,
    build_row,
    build_table,
    company_filter,
    goods_filter,
    goods_filters,
    period_filter,
)

SCORES = {"price": "价格", "quantity": "采购量", "delivery": "到货时间"}


def build_diffusion_index(score: str, suffix: str = "") -> Expression:
    return Constant(100) * ToDouble(Aggregate("avg", ColumnRef(f"{score}{suffix}", quoted=True)))


def build_mean_index(suffix: str = "") -> Expression:
    """Return the mean of the three indices, of those that exist."""
    return ListAverage(tuple(build_diffusion_index(score, suffix) for score in SCORES))


def count_scores(score: str, value: float) -> Expression:
    return ToDouble(CountRows(where=compare(ColumnRef(score, quoted=True), "=", value)))


def pmi_datasets() -> tuple[Dataset, Dataset]:
    return compared_datasets(
        "purchase_climate",
        "采购经理指数",
        "mart_purchase_climate",
        grain="company",
        keys=("goods_id",),
        columns=(COMPANY, *GOODS, TYPE2, GOODS_LABEL, OF_COMPANY),
        measures={score: f"{score}_score" for score in SCORES},
        levels=tuple(SCORES),
        metrics=(
            Metric("pmi", "采购经理指数", build_mean_index(), DAYS),
            Metric("pmi_before", "上月指数", build_mean_index("_before"), DAYS),
            Metric("pmi_year", "去年同月指数", build_mean_index("_year"), DAYS),
            *(
                Metric(f"{name}_index", f"{label}指数", build_diffusion_index(name), DAYS)
                for name, label in SCORES.items()
            ),
            *(
                Metric(f"{name}_before", f"上月{label}指数", build_diffusion_index(name, "_before"), DAYS)
                for name, label in SCORES.items()
            ),
            Metric("rose", "涨价商品数", count_scores("price", 1), QUANTITY),
            Metric("same", "价格持平商品数", count_scores("price", 0.5), QUANTITY),
            Metric("fell", "降价商品数", count_scores("price", 0), QUANTITY),
            Metric("compared", "可比商品数", ToDouble(CountRows(ColumnRef("price"))), QUANTITY),
            Metric("delivered", "有到货可比的商品数", ToDouble(CountRows(ColumnRef("delivery"))), QUANTITY),
        ),
    )


def build_moves_chart(series: Dataset) -> Chart:
    title = "各月涨价、持平、降价商品数"
    return build_bar_chart("moves", title, series, ("rose", "same", "fell"), "month_label", stacked=True)


def pmi_board(cost: bool) -> Board:
    data, series = pmi_datasets()
    every = tuple(f"{name}_index" for name in SCORES)
    judged = ("pmi", "pmi_before", "pmi_year")
    kinds = build_table(
        "分类采购经理指数",
        data,
        ("type1_name", "type2_name", "brand_name"),
        (*judged, *every, *(f"{name}_before" for name in SCORES), "compared", "rose", "same", "fell"),
        "compared",
        key="kinds",
        bar="compared",
    )
    goods = build_table(
        "商品升降（100上升，50持平，0下降）",
        data,
        ("company_name", "goods_num", "goods_name", "specification_type", "brand_name", "detail_link"),
        (*every, *(f"{name}_before" for name in SCORES)),
        "price_index",
    )
    head = build_kpi_header(
        data,
        Kpi("pmi", "50为荣枯线", "fall"),
        *(Kpi(f"{name}_index") for name in SCORES),
        Kpi("compared", "本月和上月都有采购；未过完的月不比", whole_only=True),
    )
    lines = (
        build_row(
            46,
            (Chart("trend", "采购经理指数及分项", "line", series.key, ("pmi", *every), x="month_label"), 8),
            (
                build_moves_chart(series),
                4,
            ),
        ),
        build_row(
            44,
            (build_bar_chart("types", "各商品类型指数", data, ("pmi", *every), "type1_name", order="pmi"), 7),
            (build_ranking_chart("brands", "价格指数前十品牌", data, "price_index", "brand_name"), 5),
        ),
        build_row(70, (kinds, 12)),
        build_row(76, (goods, 12)),
    )
    filters = (
        period_filter(
            data, "month_label", "月", hint="未过完的月与上月的同样日子相比，过完的月与上月整月相比"
        ),
        company_filter(data),
        *goods_filters(data),
        goods_filter(data),
    )
    return build_board((data, series), head, lines, filters)


PURCHASING_MANAGERS_INDEX = centre_report(
    code="pmi",
    label="采购经理指数",
    question="涨价、多买、到货变慢的商品多，还是相反？",
    group="采购分析",
    make=pmi_board,
    has_cost=False,
)
