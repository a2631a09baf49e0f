"""Warranty profit and loss (售后损益).

Paid to customers less settled by factories, by brand, factory, symptom and bill.

Both count on their own dates, so that a month has what was paid and what came back in it; the native
report of claims has the settlement of each piece.
"""

from __future__ import annotations

from dataclasses import replace

from reports.semantics.dashboards import Board, Filter, Pivot
from reports.semantics.datasets import MONEY, QUANTITY, Column, Dataset, Metric
from reports.semantics.expressions import ToDouble, max_of, sum_of
from reports.semantics.kpi_comparison import Kpi, build_kpi_header
from reports.semantics.metrics import money_metric, percent_metric, prorated_change_metric, quantity_metric
from reports.semantics.period_comparison import compared_datasets
from reports.semantics.report_builders import (
    BY_COMPANY,
    BY_SUPPLIER,
    COMPANY,
    CUSTOMER,
    GOODS,
    GOODS_LABEL,
    MONTH_DAYS,
    PATTERN,
    SUPPLIER,
    build_bar_chart,
    build_board,
    build_curve_chart,
    build_donut_chart,
    build_ranking_chart,
    build_report,
    build_row,
    build_table,
    company_filter,
    goods_filter,
    goods_filters,
    key_filter,
    link_column,
    running_filter,
)

FACTORY = replace(SUPPLIER, label="厂家", keys=(), determined_by=("supplier_id",))
SYMPTOM = Column("symptom_name", "三包症状", determined_by=("symptom_id",), is_unwrapped=True)
LINES = link_column(
    "售后明细",
    "/report/aftersalesdetrpt",
    **BY_COMPANY,
    **key_filter("brand_id", "brand_name"),
    **BY_SUPPLIER,
    **key_filter("symptom_id", "symptom_name"),
    **MONTH_DAYS,
)
MEASURES = {
    "paid_quantity": "compensated_quantity",
    "paid": "compensation_amount",
    "settled_quantity": "factory_quantity",
    "settled": "factory_amount",
}
RECOVERY = "厂家承担率"


def build_net_metric(name: str, label: str, suffix: str = "") -> Metric:
    return Metric(name, label, ToDouble(sum_of(f"paid{suffix}") - sum_of(f"settled{suffix}")), MONEY)


def warranty_datasets() -> tuple[Dataset, Dataset]:
    return compared_datasets(
        "guarantee",
        "售后损益",
        "mart_guarantee_month",
        grain="company",
        keys=("brand_id", "supplier_id", "symptom_id"),
        columns=(COMPANY, FACTORY, SYMPTOM, *GOODS, PATTERN, GOODS_LABEL, LINES),
        measures=MEASURES,
        metrics=(
            quantity_metric("paid_quantity", "赔付数量"),
            money_metric("paid", "赔付金额"),
            money_metric("paid_before", "上月整月赔付"),
            prorated_change_metric(
                "paid_change", "赔付按进度较上月", sum_of("paid"), sum_of("paid_before"), "rise"
            ),
            money_metric("paid_year", "去年同月整月赔付"),
            prorated_change_metric(
                "paid_growth", "赔付按进度较去年同月", sum_of("paid"), sum_of("paid_year"), "rise"
            ),
            quantity_metric("settled_quantity", "厂家结算数量"),
            money_metric("settled", "厂家结算金额"),
            build_net_metric("net", "理赔净支出"),
            build_net_metric("net_before", "上月整月净支出", "_before"),
            build_net_metric("net_year", "去年同月整月净支出", "_year"),
            percent_metric("recovery", RECOVERY, sum_of("settled"), sum_of("paid")),
            percent_metric(
                "recovery_before", "上月整月承担率", sum_of("settled_before"), sum_of("paid_before")
            ),
            percent_metric(
                "recovery_year", "去年同月整月承担率", sum_of("settled_year"), sum_of("paid_year")
            ),
        ),
    )


