"""畅销商品：按净销量、净额、毛利排名；明细各行之和等于排名行，行上可见单据。

A period stands beside as many days right before it, this month and year beside the same days of the last ones, and each
beside the same days a year ago.
"""

from __future__ import annotations

from dataclasses import replace

from reports.catalogue.beside import Figure, figures
from reports.catalogue.boards import Board, Chart, Filter
from reports.catalogue.compare import with_suffixes
from reports.catalogue.datasets import MONEY, QUANTITY, SUFFIXES, Beside, Column, Dataset, Metric
from reports.catalogue.expressions import (
    CaseWhen,
    Constant,
    Expression,
    FunctionCall,
    Rank,
    ToDouble,
    compare,
    count_distinct,
    is_positive,
    max_of,
    sum_of,
)
from reports.catalogue.metrics import beside, compared, money, percent, quantity
from reports.catalogue.parts import (
    COMPANY,
    CUSTOMER,
    EMPLOYEE,
    GOODS,
    GOODS_LABEL,
    PATTERN,
    PLACES,
    bars,
    bill_link,
    board,
    company_filter,
    curves,
    customer_filter,
    goods_filter,
    goods_filters,
    line,
    link,
    place_and_goods_filters,
    ranking,
    report,
    share,
    table,
    variant,
)
from reports.catalogue.period_offsets import PERIOD_LABELS, numbered_periods_sql
from reports.catalogue.stock import cover_metric

STOCK_OF_TODAY = "stock of ten earlier days costs more than a chart may take"
STOCK = "售出公司库存"
"""Of goods a company's stock counts where it sold them: so it adds up over companies, whichever are chosen or seen."""
PERIOD = Column("period_label", "统计区间")
DEFAULT_PERIOD = "近30天"
"""One of those that `transforms/macros/sales_periods.sql` names."""
# Empty in the totals row, which stands for more than one goods.
IS_ONE_GOODS = compare(count_distinct("goods_id"), "=", 1)
GOODS_SOLD = Metric(
    "goods_count", "动销商品数", count_distinct("goods_id", is_positive("quantity")), QUANTITY
)
COVER = cover_metric(sum_of("stock_quantity"), sum_of("quantity"), max_of("days"))
OF_BILL = ("bill_no",)
DETAIL_LINK = link(
    "查看单据",
    "/report/BestSellerInfo",
    goods_num="url_encode({goods_num})",
    period="url_encode({period_label})",
)

STOCK_LINK = link(
    "各公司库存", "/report/goodsinventoryrpt", "stock_link", goods_num="url_encode({goods_num})"
)


def rank_goods_by(measure: str) -> Expression:
    """The place of one goods by the sum of a measure."""
    return CaseWhen(IS_ONE_GOODS, Rank(sum_of(measure)))


def period_choice(dataset: Dataset) -> Filter:
    return Filter(
        "period",
        "统计区间",
        dataset.key,
        "period_label",
        multiple=False,
        default=(DEFAULT_PERIOD,),
    )


def profit_part(cost: bool) -> tuple[Metric, ...]:
    if not cost:
        return ()
    return (
        money("cost", "销售成本"),
        money("profit", "毛利"),
        Metric("profit_place", "毛利名次", rank_goods_by("profit"), QUANTITY),
        percent("margin", "毛利率", sum_of("profit"), sum_of("amount")),
    )


def sold(cost: bool) -> tuple[str, ...]:
    """What the reports of best sellers add up."""
    return ("quantity", "amount", *(("cost", "profit") if cost else ()))


def rank_dataset(cost: bool) -> Dataset:
    return Dataset(
        key=variant("best_seller", cost),
        label="畅销商品",
        source="mart_best_seller",
        grain="company",
        cost=cost,
        columns=(PERIOD, COMPANY, *GOODS, PATTERN, GOODS_LABEL, DETAIL_LINK, STOCK_LINK),
        measures=(*sold(cost), "stock_quantity", "days"),
        metrics=(
            Metric("place", "销量名次", rank_goods_by("quantity"), QUANTITY),
            Metric("amount_place", "销售额名次", rank_goods_by("amount"), QUANTITY),
            quantity("quantity", "净销量"),
            money("amount", "净销售额"),
            GOODS_SOLD,
            quantity("stock", STOCK, "stock_quantity"),
            COVER,
            *profit_part(cost),
        ),
    )


