"""Profit and revenue (利润与收入): by goods, customer and category.

Revenue is net of tax and of prorated discount, cost is the one stored on the line, margin = profit ÷
revenue. After rebate is less the customers' rebates that the sales earned, and with those that suppliers
granted on the goods sold: confirmed by an audited bill, or expected of cycles that have none yet. A role
without cost rights gets revenue and quantity only, of sales alone.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from reports.semantics.dashboards import Board, Chart, Filter, Report, Tab
from reports.semantics.datasets import MONEY, Column, Dataset, Metric
from reports.semantics.expressions import (
    CaseWhen,
    ColumnRef,
    Constant,
    IsNull,
    Sum,
    ToDouble,
    sum_of,
)
from reports.semantics.kpi_comparison import BY_PROGRESS, Kpi, KpiHeader, build_kpi_header
from reports.semantics.metrics import (
    money_metric,
    percent_metric,
    quantity_metric,
    with_prorated_prior_periods,
)
from reports.semantics.period_comparison import Period, compared_datasets
from reports.semantics.report_builders import (
    BRAND,
    BY_BRAND,
    BY_COMPANY,
    BY_CUSTOMER,
    BY_EMPLOYEE,
    BY_GOODS,
    BY_TYPE,
    CUSTOMER,
    EMPLOYEE,
    GOODS,
    GOODS_LABEL,
    GOODS_TYPE,
    PLACES,
    TYPE2,
    build_bar_chart,
    build_board,
    build_curve_chart,
    build_donut_chart,
    build_ranking_chart,
    build_row,
    build_table,
    company_filter,
    customer_filter,
    employee_filter,
    goods_filter,
    place_and_goods_filters,
    sales_link,
    variant_key,
    warehouse_filter,
)
from reports.semantics.time_grains import ANY_DAYS, MONTHS, TimeGrain, build_time_grain_report

SOLD = "(quantity <> 0 or revenue <> 0)"
"""The rows of a profit mart that tell of sales, not of rebates alone."""
UNSOLD = Metric(
    "unsold_rebate",
    "未售出商品的返利（含预计）",
    ToDouble(
        Sum(
            CaseWhen(
                IsNull(ColumnRef("customer_id")),
                ColumnRef("supplier_rebate") + ColumnRef("expected_rebate"),
                Constant(0),
            )
        )
    ),
    MONEY,
)
"""Metric of suppliers' rebates on goods that nobody has bought yet: of no customer, in a row of its own."""
OF_STATIONS = (("company_type", "服务站"),)
STATIONS = "company_id in (select c.company_id from dim_company as c where c.company_type = '服务站')"


def profit_metrics(cost: bool, period: Period) -> tuple[Metric, ...]:
    revenue, profit = money_metric("revenue", "销售收入"), money_metric("profit", "毛利（返利前）")
    earlier = with_prorated_prior_periods(revenue, ("revenue",), period=period, prior_word="收入")
    plain = (quantity_metric("quantity", "销售数量"), revenue, *earlier)
    if not cost:
        return plain
    previous, last_year = period.prior_labels
    return (
        *plain,
        money_metric("cost", "销售成本"),
        replace(profit, heading="返利前毛利"),
        money_metric("rebate", "客户返利（已确认）"),
        money_metric("supplier_rebate", "供应商返利（已确认）"),
        money_metric("after_rebate", "毛利（返利后，已确认）"),
        money_metric("expected_rebate", "供应商返利（预计）"),
        replace(money_metric("after_expected", "毛利（返利后，含预计）"), heading="返利后毛利"),
        *(
            replace(metric, heading=metric.label.replace(BY_PROGRESS, ""))
            for metric in with_prorated_prior_periods(profit, ("profit",), word="毛利", period=period)
        ),
        replace(
            percent_metric("margin", "毛利率（返利前）", sum_of("profit"), sum_of("revenue")),
            heading="返利前毛利率",
        ),
        percent_metric("margin_after", "毛利率（返利后，已确认）", sum_of("after_rebate"), sum_of("revenue")),
        replace(
            percent_metric(
                "margin_expected", "毛利率（返利后，含预计）", sum_of("after_expected"), sum_of("revenue")
            ),
            heading="返利后毛利率",
        ),
        percent_metric(
            "margin_before", f"{previous}毛利率", sum_of("profit_before"), sum_of("revenue_before")
        ),
        percent_metric("margin_year", f"{last_year}毛利率", sum_of("profit_year"), sum_of("revenue_year")),
    )


