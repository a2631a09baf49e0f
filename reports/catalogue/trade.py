"""购销：采购与销售放在一起看，两边都按成本（不含税）；销售订单的执行。

Sold ÷ bought above 1 means that stock is being used up, below 1 that it is built up. A role without cost rights
compares quantities. Orders: filled ÷ ordered, and the days from the order to the last delivery of a line.
"""

from __future__ import annotations

from dataclasses import replace

from reports.catalogue.beside import Figure, Head, figures
from reports.catalogue.boards import Board, Chart, Filter
from reports.catalogue.compare import MONTH, MONTH_COLUMNS, Period, compared_datasets, stood
from reports.catalogue.datasets import DAYS, PERCENT, RATIO, Column, Dataset, Metric
from reports.catalogue.days import ANY_DAYS, Span, spanned_report
from reports.catalogue.expressions import (
    Aggregate,
    ColumnRef,
    Expression,
    ToDouble,
    compare,
    sum_of,
    sum_over_rows,
)
from reports.catalogue.metrics import (
    bill_count,
    compared,
    grown_beside,
    money,
    percent,
    quantity,
    ratio,
    sum_where,
    total,
)
from reports.catalogue.parts import (
    BY_BRAND,
    BY_GOODS,
    BY_TYPE,
    CUSTOMER,
    EMPLOYEE,
    GOODS,
    GOODS_LABEL,
    PLACES,
    bars,
    board,
    curves,
    customer_filter,
    goods_filter,
    line,
    link,
    place_and_goods_filters,
    purchases_link,
    ranking,
    sales_link,
    share,
    table,
    variant,
)
from reports.catalogue.profit import BRAND_ALONE, TYPES
from reports.catalogue.stock import held

LINKS = ("detail_link", "purchases_link")


def both_sides(span: Span, **of: str) -> tuple[Column, Column]:
    """Lead to what was sold and to what was bought."""
    return sales_link(**of, **span.days), purchases_link(LINKS[1], **of, **span.days)


def trade_datasets(
    key: str, label: str, cost: bool, columns: tuple[Column, ...], keys: tuple[str, ...], span: Span
) -> tuple[Dataset, Dataset]:
    """Purchases and sales of months, or of days, by some columns, beside earlier ones."""
    form = held(cost)[2]
    counted = {
        "bought_quantity": "purchase_quantity",
        "sold_quantity": "sales_quantity",
        "revenue": "revenue",
    }
    measures = {
        **counted,
        **(
            {"bought": "purchase_value", "sold": "sales_cost"}
            if cost
            else {"bought": "purchase_quantity", "sold": "sales_quantity"}
        ),
    }
    what = "金额" if cost else "数量"
    bought = Metric("bought", f"采购{what}", total("bought"), form)
    sold = Metric("sold", "销售成本" if cost else "销售数量", total("sold"), form)
    previous, last_year = span.period.earlier
    return compared_datasets(
        variant(f"{key}{span.mark}", cost),
        f"{label}{span.word}",
        f"mart_trade_balance{span.mark}",
        period=span.period,
        axis=span.columns,
        explorable=span.whole,
        grain="warehouse",
        cost=cost,
        keys=keys,
        columns=(*PLACES, *columns),
        measures=measures,
        metrics=(
            bought,
            sold,
            Metric(
                "balance",
                f"购销差额{'' if cost else '（数量）'}",
                ToDouble(sum_of("bought") - sum_of("sold")),
                form,
            ),
            Metric("ratio", "销采比", ratio(sum_of("sold"), sum_of("bought")), RATIO),
            Metric(
                "ratio_before",
                f"{previous}销采比",
                ratio(sum_of("sold_before"), sum_of("bought_before")),
                RATIO,
            ),
            Metric(
                "ratio_year", f"{last_year}销采比", ratio(sum_of("sold_year"), sum_of("bought_year")), RATIO
            ),
            grown_beside(bought, ("bought",), "采购", "", span.period)[1],
            grown_beside(sold, ("sold",), "销售", period=span.period)[1],
            quantity("bought_quantity", "采购件数"),
            quantity("sold_quantity", "销售件数"),
            money("revenue", "销售收入"),
            Metric(
                "bought_share", "采购占比", ratio(sum_of("bought"), sum_over_rows(sum_of("bought"))), PERCENT
            ),
            Metric("sold_share", "销售占比", ratio(sum_of("sold"), sum_over_rows(sum_of("sold"))), PERCENT),
        ),
    )


def trade_head(data: Dataset) -> Head:
    return figures(
        data,
        Figure("bought", "入库减退货"),
        Figure("sold", "出库减退货"),
        Figure("balance", "采购减销售，正数为库存增加"),
        Figure("ratio", "销售 ÷ 采购，低于1为备货"),
        Figure("revenue", "不含税", "fall"),
    )


