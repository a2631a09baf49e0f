"""Purchase decisions (采购决策分析) and stock queries of buyers (商品库存查询).

Cover days = stock (and stock on order) ÷ mean daily sales of the last 30 days. Suggested is the quantity
that the chosen days will sell at that pace, beyond stock on hand, not reserved and on order, in whole
pieces, warehouse by warehouse: those that sell. Nothing is bought for defective, claimed, in-transit or
consigned stock.
"""

from __future__ import annotations

from reports.catalogue.goods_stock import (
    COVER_RANGE,
    GOODS_STOCK_ROWS,
    RECENT,
    SAME_GOODS,
    build_goods_comparison,
    cover_filter,
    sales_comparison_metrics,
    stock_comparison_metrics,
)
from reports.catalogue.purchase_analysis import centre_report
from reports.catalogue.stock_measures import COVER, cover_metric, get_stock_measure, list_amount_names
from reports.semantics.dashboards import Board, Chart, Filter
from reports.semantics.datasets import MONEY, QUANTITY, Column, Dataset, Metric
from reports.semantics.expressions import (
    Bracketed,
    Operation,
    ToDouble,
    compare,
    count_distinct,
    is_positive,
    sum_of,
)
from reports.semantics.kpi_comparison import Kpi, build_kpi_header
from reports.semantics.metrics import quantity_metric
from reports.semantics.report_builders import (
    BY_GOODS,
    BY_WAREHOUSE,
    GOODS,
    GOODS_LABEL,
    NAMED,
    ORDERS_OF_TODAY,
    PLACES,
    build_bar_chart,
    build_board,
    build_donut_chart,
    build_ranking_chart,
    build_row,
    build_table,
    goods_filter,
    link_column,
    moves_link,
    place_and_goods_filters,
    variant_key,
)

GOODS_NAMES = ("goods_num", "goods_name", "specification_type", "brand_name")
ORDERS = link_column(
    "采购订单",
    "/purchase/orderdetail",
    column="orders_link",
    **BY_GOODS,
    **BY_WAREHOUSE,
)
COVER_DAYS = (15, 30, 45, 60, 90)
DEFAULT_COVER = "备30天"


def stock_position_metrics() -> tuple[Metric, ...]:
    """Return the metrics of stock position: reserved, on order, recent sales, cover days."""
    return (
        quantity_metric("reserved", "订单未发", "reserved_quantity"),
        quantity_metric("ordered", "在途（已订未到）", "ordered_quantity"),
        quantity_metric("late", "逾期未到", "late_quantity"),
        *sales_comparison_metrics(),
        Metric("pace", "日均销量（近30天）", ToDouble(sum_of("sales_quantity_30")) / 30, "-,.2f"),
        COVER,
        cover_metric(
            Bracketed(sum_of("quantity") + sum_of("ordered_quantity")),
            sum_of("sales_quantity_30"),
            30,
            "supply",
            "含在途可售天数",
        ),
        Metric(
            "short",
            "仓库断货商品数",
            count_distinct(
                "goods_id",
                Operation(compare("quantity", "<=", 0), "and", is_positive("sales_quantity_30")),
            ),
            QUANTITY,
        ),
    )


def piece_comparison_metrics() -> tuple[Metric, ...]:
    """Return the metrics of pieces on hand, now and at two earlier month ends, for all roles."""
    return tuple(
        metric
        for metric in stock_comparison_metrics(False)
        if metric.name not in ("amount", "share", "movement")
    )


MEASURES = (
    *("quantity", "last_month_quantity", "last_year_quantity", *RECENT),
    *("last_year_sales_quantity_30", "ordered_quantity", "late_quantity", "reserved_quantity"),
)
COLUMNS = (
    *PLACES,
    *GOODS,
    GOODS_LABEL,
    COVER_RANGE,
    Column("last_sale_date", "最近销售", "date", determined_by=("warehouse_id", "goods_id")),
    moves_link(),
    ORDERS,
)


