"""利润与收入：商品毛利、客户毛利、营业收入。

Revenue is net of tax and of allotted discount, cost is the one stored on the line, margin = profit ÷ revenue.
A role without cost rights gets revenue and quantity only.
"""

from __future__ import annotations

from reports.catalogue.compare import MONTH, compared, series_of, with_suffixes
from reports.catalogue.model import (
    MONEY,
    PERCENT,
    QUANTITY,
    Board,
    Chart,
    Column,
    Dataset,
    Filter,
    Metric,
    Report,
    Row,
    Tab,
)
from reports.catalogue.parts import (
    BRAND,
    COMPANY,
    CUSTOMER,
    EMPLOYEE,
    GOODS_LABEL,
    GOODS_NAME,
    GOODS_NUM,
    GOODS_TYPE,
    REFRESHED,
    SPECIFICATION,
    STAMP,
    WAREHOUSE,
    change_metric,
    company_filter,
    goods_filter,
    goods_filters,
    period_filter,
    ratio,
    total,
    warehouse_filter,
)

GOODS = ("goods_num", "goods_name", "brand_name", "type1_name", "specification_type")
MONTH_COLUMNS = (Column("month", "月份", "date"), Column("month_label", "月"))


def profit_metrics(cost: bool) -> tuple[Metric, ...]:
    plain = (
        Metric("quantity", "销售数量", total("quantity"), QUANTITY),
        Metric("revenue", "销售收入", total("revenue"), MONEY),
        Metric("revenue_before", "上月收入", total("revenue_before"), MONEY),
        change_metric("revenue_change", "环比", "sum(revenue)", "sum(revenue_before)"),
        Metric("revenue_year", "去年同月收入", total("revenue_year"), MONEY),
        change_metric("revenue_growth", "同比", "sum(revenue)", "sum(revenue_year)"),
    )
    if not cost:
        return plain
    return (
        *plain,
        Metric("cost", "销售成本", total("cost"), MONEY),
        Metric("profit", "毛利", total("profit"), MONEY),
        Metric("profit_before", "上月毛利", total("profit_before"), MONEY),
        change_metric("profit_change", "毛利环比", "sum(profit)", "sum(profit_before)"),
        Metric("margin", "毛利率", ratio("sum(profit)", "sum(revenue)"), PERCENT),
        Metric("margin_before", "上月毛利率", ratio("sum(profit_before)", "sum(revenue_before)"), PERCENT),
        Metric("margin_year", "去年同月毛利率", ratio("sum(profit_year)", "sum(revenue_year)"), PERCENT),
    )


def profit_measures(cost: bool) -> dict[str, str]:
    names = ("quantity", "revenue", *(("cost", "profit") if cost else ()))
    return {name: name for name in names}


def profit_dataset(
    key: str, label: str, mart: str, cost: bool, columns: tuple[Column, ...], grain: str
) -> tuple[Dataset, Dataset]:
    """The month's rows of a mart beside the previous month's and last year's, and the dataset for its series.

    Columns with SQL are derived.
    """
    keys = ("company_id", "warehouse_id") if grain == "warehouse" else ("company_id",)
    figures = profit_measures(cost)

    def source(alone: bool) -> str:
        return compared(
            mart,
            MONTH,
            start="month",
            label="month_label",
            dimensions=(*keys, *(column.name for column in columns if not column.sql)),
            measures=figures,
            alone=alone,
        )

    data = Dataset(
        key=f"{key}_{'cost' if cost else 'plain'}",
        label=label,
        source=source(alone=False),
        grain="warehouse" if grain == "warehouse" else "company",
        cost=cost,
        time_column="month",
        columns=(*MONTH_COLUMNS, *columns),
        measures=with_suffixes(*figures),
        metrics=profit_metrics(cost),
    )
    return data, series_of(data, source(alone=True))


def profit_kpis(cost: bool, key: str) -> tuple[Chart, ...]:
    shown = (
        ("revenue", "revenue", "本月销售收入"),
        ("quantity", "quantity", "本月销售数量"),
        *((("profit", "profit", "本月毛利"), ("margin", "margin", "本月毛利率")) if cost else ()),
    )
    return tuple(
        Chart(name, label, "trend_kpi", key, (metric,), x="month", subtitle="较上月")
        for name, metric, label in shown
    )


def profit_trend(cost: bool, key: str) -> Chart:
    if cost:
        return Chart(
            "trend",
            "收入、毛利与毛利率趋势",
            "mixed",
            key,
            ("revenue", "profit"),
            x="month_label",
            second=("margin",),
        )
    return Chart("trend", "收入与数量趋势", "mixed", key, ("revenue",), x="month_label", second=("quantity",))


