"""利润表：营业收入减销售成本，加减成本调整、退货差异、盘点、三包，加返利减费用；未结账的月份为暂估。

Amounts are what a line adds to the result, so that costs are negative and subtotals are sums of base rows. A role
without cost rights sees revenue, rebates, claims and freight. Lines lead to their bills.
"""

from __future__ import annotations

from reports.catalogue.aims import aimed_chart, aimed_dataset
from reports.catalogue.beside import Figure, figures, passed
from reports.catalogue.boards import Board, Pivot
from reports.catalogue.compare import MONTH, MONTH_COLUMNS, compared_datasets
from reports.catalogue.datasets import MONEY, PERCENT, QUANTITY, Column, Dataset, Metric
from reports.catalogue.expressions import (
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
from reports.catalogue.metrics import grown_metric, money, percent, ratio, sum_where
from reports.catalogue.parts import (
    BY_COMPANY,
    COMPANY,
    MONTH_DAYS,
    POSTED,
    bars,
    board,
    company_filter,
    curves,
    in_order,
    line,
    link_by_row,
    ranking,
    report,
    running_filter,
    table,
    variant,
)

REVENUE, COST = ("revenue",), ("sales_cost",)
CORRECTIONS = ("adjustment", "return_variance", "stocktake", "guarantee")
REBATES = ("supplier_rebate", "customer_rebate")
WAIVERS = ("customer_waiver", "supplier_waiver")
EXPENSES = ("other_moves", "claims", "freight", *WAIVERS)
EVERY = (*REVENUE, *COST, *CORRECTIONS, *REBATES, *EXPENSES)
KNOWN_TO_ALL = (*REVENUE, *REBATES, "claims", "freight", *WAIVERS)
"""What tells nothing of what goods cost."""
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
    sql=in_order("m.item_order", "m.item_name"),
    is_horizontal=True,
    has_all_labels=True,
)
# All lines together mean nothing: subtotals are among them.
IS_ONE_LINE = compare(count_distinct("line_name"), "=", 1)


def quoted(items: tuple[str, ...]) -> str:
    return ", ".join(f"'{item}'" for item in items)


def of(items: tuple[str, ...], suffix: str = "") -> Expression:
    return sum_where(f"amount{suffix}", IsIn(ColumnRef("item"), items))


def items_of(cost: bool) -> tuple[str, ...]:
    return EVERY if cost else KNOWN_TO_ALL


def page(cost: bool) -> str:
    """Where an item's bills are."""
    routes = " ".join(f"when '{item}' then '{BILLS[item]}'" for item in items_of(cost))
    return f"case {{item}} {routes} end"


def mart(cost: bool) -> str:
    return "mart_income" if cost else f"(select * from mart_income where item in ({quoted(KNOWN_TO_ALL)}))"


