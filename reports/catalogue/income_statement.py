"""Income statement (利润表).

Revenue less cost of sales, corrections, rebates and expenses; open months are estimates.

Amounts are what a line adds to the result, so that costs are negative and subtotals are sums of base rows.
A role without cost rights sees revenue, rebates, claims and freight. Lines lead to their bills.
"""

from __future__ import annotations

from reports.catalogue.target_lines import build_target_chart, target_dataset
from reports.semantics.dashboards import Board, Pivot
from reports.semantics.datasets import MONEY, PERCENT, QUANTITY, Column, Dataset, Metric
from reports.semantics.expressions import (
    CaseWhen,
    ColumnRef,
    Constant,
    Expression,
    IsIn,
    Operation,
    ToDouble,
    compare,
    count_distinct,
    is_known,
    max_of,
    min_of,
    sum_of,
    sum_over_rows,
)
from reports.semantics.kpi_comparison import Kpi, build_kpi_header, prorate_to_date
from reports.semantics.metrics import (
    money_metric,
    percent_metric,
    prorated_change_metric,
    ratio_of,
    sum_where,
)
from reports.semantics.period_comparison import MONTH, MONTH_COLUMNS, compared_datasets
from reports.semantics.report_builders import (
    BY_COMPANY,
    COMPANY,
    MONTH_DAYS,
    POSTED,
    build_bar_chart,
    build_board,
    build_curve_chart,
    build_ranking_chart,
    build_report,
    build_row,
    build_table,
    company_filter,
    link_by_row,
    ordered_label_sql,
    running_filter,
    variant_key,
)

REVENUE, COST = ("revenue",), ("sales_cost",)
CORRECTIONS = ("adjustment", "return_variance", "stocktake", "guarantee")
REBATES = ("supplier_rebate", "customer_rebate")
WAIVERS = ("customer_waiver", "supplier_waiver")
EXPENSES = ("other_moves", "claims", "freight", *WAIVERS)
EVERY = (*REVENUE, *COST, *CORRECTIONS, *REBATES, *EXPENSES)
KNOWN_TO_ALL = (*REVENUE, *REBATES, "claims", "freight", *WAIVERS)
"""Items that reveal no cost."""
# The statement's lines, of which some are subtotals, with the items that each adds up. Amounts have their signs.
LINES = (
    ("营业收入", REVENUE),
    ("销售成本", COST),
    ("销售毛利", (*REVENUE, *COST)),
    ("成本调整", ("adjustment",)),
    ("采购退货差异", ("return_variance",)),
    ("盘点盈亏", ("stocktake",)),
    ("三包损益", ("guarantee",)),
    ("供应商返利（已确认）", ("supplier_rebate",)),
    ("客户返利（已确认）", ("customer_rebate",)),
    ("其他出入库", ("other_moves",)),
    ("三包理赔净支出", ("claims",)),
    ("配送运费", ("freight",)),
    ("现金折扣（抹零）", WAIVERS),
    ("经营利润", EVERY),
)
BILLS = {
    "revenue": "/report/salesdetrpt",
    "sales_cost": "/report/salesdetrpt",
    "adjustment": "/inventory/adjustcost",
    "return_variance": "/purchase/refund",
    "stocktake": "/inventory/takestock",
    "guarantee": "/inventory/threeoutstorage",
    "supplier_rebate": "/purchase/rebatedetail",
    "customer_rebate": "/sales/customrebatedetail",
    "other_moves": "/inventory/othenoutstorage",
    "claims": "/report/aftersalesdetrpt",
    "freight": "/sales/salesdelievery",
    "customer_waiver": "/custom/CustomReceiptBillDetail",
    "supplier_waiver": "/purchase/paydetail",
}
# Of the row's own month: for series only, since the months beside it may be closed.
OF_MONTH = (Column("month_mark", "月份"), Column("state", "状态", is_unwrapped=True))
ITEM_AXIS = Column(
    "item_axis",
    "项目",
    sql=ordered_label_sql("m.item_order", "m.item_name"),
    is_horizontal=True,
    has_all_labels=True,
)
# All lines together mean nothing: subtotals are among them.
IS_ONE_LINE = compare(count_distinct("line_name"), "=", 1)


def quote_items(items: tuple[str, ...]) -> str:
    return ", ".join(f"'{item}'" for item in items)


def sum_items(items: tuple[str, ...], suffix: str = "") -> Expression:
    return sum_where(f"amount{suffix}", IsIn(ColumnRef("item"), items))


def list_visible_items(cost: bool) -> tuple[str, ...]:
    return EVERY if cost else KNOWN_TO_ALL


def item_page_sql(cost: bool) -> str:
    """Return SQL of the page with an item's bills."""
    routes = " ".join(f"when '{item}' then '{BILLS[item]}'" for item in list_visible_items(cost))
    return f"case {{item}} {routes} end"


def income_mart_sql(cost: bool) -> str:
    return (
        "mart_income" if cost else f"(select * from mart_income where item in ({quote_items(KNOWN_TO_ALL)}))"
    )