def kpi_row(cost: bool) -> Row:
    if cost:
        return Row((("revenue", 3), ("quantity", 2), ("profit", 3), ("margin", 2), ("stamp", 2)), 20)
    return Row((("revenue", 5), ("quantity", 4), ("stamp", 3)), 20)


def detail_metrics(cost: bool) -> tuple[str, ...]:
    plain = ("quantity", "revenue", "revenue_before", "revenue_change", "revenue_year", "revenue_growth")
    return (*plain, "cost", "profit", "margin", "margin_before") if cost else plain


def excluded(cost: bool) -> tuple[str, ...]:
    return ("revenue", "quantity", *(("profit", "margin") if cost else ()), "trend")


def commodity_board(cost: bool) -> Board:
    columns = (COMPANY, WAREHOUSE, GOODS_TYPE, BRAND, GOODS_NUM, GOODS_NAME, GOODS_LABEL, SPECIFICATION)
    data, series = profit_dataset(
        "commodity_profit", "商品毛利", "mart_commodity_profit", cost, columns, "warehouse"
    )
    key, figure, label = data.key, ("profit" if cost else "revenue"), ("毛利" if cost else "销售收入")
    charts = (
        *profit_kpis(cost, series.key),
        STAMP,
        profit_trend(cost, series.key),
        Chart("types", f"{label}构成（商品类型）", "donut", key, (figure,), by=("type1_name",)),
        Chart(
            "brands",
            f"各品牌{label}",
            "bar",
            key,
            ("revenue", "profit") if cost else ("revenue",),
            x="brand_name",
            order=f"-{figure}",
            limit=12,
        ),
        Chart(
            "goods",
            f"{label}前十商品",
            "bar",
            key,
            (figure,),
            x="goods_label",
            order=figure,
            horizontal=True,
            limit=10,
        ),
        Chart(
            "detail",
            "商品明细",
            "table",
            key,
            detail_metrics(cost),
            by=("goods_num", "goods_name", "specification_type", "brand_name", "type1_name"),
            order=f"-{figure}",
            bars=(figure,),
            paged=True,
        ),
    )
    rows = (
        kpi_row(cost),
        Row((("trend", 8), ("types", 4)), 42),
        Row((("brands", 6), ("goods", 6)), 44),
        Row((("detail", 12),), 82),
    )
    filters = (
        period_filter(data, "month_label", "月", *excluded(cost)),
        company_filter(data),
        warehouse_filter(data),
        *goods_filters(data),
        goods_filter(data),
    )
    return Board(charts, rows, filters, (data, series, REFRESHED))


def customer_board(cost: bool) -> Board:
    data, series = profit_dataset(
        "customer_profit", "客户毛利", "mart_customer_profit", cost, (COMPANY, CUSTOMER, EMPLOYEE), "company"
    )
    key, figure, label = data.key, ("profit" if cost else "revenue"), ("毛利" if cost else "销售收入")
    charts = (
        *profit_kpis(cost, series.key),
        STAMP,
        profit_trend(cost, series.key),
        Chart("companies", f"{label}构成（公司）", "donut", key, (figure,), by=("company_name",)),
        Chart(
            "customers",
            f"{label}前十客户",
            "bar",
            key,
            (figure,),
            x="customer_name",
            order=figure,
            horizontal=True,
            limit=10,
        ),
        Chart(
            "employees",
            f"各业务员{label}",
            "bar",
            key,
            ("revenue", "profit") if cost else ("revenue",),
            x="employee_name",
            order=f"-{figure}",
            limit=15,
        ),
        Chart(
            "detail",
            "客户明细",
            "table",
            key,
            detail_metrics(cost),
            by=("company_name", "customer_name", "employee_name"),
            order=f"-{figure}",
            bars=(figure,),
            paged=True,
        ),
    )
    rows = (
        kpi_row(cost),
        Row((("trend", 8), ("companies", 4)), 42),
        Row((("customers", 6), ("employees", 6)), 44),
        Row((("detail", 12),), 82),
    )
    filters = (
        period_filter(data, "month_label", "月", *excluded(cost)),
        company_filter(data),
        Filter("employee", "业务员", key, "employee_name"),
        Filter("customer", "客户", key, "customer_name", parent="company", searched=True),
    )
    return Board(charts, rows, filters, (data, series, REFRESHED))


COMMODITY_PROFIT = Report(
    code="CommodityProfit",
    label="商品毛利分析",
    question="哪些商品、品牌挣钱，毛利率在升还是在降？",
    group="销售报表",
    tabs=(Tab("all", "商品毛利分析", commodity_board(cost=False), commodity_board(cost=True)),),
)
CUSTOMER_PROFIT = Report(
    code="CustomerProfit",
    label="客户毛利分析",
    question="哪些客户、业务员带来毛利？",
    group="销售报表",
    tabs=(Tab("all", "客户毛利分析", customer_board(cost=False), customer_board(cost=True)),),
)
