"""Trade (购销): purchases against sales, both at cost net of tax; fulfilment of sales orders.

Sold ÷ bought above 1 means that stock is being used up, below 1 that it is built up. A role without cost
rights compares quantities. Orders: filled ÷ ordered, and the days from the order to the last delivery of a
line.
"""

from __future__ import annotations

from dataclasses import replace

from reports.catalogue.profit import BRAND_ALONE, TYPES
from reports.catalogue.stock_measures import get_stock_measure
from reports.semantics.dashboards import Board, Chart, Filter
from reports.semantics.datasets import DAYS, PERCENT, RATIO, Column, Dataset, Metric
from reports.semantics.expressions import (
    Aggregate,
    ColumnRef,
    Expression,
    ToDouble,
    compare,
    sum_of,
    sum_over_rows,
)
from reports.semantics.kpi_comparison import Kpi, KpiHeader, build_kpi_header
from reports.semantics.metrics import (
    bill_count_metric,
    list_comparison_names,
    money_metric,
    percent_metric,
    quantity_metric,
    ratio_of,
    sum_where,
    total_of,
    with_prorated_prior_periods,
)
from reports.semantics.period_comparison import (
    MONTH,
    MONTH_COLUMNS,
    Period,
    compared_datasets,
    prior_period_variants,
)
from reports.semantics.report_builders import (
    BY_BRAND,
    BY_GOODS,
    BY_TYPE,
    CUSTOMER,
    EMPLOYEE,
    GOODS,
    GOODS_LABEL,
    PLACES,
    build_bar_chart,
    build_board,
    build_curve_chart,
    build_donut_chart,
    build_ranking_chart,
    build_row,
    build_table,
    customer_filter,
    goods_filter,
    link_column,
    place_and_goods_filters,
    purchases_link,
    sales_link,
    variant_key,
)
from reports.semantics.time_grains import ANY_DAYS, TimeGrain, build_time_grain_report

LINKS = ("detail_link", "purchases_link")


def trade_links(span: TimeGrain, **of: str) -> tuple[Column, Column]:
    """Return the links to sales and to purchases."""
    return sales_link(**of, **span.days), purchases_link(LINKS[1], **of, **span.days)


def trade_datasets(
    key: str, label: str, cost: bool, columns: tuple[Column, ...], keys: tuple[str, ...], span: TimeGrain
) -> tuple[Dataset, Dataset]:
    """Return the datasets of purchases and sales by some columns, with prior periods, and their series."""
    form = get_stock_measure(cost)[2]
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
    bought = Metric("bought", f"采购{what}", total_of("bought"), form)
    sold = Metric("sold", "销售成本" if cost else "销售数量", total_of("sold"), form)
    previous, last_year = span.period.prior_labels
    return compared_datasets(
        variant_key(f"{key}{span.mark}", cost),
        f"{label}{span.word}",
        f"mart_trade_balance{span.mark}",
        period=span.period,
        axis=span.columns,
        explorable=span.is_whole,
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
            Metric("ratio", "销采比", ratio_of(sum_of("sold"), sum_of("bought")), RATIO),
            Metric(
                "ratio_before",
                f"{previous}销采比",
                ratio_of(sum_of("sold_before"), sum_of("bought_before")),
                RATIO,
            ),
            Metric(
                "ratio_year",
                f"{last_year}销采比",
                ratio_of(sum_of("sold_year"), sum_of("bought_year")),
                RATIO,
            ),
            with_prorated_prior_periods(bought, ("bought",), "采购", "", span.period)[1],
            with_prorated_prior_periods(sold, ("sold",), "销售", period=span.period)[1],
            quantity_metric("bought_quantity", "采购件数"),
            quantity_metric("sold_quantity", "销售件数"),
            money_metric("revenue", "销售收入"),
            Metric(
                "bought_share",
                "采购占比",
                ratio_of(sum_of("bought"), sum_over_rows(sum_of("bought"))),
                PERCENT,
            ),
            Metric(
                "sold_share", "销售占比", ratio_of(sum_of("sold"), sum_over_rows(sum_of("sold"))), PERCENT
            ),
        ),
    )


def trade_head(data: Dataset) -> KpiHeader:
    return build_kpi_header(
        data,
        Kpi("bought", "入库减退货"),
        Kpi("sold", "出库减退货"),
        Kpi("balance", "采购减销售，正数为库存增加"),
        Kpi("ratio", "销售 ÷ 采购，低于1为备货"),
        Kpi("revenue", "不含税", "fall"),
    )


def trade_trend(series: Dataset, span: TimeGrain) -> Chart:
    """Return the trend chart.

    Of days with next to no purchases a ratio tells nothing: it has the balance instead.
    """
    second, called = ("balance", "购销差额") if span.is_dense else ("ratio", "销采比")
    title = f"{span.each}采购、{'销售成本' if series.cost else '销售数量'}与{called}"
    return build_curve_chart("trend", title, series, ("bought", "sold"), second, span.axis, span.is_dense)


