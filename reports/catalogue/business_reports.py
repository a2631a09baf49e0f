"""Business reports (经营日报、经营月报).

Sales, purchases, receipts, payments, stock and partner balances, new overdue.

Sales and purchases are net of tax, receipts and payments are settled amounts; receivable and payable have
advances taken off: opening + in − out = closing. Stock and gross profit show only to roles that see cost.
"""

from __future__ import annotations

from reports.semantics.dashboards import Board, Chart, Pivot
from reports.semantics.datasets import SUFFIXES, Column, Dataset, Metric, PeriodComparison, Worse
from reports.semantics.expressions import Expression, ToDouble, is_known, narrow, sum_of
from reports.semantics.kpi_comparison import UNFINISHED, Kpi, build_kpi_header, limit_to_whole_days
from reports.semantics.metrics import change_metric, money_metric, percent_metric, quantity_metric
from reports.semantics.period_comparison import MONTH_COLUMNS, Period, without_comparisons
from reports.semantics.period_offsets import (
    ELAPSED,
    ONE_DAY,
    SAME_DAY_BEFORE,
    SAME_DAYS_BEFORE,
    with_prior_periods_sql,
)
from reports.semantics.report_builders import (
    BY_COMPANY,
    COMPANY,
    GridRow,
    build_board,
    build_curve_chart,
    build_ranking_chart,
    build_report,
    build_row,
    build_table,
    company_filter,
    known_days_filter,
    link_column,
    period_filter,
    variant_key,
)

FLOWS = ("sales", "sales_bills", "purchase", "receipts", "payments", "new_overdue")
LEVELS = (
    *("receivable_opening", "receivable_increase", "receipts", "receivable_offset", "receivable_closing"),
    *("payable_opening", "payable_increase", "payments", "payable_offset", "payable_closing"),
)
STOCK = ("stock_opening", "stock_in", "stock_out", "stock_closing")
# A level of a day, or what a month's days have in common.
LEVEL_ENDS, OF_MONTH = ("_opening", "_closing"), "mtd_"
FOUR = ("sales", "purchase", "receipts", "payments")
LABELS = {
    "sales": "销售",
    "sales_cost": "销售成本",
    "purchase": "采购",
    "receipts": "收款",
    "payments": "付款",
    "new_overdue": "新增逾期",
    "receivable_opening": "期初应收",
    "receivable_increase": "应收增加",
    "receivable_offset": "应收冲抵",
    "receivable_closing": "期末应收",
    "payable_opening": "期初应付",
    "payable_increase": "应付增加",
    "payable_offset": "应付冲抵",
    "payable_closing": "期末应付",
    "stock_opening": "期初库存",
    "stock_in": "入库",
    "stock_out": "出库",
    "stock_closing": "期末库存",
}


TARGETS: dict[str, tuple[str, Expression]] = {
    "sales": ("营业收入", sum_of("sales")),
    "receipts": ("收款", sum_of("receipts")),
    "profit": ("销售毛利", sum_of("sales") - sum_of("sales_cost")),
    "stock": ("期末库存", sum_of("stock_closing")),
}
"""Figures with monthly targets of companies (api/master/organization/business_targets.py), as label and expression."""


def prior_period_metrics(name: str, prefix: str = "") -> tuple[Metric, ...]:
    """Return a flow's metrics for the same days a month and a year ago, and its changes against them."""
    label, now = LABELS[name], sum_of(f"{prefix}{name}")
    worse: Worse = "fall" if name in ("sales", "receipts") else ""
    return tuple(
        metric
        for end, kind, when in zip(
            ("before", "year"), ("change", "growth"), SAME_DAYS_BEFORE.labels, strict=True
        )
        for metric in (
            money_metric(f"{name}_{end}", f"{when}{label}", f"{prefix}{name}_{end}"),
            change_metric(
                f"{name}_{kind}",
                f"{label}较{when}",
                now,
                limit_to_whole_days(sum_of(f"{prefix}{name}_{end}")),
                worse,
            ),
        )
    )


SALES_COMPARISONS = ("sales_before", "sales_change", "sales_year", "sales_growth")


def list_targets(cost: bool) -> tuple[str, ...]:
    """Return the names of the targets that a role sees."""
    return ("sales", "receipts", *(("profit", "stock") if cost else ()))


