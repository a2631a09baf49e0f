"""集中采购：采购分析、采购价格分析、付款分析。

Purchases are net of returns; a price is what was paid net of tax for what was no gift, so that a role without cost
rights gets quantities and changes of prices only. What is owed, invoiced and paid is tax included.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from reports.catalogue.beside import Figure, figures
from reports.catalogue.boards import Board, Chart, Filter
from reports.catalogue.compare import compared_datasets, stood
from reports.catalogue.datasets import DAYS, MONEY, QUANTITY, Column, Dataset, Metric
from reports.catalogue.days import Span, spanned_report
from reports.catalogue.expressions import ToDouble, count_distinct, is_positive, sum_of, sum_over_rows
from reports.catalogue.metrics import grown_beside, money, percent, quantity, ratio, total
from reports.catalogue.partners import SUPPLIERS
from reports.catalogue.parts import (
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
    Line,
    bars,
    board,
    company_filter,
    curves,
    goods_filter,
    line,
    place_and_goods_filters,
    purchases_link,
    ranking,
    report,
    share,
    supplier_filter,
    table,
    variant,
)

PATH, MODULE = "centralizedProcurement", "集中采购"
centre_report = partial(report, path=PATH, module=MODULE)


def bought_bills(days: Mapping[str, str]) -> Column:
    """Lead to the bills by which a company bought a goods of a supplier."""
    return purchases_link(**BY_COMPANY, **BY_GOODS, **BY_SUPPLIER, **days)


def purchase_filters(data: Dataset, span: Span) -> tuple[Filter, ...]:
    return (span.filter(data), *place_and_goods_filters(data), supplier_filter(data), goods_filter(data))


def bought_in(cost: bool) -> tuple[str, str, str]:
    """What purchases are added up in, how it is called and formatted."""
    return ("value", "金额", MONEY) if cost else ("quantity", "数量", QUANTITY)


def plan_metrics(cost: bool) -> tuple[Metric, ...]:
    """What goods without a plan brought tells nothing of how plans were carried out: it stands by itself."""
    _, what, form = bought_in(cost)
    return (
        Metric("planned", f"计划{what}", total("planned"), form),
        Metric("ordered", f"订单{what}", total("ordered"), form),
        *((quantity("planned_pieces", "计划数量"),) if cost else ()),
        quantity("carried", "计划已执行数量"),
        percent("carried_share", "计划执行率", sum_of("carried"), sum_of("planned_pieces")),
        Metric("in_plan", f"计划内入库{what}", total("in_plan"), form),
        percent("in_plan_share", "计划入库率", sum_of("in_plan_pieces"), sum_of("planned_pieces")),
        Metric("unplanned", f"计划外入库{what}", ToDouble(sum_of("bought") - sum_of("in_plan")), form),
    )


def purchase_datasets(cost: bool, span: Span) -> tuple[Dataset, Dataset]:
    """What was bought of months, or of days, beside earlier ones. Plans and orders are told of months alone."""
    measure, what, form = bought_in(cost)
    bought = Metric("bought", f"采购{what}", total("bought"), form)
    counted = {"quantity": "quantity"} if cost else {}
    planned = {
        "planned": f"planned_{measure}",
        "ordered": f"ordered_{measure}",
        "planned_pieces": "planned_quantity",
        "carried": "carried_quantity",
        "in_plan": f"in_plan_{measure}",
        "in_plan_pieces": "in_plan_quantity",
    }
    plans, told = (planned, plan_metrics(cost)) if span.whole else ({}, ())
    return compared_datasets(
        variant(f"purchase_analysis{span.mark}", cost),
        f"采购分析{span.word}",
        f"mart_purchase_{span.step}",
        grain="warehouse",
        cost=cost,
        period=span.period,
        axis=span.columns,
        explorable=span.whole,
        keys=("goods_id", "supplier_id"),
        columns=(
            *PLACES,
            SUPPLIER,
            *GOODS,
            TYPE2,
            GOODS_LABEL,
            bought_bills(span.days),
        ),
        measures={"bought": measure, "returned": f"return_{measure}", **plans, **counted},
        metrics=(
            bought,
            *grown_beside(bought, ("bought",), worse="", period=span.period, called=what),
            *((quantity("quantity", "采购数量"),) if cost else ()),
            Metric("bought_share", "占比", ratio(sum_of("bought"), sum_over_rows(sum_of("bought"))), ",.1%"),
            Metric("returned", f"退货{what}", total("returned"), form),
            percent("return_share", "退货率", sum_of("returned"), sum_of("bought") + sum_of("returned")),
            Metric(
                "goods_count",
                "采购商品数",
                count_distinct("goods_id", is_positive("bought")),
                QUANTITY,
            ),
            *told,
        ),
    )


def plan_chart(series: Dataset) -> Chart:
    measures = ("planned", "ordered", "bought")
    return bars("months", f"各月计划、订单与入库{bought_in(series.cost)[1]}", series, measures, "month_label")


def plan_table(data: Dataset) -> Chart:
    pieces = ("planned_pieces",) if data.cost else ()
    return table(
        "采购计划与执行",
        data,
        ("company_name", "warehouse_name", "supplier_name", "goods_num", "goods_name", "brand_name"),
        ("planned", "ordered", *pieces, "carried", "carried_share", "in_plan", "in_plan_share", "unplanned"),
        "planned",
        key="plans",
        bar="planned",
        only_filed=("brand_name",),
    )


def purchase_board(cost: bool, span: Span) -> Board:
    data, series = purchase_datasets(cost, span)
    _, what, _ = bought_in(cost)
    compared = ("bought", "bought_share", "bought_before", "bought_change", "bought_year", "bought_growth")
    counted = ("quantity",) if cost else ()
    suppliers = table(
        "供应商采购汇总",
        data,
        ("supplier_name", "type1_name", "brand_name"),
        (*compared, *counted, "returned", "return_share", "goods_count"),
        "bought",
        key="suppliers",
        bar="bought",
    )
    detail = table(
        "商品采购明细",
        data,
        (
            *("company_name", "warehouse_name", "supplier_name", "goods_num", "goods_name"),
            *("specification_type", "brand_name", "detail_link"),
        ),
        ("bought", "bought_before", "bought_change", "bought_year", "bought_growth", *counted, "returned"),
        "bought",
        bar="bought",
        only_filed=NAMED,
    )
    shown = [
        Figure("bought", "入库减退货"),
        Figure("goods_count", "采购过的商品"),
        Figure("return_share", f"退货占采购{what}", "rise"),
        Figure("returned", "已审核采购退货", "rise"),
    ]
    ranks = line(
        46,
        (ranking("top", f"采购{what}前十供应商", data, "bought", "supplier_name"), 5),
        (ranking("goods", f"采购{what}前十商品", data, "bought", "goods_label"), 7),
    )
    tables = [line(76, (suppliers, 12)), line(82, (detail, 12))]
    if span.whole:
        shown.append(Figure("carried_share", "当月计划已下单或分配的数量", "fall"))
        tables = [line(42, (plan_chart(series), 12)), *tables, line(76, (plan_table(data), 12))]
    # Of a day on which goods went back and few were bought a share of returns tells nothing.
    word, second = ("退货率", "return_share") if span.whole else ("采购商品数", "goods_count")
    title = f"{span.each}采购{what}与{word}"
    makeup = line(
        42,
        (curves("trend", title, series, ("bought",), second, span.axis, span.dense), 5),
        (ranking("brands", f"采购{what}前十品牌", data, "bought", "brand_name"), 4),
        (share("types", "商品类型构成", data, "bought", "type1_name"), 3),
    )
    return board(
        (data, series), figures(data, *shown), (makeup, ranks, *tables), purchase_filters(data, span)
    )


PAID = ("purchased", "invoiced", "settled", "offset")


def payment_datasets(span: Span) -> tuple[Dataset, Dataset]:
    """What was bought, invoiced and paid of months, or of days; what stands open at an end is told of months alone."""
    measures = {
        **{name: f"{name}_amount" for name in PAID},
        "written": "write_off_amount",
        "waited": "write_off_days",
    }
    purchased, settled = money("purchased", "本期采购"), money("settled", "本期付款")
    waited = Metric("days", "平均付款天数", ratio(sum_of("waited"), sum_of("written")), DAYS)
    stands = (money("closing", "期末应付"), money("closing_before", "上月末应付"))
    return compared_datasets(
        f"supplier_payment{span.mark}",
        f"付款分析{span.word}",
        f"mart_supplier_payment{span.mark}",
        grain="company",
        period=span.period,
        axis=span.columns,
        explorable=span.whole,
        keys=("supplier_id",),
        columns=(COMPANY, SUPPLIER, SUPPLIERS.bills(**span.days)),
        measures={**measures, **({"closing": "closing_amount"} if span.whole else {})},
        levels=("closing",),
        metrics=(
            purchased,
            *grown_beside(purchased, measures, "采购", "", span.period),
            money("invoiced", "本期收票"),
            percent("invoiced_share", "开票率", sum_of("invoiced"), sum_of("purchased")),
            settled,
            *grown_beside(settled, measures, "付款", "", span.period),
            money("offset", "本期冲抵"),
            percent("paid_share", "付款率", sum_of("settled"), sum_of("purchased")),
            waited,
            *stood(replace(waited, label="付款天数"), measures, *span.period.earlier),
            *(stands if span.whole else ()),
        ),
    )


def payment_trends(series: Dataset, span: Span) -> Line:
    title, flows = f"{span.each}采购、收票与付款", ("purchased", "invoiced", "settled")
    if not span.whole:  # what a reversal leaves of a day weighs no mean
        return line(44, (Chart("trend", title, "line", series.key, flows, x=span.axis), 12))
    waits = curves("waits", "各月期末应付与付款天数", series, ("closing",), "days", span.axis)
    return line(44, (bars("months", title, series, flows, span.axis), 7), (waits, 5))


def payment_board(cost: bool, span: Span) -> Board:
    data, series = payment_datasets(span)
    # Of days nothing stands open: what was paid in them is the point.
    point, ranked = ("closing", "期末应付") if span.whole else ("settled", "付款")
    stands = ("closing", "closing_before") if span.whole else ()
    suppliers = table(
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
        only_filed=("purchased_year", "invoiced", "settled_year", "offset", "paid_share", *stands[1:]),
    )
    head = figures(
        data,
        Figure("purchased"),
        Figure("settled"),
        Figure("days", "按金额加权"),
        Figure("closing", "已减预付") if span.whole else Figure("paid_share", "付款 ÷ 采购"),
        Figure("invoiced_share", "收票 ÷ 采购"),
    )
    lines = (
        payment_trends(series, span),
        line(
            44,
            (ranking("open", f"{ranked}前十供应商", data, point, "supplier_name"), 6),
            (ranking("slow", "付款天数前十供应商", data, "days", "supplier_name"), 6),
        ),
        line(82, (suppliers, 12)),
    )
    filters = (span.filter(data), company_filter(data), supplier_filter(data))
    return board((data, series), head, lines, filters)


PURCHASE_ANALYSIS = spanned_report(
    code="inPurchasingAnalysisTable",
    label="采购分析",
    question="向谁买了什么、买了多少，比计划、上月和去年同月如何？",
    group="采购分析",
    make=purchase_board,
    path=PATH,
    module=MODULE,
)
PAYMENT_ANALYSIS = spanned_report(
    code="inAnalysisTablePayment",
    label="付款分析",
    question="各供应商开了多少票、付了多少款、还欠多少、多少天付款？",
    group="采购分析",
    make=payment_board,
    has_cost=False,
    path=PATH,
    module=MODULE,
)
