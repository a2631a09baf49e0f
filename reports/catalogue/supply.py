"""集中采购：商品库存查询、采购决策分析。

Cover days = stock (and what is on order) ÷ mean daily sales of the last 30 days. Suggested is what the chosen days will
sell at that pace, beyond what is on hand, not reserved and on order, in whole pieces, warehouse by warehouse: those
that sell. Nothing is bought for what is defective, claimed, on the way or at a customer's.
"""

from __future__ import annotations

from reports.catalogue.beside import Figure, figures
from reports.catalogue.boards import Board, Chart, Filter
from reports.catalogue.datasets import MONEY, QUANTITY, Column, Dataset, Metric
from reports.catalogue.expressions import (
    Bracketed,
    Operation,
    ToDouble,
    compare,
    count_distinct,
    is_positive,
    sum_of,
)
from reports.catalogue.holdings import (
    COVER_RANGE,
    GOODS_STOCK_ROWS,
    RECENT,
    SAME_GOODS,
    cover_filter,
    goods_beside,
    now_and_before,
    sales_beside,
)
from reports.catalogue.metrics import quantity
from reports.catalogue.parts import (
    BY_GOODS,
    BY_WAREHOUSE,
    GOODS,
    GOODS_LABEL,
    NAMED,
    ORDERS_OF_TODAY,
    PLACES,
    bars,
    board,
    goods_filter,
    line,
    link,
    moves_link,
    place_and_goods_filters,
    ranking,
    share,
    table,
    variant,
)
from reports.catalogue.purchase import centre_report
from reports.catalogue.stock import COVER, amounts, cover_metric, held

GOODS_NAMES = ("goods_num", "goods_name", "specification_type", "brand_name")
ORDERS = link(
    "采购订单",
    "/purchase/orderdetail",
    named="orders_link",
    **BY_GOODS,
    **BY_WAREHOUSE,
)
COVER_DAYS = (15, 30, 45, 60, 90)
DEFAULT_COVER = "备30天"


def standing() -> tuple[Metric, ...]:
    """How goods stand between what is on order and what is sold."""
    return (
        quantity("reserved", "订单未发", "reserved_quantity"),
        quantity("ordered", "在途（已订未到）", "ordered_quantity"),
        quantity("late", "逾期未到", "late_quantity"),
        *sales_beside(),
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


def stock_beside() -> tuple[Metric, ...]:
    """Pieces on hand beside the ends of last month and of last year's same month, whatever a role sees of cost."""
    return tuple(
        metric for metric in now_and_before(False) if metric.name not in ("amount", "share", "movement")
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
    Column("last_sale_date", "最近销售", "date", follows=("warehouse_id", "goods_id")),
    moves_link(),
    ORDERS,
)


def beside(title: str, data: Dataset) -> Chart:
    shown = ("quantity", "ordered", "sales_30")
    return bars("brands", title, data, shown, "brand_name", order="sales_30", limit=12)


def stock_board(cost: bool) -> Board:
    what = held(cost)[1]
    data = Dataset(
        key=variant("buyer_stock", cost),
        label="商品库存查询",
        source=GOODS_STOCK_ROWS,
        grain="warehouse",
        cost=cost,
        beside=goods_beside(GOODS_STOCK_ROWS, cost),
        columns=COLUMNS,
        measures=(*MEASURES, *(("value", "last_month_value", "last_year_value") if cost else ())),
        metrics=(
            *now_and_before(cost),
            *standing(),
        ),
    )
    counted = (*amounts(cost), "share")
    sold = ("sales_30", "pace_change", "sales_growth")
    shown = (*counted, "change", "year_change", "reserved", "ordered", "late", *sold, "cover", "supply")
    whole = table(
        "各商品库存与在途",
        data,
        (*GOODS_NAMES, "type1_name"),
        shown,
        "amount",
        key="goods",
        bar="amount",
        only_filed=("type1_name", *NAMED),
    )
    places = table(
        "商品在各公司、仓库的库存与在途",
        data,
        ("company_name", "warehouse_name", *GOODS_NAMES, "last_sale_date", "detail_link", "orders_link"),
        shown,
        "amount",
        bar="amount",
        only_filed=("company_name", *NAMED, "share", "year_change", "sales_growth", "late"),
    )
    head = figures(
        data,
        Figure("amount", "当前在库"),
        Figure("ordered", "未关闭的采购订单", alone=ORDERS_OF_TODAY),
        Figure("cover", "数量 ÷ 近30天日均销量"),
        Figure("short", "某一仓库无库存，近30天有销售", "rise"),
    )
    lines = (
        line(
            46,
            (ranking("top", "在途前十五商品", data, "ordered", "goods_label", 15), 6),
            (share("cover_ranges", f"{what}按可售天数", data, "amount", "cover_range"), 6),
        ),
        line(
            40,
            (
                beside("各品牌库存、在途与近30天销量", data),
                6,
            ),
            (
                bars(
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
        line(76, (whole, 12)),
        line(82, (places, 12)),
    )
    return board(
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
        key=variant("purchase_decision", cost),
        label="采购决策分析",
        source=source,
        grain="warehouse",
        cost=cost,
        beside=goods_beside(source, cost),
        columns=(
            Column("cover_label", "备货天数"),
            *COLUMNS,
            Column("advice", "建议"),
        ),
        measures=(*MEASURES, "suggested_quantity", *(("suggested_amount",) if cost else ())),
        metrics=(
            *standing(),
            *stock_beside(),
            quantity("suggested", "建议采购数量", "suggested_quantity"),
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
    listed = table(
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
        only_filed=("company_name", *NAMED, "pace_change", "sales_growth", "late"),
    )
    kinds = table(
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
    head = figures(
        data,
        Figure(main, "按备货天数，减库存与在途", alone=ORDERS_OF_TODAY),
        Figure("wanted_goods", "建议数量大于0", alone=ORDERS_OF_TODAY),
        Figure("short", "某一仓库无库存，近30天有销售", "rise"),
        Figure("late", "过了交货日期的在途", alone=ORDERS_OF_TODAY),
        Figure("supply", "（库存 + 在途）÷ 近30天日均", alone=ORDERS_OF_TODAY),
    )
    lines = (
        line(
            46,
            (ranking("top", f"{label}前十五商品", data, main, "goods_label", 15), 6),
            (
                beside("各品牌库存、在途与近30天销量", data),
                6,
            ),
        ),
        line(
            42,
            (bars("warehouses", f"各仓库{label}", data, (main,), "warehouse_name", order=main, limit=20), 7),
            (share("advices", "商品按建议（近30天销量）", data, "sales_30", "advice"), 5),
        ),
        line(70, (kinds, 12)),
        line(82, (listed, 12)),
    )
    days = Filter("cover", "备货天数", data.key, "cover_label", multiple=False, default=(DEFAULT_COVER,))
    advice = Filter("advice", "建议", data.key, "advice", hint=SAME_GOODS)
    return board((data,), head, lines, (days, *place_and_goods_filters(data), advice, goods_filter(data)))


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