WORDS = ("所选区间", *PERIOD_LABELS)


def sold_beside(cost: bool) -> Beside:
    """What was sold in a period, in the one before it and a year ago: the mart once, each of its rows for all three."""
    words = " union all ".join(f"select {which}" for which in numbered_periods_sql(WORDS))

    def then(name: str) -> str:
        cases = (f"when {order} then t.{name}{end}" for order, end in enumerate(("", *SUFFIXES)))
        return f"case w.beside_order {' '.join(cases)} end as {name}"

    told = ", ".join(map(then, sold(cost)))
    source = (
        f"(select w.*, t.* replace ({told}) from mart_best_seller_compared as t cross join ({words}) as w)"
    )
    return Beside(source, WORDS, sold(cost))


def lines_beside(cost: bool) -> Beside:
    """The lines of a period's bills, of the one before it and of a year ago."""
    words = " ".join(f"when {order} then '{word}'" for order, word in enumerate(WORDS))
    source = f"(select t.*, case t.beside_order {words} end as beside from mart_best_seller_lines as t)"
    return Beside(source, WORDS, sold(cost))


def compared_dataset(cost: bool) -> Dataset:
    """The periods' goods beside what was sold of them earlier."""
    now = (
        quantity("quantity", "净销量"),
        money("amount", "净销售额"),
        *((money("profit", "毛利"),) if cost else ()),
    )
    measures = sold(cost)
    words = dict(zip(("quantity", "amount", "profit"), ("销量", "", "毛利"), strict=True))
    return Dataset(
        key=variant("best_seller_compared", cost),
        label="畅销商品对比",
        source="mart_best_seller_compared",
        grain="company",
        cost=cost,
        beside=sold_beside(cost),
        columns=(PERIOD, COMPANY, *GOODS, PATTERN, GOODS_LABEL, DETAIL_LINK),
        measures=(*with_suffixes(*measures), "stock_quantity", "days"),
        metrics=(
            *now,
            *(
                then
                for metric in now
                for then in beside(metric, measures, *PERIOD_LABELS, word=words[metric.name])
            ),
            GOODS_SOLD,
            quantity("stock", STOCK, "stock_quantity"),
            COVER,
        ),
    )


def rank_board(cost: bool) -> Board:
    data, then = rank_dataset(cost), compared_dataset(cost)
    kinds = ("type1_name", "brand_name")
    goods = ("goods_num", "goods_name", "specification_type", "brand_name", "type1_name")
    metrics = (
        *("place", "quantity", "amount_place", "amount"),
        *(("profit_place", "profit", "margin") if cost else ()),
        *("stock", "cover"),
    )
    earlier = table(
        "商品销售与上期、去年同期",
        then,
        ("goods_num", "goods_name", "detail_link"),
        (
            *compared("amount"),
            *("quantity", "quantity_change", "quantity_growth"),
            *(("profit", "profit_change", "profit_growth") if cost else ("stock",)),
        ),
        "amount",
        key="compared",
        bar="amount",
    )
    head = figures(
        then,
        Figure("quantity", "出库减退货", "fall"),
        Figure("amount", "不含税", "fall"),
        *((Figure("profit", "净额减成本", "fall"),) if cost else ()),
        Figure("goods_count", "区间内有销售", "fall"),
        *((Figure("stock", "有销售的公司在库", alone=STOCK_OF_TODAY),) if not cost else ()),
        Figure("cover", "售出公司库存 ÷ 区间日均销量", alone=STOCK_OF_TODAY),
    )
    lines = (
        line(
            52,
            (ranking("top", "销量前十五商品", data, "quantity", "goods_label", 15), 6),
            (ranking("top_amount", "销售额前十五商品", data, "amount", "goods_label", 15), 6),
        ),
        line(
            44,
            (share("brands", "销售额构成（品牌）", data, "amount", "brand_name"), 5),
            (Chart("types", "销售额结构（类型与品牌）", "treemap", data.key, ("amount",), by=kinds), 7),
        ),
        line(
            82,
            (
                table(
                    "畅销商品排名",
                    data,
                    (*goods, "detail_link", "stock_link"),
                    metrics,
                    "quantity",
                    bar="quantity",
                    # The names of goods and the filters tell them.
                    only_filed=("specification_type", "type1_name"),
                ),
                12,
            ),
        ),
        line(82, (earlier, 12)),
    )
    filters = (period_choice(data), company_filter(data), *goods_filters(data), goods_filter(data))
    return board((data, then), head, lines, filters)


