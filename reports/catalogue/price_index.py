"""采购价格指数：采购中心价格指数（全集团的品类），采购价格指数（公司与公司）。

Laspeyres': Σ p_t·q_0 ÷ Σ p_0·q_0 × 100 over the goods that each company bought in the base month, at prices net of tax
without gifts and returns; a goods not bought in a month keeps its last price.
"""

from __future__ import annotations

from reports.catalogue.beside import Figure, Head, figures
from reports.catalogue.boards import Board, Chart, Filter
from reports.catalogue.compare import compared_datasets
from reports.catalogue.datasets import DAYS, PERCENT, QUANTITY, Column, Dataset, Metric
from reports.catalogue.expressions import (
    ColumnRef,
    Expression,
    count_distinct,
    default_to_zero,
    is_positive,
    sum_of,
    sum_over_rows,
)
from reports.catalogue.metrics import change_metric, ratio, sum_where
from reports.catalogue.parts import (
    BY_COMPANY,
    BY_GOODS,
    COMPANY,
    GOODS,
    GOODS_LABEL,
    MONTH_DAYS,
    TYPE2,
    board,
    company_filter,
    goods_filter,
    goods_filters,
    line,
    period_filter,
    purchases_link,
    ranking,
    share,
    table,
)
from reports.catalogue.purchase import centre_report

DEFAULT_BASE = "去年同月"
BASE = Column("base_label", "基期")
OF_COMPANY = purchases_link(**BY_COMPANY, **BY_GOODS, **MONTH_DAYS)


def base_filter(dataset: Dataset) -> Filter:
    """Against which month: one at a time."""
    return Filter("base", "基期", dataset.key, "base_label", multiple=False, default=(DEFAULT_BASE,))


def index(suffix: str = "") -> Expression:
    return ratio(sum_of(f"now{suffix}"), sum_of(f"base{suffix}"), 100)


def index_datasets() -> tuple[Dataset, Dataset]:
    effect = (sum_of("now") - sum_of("base")) * 100
    return compared_datasets(
        "price_index",
        "采购价格指数",
        "mart_price_index",
        grain="company",
        keys=("goods_id",),
        columns=(BASE, COMPANY, *GOODS, TYPE2, GOODS_LABEL, OF_COMPANY),
        measures={"now": "now_amount", "base": "base_amount", "bought": "is_bought"},
        levels=("now", "base", "bought"),
        metrics=(
            Metric("price_index", "价格指数", index(), DAYS),
            change_metric("rise", "价格较基期", sum_of("now"), sum_of("base"), "rise"),
            Metric("index_before", "上月指数", index("_before"), DAYS),
            change_metric("index_change", "较上月", index(), index("_before"), "rise"),
            Metric("index_year", "去年同月指数", index("_year"), DAYS),
            Metric("effect", "拉动（点）", ratio(effect, sum_over_rows(sum_of("base"))), "+,.2f"),
            Metric("weight", "权重", ratio(sum_of("base"), sum_over_rows(sum_of("base"))), PERCENT),
            Metric(
                "bought_share",
                "当月有采购的权重",
                ratio(default_to_zero(sum_where("base", ColumnRef("bought"))), sum_of("base")),
                PERCENT,
            ),
            Metric("goods_count", "篮子商品数", count_distinct("goods_id", is_positive("base")), QUANTITY),
        ),
    )


def index_head(data: Dataset) -> Head:
    return figures(
        data,
        Figure("price_index", "基期为100，基期之前没有指数", "rise"),
        Figure("bought_share", "其余沿用最近价格"),
        Figure("goods_count", "基期采购过的商品"),
    )


def index_trend(series: Dataset) -> Chart:
    return Chart("trend", "价格指数走势", "line", series.key, ("price_index",), x="month_label")


def index_table(data: Dataset, by: tuple[str, ...], title: str, key: str = "detail") -> Chart:
    metrics = (
        "price_index",
        "index_before",
        "index_change",
        "index_year",
        "weight",
        "effect",
        "bought_share",
    )
    return table(title, data, by, metrics, "weight", key=key, bar="weight")


def index_filters(data: Dataset) -> tuple[Filter, ...]:
    month = period_filter(data, "month_label", "月")
    return (base_filter(data), month, company_filter(data), *goods_filters(data), goods_filter(data))


def centre_board(cost: bool) -> Board:
    """The whole group: which types and brands move the index."""
    data, series = index_datasets()
    goods = ("goods_num", "goods_name", "specification_type", "brand_name", "company_name", "detail_link")
    lines = (
        line(
            44,
            (index_trend(series), 5),
            (ranking("types", "各商品类型价格较基期", data, "rise", "type1_name", is_signed=True), 4),
            (share("weights", "篮子类型权重", data, "weight", "type1_name"), 3),
        ),
        line(
            46,
            (ranking("brands", "较基期涨价前十品牌", data, "rise", "brand_name", is_signed=True), 5),
            (ranking("pushed", "拉动指数上涨前十商品（点）", data, "effect", "goods_label"), 7),
        ),
        line(
            64, (index_table(data, ("type1_name", "type2_name", "brand_name"), "分类价格指数", "kinds"), 12)
        ),
        line(82, (index_table(data, goods, "商品价格指数"), 12)),
    )
    return board((data, series), index_head(data), lines, index_filters(data))


def company_board(cost: bool) -> Board:
    """Company beside company: who buys dearer than in the base month."""
    data, series = index_datasets()
    by_company = Chart(
        "months",
        "各公司价格指数",
        "line",
        series.key,
        ("price_index",),
        by=("company_name",),
        x="month_label",
    )
    goods = ("company_name", "goods_num", "goods_name", "specification_type", "brand_name", "detail_link")
    lines = (
        line(
            46,
            (by_company, 7),
            (
                ranking(
                    "companies", "所选月份各公司价格较基期", data, "rise", "company_name", 20, is_signed=True
                ),
                5,
            ),
        ),
        line(
            64,
            (
                index_table(
                    data, ("company_name", "type1_name"), "公司与商品类型价格指数", "companies_types"
                ),
                12,
            ),
        ),
        line(82, (index_table(data, goods, "公司商品价格指数"), 12)),
    )
    return board((data, series), index_head(data), lines, index_filters(data))


CENTRE_PRICE_INDEX = centre_report(
    code="purchasecenterpriceindex",
    label="采购中心价格指数",
    question="全集团的进货价格比基期涨了还是跌了，哪些品类在推动？",
    group="采购分析",
    make=centre_board,
    has_cost=False,
)
PRICE_INDEX = centre_report(
    code="purchasingPriceIndex",
    label="采购价格指数",
    question="各公司的进货价格比基期涨了还是跌了，哪家买得更贵？",
    group="采购分析",
    make=company_board,
    has_cost=False,
)
