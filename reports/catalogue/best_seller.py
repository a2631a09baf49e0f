"""Best sellers (畅销商品): ranking by net quantity, amount and profit; details with bills sum to the ranking.

A period's prior one is as many days right before it, for this month and year the same days of the last
ones; last year's is the same days a year ago.
"""

from __future__ import annotations

from dataclasses import replace

from reports.catalogue.stock_measures import cover_metric
from reports.semantics.dashboards import Board, Chart, Filter
from reports.semantics.datasets import MONEY, QUANTITY, SUFFIXES, Column, Dataset, Metric, PeriodComparison
from reports.semantics.expressions import (
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
from reports.semantics.kpi_comparison import Kpi, build_kpi_header
from reports.semantics.metrics import (
    list_comparison_names,
    money_metric,
    percent_metric,
    quantity_metric,
    with_prior_periods,
)
from reports.semantics.period_comparison import with_suffixes
from reports.semantics.period_offsets import PERIOD_LABELS, numbered_periods_sql
from reports.semantics.report_builders import (
    COMPANY,
    CUSTOMER,
    EMPLOYEE,
    GOODS,
    GOODS_LABEL,
    PATTERN,
    PLACES,
    bill_link,
    build_bar_chart,
    build_board,
    build_curve_chart,
    build_donut_chart,
    build_ranking_chart,
    build_report,
    build_row,
    build_table,
    company_filter,
    customer_filter,
    goods_filter,
    goods_filters,
    link_column,
    place_and_goods_filters,
    variant_key,
)

STOCK_OF_TODAY = "stock of ten earlier days costs more than a chart may take"
STOCK = "售出公司库存"
"""Label of the stock of companies that sold the goods: it adds up over companies, whichever are chosen or seen."""
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
DETAIL_LINK = link_column(
    "查看单据",
    "/report/BestSellerInfo",
    goods_num="url_encode({goods_num})",
    period="url_encode({period_label})",
)

STOCK_LINK = link_column(
    "各公司库存", "/report/goodsinventoryrpt", "stock_link", goods_num="url_encode({goods_num})"
)


def rank_goods_by(measure: str) -> Expression:
    """Return the place of one goods by the sum of a measure."""
    return CaseWhen(IS_ONE_GOODS, Rank(sum_of(measure)))


def build_period_filter(dataset: Dataset) -> Filter:
    return Filter(
        "period",
        "统计区间",
        dataset.key,
        "period_label",
        multiple=False,
        default=(DEFAULT_PERIOD,),
    )


def profit_metrics(cost: bool) -> tuple[Metric, ...]:
    if not cost:
        return ()
    return (
        money_metric("cost", "销售成本"),
        money_metric("profit", "毛利"),
        Metric("profit_place", "毛利名次", rank_goods_by("profit"), QUANTITY),
        percent_metric("margin", "毛利率", sum_of("profit"), sum_of("amount")),
    )


def list_sold_measures(cost: bool) -> tuple[str, ...]:
    """Return the additive measures of the best-seller reports."""
    return ("quantity", "amount", *(("cost", "profit") if cost else ()))


def rank_dataset(cost: bool) -> Dataset:
    return Dataset(
        key=variant_key("best_seller", cost),
        label="畅销商品",
        source="mart_best_seller",
        grain="company",
        cost=cost,
        columns=(PERIOD, COMPANY, *GOODS, PATTERN, GOODS_LABEL, DETAIL_LINK, STOCK_LINK),
        measures=(*list_sold_measures(cost), "stock_quantity", "days"),
        metrics=(
            Metric("place", "销量名次", rank_goods_by("quantity"), QUANTITY),
            Metric("amount_place", "销售额名次", rank_goods_by("amount"), QUANTITY),
            quantity_metric("quantity", "净销量"),
            money_metric("amount", "净销售额"),
            GOODS_SOLD,
            quantity_metric("stock", STOCK, "stock_quantity"),
            COVER,
            *profit_metrics(cost),
        ),
    )


ROW_LABELS = ("所选区间", *PERIOD_LABELS)


def build_sold_comparison(cost: bool) -> PeriodComparison:
    """Return the comparison of a period's sales with the prior period and last year.

    Each row of the mart three times.
    """
    words = " union all ".join(f"select {which}" for which in numbered_periods_sql(ROW_LABELS))

    def select_measure(name: str) -> str:
        cases = (f"when {order} then t.{name}{end}" for order, end in enumerate(("", *SUFFIXES)))
        return f"case w.beside_order {' '.join(cases)} end as {name}"

    measures = ", ".join(map(select_measure, list_sold_measures(cost)))
    source = f"(select w.*, t.* replace ({measures}) from mart_best_seller_compared as t cross join ({words}) as w)"
    return PeriodComparison(source, ROW_LABELS, list_sold_measures(cost))


def build_lines_comparison(cost: bool) -> PeriodComparison:
    """Return the comparison of a period's bill lines with those of the prior period and last year."""
    words = " ".join(f"when {order} then '{word}'" for order, word in enumerate(ROW_LABELS))
    source = f"(select t.*, case t.beside_order {words} end as beside from mart_best_seller_lines as t)"
    return PeriodComparison(source, ROW_LABELS, list_sold_measures(cost))


def compared_dataset(cost: bool) -> Dataset:
    """Return the dataset of the periods' goods with their prior periods."""
    now = (
        quantity_metric("quantity", "净销量"),
        money_metric("amount", "净销售额"),
        *((money_metric("profit", "毛利"),) if cost else ()),
    )
    measures = list_sold_measures(cost)
    words = dict(zip(("quantity", "amount", "profit"), ("销量", "", "毛利"), strict=True))
    return Dataset(
        key=variant_key("best_seller_compared", cost),
        label="畅销商品对比",
        source="mart_best_seller_compared",
        grain="company",
        cost=cost,
        comparison=build_sold_comparison(cost),
        columns=(PERIOD, COMPANY, *GOODS, PATTERN, GOODS_LABEL, DETAIL_LINK),
        measures=(*with_suffixes(*measures), "stock_quantity", "days"),
        metrics=(
            *now,
            *(
                then
                for metric in now
                for then in with_prior_periods(metric, measures, *PERIOD_LABELS, word=words[metric.name])
            ),
            GOODS_SOLD,
            quantity_metric("stock", STOCK, "stock_quantity"),
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
    earlier = build_table(
        "商品销售与上期、去年同期",
        then,
        ("goods_num", "goods_name", "detail_link"),
        (
            *list_comparison_names("amount"),
            *("quantity", "quantity_change", "quantity_growth"),
            *(("profit", "profit_change", "profit_growth") if cost else ("stock",)),
        ),
        "amount",
        key="compared",
        bar="amount",
    )
    head = build_kpi_header(
        then,
        Kpi("quantity", "出库减退货", "fall"),
        Kpi("amount", "不含税", "fall"),
        *((Kpi("profit", "净额减成本", "fall"),) if cost else ()),
        Kpi("goods_count", "区间内有销售", "fall"),
        *((Kpi("stock", "有销售的公司在库", uncompared_reason=STOCK_OF_TODAY),) if not cost else ()),
        Kpi("cover", "售出公司库存 ÷ 区间日均销量", uncompared_reason=STOCK_OF_TODAY),
    )
    lines = (
        build_row(
            52,
            (build_ranking_chart("top", "销量前十五商品", data, "quantity", "goods_label", 15), 6),
            (build_ranking_chart("top_amount", "销售额前十五商品", data, "amount", "goods_label", 15), 6),
        ),
        build_row(
            44,
            (build_donut_chart("brands", "销售额构成（品牌）", data, "amount", "brand_name"), 5),
            (Chart("types", "销售额结构（类型与品牌）", "treemap", data.key, ("amount",), by=kinds), 7),
        ),
        build_row(
            82,
            (
                build_table(
                    "畅销商品排名",
                    data,
                    (*goods, "detail_link", "stock_link"),
                    metrics,
                    "quantity",
                    bar="quantity",
                    # The names of goods and the filters tell them.
                    export_only=("specification_type", "type1_name"),
                ),
                12,
            ),
        ),
        build_row(82, (earlier, 12)),
    )
    filters = (build_period_filter(data), company_filter(data), *goods_filters(data), goods_filter(data))
    return build_board((data, then), head, lines, filters)


def bill_dataset(cost: bool) -> Dataset:
    bill_type = (
        "case m.bill_type when 'XSCK' then '销售出库' when 'XSTH' then '销售退货' else m.bill_type end"
    )
    return Dataset(
        key=variant_key("best_seller_info", cost),
        label="畅销商品明细",
        source="mart_best_seller_info",
        grain="warehouse",
        cost=cost,
        comparison=build_lines_comparison(cost),
        time_column="business_date",
        columns=(
            PERIOD,
            *PLACES,
            *GOODS,
            PATTERN,
            Column("business_date", "业务日期", "date", determined_by=OF_BILL),
            Column("day_label", "日期", sql="strftime(m.business_date, '%Y-%m-%d')"),
            Column("bill_type", "单据类型", sql=bill_type, determined_by=OF_BILL),
            Column("bill_no", "单据编号"),
            replace(CUSTOMER, keys=(), determined_by=OF_BILL),
            replace(EMPLOYEE, determined_by=OF_BILL),
            bill_link(column="detail_link", types=("XSCK", "XSTH")),
        ),
        measures=list_sold_measures(cost),
        metrics=(
            quantity_metric("quantity", "数量"),
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
            money_metric("amount", "金额"),
            Metric("newest", "最近日期", max_of("business_date")),
            Metric("bills", "单据数", count_distinct("bill_no"), QUANTITY),
            Metric("customers", "客户数", count_distinct("customer_name"), QUANTITY),
            *profit_metrics(cost),
        ),
    )


def bill_board(cost: bool) -> Board:
    data = bill_dataset(cost)
    bill = ("business_date", "bill_type", "bill_no", "company_name", "warehouse_name")
    who = ("goods_num", "goods_name", "customer_name", "employee_name", "detail_link")
    metrics = ("quantity", "price", "amount", *(("cost", "profit", "margin") if cost else ()))
    head = build_kpi_header(
        data,
        Kpi("quantity", "出库减退货", "fall"),
        Kpi("amount", "不含税", "fall"),
        Kpi("price", "金额 ÷ 数量，选定一个商品时"),
        Kpi("bills", "出库与退货", "fall"),
        Kpi("customers", "区间内成交", "fall"),
    )
    lines = (
        build_row(
            44,
            (build_curve_chart("days", "每日销售额与数量", data, ("amount",), "quantity", "day_label"), 7),
            (build_ranking_chart("buyers", "购买前十客户", data, "amount", "customer_name"), 5),
        ),
        build_row(
            36,
            (
                build_bar_chart(
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
        build_row(
            82,
            (
                build_table(
                    *("单据明细", data, (*bill, *who), metrics, "newest"),
                    export_only=("company_name", *(("cost", "margin") if cost else ())),
                ),
                12,
            ),
        ),
    )
    period, goods = build_period_filter(data), goods_filter(data)
    filters = (period, goods, *place_and_goods_filters(data), customer_filter(data))
    return build_board((data,), head, lines, filters)


BEST_SELLER = build_report(
    code="BestSeller",
    label="畅销商品",
    question="什么卖得最好，库存还够卖几天？",
    group="销售报表",
    words="热销 好卖 爆款 卖得快",
    make=rank_board,
)
BEST_SELLER_INFO = build_report(
    code="BestSellerInfo",
    label="畅销商品明细",
    question="畅销商品卖给了谁，在哪些单据上？",
    group="销售报表",
    make=bill_board,
)
