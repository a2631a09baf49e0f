"""经营日报与月报：销售、采购、收款、付款，库存与往来的期初、发生、期末，新增逾期。

Sales and purchases are net of tax, receipts and payments what settled; receivable and payable have advances taken off:
opening + in − out = closing. Stock and gross profit show only to roles that see cost.
"""

from __future__ import annotations

import re

from reports.catalogue.model import Board, Chart, Column, Dataset, Filter, Metric, Pivot
from reports.catalogue.parts import (
    COMPANY,
    bars,
    board,
    change_metric,
    company_filter,
    curves,
    figure,
    figures,
    line,
    money,
    percent,
    period_filter,
    quantity,
    ranking,
    report,
    table,
    variant,
)

FLOWS = ("sales", "sales_bills", "purchase", "receipts", "payments", "new_overdue")
LEVELS = (
    *("receivable_opening", "receivable_increase", "receipts", "receivable_offset", "receivable_closing"),
    *("payable_opening", "payable_increase", "payments", "payable_offset", "payable_closing"),
)
STOCK = ("stock_opening", "stock_in", "stock_out", "stock_closing")
# A level of a day, or what a month's days have in common.
NO_FLOW = re.compile("_opening$|_closing$|^mtd_")
FOUR = ("sales", "purchase", "receipts", "payments")
WORDS = {
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


def beside(name: str, prefix: str = "", *, before: str = "", year: str = "") -> tuple[Metric, ...]:
    """A flow's changes against its figures of a month (`before`) and a year (`year`) ago, those that are named."""
    label, now = WORDS[name], f"sum({prefix}{name})"
    compared = (("change", f"{label}较{before}", "before", before), ("growth", f"{label}同比", "year", year))
    return tuple(
        change_metric(f"{name}_{kind}", told, now, f"sum({prefix}{name}_{end})")
        for kind, told, end, named in compared
        if named
    )


def own_measures(cost: bool) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*FLOWS, *LEVELS, *((*STOCK, "sales_cost") if cost else ()))))


def own_metrics(cost: bool) -> tuple[Metric, ...]:
    shown = (money(name, WORDS[name]) for name in own_measures(cost) if name != "sales_bills")
    margin = (
        (
            Metric("profit", "销售毛利", "cast(sum(sales) - sum(sales_cost) as double)", ",.2f"),
            percent("margin", "毛利率", "sum(sales) - sum(sales_cost)", "sum(sales)"),
        )
        if cost
        else ()
    )
    return (*shown, quantity("bills", "销售单数", "sales_bills"), *margin)


def business_dataset(
    key: str,
    label: str,
    mart: str,
    cost: bool,
    columns: tuple[Column, ...],
    more: tuple[str, ...],
    metrics: tuple[Metric, ...],
    time: str,
) -> Dataset:
    return Dataset(
        key=variant(key, cost),
        label=label,
        source=mart,
        grain="company",
        cost=cost,
        time_column=time,
        columns=(*columns, COMPANY),
        measures=(*own_measures(cost), *more),
        flows=tuple(name for name in (*own_measures(cost), *more) if not NO_FLOW.search(name)),
        metrics=(*own_metrics(cost), *metrics),
    )


def level_table(data: Dataset, cost: bool) -> Chart:
    """What stood open before and after, and what moved it."""
    shown = (*LEVELS, *(STOCK if cost else ()))
    return table(
        "期初、发生与期末", data, ("company_name",), shown, "receivable_closing", key="levels", paged=False
    )


