"""现有库存：商品库存（销量与可售天数在旁）、公司库存（占比、周转、库龄），都与上月末、去年同月末对比。"""

from __future__ import annotations

from reports.catalogue.beside import Figure, figures
from reports.catalogue.boards import Board, Chart, Filter
from reports.catalogue.compare import MONTH_END
from reports.catalogue.datasets import DAYS, QUANTITY, RATIO, Beside, Column, Dataset, Metric
from reports.catalogue.expressions import (
    Expression,
    ToDouble,
    compare,
    count_distinct,
    is_positive,
    quoted_sum,
    sum_of,
)
from reports.catalogue.metrics import (
    among_all,
    change_metric,
    money,
    percent,
    quantity,
    ratio,
    sum_where,
    total,
)
from reports.catalogue.parts import (
    BRAND,
    BY_COMPANY,
    GOODS,
    GOODS_LABEL,
    GOODS_TYPE,
    NAMED,
    PLACES,
    bars,
    board,
    goods_filter,
    line,
    link,
    moves_link,
    place_and_goods_filters,
    ranking,
    report,
    share,
    table,
    variant,
)
from reports.catalogue.period_offsets import stack_periods_sql
from reports.catalogue.stock import COVER, amounts, held, held_in

# Of each goods in each warehouse: days that its stock lasts at the pace of the last 30 days. What is sold out was sold
# within them.
_COVER = (
    "case when m.quantity <= 0 and m.sales_quantity_30 > 0 then '断货' when m.quantity <= 0 then '无库存' "
    "when m.sales_quantity_30 <= 0 then '近30天无销售' "
    "when m.quantity <= m.sales_quantity_30 * 0.5 then '15天以内' when m.quantity <= m.sales_quantity_30 "
    "then '16–30天' when m.quantity <= m.sales_quantity_30 * 3 then '31–90天' else '90天以上' end"
)
GOODS_STOCK_ROWS = f"(select m.*, {_COVER} as cover_range from mart_goods_stock as m)"
COVER_RANGE = Column("cover_range", "可售天数")
SAME_GOODS = "按现在的库存和销量分；上月末、去年同月末的数是同样这些商品那时的"

STOCK_ENDS = ("现在", *MONTH_END.earlier)
RECENT = ("sales_quantity_30", "sales_quantity_90")


def goods_beside(rows: str, cost: bool) -> Beside:
    """Stock and the sales before it, now and at the ends of last month and of last year's same month, which rows of
    `mart_goods_stock` carry beside them. How goods stand in words is told of now in all three: a filter of it compares
    the same goods."""
    known = (*held_in(cost), *RECENT)
    queries = (
        f"select t.* replace ({', '.join(f't.{sold if name in RECENT else lay}{name} as {name}' for name in known)})"
        f" from {rows} as t"
        for lay, sold in (("", ""), ("last_month_", "last_month_"), ("last_year_", "last_year_end_"))
    )
    return Beside(stack_periods_sql(STOCK_ENDS, *queries), STOCK_ENDS, known)


def cover_filter(dataset: Dataset) -> Filter:
    name, label = COVER_RANGE.name, COVER_RANGE.label
    return Filter(name, label, dataset.key, name, parameter="cover", hint=SAME_GOODS)


PLACE_AND_KIND = ("company_id", "company_name", "warehouse_id", "warehouse_name", "type1_name", "brand_name")


def company_beside(cost: bool) -> Beside:
    """Stock now and at the ends of last month and of last year's same month, each with its twelve months' turnover and
    the age that its layers had."""
    kinds = held_in(cost)
    lay = {kind: f"case when t.period_start = e.newest then t.closing_{kind} else 0 end" for kind in kinds}
    turned = {f"year_{kind}_days": f"t.{kind}_days" for kind in kinds}
    turned |= {year_sales(cost): f"t.{year_sales(cost).removeprefix('year_')}"}
    aged = {
        f"aged_{days}_{kind}": f"case when t.age_days > {days} then t.{kind} else 0 end"
        for days in (90, 180)
        for kind in kinds
    }
    known = (*lay, *turned, *aged)

    def rows(told: dict[str, str], mart: str, months_ago: int, where: str) -> str:
        figures = ", ".join(f"{told.get(name, '0')} as {name}" for name in known)
        newest = (
            f"select cast(max(period_start) - interval {months_ago} month as date) as newest"
            " from mart_turnover_period where period_kind = 'month'"
        )
        places = ", ".join(f"t.{name}" for name in PLACE_AND_KIND)
        return f"select {places}, {figures} from {mart} as t cross join ({newest}) as e where {where}"

    def at_end(months_ago: int) -> str:
        year = "t.period_kind = 'month' and t.period_start between e.newest - interval 11 month and e.newest"
        old = "t.month = e.newest and t.age_days > 90"
        return (
            rows(lay | turned, "mart_turnover_period", months_ago, year)
            + " union all "
            + rows(aged, "mart_inventory_aging", months_ago, old)
        )

    now = f"select {', '.join((*PLACE_AND_KIND, *known))} from mart_company_stock"
    return Beside(stack_periods_sql(STOCK_ENDS, now, at_end(1), at_end(12)), STOCK_ENDS, known)