def build_brand_chart(title: str, data: Dataset) -> Chart:
    shown = ("quantity", "ordered", "sales_30")
    return build_bar_chart("brands", title, data, shown, "brand_name", order="sales_30", limit=12)


def stock_board(cost: bool) -> Board:
    what = get_stock_measure(cost)[1]
    data = Dataset(
        key=variant_key("buyer_stock", cost),
        label="商品库存查询",
        source=GOODS_STOCK_ROWS,
        grain="warehouse",
        cost=cost,
        comparison=build_goods_comparison(GOODS_STOCK_ROWS, cost),
        columns=COLUMNS,
        measures=(*MEASURES, *(("value", "last_month_value", "last_year_value") if cost else ())),
        metrics=(
            *stock_comparison_metrics(cost),
            *stock_position_metrics(),
        ),
    )
    counted = (*list_amount_names(cost), "share")
    sold = ("sales_30", "pace_change", "sales_growth")
    shown = (*counted, "change", "year_change", "reserved", "ordered", "late", *sold, "cover", "supply")
    whole = build_table(
        "各商品库存与在途",
        data,
        (*GOODS_NAMES, "type1_name"),
        shown,
        "amount",
        key="goods",
        bar="amount",
        export_only=("type1_name", *NAMED),
    )
    places = build_table(
        "商品在各公司、仓库的库存与在途",
        data,
        ("company_name", "warehouse_name", *GOODS_NAMES, "last_sale_date", "detail_link", "orders_link"),
        shown,
        "amount",
        bar="amount",
        export_only=("company_name", *NAMED, "share", "year_change", "sales_growth", "late"),
    )
    head = build_kpi_header(
        data,
        Kpi("amount", "当前在库"),
        Kpi("ordered", "未关闭的采购订单", uncompared_reason=ORDERS_OF_TODAY),
        Kpi("cover", "数量 ÷ 近30天日均销量"),
        Kpi("short", "某一仓库无库存，近30天有销售", "rise"),
    )
    lines = (
        build_row(
            46,
            (build_ranking_chart("top", "在途前十五商品", data, "ordered", "goods_label", 15), 6),
            (build_donut_chart("cover_ranges", f"{what}按可售天数", data, "amount", "cover_range"), 6),
        ),
        build_row(
            40,
            (
                build_brand_chart("各品牌库存、在途与近30天销量", data),
                6,
            ),
            (
                build_bar_chart(
                    "warehouses",
                    f"前十仓库{what}与上月末、去年同月末",
                    data,
                    ("amount", "last_month", "last_year"),
                    "warehouse_name",
                    order="amount",
                    limit=10,
                ),
                6,
            ),
        ),
        build_row(76, (whole, 12)),
        build_row(82, (places, 12)),
    )
    return build_board(
        (data,), head, lines, (*place_and_goods_filters(data), cover_filter(data), goods_filter(data))
    )


def decision_dataset(cost: bool) -> Dataset:
    # A filter of the label chooses its number of days before any is worked out.
    days = " union all ".join(f"select {number} as days, '备{number}天' as label" for number in COVER_DAYS)
    wanted = (
        "case when g.is_sellable then greatest(ceil(cast(g.sales_quantity_30 * d.days as double) / 30"
        " - cast(g.quantity - g.reserved_quantity + g.ordered_quantity as double)), 0) else 0 end"
    )
    price = "coalesce(g.recent_price, case when g.quantity > 0 then g.value / g.quantity end)"
    amount = f", cast(w.wanted * {price} as decimal(18, 2)) as suggested_amount" if cost else ""
    advice = (
        "case when w.wanted > 0 then '补货' when g.sales_quantity_90 <= 0 and g.quantity > 0 then '停采消化'"
        " else '不需采购' end"
    )
    source = (
        f"(select g.*, d.label as cover_label, w.wanted as suggested_quantity, {advice} as advice{amount}"
        f" from {GOODS_STOCK_ROWS} as g"
        f" cross join ({days}) as d cross join lateral (select {wanted} as wanted) as w)"
    )
    money_part = (
        (Metric("suggested_amount", "建议采购金额", ToDouble(sum_of("suggested_amount")), MONEY),)
        if cost
        else ()
    )
    return Dataset(
        key=variant_key("purchase_decision", cost),
        label="采购决策分析",
        source=source,
        grain="warehouse",
        cost=cost,
        comparison=build_goods_comparison(source, cost),
        columns=(
            Column("cover_label", "备货天数"),
            *COLUMNS,
            Column("advice", "建议"),
        ),
        measures=(*MEASURES, "suggested_quantity", *(("suggested_amount",) if cost else ())),
        metrics=(
            *stock_position_metrics(),
            *piece_comparison_metrics(),
            quantity_metric("suggested", "建议采购数量", "suggested_quantity"),
            Metric(
                "wanted_goods",
                "需补货商品数",
                count_distinct("goods_id", is_positive("suggested_quantity")),
                QUANTITY,
            ),
            *money_part,
        ),
    )


