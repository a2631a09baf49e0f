"""Purchase price indices (采购价格指数): of categories of the whole group, and of companies.

Laspeyres': Σ p_t·q_0 ÷ Σ p_0·q_0 × 100 over the goods that each company bought in the base month, at
prices net of tax without gifts and returns; a goods not bought in a month keeps its last price.
"""

from __future__ import annotations

from reports.catalogue.purchase_analysis import centre_report
from reports.semantics.dashboards import Board, Chart, Filter
from reports.semantics.datasets import DAYS, PERCENT, QUANTITY, Column, Dataset, Metric
from reports.semantics.expressions import (
    ColumnRef,
    Expression,
    count_distinct,
    default_to_zero,
    is_positive,
    sum_of,
    sum_over_rows,
)
from reports.semantics.kpi_comparison import Kpi, KpiHeader, build_kpi_header
from reports.semantics.metrics import change_metric, ratio_of, sum_where
from reports.semantics.period_comparison import compared_datasets
from reports.semantics.report_builders import (
    BY_COMPANY,
    BY_GOODS,
    COMPANY,
    GOODS,
    GOODS_LABEL,
    MONTH_DAYS,
    TYPE2,
    build_board,
    build_donut_chart,
    build_ranking_chart,
    build_row,
    build_table,
    company_filter,
    goods_filter,
    goods_filters,
    period_filter,
    purchases_link,
)

DEFAULT_BASE = "去年同月"
BASE = Column("base_label", "基期")
OF_COMPANY = purchases_link(**BY_COMPANY, **BY_GOODS, **MONTH_DAYS)


def base_filter(dataset: Dataset) -> Filter:
    """Return the filter of the base month, one at a time."""
    return Filter("base", "基期", dataset.key, "base_label", multiple=False, default=(DEFAULT_BASE,))


def build_index(suffix: str = "") -> Expression:
    return ratio_of(sum_of(f"now{suffix}"), sum_of(f"base{suffix}"), 100)


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
            Metric("price_index", "价格指数", build_index(), DAYS),
            change_metric("rise", "价格较基期", sum_of("now"), sum_of("base"), "rise"),
            Metric("index_before", "上月指数", build_index("_before"), DAYS),
            change_metric("index_change", "较上月", build_index(), build_index("_before"), "rise"),
            Metric("index_year", "去年同月指数", build_index("_year"), DAYS),
            Metric("effect", "拉动（点）", ratio_of(effect, sum_over_rows(sum_of("base"))), "+,.2f"),
            Metric("weight", "权重", ratio_of(sum_of("base"), sum_over_rows(sum_of("base"))), PERCENT),
            Metric(
                "bought_share",
                "当月有采购的权重",
                ratio_of(default_to_zero(sum_where("base", ColumnRef("bought"))), sum_of("base")),
                PERCENT,
            ),
            Metric("goods_count", "篮子商品数", count_distinct("goods_id", is_positive("base")), QUANTITY),
        ),
    )


def index_head(data: Dataset) -> KpiHeader:
    return build_kpi_header(
        data,
        Kpi("price_index", "基期为100，基期之前没有指数", "rise"),
        Kpi("bought_share", "其余沿用最近价格"),
        Kpi("goods_count", "基期采购过的商品"),
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
    return build_table(title, data, by, metrics, "weight", key=key, bar="weight")


def index_filters(data: Dataset) -> tuple[Filter, ...]:
    month = period_filter(data, "month_label", "月")
    return (base_filter(data), month, company_filter(data), *goods_filters(data), goods_filter(data))


def centre_board(cost: bool) -> Board:
    """Return the board of the whole group: the types and brands that move the index."""
    data, series = index_datasets()
    goods = ("goods_num", "goods_name", "specification_type", "brand_name", "company_name", "detail_link")
    lines = (
        build_row(
            44,
            (index_trend(series), 5),
            (
                build_ranking_chart(
                    "types", "各商品类型价格较基期", data, "rise", "type1_name", is_signed=True
                ),
                4,
            ),
            (build_donut_chart("weights", "篮子类型权重", data, "weight", "type1_name"), 3),
        ),
        build_row(
            46,
            (
                build_ranking_chart(
                    "brands", "较基期涨价前十品牌", data, "rise", "brand_name", is_signed=True
                ),
                5,
            ),
            (build_ranking_chart("pushed", "拉动指数上涨前十商品（点）", data, "effect", "goods_label"), 7),
        ),
        build_row(
            64, (index_table(data, ("type1_name", "type2_name", "brand_name"), "分类价格指数", "kinds"), 12)
        ),
        build_row(82, (index_table(data, goods, "商品价格指数"), 12)),
    )
    return build_board((data, series), index_head(data), lines, index_filters(data))


def company_board(cost: bool) -> Board:
    """Return the board of companies: who buys dearer than in the base month."""
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
        build_row(
            46,
            (by_company, 7),
            (
                build_ranking_chart(
                    "companies", "所选月份各公司价格较基期", data, "rise", "company_name", 20, is_signed=True
                ),
                5,
            ),
        ),
        build_row(
            64,
            (
                index_table(
                    data, ("company_name", "type1_name"), "公司与商品类型价格指数", "companies_types"
                ),
                12,
            ),
        ),
        build_row(82, (index_table(data, goods, "公司商品价格指数"), 12)),
    )
    return build_board((data, series), index_head(data), lines, index_filters(data))


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