def year_sales(cost: bool) -> str:
    return "year_sales_cost" if cost else "year_sales_quantity"


def now_and_before(cost: bool) -> tuple[Metric, ...]:
    """Stock now beside the ends of last month and of last year's same month."""
    measure, what, form = held(cost)
    now = quoted_sum(measure)
    before, year = (sum_of(f"last_{then}_{measure}") for then in ("month", "year"))
    return (
        Metric("amount", what, total(measure), form),
        among_all("share", "占比", now),
        quantity("quantity", "库存数量"),
        Metric("last_month", f"上月末{what[2:]}", total(f"last_month_{measure}"), form),
        Metric("movement", f"较上月末{what[2:]}", ToDouble(now) - ToDouble(before), form),
        change_metric("change", "较上月末", now, before, ""),
        Metric("last_year", f"去年同月末{what[2:]}", total(f"last_year_{measure}"), form),
        change_metric("year_change", "较去年同月末", now, year, ""),
    )


def sales_beside() -> tuple[Metric, ...]:
    """Recent sales beside the days before them and the same days of last year."""
    recent = sum_of("sales_quantity_30")
    return (
        quantity("sales_30", "近30天销量", "sales_quantity_30"),
        change_metric("pace_change", "销速较前60天", recent * 2, sum_of("sales_quantity_90") - recent),
        quantity("sales_30_year", "去年同期30天销量", "last_year_sales_quantity_30"),
        change_metric("sales_growth", "销量较去年同期", recent, sum_of("last_year_sales_quantity_30")),
        quantity("sales_90", "近90天销量", "sales_quantity_90"),
    )


def goods_dataset(cost: bool) -> Dataset:
    measure = held(cost)[0]
    return Dataset(
        key=variant("goods_stock", cost),
        label="商品库存",
        source=GOODS_STOCK_ROWS,
        grain="warehouse",
        cost=cost,
        beside=goods_beside(GOODS_STOCK_ROWS, cost),
        columns=(
            *PLACES,
            *GOODS,
            GOODS_LABEL,
            COVER_RANGE,
            Column("last_sale_date", "最近销售", "date", follows=("warehouse_id", "goods_id")),
            moves_link(),
        ),
        measures=(
            *("quantity", "last_month_quantity", "last_year_quantity"),
            *(*RECENT, "last_year_sales_quantity_30"),
            *(("value", "last_month_value", "last_year_value") if cost else ()),
        ),
        metrics=(
            *now_and_before(cost),
            *sales_beside(),
            COVER,
            percent(
                "idle",
                "近90天无销售占比",
                sum_where(measure, compare("sales_quantity_90", "<=", 0)),
                sum_of(measure),
            ),
            Metric(
                "goods_count", "在库商品数", count_distinct("goods_id", is_positive("quantity")), QUANTITY
            ),
            Metric(
                "places", "有货仓库数", count_distinct("warehouse_name", is_positive("quantity")), QUANTITY
            ),
        ),
    )


def goods_board(cost: bool) -> Board:
    data = goods_dataset(cost)
    what = held(cost)[1]
    goods = ("goods_num", "goods_name", "specification_type", "brand_name")
    counted = amounts(cost)
    then = ("change", "year_change")
    recent = ("sales_30", "pace_change", "sales_growth", "cover")
    whole = table(
        "商品库存汇总",
        data,
        goods,
        (*counted, "share", "places", *then, *recent),
        "amount",
        key="goods",
        bar="amount",
    )
    places = table(
        "商品在各公司、仓库的库存",
        data,
        ("company_name", "warehouse_name", *goods, "last_sale_date", "detail_link"),
        (*counted, *then, "sales_30", "sales_growth", "cover"),
        "amount",
        bar="amount",
        only_filed=NAMED,
    )
    head = figures(
        data,
        Figure("amount", "当前在库"),
        Figure("goods_count", "有库存的商品"),
        Figure("sales_30", "出库减退货", "fall"),
        Figure("cover", "数量 ÷ 近30天日均销量"),
        Figure("idle", f"占{what}", "rise"),
    )
    lines = (
        line(
            46,
            (ranking("top", f"{what}前十五商品", data, "amount", "goods_label", 15), 7),
            (share("cover_ranges", f"{what}按可售天数", data, "amount", "cover_range"), 5),
        ),
        line(
            40,
            (
                bars(
                    "warehouses",
                    f"前二十仓库{what}与上月末、去年同月末",
                    data,
                    ("amount", "last_month", "last_year"),
                    "warehouse_name",
                    order="amount",
                    limit=20,
                ),
                12,
            ),
        ),
        line(76, (whole, 12)),
        line(82, (places, 12)),
    )
    return board(
        (data,), head, lines, (*place_and_goods_filters(data), cover_filter(data), goods_filter(data))
    )