def trade_trend(series: Dataset, span: Span) -> Chart:
    """Of days with next to no purchases a ratio tells nothing."""
    second, called = ("balance", "购销差额") if span.dense else ("ratio", "销采比")
    title = f"{span.each}采购、{'销售成本' if series.cost else '销售数量'}与{called}"
    return curves("trend", title, series, ("bought", "sold"), second, span.axis, span.dense)


def goods_board(cost: bool, span: Span) -> Board:
    columns = (*GOODS, GOODS_LABEL, *both_sides(span, **BY_GOODS))
    data, series = trade_datasets("trade_goods", "销售采购对比", cost, columns, ("goods_id",), span)
    listed = table(
        "商品购销明细",
        data,
        ("goods_num", "goods_name", "specification_type", "brand_name", "type1_name", *LINKS),
        (
            "bought",
            "sold",
            "balance",
            "ratio",
            "ratio_before",
            "ratio_year",
            # Without costs they are what is compared.
            *(("bought_quantity", "sold_quantity") if cost else ()),
            "revenue",
        ),
        "sold",
        bar="balance",
        only_filed=("specification_type", "type1_name"),
    )
    lines = (
        line(
            42,
            (trade_trend(series, span), 8),
            (share("brands", "采购构成（品牌）", data, "bought", "brand_name"), 4),
        ),
        line(
            46,
            (ranking("pile", "购销差额前十商品（库存增加）", data, "balance", "goods_label"), 6),
            (
                bars(
                    "warehouses",
                    "前十五仓库采购与销售",
                    data,
                    ("bought", "sold"),
                    "warehouse_name",
                    order="sold",
                    limit=15,
                ),
                6,
            ),
        ),
        line(82, (listed, 12)),
    )
    filters = (span.filter(data), *place_and_goods_filters(data), goods_filter(data))
    return board((data, series), trade_head(data), lines, filters)


def category_board(cost: bool, span: Span) -> Board:
    columns = (*TYPES, BRAND_ALONE, *both_sides(span, **BY_TYPE, **BY_BRAND))
    keys = ("goods_type_id", "brand_id")
    data, series = trade_datasets("trade_category", "品类购销分析", cost, columns, keys, span)
    listed = table(
        "品类购销明细",
        data,
        ("type1_name", "type2_name", "type3_name", "brand_name", *LINKS),
        (
            *("bought", "bought_share", "bought_change", "sold", "sold_share", "sold_change"),
            *("balance", "ratio", "ratio_before", "ratio_year", "revenue"),
        ),
        "sold",
        bar="balance",
        only_filed=("type1_name", "revenue"),
    )
    lines = (
        line(
            42,
            (share("bought_types", "采购构成（一级分类）", data, "bought", "type1_name"), 4),
            (share("sold_types", "销售构成（一级分类）", data, "sold", "type1_name"), 4),
            (
                bars(
                    "second", "各二级分类购销", data, ("bought", "sold"), "type2_name", order="sold", limit=10
                ),
                4,
            ),
        ),
        line(42, (trade_trend(series, span), 12)),
        line(82, (listed, 12)),
    )
    second = Filter("type2", "二级分类", data.key, "type2_name", parent="type")
    filters = (span.filter(data), *place_and_goods_filters(data), second)
    return board((data, series), trade_head(data), lines, filters)


LATE = sum_where("rest_quantity", compare("late_days", ">", 0))


ORDERED = ("quantity", "amount", "filled_quantity", "rest_quantity", "cancelled_quantity", "lead_days")
STATE = Column("state", "执行状态", is_unwrapped=True)


def order_metrics(lead: Expression) -> tuple[Metric, ...]:
    """What adds up over lines as over months; `lead` is the mean lead time."""
    return (
        quantity("quantity", "订单数量"),
        money("amount", "订单金额"),
        quantity("filled", "已发数量", "filled_quantity"),
        quantity("rest", "未发数量", "rest_quantity"),
        quantity("cancelled", "关闭未发", "cancelled_quantity"),
        percent("fill_rate", "满足率", sum_of("filled_quantity"), sum_of("quantity")),
        Metric("lead", "平均发齐天数", lead, DAYS),
    )


def line_metrics() -> tuple[Metric, ...]:
    return (
        *order_metrics(ToDouble(Aggregate("avg", ColumnRef("lead_days")))),
        Metric("late", "逾期未发数量", ToDouble(LATE), ",.0f"),
        percent("late_share", "逾期未发占比", LATE, sum_of("rest_quantity")),
        bill_count("orders", "订单数", "quantity"),
    )


def beside_earlier(
    shown: tuple[Metric, ...], measures: tuple[str, ...], period: Period
) -> tuple[Metric, ...]:
    """How what orders tell stood in earlier periods."""
    by_name = {metric.name: metric for metric in shown}
    return (
        *grown_beside(by_name["amount"], measures, period=period),
        *(then for name in ("fill_rate", "lead") for then in stood(by_name[name], measures, *period.earlier)),
    )