def goods_board(cost: bool, span: TimeGrain) -> Board:
    columns = (*GOODS, GOODS_LABEL, *trade_links(span, **BY_GOODS))
    data, series = trade_datasets("trade_goods", "销售采购对比", cost, columns, ("goods_id",), span)
    listed = build_table(
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
        export_only=("specification_type", "type1_name"),
    )
    lines = (
        build_row(
            42,
            (trade_trend(series, span), 8),
            (build_donut_chart("brands", "采购构成（品牌）", data, "bought", "brand_name"), 4),
        ),
        build_row(
            46,
            (build_ranking_chart("pile", "购销差额前十商品（库存增加）", data, "balance", "goods_label"), 6),
            (
                build_bar_chart(
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
        build_row(82, (listed, 12)),
    )
    filters = (span.filter(data), *place_and_goods_filters(data), goods_filter(data))
    return build_board((data, series), trade_head(data), lines, filters)


def category_board(cost: bool, span: TimeGrain) -> Board:
    columns = (*TYPES, BRAND_ALONE, *trade_links(span, **BY_TYPE, **BY_BRAND))
    keys = ("goods_type_id", "brand_id")
    data, series = trade_datasets("trade_category", "品类购销分析", cost, columns, keys, span)
    listed = build_table(
        "品类购销明细",
        data,
        ("type1_name", "type2_name", "type3_name", "brand_name", *LINKS),
        (
            *("bought", "bought_share", "bought_change", "sold", "sold_share", "sold_change"),
            *("balance", "ratio", "ratio_before", "ratio_year", "revenue"),
        ),
        "sold",
        bar="balance",
        export_only=("type1_name", "revenue"),
    )
    lines = (
        build_row(
            42,
            (build_donut_chart("bought_types", "采购构成（一级分类）", data, "bought", "type1_name"), 4),
            (build_donut_chart("sold_types", "销售构成（一级分类）", data, "sold", "type1_name"), 4),
            (
                build_bar_chart(
                    "second", "各二级分类购销", data, ("bought", "sold"), "type2_name", order="sold", limit=10
                ),
                4,
            ),
        ),
        build_row(42, (trade_trend(series, span), 12)),
        build_row(82, (listed, 12)),
    )
    second = Filter("type2", "二级分类", data.key, "type2_name", parent="type")
    filters = (span.filter(data), *place_and_goods_filters(data), second)
    return build_board((data, series), trade_head(data), lines, filters)


LATE = sum_where("rest_quantity", compare("late_days", ">", 0))


ORDERED = ("quantity", "amount", "filled_quantity", "rest_quantity", "cancelled_quantity", "lead_days")
STATE = Column("state", "执行状态", is_unwrapped=True)


def order_metrics(lead: Expression) -> tuple[Metric, ...]:
    """Return the metrics that add up over lines as over months; `lead` is the mean lead time."""
    return (
        quantity_metric("quantity", "订单数量"),
        money_metric("amount", "订单金额"),
        quantity_metric("filled", "已发数量", "filled_quantity"),
        quantity_metric("rest", "未发数量", "rest_quantity"),
        quantity_metric("cancelled", "关闭未发", "cancelled_quantity"),
        percent_metric("fill_rate", "满足率", sum_of("filled_quantity"), sum_of("quantity")),
        Metric("lead", "平均发齐天数", lead, DAYS),
    )


def line_metrics() -> tuple[Metric, ...]:
    return (
        *order_metrics(ToDouble(Aggregate("avg", ColumnRef("lead_days")))),
        Metric("late", "逾期未发数量", ToDouble(LATE), ",.0f"),
        percent_metric("late_share", "逾期未发占比", LATE, sum_of("rest_quantity")),
        bill_count_metric("orders", "订单数", "quantity"),
    )


def order_comparison_metrics(
    shown: tuple[Metric, ...], measures: tuple[str, ...], period: Period
) -> tuple[Metric, ...]:
    """Return the amount, fill rate and lead time of orders in prior periods."""
    by_name = {metric.name: metric for metric in shown}
    return (
        *with_prorated_prior_periods(by_name["amount"], measures, period=period),
        *(
            then
            for name in ("fill_rate", "lead")
            for then in prior_period_variants(by_name[name], measures, *period.prior_labels)
        ),
    )


def order_months() -> tuple[Dataset, Dataset]:
    """Return a month's orders with prior periods, and their series dataset."""
    measures = (*ORDERED, "lead_lines")
    shown = order_metrics(ratio_of(sum_of("lead_days"), sum_of("lead_lines")))
    return compared_datasets(
        "sales_order_month",
        "销售订单执行按月",
        "mart_sales_order_month",
        grain="warehouse",
        columns=(*PLACES, CUSTOMER, EMPLOYEE, *GOODS, STATE),
        measures={name: name for name in measures},
        metrics=(*shown, *order_comparison_metrics(shown, measures, MONTH)),
    )


ORDER_LINE = (
    *PLACES,
    CUSTOMER,
    EMPLOYEE,
    *GOODS,
    GOODS_LABEL,
    Column("bill_no", "订单号", determined_by=("bill_id",)),
    Column("business_date", "订单日期", "date"),
    Column("delivery_date", "交货日期", "date"),
    STATE,
    Column("late_days", "逾期天数", "number"),
    link_column("订单", "/sales/salesorderSee", id="{bill_id}"),
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
        additive_measures=ORDERED,
        metrics=line_metrics(),
    )


def order_days() -> tuple[Dataset, Dataset]:
    """Return the order lines of any days with prior days, and their series dataset."""
    shown = line_metrics()
    return compared_datasets(
        f"sales_order{ANY_DAYS.mark}",
        f"销售订单执行{ANY_DAYS.word}",
        "(select *, business_date as day from mart_sales_order)",
        grain="warehouse",
        keys=("bill_id",),
        columns=ORDER_LINE,
        measures={name: name for name in ORDERED},
        metrics=(*shown, *order_comparison_metrics(shown, ORDERED, ANY_DAYS.period)),
        period=ANY_DAYS.period,
        axis=ANY_DAYS.columns,
        explorable=False,
    )


def order_board(cost: bool, span: TimeGrain) -> Board:
    data, then, series = span.build_line_datasets(order_lines, order_months, order_days)
    listed = build_table(
        "订单明细",
        data,
        (
            *("company_name", "warehouse_name", "customer_name", "bill_no", "business_date", "delivery_date"),
            *("goods_num", "goods_name", "state", "late_days", "detail_link"),
        ),
        ("quantity", "filled", "rest", "cancelled", "fill_rate", "amount"),
        "rest",
        bar="rest",
        export_only=("company_name", "cancelled", "fill_rate"),
    )
    customers = build_table(
        "客户订单执行",
        data,
        ("company_name", "customer_name", "employee_name"),
        ("orders", "quantity", "filled", "rest", "fill_rate", "lead", "late", "late_share", "amount"),
        "amount",
        key="customers",
        bar="amount",
    )
    compared_customers = build_table(
        f"客户订单与{'、'.join(span.period.prior_labels)}",
        then,
        ("company_name", "customer_name"),
        (*list_comparison_names("amount"), "fill_rate", "fill_rate_before", "fill_rate_year", "lead"),
        "amount",
        key="compared",
        bar="amount",
    )
    head = build_kpi_header(
        then,
        Kpi("amount", worse="fall"),
        Kpi("fill_rate", worse="fall"),
        Kpi("lead", "从订单到最后一次发货", "rise"),
        Kpi("rest", "还欠客户的货", "rise"),
    )
    lines = (
        build_row(
            42,
            (
                build_curve_chart(
                    "trend",
                    f"{span.each}订单数量、已发数量与满足率",
                    series,
                    ("quantity", "filled"),
                    "fill_rate",
                    span.axis,
                    span.is_dense,
                ),
                8,
            ),
            (build_donut_chart("states", "执行状态", data, "quantity", "state"), 4),
        ),
        build_row(
            44,
            (build_ranking_chart("waiting", "未发数量前十商品", data, "rest", "goods_label"), 6),
            (build_ranking_chart("warehouses", "各仓库未发数量", data, "rest", "warehouse_name", 15), 6),
        ),
        build_row(70, (customers, 12)),
        build_row(70, (compared_customers, 12)),
        build_row(82, (listed, 12)),
    )
    filters = (
        replace(span.filter(data), label=f"下单{span.columns[0].label}"),
        *place_and_goods_filters(data),
        customer_filter(data),
        Filter("state", "执行状态", data.key, "state"),
    )
    return build_board((data, then, series), head, lines, filters)


SALES_BUY = build_time_grain_report(
    code="SalesBuy",
    label="销售采购对比",
    question="买的比卖的多吗，哪些商品在积压、哪些在消化？",
    group="采购报表",
    make=goods_board,
)
CATEGORY_TRADE = build_time_grain_report(
    code="categorySalesPurchase",
    label="品类购销分析",
    question="各品类的采购和销售配得上吗？",
    group="采购报表",
    make=category_board,
)
SALES_ORDER = build_time_grain_report(
    code="SalesOrder",
    label="销售订单执行",
    question="订单满足了多少，多久发齐，哪些还欠着客户？",
    group="销售报表",
    words="没发货 欠货",
    make=order_board,
    has_cost=False,
)