def target_metrics(cost: bool) -> tuple[Metric, ...]:
    """Return the targets and their completion rates, over the companies that have one."""
    return tuple(
        metric
        for name in list_targets(cost)
        for metric in (
            money_metric(f"{name}_target", f"{TARGETS[name][0]}目标"),
            percent_metric(
                f"{name}_done",
                f"{TARGETS[name][0]}完成率",
                _restrict_to_targets(name),
                sum_of(f"{name}_target"),
            ),
        )
    )


def _restrict_to_targets(name: str) -> Expression:
    """Return a figure over the companies that have a target of it."""
    return narrow(TARGETS[name][1], is_known(f"{name}_target"))


def target_lines(data: Dataset, cost: bool) -> tuple[GridRow, ...]:
    """Return the charts of each month against its target, and the table of completion by company."""
    drawn = {"sales": "sales", "receipts": "receipts", "profit": "profit", "stock": "stock_closing"}
    charts = [
        build_curve_chart(
            f"{name}_aimed",
            f"各月{TARGETS[name][0]}与目标",
            data,
            (drawn[name],),
            f"{name}_target",
            "month_label",
        )
        for name in list_targets(cost)
    ]
    shown = tuple(
        column for name in list_targets(cost) for column in (drawn[name], f"{name}_target", f"{name}_done")
    )
    reached = company_table("目标与完成", data, (), shown, key="reached")
    pairs = zip(charts[::2], charts[1::2], strict=True)
    return (*(build_row(36, (one, 6), (other, 6)) for one, other in pairs), build_row(60, (reached, 12)))


def list_change_names(name: str, prefix: str = "") -> tuple[str, ...]:
    """Return the names of a flow and its changes, for tables without room for the compared values."""
    return f"{prefix}{name}", f"{name}_change", f"{name}_growth"


def with_elapsed_sql(rows: str, day: str) -> str:
    """Return SQL of rows with `elapsed`: 1 once a whole day of their month is over."""
    month = f"cast(date_trunc('month', t.{day}) as date)"
    return (
        f"(select t.*, case when {month} < r.as_of then 1 end as {ELAPSED}"
        f" from {rows} as t cross join refreshed_at as r)"
    )


def own_measures(cost: bool) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*FLOWS, *LEVELS, *((*STOCK, "sales_cost") if cost else ()))))


def own_metrics(cost: bool, when: str) -> tuple[Metric, ...]:
    """Return the metrics of the period itself; `when` is a prefix of the flows' labels."""
    shown = (
        money_metric(name, f"{when if name in FLOWS else ''}{LABELS[name]}")
        for name in own_measures(cost)
        if name != "sales_bills"
    )
    margin = (
        (
            Metric("profit", "销售毛利", ToDouble(sum_of("sales") - sum_of("sales_cost")), ",.2f"),
            percent_metric("margin", "毛利率", sum_of("sales") - sum_of("sales_cost"), sum_of("sales")),
        )
        if cost
        else ()
    )
    return (*shown, quantity_metric("bills", f"{when}销售单数", "sales_bills"), *margin)


def is_flow(measure: str) -> bool:
    """Return whether a measure adds up over days or months."""
    return not (measure.endswith(LEVEL_ENDS) or measure.startswith(OF_MONTH) or measure == "stock_target")


def business_dataset(
    key: str,
    label: str,
    mart: str,
    cost: bool,
    columns: tuple[Column, ...],
    more: tuple[str, ...],
    metrics: tuple[Metric, ...],
    time: str,
    links: tuple[Column, ...] = (),
    comparison: PeriodComparison | None = None,
    when: str = "",
) -> Dataset:
    measures = (*own_measures(cost), *more)
    if metrics:
        mart, measures = with_elapsed_sql(mart, time), (*measures, ELAPSED)
    return Dataset(
        key=variant_key(key, cost),
        label=label,
        source=mart,
        grain="company",
        cost=cost,
        time_column=time,
        columns=(*columns, COMPANY, *links),
        measures=measures,
        additive_measures=tuple(name for name in measures if is_flow(name)),
        metrics=(*own_metrics(cost, when), *metrics),
        comparison=comparison,
    )


def company_table(
    title: str,
    data: Dataset,
    leads: tuple[str, ...],
    shown: tuple[str, ...],
    key: str = "detail",
    bar: str = "",
) -> Chart:
    """Return a table of a row per company, with links to its bills."""
    by = (COMPANY.name, *leads)
    return build_table(title, data, by, shown, shown[0], key=key, bar=bar, paged=False)