def decision_board(cost: bool) -> Board:
    data = decision_dataset(cost)
    main, label = ("suggested_amount", "建议采购金额") if cost else ("suggested", "建议采购数量")
    both = ("suggested", *(("suggested_amount",) if cost else ()))
    listed = build_table(
        "采购建议明细",
        data,
        (
            *("company_name", "warehouse_name", *GOODS_NAMES, "advice", "last_sale_date"),
            *("detail_link", "orders_link"),
        ),
        (
            *(*both, "pace", "pace_change", "sales_growth"),
            *("quantity", "reserved", "ordered", "late", "cover", "supply"),
        ),
        main,
        bar=main,
        export_only=("company_name", *NAMED, "pace_change", "sales_growth", "late"),
    )
    kinds = build_table(
        "类型与品牌采购建议",
        data,
        ("type1_name", "brand_name"),
        (
            *("wanted_goods", *both, "quantity", "change", "year_change", "ordered"),
            *("sales_30", "pace_change", "sales_growth", "cover", "supply", "short"),
        ),
        main,
        key="kinds",
        bar=main,
    )
    head = build_kpi_header(
        data,
        Kpi(main, "按备货天数，减库存与在途", uncompared_reason=ORDERS_OF_TODAY),
        Kpi("wanted_goods", "建议数量大于0", uncompared_reason=ORDERS_OF_TODAY),
        Kpi("short", "某一仓库无库存，近30天有销售", "rise"),
        Kpi("late", "过了交货日期的在途", uncompared_reason=ORDERS_OF_TODAY),
        Kpi("supply", "（库存 + 在途）÷ 近30天日均", uncompared_reason=ORDERS_OF_TODAY),
    )
    lines = (
        build_row(
            46,
            (build_ranking_chart("top", f"{label}前十五商品", data, main, "goods_label", 15), 6),
            (
                build_brand_chart("各品牌库存、在途与近30天销量", data),
                6,
            ),
        ),
        build_row(
            42,
            (
                build_bar_chart(
                    "warehouses", f"各仓库{label}", data, (main,), "warehouse_name", order=main, limit=20
                ),
                7,
            ),
            (build_donut_chart("advices", "商品按建议（近30天销量）", data, "sales_30", "advice"), 5),
        ),
        build_row(70, (kinds, 12)),
        build_row(82, (listed, 12)),
    )
    days = Filter("cover", "备货天数", data.key, "cover_label", multiple=False, default=(DEFAULT_COVER,))
    advice = Filter("advice", "建议", data.key, "advice", hint=SAME_GOODS)
    return build_board(
        (data,), head, lines, (days, *place_and_goods_filters(data), advice, goods_filter(data))
    )


BUYER_STOCK = centre_report(
    code="commodityStocksQuery",
    label="商品库存查询",
    question="各公司、仓库还有多少货，路上有多少，够卖几天？",
    group="采购分析",
    make=stock_board,
)
PURCHASE_DECISION = centre_report(
    code="inDecisionAnalysisTable",
    label="采购决策分析",
    question="哪些商品该补、补多少，哪些该停采？",
    group="采购分析",
    words="快没货了 断货 补货 订货 进多少货",
    make=decision_board,
)