def daily_board(cost: bool) -> Board:
    months = tuple(f"mtd_{name}" for name in (*FOUR, "new_overdue", *(("sales_cost",) if cost else ())))
    data = business_dataset(
        "business_day",
        "经营日报",
        "mart_business_day",
        cost,
        (
            Column("day", "日期", "date"),
            Column("day_label", "日期"),
            Column("month_day", "日", sql="strftime(m.day, '%m-%d')"),
        ),
        (*months, "mtd_sales_before", "mtd_sales_year", "mtd_receipts_before"),
        (
            *(money(f"mtd_{name}", f"本月{WORDS[name]}") for name in (*FOUR, "new_overdue")),
            *beside("sales", "mtd_", before="上月同期", year="去年同期"),
            *beside("receipts", "mtd_", before="上月同期"),
            *(
                (
                    percent(
                        "mtd_margin",
                        "本月毛利率",
                        "sum(mtd_sales) - sum(mtd_sales_cost)",
                        "sum(mtd_sales)",
                    ),
                )
                if cost
                else ()
            ),
        ),
        "day",
    )
    running = business_dataset(
        "business_running",
        "近60天经营",
        "(select * from mart_business_day where day > (select max(day) - 60 from mart_business_day))",
        cost,
        data.columns[:-1],
        (),
        (),
        "day",
    )
    flows = table(
        "当日与本月累计",
        data,
        ("company_name",),
        (
            *("sales", "mtd_sales", "sales_change", "sales_growth", "bills", "mtd_purchase"),
            *(
                "receipts",
                "mtd_receipts",
                "receipts_change",
                "mtd_payments",
                "new_overdue",
                "mtd_new_overdue",
            ),
            *(("mtd_margin",) if cost else ()),
        ),
        "mtd_sales",
        bar="mtd_sales",
        paged=False,
    )
    lines = (
        figures(
            figure("sales", "当日销售", data, "不含税"),
            figure("mtd_sales", "本月销售", data, "自月初，不含税"),
            figure("sales_change", "较上月同期", data, "本月销售"),
            figure("receipts", "当日收款", data, "核销与预收"),
            figure("receivable_closing", "应收余额", data, "当日终，已减预收"),
        ),
        line(
            42,
            (
                curves(
                    "days",
                    "近60天每日销售、采购与收款",
                    running,
                    ("sales", "purchase"),
                    "receipts",
                    "month_day",
                    dense=True,
                ),
                8,
            ),
            (ranking("companies", "各公司本月销售", data, "mtd_sales", "company_name"), 4),
        ),
        line(60, (flows, 12)),
        line(60, (level_table(data, cost), 12)),
    )
    filters = (
        Filter("period", "日期", data.key, "day_label", multiple=False, latest=True, excludes=("days",)),
        company_filter(data),
    )
    days = Pivot(running.key, (COMPANY.name,), ("day_label",), ("sales",))
    return board((data, running), lines, filters, pivot=days)


def monthly_board(cost: bool) -> Board:
    data = business_dataset(
        "business_month",
        "经营月报",
        "mart_business_month",
        cost,
        (Column("month", "月份", "date"), Column("month_label", "月")),
        (*(f"{name}_before" for name in FOUR), "sales_year"),
        (
            money("sales_year", "去年同月整月销售"),
            *beside("sales", before="上月整月", year="去年同月整月"),
            *(metric for name in FOUR[1:] for metric in beside(name, before="上月整月")),
        ),
        "month",
    )
    flows = table(
        "本月发生",
        data,
        ("company_name",),
        (
            *("sales", "sales_change", "sales_year", "sales_growth", "bills", "purchase", "purchase_change"),
            *("receipts", "receipts_change", "payments", "payments_change", "new_overdue"),
            *(("profit", "margin") if cost else ()),
        ),
        "sales",
        bar="sales",
        paged=False,
    )
    lines = (
        figures(
            figure("sales", "销售收入", data, "所选月份，不含税"),
            figure("sales_change", "较上月整月", data, "销售收入"),
            figure("sales_growth", "同比", data, "较去年同月整月"),
            figure("receipts", "收款", data, "核销与预收"),
            *(
                (figure("profit", "销售毛利", data, "销售收入减销售成本"),)
                if cost
                else (figure("payments", "付款", data, "核销与预付"),)
            ),
        ),
        line(
            44,
            (bars("months", "各月销售、采购、收款与付款", data, FOUR, "month_label"), 7),
            (
                ranking(
                    "companies",
                    "各公司销售与去年同月",
                    data,
                    "sales",
                    "company_name",
                    20,
                    beside=("sales_year",),
                ),
                5,
            ),
        ),
        line(60, (flows, 12)),
        line(60, (level_table(data, cost), 12)),
    )
    filters = (period_filter(data, "month_label", "月", "months"), company_filter(data))
    return board((data,), lines, filters)


BUSINESS_DAILY = report(
    code="BusinessDailyReport",
    label="经营日报",
    question="今天卖了多少、收了多少、还有多少没收，本月累计如何？",
    group="经营报表",
    make=daily_board,
)
OPERATION_MONTHLY = report(
    code="OperationMonthlyReport",
    label="经营月报",
    question="这个月的买、卖、收、付和期末余额，与上月和去年比如何？",
    group="经营报表",
    make=monthly_board,
)