def profit_datasets(
    name: str,
    label: str,
    mart: str,
    cost: bool,
    dimensions: tuple[Column, ...],
    keys: tuple[str, ...],
    span: TimeGrain,
    where: str = "",
    grain: Literal["company", "warehouse"] = "warehouse",
    more: tuple[Metric, ...] = (),
) -> tuple[Dataset, Dataset]:
    """Return a mart's dataset of months, or of days, with prior periods, and its series dataset."""
    conditions = [*([] if cost else [SOLD]), *([where] if where else [])]
    measures = {"quantity": "quantity", "revenue": "revenue"}
    if cost:
        measures |= {
            "cost": "cost",
            "profit": "profit",
            "rebate": "rebate",
            "supplier_rebate": "supplier_rebate",
            "after_rebate": "profit_after_rebate",
            "expected_rebate": "expected_rebate",
            "after_expected": "profit_after_expected",
        }
    return compared_datasets(
        variant_key(f"{name}{span.mark}", cost),
        f"{'服务站' if STATIONS in where else ''}{label}{span.word}",
        f"{mart}{span.mark}",
        grain=grain,
        cost=cost,
        columns=dimensions,
        keys=keys,
        measures=measures,
        metrics=(*profit_metrics(cost, span.period), *more),
        period=span.period,
        axis=span.columns,
        explorable=span.is_whole,
        where=" and ".join(conditions),
        only=OF_STATIONS if STATIONS in where else (),
    )


def profit_head(data: Dataset, *more: Metric) -> KpiHeader:
    """Return the KPI header.

    Rebates go by their cycles, not by days: a running month is not compared with whole ones.
    """
    earned = ("profit", "margin") if data.cost else ()
    pieces = () if more else ("quantity",)
    sold = (Kpi(name, worse="fall") for name in ("revenue", *pieces, *earned))
    running = data.comparison is not None and data.comparison.runs
    rebates = (
        Kpi("after_expected", "含预计的供应商返利", label="返利后毛利", whole_only=running),
        *(Kpi(metric.name, "含在返利后毛利里", label="其中未售出", whole_only=running) for metric in more),
    )
    return build_kpi_header(data, *sold, *(rebates if data.cost else ()))


def profit_trend(series: Dataset, span: TimeGrain) -> Chart:
    title, shown, second = (
        ("收入、毛利与毛利率趋势", ("revenue", "profit"), "margin")
        if series.cost
        else ("收入与数量趋势", ("revenue",), "quantity")
    )
    return build_curve_chart("trend", title, series, shown, second, span.axis, span.is_dense)


def get_main_metric(cost: bool) -> tuple[str, str]:
    """Return the name and the label of the metric that is ranked and shared out."""
    return ("profit", "毛利") if cost else ("revenue", "销售收入")


def build_compared_chart(key: str, of: str, data: Dataset, x: str, limit: int) -> Chart:
    """Return the chart of the largest by the main metric, where cost is seen with revenue beside it."""
    main, _ = get_main_metric(data.cost)
    label, metrics = ("收入与毛利", ("revenue", main)) if data.cost else ("销售收入", (main,))
    return build_bar_chart(key, f"各{of}{label}", data, metrics, x, order=main, limit=limit)


def profit_table(title: str, data: Dataset, by: tuple[str, ...], repeated_column: str = "") -> Chart:
    """Return the table.

    With cost there is room for changes only: compared values and derived metrics are exported only.
    """
    compared = ("revenue_change", "revenue_growth")
    plain = ("quantity", "revenue", "revenue_before", compared[0], "revenue_year", compared[1])
    earned = (
        *("quantity", "revenue", *compared, "cost", "profit", "profit_change", "profit_growth", "margin"),
        *("rebate", "supplier_rebate", "after_rebate", "margin_after"),
        *("expected_rebate", "after_expected", "margin_expected"),
    )
    main, _ = get_main_metric(data.cost)
    rebates = ("rebate", "supplier_rebate", "after_rebate", "margin_after", "expected_rebate")
    shown, filed = (
        (earned, ("cost", *rebates, *filter(None, (repeated_column,)))) if data.cost else (plain, ())
    )
    return build_table(title, data, (*by, "detail_link"), shown, main, bar=main, export_only=filed)


def profit_board(
    span: TimeGrain,
    datasets: tuple[Dataset, Dataset],
    charts: tuple[Chart, Chart, Chart, Chart],
    *filters: Filter,
    more: tuple[Metric, ...] = (),
) -> Board:
    """Return the board: KPIs and trend, a composition, two comparisons, a table."""
    data, series = datasets
    composition, left, right, listed = charts
    lines = (
        build_row(42, (profit_trend(series, span), 8), (composition, 4)),
        build_row(44, (left, 6), (right, 6)),
        build_row(82, (listed, 12)),
    )
    return build_board(datasets, profit_head(data, *more), lines, (span.filter(data), *filters))