def level_lines(data: Dataset, cost: bool) -> tuple[GridRow, ...]:
    """Return the tables of opening, flows and closing of receivables, payables and stock."""
    leads = ("owed_link", "owing_link")
    owed = company_table("应收与应付：期初、发生与期末", data, leads, LEVELS, key="levels")
    stock = company_table("库存：期初、发生与期末", data, (), STOCK, key="stock")
    return (build_row(70, (owed, 12)), *((build_row(60, (stock, 12)),) if cost else ()))


def bill_links(start: str, end: str, opening: str) -> tuple[Column, ...]:
    """Return links to a company's bills of some days, and to its partners' accounts from `opening` on."""
    pages = (
        ("销售明细", "/report/salesdetrpt", "detail_link"),
        ("采购明细", "/report/purchasedetrpt", "bought_link"),
        ("收款明细", "/report/receiptdetrpt", "paid_link"),
        ("客户往来", "/report/customerdetrpt", "owed_link"),
        ("供应商往来", "/report/factorydetrpt", "owing_link"),
    )
    firsts = {"owed_link": opening, "owing_link": opening}
    return tuple(
        link_column(text, route, named, **BY_COMPANY, **known_days_filter(firsts.get(named, start), end))
        for text, route, named in pages
    )


def day_links() -> tuple[Column, ...]:
    """Lead to what a company sold, bought and was paid on a row's day alone."""
    pages = (
        ("当日销售明细", "/report/salesdetrpt", "day_sold_link"),
        ("当日采购明细", "/report/purchasedetrpt", "day_bought_link"),
        ("当日收款明细", "/report/receiptdetrpt", "day_paid_link"),
    )
    return tuple(
        link_column(text, route, named, **BY_COMPANY, **known_days_filter("{day}", "{day}"))
        for text, route, named in pages
    )


SAME_DAY = Period("day", "按日分析", "日", SAME_DAY_BEFORE, by_day=True, length=ONE_DAY)
DAY = (
    Column("day", "日期", "date"),
    Column("day_label", "日期"),
    Column("month_day", "日", sql="strftime(m.day, '%m-%d')"),
)


def build_month_comparison(cost: bool) -> PeriodComparison:
    """Return the comparison of each month's flows with those of earlier months up to the same day."""
    flows = (*FOUR, *(("sales_cost",) if cost else ()))
    figures = ", ".join(f"t.mtd_{name} as {name}" for name in flows)
    label = "strftime(t.day, '%Y-%m') as month_label"
    rows = f"(select t.day, {label}, t.company_id, t.company_name, {figures} from mart_business_day as t)"
    months = f"select max(t.day) as day, {label} from mart_business_day as t group by 2"
    words = ("所选月", *SAME_DAYS_BEFORE.labels)
    days = with_prior_periods_sql(rows, ("day", "month_label"), words, SAME_DAY.prior.offsets, months)
    month = "cast(date_trunc('month', b.day) as date) as month"
    rows = f"(select {month}, b.* exclude ({ELAPSED}) from {days} as b)"
    return PeriodComparison(with_elapsed_sql(rows, "month"), words, flows, runs=True)


