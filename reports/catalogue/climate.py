"""采购经理指数：涨价、多买、到货变慢的商品所占的份额。

The diffusion index of a month is the share of goods whose price, quantity or delivery time rose against the month
before, and half of those that did not change, × 100: above 50 more rose than fell. Its total is the mean of the three.
Compared are goods that a company bought in both months, of a running one in the same days of both; what counts as
unchanged says `mart_purchase_climate`.
"""

from __future__ import annotations

from reports.catalogue.beside import Figure, figures
from reports.catalogue.boards import Board, Chart
from reports.catalogue.compare import compared_datasets
from reports.catalogue.datasets import DAYS, QUANTITY, Dataset, Metric
from reports.catalogue.expressions import (
    Aggregate,
    ColumnRef,
    Constant,
    CountRows,
    Expression,
    ListAverage,
    ToDouble,
    compare,
)
from reports.catalogue.parts import (
    COMPANY,
    GOODS,
    GOODS_LABEL,
    TYPE2,
    bars,
    board,
    company_filter,
    goods_filter,
    goods_filters,
    line,
    period_filter,
    ranking,
    table,
)
from reports.catalogue.price_index import OF_COMPANY
from reports.catalogue.purchase import centre_report

SCORES = {"price": "价格", "quantity": "采购量", "delivery": "到货时间"}


def diffusion(score: str, suffix: str = "") -> Expression:
    return Constant(100) * ToDouble(Aggregate("avg", ColumnRef(f"{score}{suffix}", quoted=True)))


def climate(suffix: str = "") -> Expression:
    """The mean of the three indices, of those that there are."""
    return ListAverage(tuple(diffusion(score, suffix) for score in SCORES))


def moved(score: str, value: float) -> Expression:
    return ToDouble(CountRows(where=compare(ColumnRef(score, quoted=True), "=", value)))


def climate_datasets() -> tuple[Dataset, Dataset]:
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
            Metric("pmi", "采购经理指数", climate(), DAYS),
            Metric("pmi_before", "上月指数", climate("_before"), DAYS),
            Metric("pmi_year", "去年同月指数", climate("_year"), DAYS),
            *(
                Metric(f"{name}_index", f"{label}指数", diffusion(name), DAYS)
                for name, label in SCORES.items()
            ),
            *(
                Metric(f"{name}_before", f"上月{label}指数", diffusion(name, "_before"), DAYS)
                for name, label in SCORES.items()
            ),
            Metric("rose", "涨价商品数", moved("price", 1), QUANTITY),
            Metric("same", "价格持平商品数", moved("price", 0.5), QUANTITY),
            Metric("fell", "降价商品数", moved("price", 0), QUANTITY),
            Metric("compared", "可比商品数", ToDouble(CountRows(ColumnRef("price"))), QUANTITY),
            Metric("delivered", "有到货可比的商品数", ToDouble(CountRows(ColumnRef("delivery"))), QUANTITY),
        ),
    )


def moves_by_month(series: Dataset) -> Chart:
    title = "各月涨价、持平、降价商品数"
    return bars("moves", title, series, ("rose", "same", "fell"), "month_label", stacked=True)


def climate_board(cost: bool) -> Board:
    data, series = climate_datasets()
    every = tuple(f"{name}_index" for name in SCORES)
    judged = ("pmi", "pmi_before", "pmi_year")
    kinds = table(
        "分类采购经理指数",
        data,
        ("type1_name", "type2_name", "brand_name"),
        (*judged, *every, *(f"{name}_before" for name in SCORES), "compared", "rose", "same", "fell"),
        "compared",
        key="kinds",
        bar="compared",
    )
    goods = table(
        "商品升降（100上升，50持平，0下降）",
        data,
        ("company_name", "goods_num", "goods_name", "specification_type", "brand_name", "detail_link"),
        (*every, *(f"{name}_before" for name in SCORES)),
        "price_index",
    )
    head = figures(
        data,
        Figure("pmi", "50为荣枯线", "fall"),
        *(Figure(f"{name}_index") for name in SCORES),
        Figure("compared", "本月和上月都有采购；未过完的月不比", whole=True),
    )
    lines = (
        line(
            46,
            (Chart("trend", "采购经理指数及分项", "line", series.key, ("pmi", *every), x="month_label"), 8),
            (
                moves_by_month(series),
                4,
            ),
        ),
        line(
            44,
            (bars("types", "各商品类型指数", data, ("pmi", *every), "type1_name", order="pmi"), 7),
            (ranking("brands", "价格指数前十品牌", data, "price_index", "brand_name"), 5),
        ),
        line(70, (kinds, 12)),
        line(76, (goods, 12)),
    )
    filters = (
        period_filter(
            data, "month_label", "月", hint="未过完的月与上月的同样日子相比，过完的月与上月整月相比"
        ),
        company_filter(data),
        *goods_filters(data),
        goods_filter(data),
    )
    return board((data, series), head, lines, filters)


PURCHASE_CLIMATE = centre_report(
    code="pmi",
    label="采购经理指数",
    question="涨价、多买、到货变慢的商品多，还是相反？",
    group="采购分析",
    make=climate_board,
    has_cost=False,
)
