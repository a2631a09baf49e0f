"""Central purchasing (集中采购): purchase analysis and payment analysis.

Purchases are net of returns; a price is net of tax and without gifts, so that a role without cost rights
gets quantities and changes of prices only. Balances, invoices and payments are tax included.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from reports.catalogue.partners import SUPPLIERS
from reports.semantics.dashboards import Board, Chart, Filter
from reports.semantics.datasets import DAYS, MONEY, QUANTITY, Column, Dataset, Metric
from reports.semantics.expressions import ToDouble, count_distinct, is_positive, sum_of, sum_over_rows
from reports.semantics.kpi_comparison import Kpi, build_kpi_header
from reports.semantics.metrics import (
    money_metric,
    percent_metric,
    quantity_metric,
    ratio_of,
    total_of,
    with_prorated_prior_periods,
)
from reports.semantics.period_comparison import compared_datasets, prior_period_variants
from reports.semantics.report_builders import (
    BY_COMPANY,
    BY_GOODS,
    BY_SUPPLIER,
    COMPANY,
    GOODS,
    GOODS_LABEL,
    NAMED,
    PLACES,
    SUPPLIER,
    TYPE2,
    GridRow,
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
    place_and_goods_filters,
    purchases_link,
    supplier_filter,
    variant_key,
)
from reports.semantics.time_grains import TimeGrain, build_time_grain_report

PATH, MODULE = "centralizedProcurement", "集中采购"
centre_report = partial(build_report, path=PATH, module=MODULE)


def purchased_bills_link(days: Mapping[str, str]) -> Column:
    """Return the link to the bills by which a company bought a goods of a supplier."""
    return purchases_link(**BY_COMPANY, **BY_GOODS, **BY_SUPPLIER, **days)


def purchase_filters(data: Dataset, span: TimeGrain) -> tuple[Filter, ...]:
    return (span.filter(data), *place_and_goods_filters(data), supplier_filter(data), goods_filter(data))


def get_purchase_measure(cost: bool) -> tuple[str, str, str]:
    """Return the measure of purchases, its label and its format."""
    return ("value", "金额", MONEY) if cost else ("quantity", "数量", QUANTITY)


def plan_metrics(cost: bool) -> tuple[Metric, ...]:
    """Return the metrics of plans. Purchases of goods without a plan stand by themselves."""
    _, what, form = get_purchase_measure(cost)
    return (
        Metric("planned", f"计划{what}", total_of("planned"), form),
        Metric("ordered", f"订单{what}", total_of("ordered"), form),
        *((quantity_metric("planned_pieces", "计划数量"),) if cost else ()),
        quantity_metric("carried", "计划已执行数量"),
        percent_metric("carried_share", "计划执行率", sum_of("carried"), sum_of("planned_pieces")),
        Metric("in_plan", f"计划内入库{what}", total_of("in_plan"), form),
        percent_metric("in_plan_share", "计划入库率", sum_of("in_plan_pieces"), sum_of("planned_pieces")),
        Metric("unplanned", f"计划外入库{what}", ToDouble(sum_of("bought") - sum_of("in_plan")), form),
    )


def purchase_datasets(cost: bool, span: TimeGrain) -> tuple[Dataset, Dataset]:
    """Return purchases of months, or of days, with prior periods, and their series.

    Plans and orders exist for months only.
    """
    measure, what, form = get_purchase_measure(cost)
    bought = Metric("bought", f"采购{what}", total_of("bought"), form)
    counted = {"quantity": "quantity"} if cost else {}
    planned = {
        "planned": f"planned_{measure}",
        "ordered": f"ordered_{measure}",
        "planned_pieces": "planned_quantity",
        "carried": "carried_quantity",
        "in_plan": f"in_plan_{measure}",
        "in_plan_pieces": "in_plan_quantity",
    }
    plans, plan_figures = (planned, plan_metrics(cost)) if span.is_whole else ({}, ())
    return compared_datasets(
        variant_key(f"purchase_analysis{span.mark}", cost),
        f"采购分析{span.word}",
        f"mart_purchase_{span.step}",
        grain="warehouse",
        cost=cost,
        period=span.period,
        axis=span.columns,
        explorable=span.is_whole,
        keys=("goods_id", "supplier_id"),
        columns=(
            *PLACES,
            SUPPLIER,
            *GOODS,
            TYPE2,
            GOODS_LABEL,
            purchased_bills_link(span.days),
        ),
        measures={"bought": measure, "returned": f"return_{measure}", **plans, **counted},
        metrics=(
            bought,
            *with_prorated_prior_periods(bought, ("bought",), worse="", period=span.period, prior_word=what),
            *((quantity_metric("quantity", "采购数量"),) if cost else ()),
            Metric(
                "bought_share", "占比", ratio_of(sum_of("bought"), sum_over_rows(sum_of("bought"))), ",.1%"
            ),
            Metric("returned", f"退货{what}", total_of("returned"), form),
            percent_metric(
                "return_share", "退货率", sum_of("returned"), sum_of("bought") + sum_of("returned")
            ),
            Metric(
                "goods_count",
                "采购商品数",
                count_distinct("goods_id", is_positive("bought")),
                QUANTITY,
            ),
            *plan_figures,
        ),
    )


def plan_chart(series: Dataset) -> Chart:
    measures = ("planned", "ordered", "bought")
    return build_bar_chart(
        "months",
        f"各月计划、订单与入库{get_purchase_measure(series.cost)[1]}",
        series,
        measures,
        "month_label",
    )


def plan_table(data: Dataset) -> Chart:
    pieces = ("planned_pieces",) if data.cost else ()
    return build_table(
        "采购计划与执行",
        data,
        ("company_name", "warehouse_name", "supplier_name", "goods_num", "goods_name", "brand_name"),
        ("planned", "ordered", *pieces, "carried", "carried_share", "in_plan", "in_plan_share", "unplanned"),
        "planned",
        key="plans",
        bar="planned",
        export_only=("brand_name",),
    )


def purchase_board(cost: bool, span: TimeGrain) -> Board:
    data, series = purchase_datasets(cost, span)
    _, what, _ = get_purchase_measure(cost)
    compared = ("bought", "bought_share", "bought_before", "bought_change", "bought_year", "bought_growth")
    counted = ("quantity",) if cost else ()
    suppliers = build_table(
        "供应商采购汇总",
        data,
        ("supplier_name", "type1_name", "brand_name"),
        (*compared, *counted, "returned", "return_share", "goods_count"),
        "bought",
        key="suppliers",
        bar="bought",
    )
    detail = build_table(
        "商品采购明细",
        data,
        (
            *("company_name", "warehouse_name", "supplier_name", "goods_num", "goods_name"),
            *("specification_type", "brand_name", "detail_link"),
        ),
        ("bought", "bought_before", "bought_change", "bought_year", "bought_growth", *counted, "returned"),
        "bought",
        bar="bought",
        export_only=NAMED,
    )
    shown = [
        Kpi("bought", "入库减退货"),
        Kpi("goods_count", "采购过的商品"),
        Kpi("return_share", f"退货占采购{what}", "rise"),
        Kpi("returned", "已审核采购退货", "rise"),
    ]
    ranks = build_row(
        46,
        (build_ranking_chart("top", f"采购{what}前十供应商", data, "bought", "supplier_name"), 5),
        (build_ranking_chart("goods", f"采购{what}前十商品", data, "bought", "goods_label"), 7),
    )
    tables = [build_row(76, (suppliers, 12)), build_row(82, (detail, 12))]
    if span.is_whole:
        shown.append(Kpi("carried_share", "当月计划已下单或分配的数量", "fall"))
        tables = [build_row(42, (plan_chart(series), 12)), *tables, build_row(76, (plan_table(data), 12))]
    # Of a day on which goods went back and few were bought a share of returns tells nothing.
    word, second = ("退货率", "return_share") if span.is_whole else ("采购商品数", "goods_count")
    title = f"{span.each}采购{what}与{word}"
    makeup = build_row(
        42,
        (build_curve_chart("trend", title, series, ("bought",), second, span.axis, span.is_dense), 5),
        (build_ranking_chart("brands", f"采购{what}前十品牌", data, "bought", "brand_name"), 4),
        (build_donut_chart("types", "商品类型构成", data, "bought", "type1_name"), 3),
    )
    return build_board(
        (data, series), build_kpi_header(data, *shown), (makeup, ranks, *tables), purchase_filters(data, span)
    )


PAID = ("purchased", "invoiced", "settled", "offset")


def payment_datasets(span: TimeGrain) -> tuple[Dataset, Dataset]:
    """Return purchases, invoices and payments of months, or of days.

    Closing balances exist for months only.
    """
    measures = {
        **{name: f"{name}_amount" for name in PAID},
        "written": "write_off_amount",
        "waited": "write_off_days",
    }
    purchased, settled = money_metric("purchased", "本期采购"), money_metric("settled", "本期付款")
    waited = Metric("days", "平均付款天数", ratio_of(sum_of("waited"), sum_of("written")), DAYS)
    stands = (money_metric("closing", "期末应付"), money_metric("closing_before", "上月末应付"))
    return compared_datasets(
        f"supplier_payment{span.mark}",
        f"付款分析{span.word}",
        f"mart_supplier_payment{span.mark}",
        grain="company",
        period=span.period,
        axis=span.columns,
        explorable=span.is_whole,
        keys=("supplier_id",),
        columns=(COMPANY, SUPPLIER, SUPPLIERS.bills(**span.days)),
        measures={**measures, **({"closing": "closing_amount"} if span.is_whole else {})},
        levels=("closing",),
        metrics=(
            purchased,
            *with_prorated_prior_periods(purchased, measures, "采购", "", span.period),
            money_metric("invoiced", "本期收票"),
            percent_metric("invoiced_share", "开票率", sum_of("invoiced"), sum_of("purchased")),
            settled,
            *with_prorated_prior_periods(settled, measures, "付款", "", span.period),
            money_metric("offset", "本期冲抵"),
            percent_metric("paid_share", "付款率", sum_of("settled"), sum_of("purchased")),
            waited,
            *prior_period_variants(replace(waited, label="付款天数"), measures, *span.period.prior_labels),
            *(stands if span.is_whole else ()),
        ),
    )


def payment_trends(series: Dataset, span: TimeGrain) -> GridRow:
    title, flows = f"{span.each}采购、收票与付款", ("purchased", "invoiced", "settled")
    if not span.is_whole:  # what a reversal leaves of a day weighs no mean
        return build_row(44, (Chart("trend", title, "line", series.key, flows, x=span.axis), 12))
    waits = build_curve_chart("waits", "各月期末应付与付款天数", series, ("closing",), "days", span.axis)
    return build_row(44, (build_bar_chart("months", title, series, flows, span.axis), 7), (waits, 5))


def payment_board(cost: bool, span: TimeGrain) -> Board:
    data, series = payment_datasets(span)
    # Of days nothing stands open: what was paid in them is the point.
    point, ranked = ("closing", "期末应付") if span.is_whole else ("settled", "付款")
    stands = ("closing", "closing_before") if span.is_whole else ()
    suppliers = build_table(
        "供应商付款分析",
        data,
        ("company_name", "supplier_name", "detail_link"),
        (
            *("purchased", "purchased_change", "purchased_year", "purchased_growth"),
            *("invoiced", "invoiced_share"),
            *("settled", "settled_change", "settled_year", "settled_growth", "offset", "paid_share", *stands),
            *("days", "days_before", "days_year"),
        ),
        point,
        bar=point,
        export_only=("purchased_year", "invoiced", "settled_year", "offset", "paid_share", *stands[1:]),
    )
    head = build_kpi_header(
        data,
        Kpi("purchased"),
        Kpi("settled"),
        Kpi("days", "按金额加权"),
        Kpi("closing", "已减预付") if span.is_whole else Kpi("paid_share", "付款 ÷ 采购"),
        Kpi("invoiced_share", "收票 ÷ 采购"),
    )
    lines = (
        payment_trends(series, span),
        build_row(
            44,
            (build_ranking_chart("open", f"{ranked}前十供应商", data, point, "supplier_name"), 6),
            (build_ranking_chart("slow", "付款天数前十供应商", data, "days", "supplier_name"), 6),
        ),
        build_row(82, (suppliers, 12)),
    )
    filters = (span.filter(data), company_filter(data), supplier_filter(data))
    return build_board((data, series), head, lines, filters)


PURCHASE_ANALYSIS = build_time_grain_report(
    code="inPurchasingAnalysisTable",
    label="采购分析",
    question="向谁买了什么、买了多少，比计划、上月和去年同月如何？",
    group="采购分析",
    make=purchase_board,
    path=PATH,
    module=MODULE,
)
PAYMENT_ANALYSIS = build_time_grain_report(
    code="inAnalysisTablePayment",
    label="付款分析",
    question="各供应商开了多少票、付了多少款、还欠多少、多少天付款？",
    group="采购分析",
    make=payment_board,
    has_cost=False,
    path=PATH,
    module=MODULE,
)
