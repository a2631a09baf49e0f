"""营业收入：已审核销售出库（不含税）减退货，按公司、部门、业务员、日月，与上期、去年同期对比。"""

from __future__ import annotations

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
    COMPANY,
    EMPLOYEE,
    REFRESHED,
    STAMP,
    change_metric,
    company_filter,
    period_filter,
    ratio,
    total,
)

REVENUE = Dataset(
    key="operating_revenue",
    label="营业收入",
    source="mart_operating_revenue",
    grain="company",
    time_column="day",
    columns=(
        Column("day", "日期", "date"),
        Column("day_label", "日", sql="strftime(m.day, '%m-%d')"),
        Column("month", "月份", "date", sql="cast(date_trunc('month', m.day) as date)"),
        Column("month_label", "月"),
        COMPANY,
        Column("department_name", "部门"),
        EMPLOYEE,
    ),
    measures=(
        "revenue",
        "sales_revenue",
        "return_revenue",
        "bill_count",
        "quantity",
        "previous_revenue",
        "last_year_revenue",
    ),
    metrics=(
        Metric("revenue", "营业收入", total("revenue"), MONEY),
        Metric("sales_revenue", "销售收入", total("sales_revenue"), MONEY),
        Metric("return_revenue", "销售退货", total("return_revenue"), MONEY),
        Metric("previous", "上月同期", total("previous_revenue"), MONEY),
        change_metric("change", "环比", "sum(revenue)", "sum(previous_revenue)"),
        Metric("last_year", "去年同期", total("last_year_revenue"), MONEY),
        change_metric("growth", "同比", "sum(revenue)", "sum(last_year_revenue)"),
        Metric("bills", "单据数", total("bill_count"), QUANTITY),
        Metric("quantity", "销售数量", total("quantity"), QUANTITY),
        Metric("per_bill", "单均收入", ratio("sum(revenue)", "sum(bill_count)"), MONEY),
        Metric("return_share", "退货率", ratio("abs(sum(return_revenue))", "sum(sales_revenue)"), PERCENT),
    ),
)


def revenue_board() -> Board:
    key = REVENUE.key
    charts = (
        Chart("revenue", "营业收入", "kpi", key, ("revenue",), subtitle="所选月份，不含税"),
        Chart("change", "环比", "kpi", key, ("change",), subtitle="与上月相同天数比"),
        Chart("growth", "同比", "kpi", key, ("growth",), subtitle="与去年同期比"),
        Chart("bills", "单据数", "kpi", key, ("bills",), subtitle="已审核销售出库"),
        Chart("return_share", "退货率", "kpi", key, ("return_share",), subtitle="退货占销售收入"),
        STAMP,
        Chart(
            "days", "每日营业收入与同期对比", "line", key, ("revenue", "previous", "last_year"), x="day_label"
        ),
        Chart("companies", "收入构成（公司）", "donut", key, ("revenue",), by=("company_name",)),
        Chart(
            "months",
            "各月营业收入与同比",
            "mixed",
            key,
            ("revenue", "last_year"),
            x="month_label",
            second=("growth",),
        ),
        Chart(
            "employees",
            "业务员收入排名",
            "bar",
            key,
            ("revenue",),
            x="employee_name",
            order="revenue",
            horizontal=True,
            limit=12,
        ),
        Chart(
            "detail",
            "营业收入明细",
            "table",
            key,
            (
                "revenue",
                "previous",
                "change",
                "last_year",
                "growth",
                "sales_revenue",
                "return_revenue",
                "return_share",
                "bills",
                "per_bill",
            ),
            by=("company_name", "department_name", "employee_name"),
            order="-revenue",
            bars=("revenue",),
        ),
    )
    rows = (
        Row(
            (("revenue", 2), ("change", 2), ("growth", 2), ("bills", 2), ("return_share", 2), ("stamp", 2)),
            19,
        ),
        Row((("days", 8), ("companies", 4)), 42),
        Row((("months", 7), ("employees", 5)), 44),
        Row((("detail", 12),), 76),
    )
    filters = (
        period_filter(REVENUE, "month_label", "月", "months"),
        company_filter(REVENUE),
        Filter("department", "部门", key, "department_name", parent="company"),
        Filter("employee", "业务员", key, "employee_name", parent="company"),
    )
    return Board(charts, rows, filters, (REVENUE, REFRESHED))


OPERATING_REVENUE = Report(
    code="OperatingRevenue",
    label="营业收入",
    question="这个月卖了多少，比上月同期和去年同期如何？",
    group="销售报表",
    tabs=(Tab("all", "营业收入", revenue_board()),),
)