def commodity_board(cost: bool, span: TimeGrain) -> Board:
    main, label = get_main_metric(cost)
    dimensions = (*PLACES, *GOODS, GOODS_LABEL, sales_link(**BY_GOODS, **span.days))
    data, series = profit_datasets(
        "commodity_profit", "商品毛利", "mart_commodity_profit", cost, dimensions, ("goods_id",), span
    )
    charts = (
        build_donut_chart("types", f"{label}构成（商品类型）", data, main, "type1_name"),
        build_compared_chart("brands", "品牌", data, "brand_name", 12),
        build_ranking_chart("goods", f"{label}前十商品", data, main, "goods_label"),
        profit_table(
            "商品明细",
            data,
            ("goods_num", "goods_name", "specification_type", "brand_name"),
            "specification_type",
        ),
    )
    return profit_board(span, (data, series), charts, *place_and_goods_filters(data), goods_filter(data))


def customer_board(cost: bool, span: TimeGrain, name: str = "customer_profit", where: str = "") -> Board:
    main, label = get_main_metric(cost)
    bills = sales_link(**BY_COMPANY, **BY_CUSTOMER, **BY_EMPLOYEE, **span.days)
    keys = ("customer_id", "employee_id")
    dimensions = (*PLACES, CUSTOMER, EMPLOYEE, bills)
    more = (UNSOLD,) if cost else ()
    # Of a company as a whole: a rebate that was counted on nothing is of no warehouse.
    data, series = profit_datasets(
        *(name, "客户毛利", "mart_customer_profit", cost, dimensions, keys, span, where),
        grain="company",
        more=more,
    )
    charts = (
        build_ranking_chart("companies", f"各公司{label}", data, main, "company_name", 20),
        build_ranking_chart("customers", f"{label}前十客户", data, main, "customer_name"),
        build_compared_chart("employees", "业务员", data, "employee_name", 15),
        profit_table("客户明细", data, ("company_name", "customer_name", "employee_name")),
    )
    filters = (
        company_filter(data),
        warehouse_filter(data),
        employee_filter(data),
        customer_filter(data),
    )
    return profit_board(span, (data, series), charts, *filters, more=more)


TYPES = (
    replace(GOODS_TYPE, label="一级分类", determined_by=("goods_type_id",)),
    replace(TYPE2, determined_by=("goods_type_id",)),
    Column("type3_name", "三级分类", determined_by=("goods_type_id",), is_unwrapped=True),
)
BRAND_ALONE = replace(BRAND, determined_by=("brand_id",))


def classified_board(cost: bool, span: TimeGrain, name: str = "classified_profit", where: str = "") -> Board:
    main, label = get_main_metric(cost)
    bills = sales_link(**BY_TYPE, **BY_BRAND, **span.days)
    keys = ("goods_type_id", "brand_id")
    dimensions = (*PLACES, *TYPES, BRAND_ALONE, bills)
    data, series = profit_datasets(
        name, "分类毛利", "mart_commodity_profit", cost, dimensions, keys, span, where
    )
    charts = (
        build_donut_chart("types", f"{label}构成（一级分类）", data, main, "type1_name"),
        build_compared_chart("second", "二级分类", data, "type2_name", 15),
        build_compared_chart("brands", "品牌", data, "brand_name", 12),
        profit_table(
            "分类明细", data, ("type1_name", "type2_name", "type3_name", "brand_name"), "type1_name"
        ),
    )
    second = Filter("type2", "二级分类", data.key, "type2_name", parent="type")
    return profit_board(span, (data, series), charts, *place_and_goods_filters(data), second)


COMMODITY_PROFIT = build_time_grain_report(
    code="CommodityProfit",
    label="商品毛利分析",
    question="哪些商品、品牌挣钱，毛利率在升还是在降？",
    group="销售报表",
    words="赚钱 亏本 亏钱 利润",
    make=commodity_board,
)
CUSTOMER_PROFIT = build_time_grain_report(
    code="CustomerProfit",
    label="客户毛利分析",
    question="哪些客户、业务员带来毛利？",
    group="销售报表",
    words="赚钱 亏本 亏钱 利润",
    make=customer_board,
)
CLASSIFIED_PROFIT = build_time_grain_report(
    code="ClassifiedProfit",
    label="分类毛利分析",
    question="哪些商品分类挣钱，各级分类的毛利率如何？",
    group="销售报表",
    words="赚钱 亏本 亏钱 利润",
    make=classified_board,
)
STATION_TABS = (
    ("classified", "分类毛利", classified_board, "station_classified_profit"),
    ("customers", "客户毛利", customer_board, "station_customer_profit"),
)
STATION_PROFIT = Report(
    code="stationProfitAnalysis",
    label="服务站毛利分析",
    question="各服务站的哪些商品分类、哪些客户挣钱？",
    group="销售报表",
    tabs=tuple(
        Tab(
            f"{key}{span.mark}",
            f"{label}{span.word}",
            *(make(cost, span, name, STATIONS) for cost in (False, True)),
        )
        for span in (MONTHS, ANY_DAYS)
        for key, label, make, name in STATION_TABS
    ),
)