def income_datasets(cost: bool) -> tuple[Dataset, Dataset]:
    """Return the items as base rows: figures, months, companies."""
    gross, every = (*REVENUE, *COST), EVERY
    results = (
        (
            Metric("gross", "销售毛利", ToDouble(sum_items(gross)), MONEY),
            percent_metric("margin", "毛利率", sum_items(gross), sum_items(REVENUE)),
            money_metric("result", "经营利润", "amount"),
            Metric("result_before", "上月整月利润", ToDouble(sum_of("amount_before")), MONEY),
            prorated_change_metric(
                "result_change", "利润按进度较上月", sum_of("amount"), sum_of("amount_before")
            ),
            Metric("result_year", "去年同月整月利润", ToDouble(sum_of("amount_year")), MONEY),
            prorated_change_metric(
                "result_growth", "利润按进度较去年同月", sum_of("amount"), sum_of("amount_year")
            ),
            percent_metric("result_share", "利润率", sum_items(every), sum_items(REVENUE)),
            Metric("corrections", "成本调整与盘点等", ToDouble(sum_items(CORRECTIONS)), MONEY),
        )
        if cost
        else ()
    )
    return compared_datasets(
        variant_key("income", cost),
        "利润表",
        income_mart_sql(cost),
        grain="company",
        cost=cost,
        keys=("item_order",),
        hidden=("item",),
        columns=(
            COMPANY,
            *OF_MONTH,
            Column("item_name", "项目"),
            ITEM_AXIS,
            link_by_row(
                "单据",
                f"' || {item_page_sql(cost)} || '",
                tuple(dict.fromkeys(BILLS[item] for item in list_visible_items(cost))),
                {**BY_COMPANY, **MONTH_DAYS, **POSTED},
            ),
        ),
        measures={"amount": "amount"},
        metrics=(
            Metric("revenue", "营业收入", ToDouble(sum_items(REVENUE)), MONEY),
            Metric("revenue_before", "上月整月收入", ToDouble(sum_items(REVENUE, "_before")), MONEY),
            prorated_change_metric(
                "revenue_change",
                "收入按进度较上月",
                sum_items(REVENUE),
                sum_items(REVENUE, "_before"),
            ),
            Metric("revenue_year", "去年同月整月收入", ToDouble(sum_items(REVENUE, "_year")), MONEY),
            prorated_change_metric(
                "revenue_growth",
                "收入按进度较去年同月",
                sum_items(REVENUE),
                sum_items(REVENUE, "_year"),
            ),
            Metric("rebates", "返利净额（已确认）", ToDouble(sum_items(REBATES)), MONEY),
            Metric("expenses", "费用" if cost else "理赔与运费", ToDouble(sum_items(EXPENSES)), MONEY),
            money_metric("amount", "金额"),
            money_metric("amount_before", "上月整月"),
            money_metric("amount_year", "去年同月整月"),
            Metric(
                "open_companies",
                "未结账公司",
                count_distinct(
                    "company_name",
                    Operation(compare("state", "=", Constant("暂估")), "and", is_known("amount")),
                ),
                QUANTITY,
            ),
            Metric("newest", "最近月份", max_of("month")),
            *results,
        ),
    )


def build_difference_to_date(earlier: str) -> Expression:
    """Return the difference to a prior period's prorated amount."""
    return ToDouble(sum_of("amount") - prorate_to_date(sum_of(earlier)))


def statement_dataset(cost: bool) -> Dataset:
    """Return the dataset of the statement line by line, with subtotals."""
    kept = [line for line in enumerate(LINES, 1) if set(line[1][1]) <= set(list_visible_items(cost))]
    rows = " union all ".join(
        f"select {number} as line_order, '{name}' as line_name, '{item}' as item"
        for number, (name, items) in kept
        for item in items
    )
    first = sum_where("amount", compare("line_name", "=", Constant(LINES[0][0])))
    revenue = sum_over_rows(first)
    shown = (
        ("amount", "本月", ToDouble(sum_of("amount")), MONEY),
        ("before", "上月整月", ToDouble(sum_of("amount_before")), MONEY),
        ("moved", "按进度较上月增减", build_difference_to_date("amount_before"), MONEY),
        ("year", "去年同月整月", ToDouble(sum_of("amount_year")), MONEY),
        ("grown", "按进度较去年同月增减", build_difference_to_date("amount_year"), MONEY),
        ("share", "占收入", ratio_of(sum_of("amount"), revenue), PERCENT),
    )
    data, _ = compared_datasets(
        variant_key("income_statement", cost),
        "利润表各项",
        f"(select i.*, l.line_order, l.line_name from {income_mart_sql(cost)} as i"
        f" inner join ({rows}) as l on i.item = l.item)",
        grain="company",
        cost=cost,
        hidden=("line_order",),
        columns=(
            COMPANY,
            Column("line_name", "项目", min_width=126),
        ),
        measures={"amount": "amount"},
        metrics=(
            Metric("line", "行次", -min_of("line_order")),
            *(
                Metric(name, label, CaseWhen(IS_ONE_LINE, figure), form)
                for name, label, figure, form in shown
            ),
        ),
    )
    return data