def income_datasets(cost: bool) -> tuple[Dataset, Dataset]:
    """The items as base rows: figures, months, companies."""
    gross, every = (*REVENUE, *COST), EVERY
    results = (
        (
            Metric("gross", "销售毛利", ToDouble(of(gross)), MONEY),
            percent("margin", "毛利率", of(gross), of(REVENUE)),
            money("result", "经营利润", "amount"),
            Metric("result_before", "上月整月利润", ToDouble(sum_of("amount_before")), MONEY),
            grown_metric("result_change", "利润按进度较上月", sum_of("amount"), sum_of("amount_before")),
            Metric("result_year", "去年同月整月利润", ToDouble(sum_of("amount_year")), MONEY),
            grown_metric("result_growth", "利润按进度较去年同月", sum_of("amount"), sum_of("amount_year")),
            percent("result_share", "利润率", of(every), of(REVENUE)),
            Metric("corrections", "成本调整与盘点等", ToDouble(of(CORRECTIONS)), MONEY),
        )
        if cost
        else ()
    )
    return compared_datasets(
        variant("income", cost),
        "利润表",
        mart(cost),
        grain="company",
        cost=cost,
        keys=("item_order",),
        alone=("item",),
        columns=(
            COMPANY,
            *OF_MONTH,
            Column("item_name", "项目"),
            ITEM_AXIS,
            link_by_row(
                "单据",
                f"' || {page(cost)} || '",
                tuple(dict.fromkeys(BILLS[item] for item in items_of(cost))),
                {**BY_COMPANY, **MONTH_DAYS, **POSTED},
            ),
        ),
        measures={"amount": "amount"},
        metrics=(
            Metric("revenue", "营业收入", ToDouble(of(REVENUE)), MONEY),
            Metric("revenue_before", "上月整月收入", ToDouble(of(REVENUE, "_before")), MONEY),
            grown_metric("revenue_change", "收入按进度较上月", of(REVENUE), of(REVENUE, "_before")),
            Metric("revenue_year", "去年同月整月收入", ToDouble(of(REVENUE, "_year")), MONEY),
            grown_metric("revenue_growth", "收入按进度较去年同月", of(REVENUE), of(REVENUE, "_year")),
            Metric("rebates", "返利净额（已确认）", ToDouble(of(REBATES)), MONEY),
            Metric("expenses", "费用" if cost else "理赔与运费", ToDouble(of(EXPENSES)), MONEY),
            money("amount", "金额"),
            money("amount_before", "上月整月"),
            money("amount_year", "去年同月整月"),
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


def more_than(earlier: str) -> Expression:
    """What there is more or less than earlier, of which as much counts as has passed of the month."""
    return ToDouble(sum_of("amount") - passed(sum_of(earlier)))


def statement_dataset(cost: bool) -> Dataset:
    """The statement line by line, subtotals too."""
    kept = [line for line in enumerate(LINES, 1) if set(line[1][1]) <= set(items_of(cost))]
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
        ("moved", "按进度较上月增减", more_than("amount_before"), MONEY),
        ("year", "去年同月整月", ToDouble(sum_of("amount_year")), MONEY),
        ("grown", "按进度较去年同月增减", more_than("amount_year"), MONEY),
        ("share", "占收入", ratio(sum_of("amount"), revenue), PERCENT),
    )
    data, _ = compared_datasets(
        variant("income_statement", cost),
        "利润表各项",
        f"(select i.*, l.line_order, l.line_name from {mart(cost)} as i"
        f" inner join ({rows}) as l on i.item = l.item)",
        grain="company",
        cost=cost,
        alone=("line_order",),
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
    """The items beside revenue and what was sold, which dwarf them."""
    kept = [item for item in items_of(cost) if item not in (*REVENUE, *COST)]
    data, _ = compared_datasets(
        variant("income_others", cost),
        "利润表其他各项",
        f"(select * from mart_income where item in ({quoted(tuple(kept))}))",
        grain="company",
        cost=cost,
        keys=("item_order",),
        alone=("item",),
        columns=(
            COMPANY,
            Column("item_name", "项目名"),
            ITEM_AXIS,
        ),
        measures={"amount": "amount"},
        metrics=(money("amount", "金额"),),
    )
    return data


def aimed_profit(cost: bool) -> Dataset:
    """Each month's gross profit, or revenue where cost is not seen, and what was aimed at."""
    figure = (
        Metric("gross", "销售毛利", ToDouble(of((*REVENUE, *COST))), MONEY)
        if cost
        else Metric("revenue", "营业收入", ToDouble(of(REVENUE)), MONEY)
    )
    return aimed_dataset(
        variant("income", cost),
        "利润表",
        mart(cost),
        figure,
        ("item", "amount"),
        "profit_target" if cost else "sales_target",
        MONTH_COLUMNS,
        cost=cost,
    )


def income_board(cost: bool) -> Board:
    data, series = income_datasets(cost)
    aimed = aimed_profit(cost)
    others = other_items_dataset(cost)
    statement = statement_dataset(cost)
    results = ("gross", "margin", "corrections") if cost else ()
    ending = ("result", "result_share") if cost else ()
    listed = table(
        "利润表" if cost else "收入、返利、理赔与运费",
        statement,
        ("line_name",),
        ("amount", "share", "before", "moved", "year", "grown"),
        "line",
        key="statement",
        paged=False,
        totalled=False,
    )
    months = table(
        "各月利润" if cost else "各月收入",
        series,
        ("month_mark",),
        ("revenue", *results, "rebates", "expenses", *ending, "open_companies"),
        "newest",
        key="months_table",
        paged=False,
    )
    companies = table(
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
        only_filed=("result_before", "result_year") if cost else (),
    )
    every = table(
        "各公司各月",
        series,
        ("month_label", "company_name", "state"),
        ("revenue", *results, "rebates", "expenses", *ending),
        "newest",
        key="every_month",
    )
    detail = table(
        "各项金额，直到单据",
        data,
        ("company_name", "item_name", "detail_link"),
        ("amount", "amount_before", "amount_year"),
        "amount",
    )
    main, label = ("result", "经营利润") if cost else ("revenue", "营业收入")
    head = figures(
        data,
        Figure("revenue", "不含税", "fall"),
        *(
            (Figure("gross", worse="fall"), Figure("result", worse="fall"))
            if cost
            else (Figure("rebates", "已确认的供应商返利减客户返利"),)
        ),
        Figure("open_companies", "大于0时该月为暂估"),
    )
    lines = (
        line(
            64 if cost else 46,
            (listed, 7),
            (
                curves(
                    "trend",
                    "各月收入、毛利与利润率",
                    series,
                    ("revenue", "gross"),
                    "result_share",
                    "month_mark",
                )
                if cost
                else bars("trend", "各月收入", series, ("revenue",), "month_mark"),
                5,
            ),
        ),
        line(
            42,
            (ranking("companies", f"各公司{label}", data, main, "company_name", 20, is_signed=cost), 6),
            (
                bars(
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
        line(36, (aimed_chart(aimed, "month_label"), 12)),
        line(60, (months, 12)),
        line(60, (companies, 12)),
        line(70, (every, 12)),
        line(70, (detail, 12)),
    )
    filters = (running_filter(data, "month_label", MONTH, "aimed"), company_filter(data))
    by_item = Pivot(data.key, ("item_axis",), ("company_name",), ("amount",))
    return board((data, series, statement, others, aimed), head, lines, filters, pivot=by_item)


INCOME_STATEMENT = report(
    code="IncomeStatement",
    label="利润表",
    question="这个月赚了多少，哪些是正式数、哪些是暂估？",
    group="经营报表",
    words="赚钱 亏本 亏钱 盈亏 利润",
    make=income_board,
)