def order_months() -> tuple[Dataset, Dataset]:
    """A month's orders beside those of the month before and of last year's, and the dataset for their series."""
    measures = (*ORDERED, "lead_lines")
    shown = order_metrics(ratio(sum_of("lead_days"), sum_of("lead_lines")))
    return compared_datasets(
        "sales_order_month",
        "销售订单执行按月",
        "mart_sales_order_month",
        grain="warehouse",
        columns=(*PLACES, CUSTOMER, EMPLOYEE, *GOODS, STATE),
        measures={name: name for name in measures},
        metrics=(*shown, *beside_earlier(shown, measures, MONTH)),
    )


ORDER_LINE = (
    *PLACES,
    CUSTOMER,
    EMPLOYEE,
    *GOODS,
    GOODS_LABEL,
    Column("bill_no", "订单号", follows=("bill_id",)),
    Column("business_date", "订单日期", "date"),
    Column("delivery_date", "交货日期", "date"),
    STATE,
    Column("late_days", "逾期天数", "number"),
    link("订单", "/sales/salesorderSee", id="{bill_id}"),
)


def order_lines() -> Dataset:
    return Dataset(
        key="sales_order",
        label="销售订单执行",
        source="mart_sales_order",
        grain="warehouse",
        time_column="month",
        columns=(*MONTH_COLUMNS, *ORDER_LINE),
        measures=ORDERED,
        flows=ORDERED,
        metrics=line_metrics(),
    )


def order_days() -> tuple[Dataset, Dataset]:
    """The lines of any days' orders beside those of earlier days, and the dataset for their series."""
    shown = line_metrics()
    return compared_datasets(
        f"sales_order{ANY_DAYS.mark}",
        f"销售订单执行{ANY_DAYS.word}",
        "(select *, business_date as day from mart_sales_order)",
        grain="warehouse",
        keys=("bill_id",),
        columns=ORDER_LINE,
        measures={name: name for name in ORDERED},
        metrics=(*shown, *beside_earlier(shown, ORDERED, ANY_DAYS.period)),
        period=ANY_DAYS.period,
        axis=ANY_DAYS.columns,
        explorable=False,
    )


def order_board(cost: bool, span: Span) -> Board:
    data, then, series = span.lines_beside(order_lines, order_months, order_days)
    listed = table(
        "订单明细",
        data,
        (
            *("company_name", "warehouse_name", "customer_name", "bill_no", "business_date", "delivery_date"),
            *("goods_num", "goods_name", "state", "late_days", "detail_link"),
        ),
        ("quantity", "filled", "rest", "cancelled", "fill_rate", "amount"),
        "rest",
        bar="rest",
        only_filed=("company_name", "cancelled", "fill_rate"),
    )
    customers = table(
        "客户订单执行",
        data,
        ("company_name", "customer_name", "employee_name"),
        ("orders", "quantity", "filled", "rest", "fill_rate", "lead", "late", "late_share", "amount"),
        "amount",
        key="customers",
        bar="amount",
    )
    compared_customers = table(
        f"客户订单与{'、'.join(span.period.earlier)}",
        then,
        ("company_name", "customer_name"),
        (*compared("amount"), "fill_rate", "fill_rate_before", "fill_rate_year", "lead"),
        "amount",
        key="compared",
        bar="amount",
    )
    head = figures(
        then,
        Figure("amount", worse="fall"),
        Figure("fill_rate", worse="fall"),
        Figure("lead", "从订单到最后一次发货", "rise"),
        Figure("rest", "还欠客户的货", "rise"),
    )
    lines = (
        line(
            42,
            (
                curves(
                    "trend",
                    f"{span.each}订单数量、已发数量与满足率",
                    series,
                    ("quantity", "filled"),
                    "fill_rate",
                    span.axis,
                    span.dense,
                ),
                8,
            ),
            (share("states", "执行状态", data, "quantity", "state"), 4),
        ),
        line(
            44,
            (ranking("waiting", "未发数量前十商品", data, "rest", "goods_label"), 6),
            (ranking("warehouses", "各仓库未发数量", data, "rest", "warehouse_name", 15), 6),
        ),
        line(70, (customers, 12)),
        line(70, (compared_customers, 12)),
        line(82, (listed, 12)),
    )
    filters = (
        replace(span.filter(data), label=f"下单{span.columns[0].label}"),
        *place_and_goods_filters(data),
        customer_filter(data),
        Filter("state", "执行状态", data.key, "state"),
    )
    return board((data, then, series), head, lines, filters)


SALES_BUY = spanned_report(
    code="SalesBuy",
    label="销售采购对比",
    question="买的比卖的多吗，哪些商品在积压、哪些在消化？",
    group="采购报表",
    make=goods_board,
)
CATEGORY_TRADE = spanned_report(
    code="categorySalesPurchase",
    label="品类购销分析",
    question="各品类的采购和销售配得上吗？",
    group="采购报表",
    make=category_board,
)
SALES_ORDER = spanned_report(
    code="SalesOrder",
    label="销售订单执行",
    question="订单满足了多少，多久发齐，哪些还欠着客户？",
    group="销售报表",
    words="没发货 欠货",
    make=order_board,
    has_cost=False,
)