def bill_dataset(cost: bool) -> Dataset:
    bill_type = (
        "case m.bill_type when 'XSCK' then '销售出库' when 'XSTH' then '销售退货' else m.bill_type end"
    )
    return Dataset(
        key=variant("best_seller_info", cost),
        label="畅销商品明细",
        source="mart_best_seller_info",
        grain="warehouse",
        cost=cost,
        beside=lines_beside(cost),
        time_column="business_date",
        columns=(
            PERIOD,
            *PLACES,
            *GOODS,
            PATTERN,
            Column("business_date", "业务日期", "date", follows=OF_BILL),
            Column("day_label", "日期", sql="strftime(m.business_date, '%Y-%m-%d')"),
            Column("bill_type", "单据类型", sql=bill_type, follows=OF_BILL),
            Column("bill_no", "单据编号"),
            replace(CUSTOMER, keys=(), follows=OF_BILL),
            replace(EMPLOYEE, follows=OF_BILL),
            bill_link(named="detail_link", types=("XSCK", "XSTH")),
        ),
        measures=sold(cost),
        metrics=(
            quantity("quantity", "数量"),
            Metric(
                "price",
                "单价",
                CaseWhen(
                    IS_ONE_GOODS,
                    ToDouble(sum_of("amount"))
                    / FunctionCall("nullif", (ToDouble(sum_of("quantity")), Constant(0))),
                ),
                MONEY,
            ),
            money("amount", "金额"),
            Metric("newest", "最近日期", max_of("business_date")),
            Metric("bills", "单据数", count_distinct("bill_no"), QUANTITY),
            Metric("customers", "客户数", count_distinct("customer_name"), QUANTITY),
            *profit_part(cost),
        ),
    )


def bill_board(cost: bool) -> Board:
    data = bill_dataset(cost)
    bill = ("business_date", "bill_type", "bill_no", "company_name", "warehouse_name")
    who = ("goods_num", "goods_name", "customer_name", "employee_name", "detail_link")
    metrics = ("quantity", "price", "amount", *(("cost", "profit", "margin") if cost else ()))
    head = figures(
        data,
        Figure("quantity", "出库减退货", "fall"),
        Figure("amount", "不含税", "fall"),
        Figure("price", "金额 ÷ 数量，选定一个商品时"),
        Figure("bills", "出库与退货", "fall"),
        Figure("customers", "区间内成交", "fall"),
    )
    lines = (
        line(
            44,
            (curves("days", "每日销售额与数量", data, ("amount",), "quantity", "day_label"), 7),
            (ranking("buyers", "购买前十客户", data, "amount", "customer_name"), 5),
        ),
        line(
            36,
            (
                bars(
                    "warehouses",
                    "各仓库出货数量",
                    data,
                    ("quantity",),
                    "warehouse_name",
                    order="quantity",
                    limit=20,
                ),
                12,
            ),
        ),
        line(
            82,
            (
                table(
                    *("单据明细", data, (*bill, *who), metrics, "newest"),
                    only_filed=("company_name", *(("cost", "margin") if cost else ())),
                ),
                12,
            ),
        ),
    )
    period, goods = period_choice(data), goods_filter(data)
    filters = (period, goods, *place_and_goods_filters(data), customer_filter(data))
    return board((data,), head, lines, filters)


BEST_SELLER = report(
    code="BestSeller",
    label="畅销商品",
    question="什么卖得最好，库存还够卖几天？",
    group="销售报表",
    words="热销 好卖 爆款 卖得快",
    make=rank_board,
)
BEST_SELLER_INFO = report(
    code="BestSellerInfo",
    label="畅销商品明细",
    question="畅销商品卖给了谁，在哪些单据上？",
    group="销售报表",
    make=bill_board,
)