def other_items_dataset(cost: bool) -> Dataset:
    """Return the dataset of the items other than revenue and cost of sales, which dwarf them."""
    kept = [item for item in list_visible_items(cost) if item not in (*REVENUE, *COST)]
    data, _ = compared_datasets(
        variant_key("income_others", cost),
        "利润表其他各项",
        f"(select * from mart_income where item in ({quote_items(tuple(kept))}))",
        grain="company",
        cost=cost,
        keys=("item_order",),
        hidden=("item",),
        columns=(
            COMPANY,
            Column("item_name", "项目名"),
            ITEM_AXIS,
        ),
        measures={"amount": "amount"},
        metrics=(money_metric("amount", "金额"),),
    )
    return data


def profit_target_dataset(cost: bool) -> Dataset:
    """Return the dataset of each month's gross profit (revenue where cost is not seen) and its target."""
    figure = (
        Metric("gross", "销售毛利", ToDouble(sum_items((*REVENUE, *COST))), MONEY)
        if cost
        else Metric("revenue", "营业收入", ToDouble(sum_items(REVENUE)), MONEY)
    )
    return target_dataset(
        variant_key("income", cost),
        "利润表",
        income_mart_sql(cost),
        figure,
        ("item", "amount"),
        "profit_target" if cost else "sales_target",
        MONTH_COLUMNS,
        cost=cost,
    )


def income_board(cost: bool) -> Board:
    data, series = income_datasets(cost)
    aimed = profit_target_dataset(cost)
    others = other_items_dataset(cost)
    statement = statement_dataset(cost)
    results = ("gross", "margin", "corrections") if cost else ()
    ending = ("result", "result_share") if cost else ()
    listed = build_table(
        "利润表" if cost else "收入、返利、理赔与运费",
        statement,
        ("line_name",),
        ("amount", "share", "before", "moved", "year", "grown"),
        "line",
        key="statement",
        paged=False,
        totalled=False,
    )
    months = build_table(
        "各月利润" if cost else "各月收入",
        series,
        ("month_mark",),
        ("revenue", *results, "rebates", "expenses", *ending, "open_companies"),
        "newest",
        key="months_table",
        paged=False,
    )
    companies = build_table(
        "各公司利润" if cost else "各公司收入",
        data,
        ("company_name",),
        (
            *(
                "open_companies",
                "revenue",
                "revenue_change",
                "revenue_growth",
                *results,
                "rebates",
                "expenses",
                *ending,
            ),
            *(("result_before", "result_change", "result_year", "result_growth") if cost else ()),
        ),
        "result" if cost else "revenue",
        key="companies_table",
        bar="result" if cost else "revenue",
        paged=False,
        export_only=("result_before", "result_year") if cost else (),
    )
    every = build_table(
        "各公司各月",
        series,
        ("month_label", "company_name", "state"),
        ("revenue", *results, "rebates", "expenses", *ending),
        "newest",
        key="every_month",
    )
    detail = build_table(
        "各项金额，直到单据",
        data,
        ("company_name", "item_name", "detail_link"),
        ("amount", "amount_before", "amount_year"),
        "amount",
    )
    main, label = ("result", "经营利润") if cost else ("revenue", "营业收入")
    head = build_kpi_header(
        data,
        Kpi("revenue", "不含税", "fall"),
        *(
            (Kpi("gross", worse="fall"), Kpi("result", worse="fall"))
            if cost
            else (Kpi("rebates", "已确认的供应商返利减客户返利"),)
        ),
        Kpi("open_companies", "大于0时该月为暂估"),
    )
    lines = (
        build_row(
            64 if cost else 46,
            (listed, 7),
            (
                build_curve_chart(
                    "trend",
                    "各月收入、毛利与利润率",
                    series,
                    ("revenue", "gross"),
                    "result_share",
                    "month_mark",
                )
                if cost
                else build_bar_chart("trend", "各月收入", series, ("revenue",), "month_mark"),
                5,
            ),
        ),
        build_row(
            42,
            (
                build_ranking_chart(
                    "companies", f"各公司{label}", data, main, "company_name", 20, is_signed=cost
                ),
                6,
            ),
            (
                build_bar_chart(
                    "items",
                    f"收入{'和成本' if cost else ''}以外的各项",
                    others,
                    ("amount",),
                    "item_axis",
                    is_signed=True,
                ),
                6,
            ),
        ),
        build_row(36, (build_target_chart(aimed, "month_label"), 12)),
        build_row(60, (months, 12)),
        build_row(60, (companies, 12)),
        build_row(70, (every, 12)),
        build_row(70, (detail, 12)),
    )
    filters = (running_filter(data, "month_label", MONTH, "aimed"), company_filter(data))
    by_item = Pivot(data.key, ("item_axis",), ("company_name",), ("amount",))
    return build_board((data, series, statement, others, aimed), head, lines, filters, pivot=by_item)


INCOME_STATEMENT = build_report(
    code="IncomeStatement",
    label="利润表",
    question="这个月赚了多少，哪些是正式数、哪些是暂估？",
    group="经营报表",
    words="赚钱 亏本 亏钱 盈亏 利润",
    make=income_board,
)
