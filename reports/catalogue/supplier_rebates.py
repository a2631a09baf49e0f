"""Supplier rebates (供应商返利): accrued, confirmed, used and left of each policy and cycle, down to the bills.

A cycle counts in the quarter in which it ends, a running one in this quarter, so that quarters and years
can be compared whatever the policies' cycles are.
"""

from __future__ import annotations

from dataclasses import replace

from reports.semantics.dashboards import Board, Filter
from reports.semantics.datasets import MONEY, Column, Dataset, Metric
from reports.semantics.expressions import Constant, ToDouble, compare, sum_of
from reports.semantics.kpi_comparison import Kpi, build_kpi_header
from reports.semantics.metrics import money_metric, percent_metric, sum_where, with_prorated_prior_periods
from reports.semantics.period_comparison import Period, compared_datasets
from reports.semantics.period_offsets import WHOLE_QUARTERS
from reports.semantics.report_builders import (
    BY_COMPANY,
    COMPANY,
    SUPPLIER,
    bill_link,
    build_bar_chart,
    build_board,
    build_donut_chart,
    build_ranking_chart,
    build_report,
    build_row,
    build_table,
    company_filter,
    key_filter,
    link_column,
    period_filter,
    supplier_filter,
)

QUARTER = Period("quarter", "按季分析", "季", WHOLE_QUARTERS)
AXIS = (Column("quarter", "季度", "date"), Column("quarter_label", "季"))
ACCRUED = money_metric("accrued", "应计返利")
FIGURES = ("base", "accrued", "confirmed", "used", "left")
CYCLE = {
    "business_date_start": "strftime({cycle_start}, '%Y-%m-%d')",
    "business_date_end": "strftime({cycle_end}, '%Y-%m-%d')",
}
OF_POLICY = key_filter("policy_id", "policy_name")
ACCOUNT = {**BY_COMPANY, **key_filter("supplier_id", "partner_name", "partner_id")}
DUE = sum_where("accrued", compare("state", "=", Constant("待确认")))


def rebate_datasets() -> tuple[Dataset, Dataset]:
    return compared_datasets(
        "supplier_rebate",
        "供应商返利",
        "mart_supplier_rebate",
        period=QUARTER,
        axis=AXIS,
        grain="company",
        keys=("policy_id", "cycle_start", "cycle_end"),
        columns=(
            Column("month_label", "周期截至月"),
            COMPANY,
            SUPPLIER,
            Column("policy_name", "返利政策"),
            Column("rebate_mode", "返利方式"),
            Column(
                "cycle",
                "返利周期",
                sql="strftime(m.cycle_start, '%Y-%m-%d') || ' 至 ' || strftime(m.cycle_end, '%Y-%m-%d')",
            ),
            Column("state", "状态", is_unwrapped=True),
            Column("bill_no", "返利单号"),
            link_column("返利单", "/purchase/rebatedetail", **OF_POLICY, bill_no="coalesce({bill_no}, '-')"),
            link_column("计返明细", "/purchase/rebatelines", column="lines_link", **OF_POLICY, **CYCLE),
        ),
        measures={name: f"{name}_amount" for name in FIGURES},
        metrics=(
            money_metric("base", "计返金额"),
            ACCRUED,
            *with_prorated_prior_periods(ACCRUED, FIGURES, "应计", worse="", period=QUARTER),
            money_metric("confirmed", "已确认"),
            money_metric("used", "已使用"),
            money_metric("left", "未使用"),
            Metric("due", "待确认", ToDouble(DUE), MONEY),
            percent_metric("rate", "返利率", sum_of("accrued"), sum_of("base")),
            percent_metric("rate_year", "去年同季返利率", sum_of("accrued_year"), sum_of("base_year")),
            percent_metric("confirmed_share", "确认率", sum_of("confirmed"), sum_of("accrued")),
            percent_metric("used_share", "使用率", sum_of("used"), sum_of("confirmed")),
        ),
    )