def waiting_dataset() -> Dataset:
    """Return the dataset of pieces paid to customers that their factories haven't settled."""
    return Dataset(
        key="guarantee_waiting",
        label="待厂家结算",
        source="(select * from mart_guarantee_claim where waited_days is not null)",
        grain="company",
        columns=(
            COMPANY,
            FACTORY,
            SYMPTOM,
            *GOODS,
            replace(CUSTOMER, keys=()),
            Column("bill_no", "登记单号"),
            Column("tire_number", "胎号"),
            Column("company_claim_no", "公司理赔单号"),
            Column("compensated_on", "赔付日期", "date"),
            Column("waited_days", "等待天数", "number"),
            link_column(
                "三包理赔", "/report/threepacketslaims", **BY_COMPANY, bill_no="url_encode({bill_no})"
            ),
        ),
        measures=("compensation_amount", "factory_amount"),
        metrics=(
            money_metric("paid", "赔付金额", "compensation_amount"),
            Metric(
                "waiting",
                "待厂家结算",
                ToDouble(sum_of("compensation_amount") - sum_of("factory_amount")),
                MONEY,
            ),
            Metric("longest", "最长等待（天）", max_of("waited_days"), QUANTITY),
        ),
    )


def warranty_board(cost: bool) -> Board:
    data, series = warranty_datasets()
    waiting = waiting_dataset()
    pieces = build_table(
        "赔付后厂家还没有结算的三包件",
        waiting,
        (
            *("company_name", "supplier_name", "goods_num", "goods_name", "symptom_name", "tire_number"),
            *("customer_name", "company_claim_no", "compensated_on", "waited_days", "detail_link"),
        ),
        ("paid", "waiting"),
        "waiting",
        key="pieces",
    )
    both = ("paid", "settled")
    moved = ("paid_quantity", "paid", "settled_quantity", "settled", "net", "recovery")
    causes = build_table(
        "各品牌、厂家、症状的赔付与厂家结算",
        data,
        ("company_name", "brand_name", "supplier_name", "symptom_name", "detail_link"),
        (*moved, "net_before", "net_year", "recovery_before", "recovery_year"),
        "net",
        bar="net",
        export_only=("paid_quantity", "settled_quantity"),
    )
    goods = build_table(
        "各商品的赔付与厂家结算",
        data,
        ("goods_num", "goods_name", "specification_type", "pattern", "brand_name", "supplier_name"),
        (*moved, "paid_before", "paid_change", "paid_year", "paid_growth"),
        "paid",
        key="goods_detail",
        bar="paid",
        export_only=("paid_before", "paid_year"),
    )
    head = build_kpi_header(
        data,
        Kpi("paid", worse="rise"),
        Kpi("settled"),
        Kpi("net", "赔付减厂家结算", "rise"),
        Kpi("recovery", "厂家结算 ÷ 赔付", "fall"),
    )
    lines = (
        build_row(
            42,
            (
                build_curve_chart(
                    "trend", f"各月赔付、厂家结算与{RECOVERY}", series, both, "recovery", "month_label"
                ),
                8,
            ),
            (build_donut_chart("symptoms", "赔付金额构成（三包症状）", data, "paid", "symptom_name"), 4),
        ),
        build_row(
            44,
            (
                build_ranking_chart(
                    "factories", "各厂家赔付与结算", data, "paid", "supplier_name", 12, ("settled",)
                ),
                6,
            ),
            (
                build_bar_chart(
                    "brands", "各品牌赔付与结算", data, both, "brand_name", order="paid", limit=12
                ),
                6,
            ),
        ),
        build_row(
            44,
            (build_ranking_chart("goods", "理赔净支出前十商品", data, "net", "goods_label"), 6),
            (
                build_ranking_chart(
                    "companies", "各公司理赔净支出", data, "net", "company_name", 15, is_signed=True
                ),
                6,
            ),
        ),
        build_row(76, (causes, 12)),
        build_row(76, (goods, 12)),
        build_row(70, (pieces, 12)),
    )
    filters = (
        running_filter(data),
        company_filter(data),
        Filter("factory", "厂家", data.key, "supplier_name", searched=True),
        Filter("symptom", "三包症状", data.key, "symptom_name"),
        *goods_filters(data),
        goods_filter(data),
    )
    across = Pivot(data.key, ("brand_name", "supplier_name"), ("symptom_name",), ("net",))
    return build_board((data, series, waiting), head, lines, filters, across)


AFTERSALES_PROFIT = build_report(
    code="aftersalesprofit",
    label="售后损益分析",
    question="三包赔付了多少，厂家承担了多少，哪些品牌、厂家、症状让公司贴钱？",
    group="三包报表",
    make=warranty_board,
    has_cost=False,
)