def company_datasets(cost: bool) -> tuple[Dataset, Dataset]:
    measure, what, form = held(cost)
    flow = year_sales(cost)
    sums = (
        "quantity",
        "last_month_quantity",
        "last_year_quantity",
        "month_sales_quantity",
        "aged_90_quantity",
        "aged_180_quantity",
    )
    valued = (
        "value",
        "last_month_value",
        "last_year_value",
        "inbound_value",
        "outbound_value",
        "aged_90_value",
        "aged_180_value",
    )
    moved = (
        money("inbound", "本月入库金额", "inbound_value"),
        money("outbound", "本月出库金额", "outbound_value"),
    )

    def aged(days: int) -> Metric:
        return percent(
            f"aged_{days}", f"{days}天以上占比", sum_of(f"aged_{days}_{measure}"), quoted_sum(measure)
        )

    now = Dataset(
        key=variant("company_stock", cost),
        label="公司库存",
        source="mart_company_stock",
        grain="warehouse",
        cost=cost,
        beside=company_beside(cost),
        columns=(
            *PLACES,
            GOODS_TYPE,
            BRAND,
            link(
                "查看",
                "/inventory/inventorysummer",
                **BY_COMPANY,
            ),
        ),
        measures=("year_days", flow, f"year_{measure}_days", *sums, *(valued if cost else ())),
        metrics=(
            *now_and_before(cost),
            Metric("rate", "年周转率（次）", _yearly(flow, measure), RATIO),
            Metric("turnover_days", "周转天数", ratio(sum_of(f"year_{measure}_days"), sum_of(flow)), DAYS),
            aged(90),
            aged(180),
            quantity("sales", "本月销量", "month_sales_quantity"),
            *(moved if cost else ()),
        ),
    )
    months = Dataset(
        key=variant("company_stock_months", cost),
        label="公司库存走势",
        source=(
            "(select t.* from mart_turnover_period as t where t.period_kind = 'month' and t.period_start >= (select "
            "max(p.period_start) - interval 12 month from mart_turnover_period as p where p.period_kind = 'month'))"
        ),
        grain="warehouse",
        cost=cost,
        columns=(Column("period_label", "月"), *PLACES, GOODS_TYPE, BRAND),
        measures=(f"closing_{measure}",),
        metrics=(Metric("closing", f"月末{what}", total(f"closing_{measure}"), form),),
    )
    return now, months


def _yearly(flow: str, measure: str) -> Expression:
    """Turnover of the last twelve months, told for 365 days."""
    return ratio(sum_of(flow), sum_of(f"year_{measure}_days"), 365)


def company_board(cost: bool) -> Board:
    now, months = company_datasets(cost)
    what = held(cost)[1]
    counted = (*amounts(cost), "share")
    then = ("movement", "change", "year_change")
    moved = (*then, *(("inbound", "outbound") if cost else ()), "sales")
    judged = ("rate", "turnover_days", "aged_90", "aged_180")
    companies = table(
        "公司库存",
        now,
        ("company_name", "detail_link"),
        (*counted, *moved, *judged),
        "amount",
        bar="amount",
        paged=False,
    )
    places = table(
        "仓库与商品类型",
        now,
        ("company_name", "warehouse_name", "type1_name"),
        (*counted, *then, *judged),
        "amount",
        key="places",
        bar="amount",
    )
    head = figures(
        now,
        Figure("amount", "当前在库"),
        Figure("rate", "近十二个月，按365天折算", "fall"),
        Figure("aged_90", f"占{what}", "rise"),
        Figure("aged_180", f"占{what}", "rise"),
    )
    lines = (
        line(
            44,
            (
                ranking(
                    *("companies", f"各公司{what}与上月末、去年同月末", now, "amount", "company_name", 20),
                    beside=("last_month", "last_year"),
                ),
                7,
            ),
            (ranking("rates", "各公司年周转率（次）", now, "rate", "company_name", 20), 5),
        ),
        line(
            44,
            (
                Chart(
                    "months",
                    f"近一年各公司月末{what}",
                    "bar",
                    months.key,
                    ("closing",),
                    by=("company_name",),
                    x="period_label",
                    stacked=True,
                ),
                12,
            ),
        ),
        line(72, (companies, 12)),
        line(76, (places, 12)),
    )
    return board((now, months), head, lines, place_and_goods_filters(now))


GOODS_STOCK = report(
    code="goodsinventoryrpt",
    label="商品库存报表",
    question="每个商品在哪些公司和仓库有多少，够卖几天？",
    group="库存报表",
    words="存货 还有没有货",
    make=goods_board,
)
COMPANY_STOCK = report(
    code="CompanyInventoryreport",
    label="公司库存报表",
    question="各公司压了多少库存，转得快不快，老库存占多少？",
    group="库存报表",
    make=company_board,
    path="inventory",
    module="库存管理",
)