def uses_dataset() -> Dataset:
    """Return the dataset of rebate uses: both bills of each write-off."""
    return Dataset(
        key="supplier_rebate_use",
        label="返利使用明细",
        source="(select * from mart_write_off where side = '应付' and item_bill_type = 'CGFL')",
        grain="company",
        time_column="business_date",
        columns=(
            COMPANY,
            replace(SUPPLIER, sql="m.partner_name", keys=(), determined_by=("partner_id",)),
            Column("business_date", "使用日期", "date"),
            Column("bill_no", "使用单据", determined_by=("bill_type", "bill_id")),
            Column("item_bill_no", "返利单号", determined_by=("item_bill_type", "item_bill_id")),
            Column("item_date", "返利单日期", "date", determined_by=("item_bill_type", "item_bill_id")),
            bill_link("使用单"),
            bill_link("返利单", "item_link", "item_"),
            link_column("返利账户", "/MoneyManagement/RebateManagement/RebateManagementSee", **ACCOUNT),
        ),
        measures=("amount",),
        metrics=(Metric("used_amount", "使用金额", ToDouble(-sum_of("amount")), MONEY),),
    )


def rebate_board(cost: bool) -> Board:
    data, series = rebate_datasets()
    uses = uses_dataset()
    cycles = build_table(
        "各政策返利周期",
        data,
        (
            *("company_name", "supplier_name", "policy_name", "rebate_mode", "cycle", "state", "bill_no"),
            *("detail_link", "lines_link"),
        ),
        ("base", "accrued", "confirmed", "used", "left", "rate"),
        "accrued",
        bar="accrued",
        export_only=("rebate_mode",),
    )
    suppliers = build_table(
        "供应商返利汇总",
        data,
        ("company_name", "supplier_name"),
        (
            *("accrued", "accrued_before", "accrued_change", "accrued_year", "accrued_growth"),
            *("confirmed", "used", "left", "due", "rate", "rate_year", "confirmed_share", "used_share"),
        ),
        "accrued",
        key="suppliers",
        bar="accrued",
    )
    used = build_table(
        "返利使用明细",
        uses,
        (
            "company_name",
            "supplier_name",
            "business_date",
            "bill_no",
            "item_bill_no",
            "item_date",
            *("bill_link", "item_link", "detail_link"),
        ),
        ("used_amount",),
        "used_amount",
        key="uses",
    )
    head = build_kpi_header(
        data,
        Kpi("accrued"),
        Kpi("due", "周期已结束，尚无返利单", "rise"),
        Kpi("left", "已确认，可抵付款"),
        Kpi("used_share", "已使用 ÷ 已确认"),
        Kpi("rate", "应计 ÷ 计返金额"),
    )
    lines = (
        build_row(
            44,
            (
                build_bar_chart(
                    "months",
                    "各月应计、确认与使用（按周期截至月）",
                    series,
                    ("accrued", "confirmed", "used"),
                    "month_label",
                ),
                7,
            ),
            (build_donut_chart("states", "应计返利按状态", data, "accrued", "state"), 5),
        ),
        build_row(
            44,
            (
                build_ranking_chart(
                    "suppliers_top",
                    "应计返利前十供应商",
                    data,
                    "accrued",
                    "supplier_name",
                    extra_metrics=("confirmed",),
                ),
                6,
            ),
            (
                build_ranking_chart(
                    "left_top", "未使用返利前十供应商（各季合计）", series, "left", "supplier_name"
                ),
                6,
            ),
        ),
        build_row(70, (suppliers, 12)),
        build_row(76, (cycles, 12)),
        build_row(60, (used, 12)),
    )
    filters = (
        period_filter(data, "quarter_label", "季"),
        company_filter(data),
        supplier_filter(data),
        Filter("policy", "返利政策", data.key, "policy_name", parent="supplier", searched=True),
        Filter("state", "状态", data.key, "state"),
    )
    return build_board((data, series, uses), head, lines, filters)


SUPPLIER_REBATE = build_report(
    code="ScheduleSupplierRebate",
    label="供应商返利",
    question="供应商的返利应计多少、确认了多少、用了多少、还剩多少？",
    group="采购报表",
    make=rebate_board,
    has_cost=False,
)