def daily_board(cost: bool) -> Board:
    months = tuple(f"mtd_{name}" for name in (*FOUR, "new_overdue", *(("sales_cost",) if cost else ())))
    known = (*months, *(f"mtd_{name}{end}" for name in FOUR for end in SUFFIXES))
    data = business_dataset(
        "business_day",
        "经营日报",
        "mart_business_day",
        cost,
        DAY,
        known,
        (
            *(money_metric(f"mtd_{name}", f"本月{LABELS[name]}") for name in (*FOUR, "new_overdue")),
            *(metric for name in FOUR for metric in prior_period_metrics(name, "mtd_")),
            *(
                (
                    percent_metric(
                        "mtd_margin",
                        "本月毛利率",
                        sum_of("mtd_sales") - sum_of("mtd_sales_cost"),
                        sum_of("mtd_sales"),
                    ),
                )
                if cost
                else ()
            ),
        ),
        "day",
        (*bill_links("date_trunc('month', {day})", "{day}", "{day}"), *day_links()),
        SAME_DAY.compare_rows(
            "mart_business_day", DAY[:2], without_comparisons((*own_measures(cost), *known))
        ),
        when="当日",
    )
    running = business_dataset(
        "business_running",
        "近60天经营",
        "(select * from mart_business_day where day > (select max(day) - 60 from mart_business_day))",
        cost,
        DAY,
        (),
        (),
        "day",
    )
    sales = company_table(
        "销售：当日与本月累计",
        data,
        ("detail_link", "day_sold_link"),
        ("mtd_sales", *SALES_COMPARISONS, "sales", "bills", *(("mtd_margin",) if cost else ())),
        bar="mtd_sales",
    )
    spent = company_table(
        "采购与付款：当日与本月累计",
        data,
        ("bought_link", "day_bought_link"),
        tuple(
            shown for name in ("purchase", "payments") for shown in (*list_change_names(name, "mtd_"), name)
        ),
        key="spent",
        bar="mtd_purchase",
    )
    received = company_table(
        "收款与新增逾期：当日与本月累计",
        data,
        ("paid_link", "day_paid_link"),
        (*list_change_names("receipts", "mtd_"), "receipts", "mtd_new_overdue", "new_overdue"),
        key="received",
        bar="mtd_receipts",
    )
    head = build_kpi_header(
        data,
        Kpi("sales", "不含税", "fall"),
        Kpi("mtd_sales", "自月初，不含税", "fall"),
        Kpi("receipts", "核销与预收", "fall"),
        Kpi("mtd_receipts", "自月初", "fall"),
        Kpi("receivable_closing", "当日终，已减预收", label="应收余额"),
    )
    lines = (
        build_row(
            42,
            (
                Chart(
                    "days",
                    "近60天每日销售、采购与收款",
                    "line",
                    running.key,
                    ("sales", "purchase", "receipts"),
                    x="month_day",
                    order="month_day",
                    dense=True,
                ),
                8,
            ),
            (build_ranking_chart("companies", "各公司本月销售", data, "mtd_sales", "company_name"), 4),
        ),
        *(build_row(60, (listed, 12)) for listed in (sales, spent, received)),
        *level_lines(data, cost),
    )
    filters = (
        period_filter(data, "day_label", "日期", "days", hint=UNFINISHED),
        company_filter(data),
    )
    days = Pivot(running.key, (COMPANY.name,), ("day_label",), ("sales",))
    return build_board((data, running), head, lines, filters, pivot=days)


def monthly_board(cost: bool) -> Board:
    data = business_dataset(
        "business_month",
        "经营月报",
        "mart_business_month",
        cost,
        MONTH_COLUMNS,
        (
            *(f"{name}{end}" for name in FOUR for end in SUFFIXES),
            *(f"{name}_target" for name in list_targets(cost)),
        ),
        (*(metric for name in FOUR for metric in prior_period_metrics(name)), *target_metrics(cost)),
        "month",
        bill_links("{month}", "last_day({month})", "{month}"),
        build_month_comparison(cost),
    )
    sales = company_table(
        "销售",
        data,
        ("detail_link",),
        ("sales", *SALES_COMPARISONS, "bills", *(("profit", "margin") if cost else ())),
        bar="sales",
    )
    others = company_table(
        "采购、收款与付款",
        data,
        ("bought_link", "paid_link"),
        (*(shown for name in FOUR[1:] for shown in list_change_names(name)), "new_overdue"),
        key="others",
    )
    head = build_kpi_header(
        data,
        Kpi("sales", "不含税", "fall"),
        *((Kpi("profit", "销售减销售成本", "fall"),) if cost else ()),
        Kpi("purchase", "不含税"),
        Kpi("receipts", "核销与预收", "fall"),
        Kpi("payments", "核销与预付"),
    )
    lines = (
        build_row(
            44,
            (
                Chart(
                    *("months", "各月销售、采购、收款与付款", "line", data.key, FOUR),
                    x="month_label",
                    order="month_label",
                ),
                7,
            ),
            (
                build_ranking_chart(
                    "companies",
                    "各公司销售与去年同期",
                    data,
                    "sales",
                    "company_name",
                    20,
                    extra_metrics=("sales_year",),
                ),
                5,
            ),
        ),
        build_row(60, (sales, 12)),
        build_row(72, (others, 12)),
        *target_lines(data, cost),
        *level_lines(data, cost),
    )
    hint = "未过完的月与上月、去年的同样日子相比，与经营日报相同"
    months = ("months", *(f"{name}_aimed" for name in list_targets(cost)))
    filters = (period_filter(data, "month_label", "月", *months, hint=hint), company_filter(data))
    return build_board((data,), head, lines, filters)


BUSINESS_DAILY = build_report(
    code="BusinessDailyReport",
    label="经营日报",
    question="今天卖了多少、收了多少、还有多少没收，本月累计如何？",
    group="经营报表",
    make=daily_board,
)
OPERATION_MONTHLY = build_report(
    code="OperationMonthlyReport",
    label="经营月报",
    question="这个月的买、卖、收、付和期末余额，与上月和去年比如何？",
    group="经营报表",
    make=monthly_board,
)
