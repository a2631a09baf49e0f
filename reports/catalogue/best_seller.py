"""畅销商品：按净销量、净额、毛利排名；明细各行之和等于排名行，行上可见单据。"""

from __future__ import annotations

from reports.catalogue.model import (
    DAYS,
    MONEY,
    PERCENT,
    QUANTITY,
    Board,
    Chart,
    Column,
    Dataset,
    Filter,
    Metric,
    Report,
    Row,
    Tab,
)
from reports.catalogue.parts import (
    BRAND,
    COMPANY,
    CUSTOMER,
    EMPLOYEE,
    GOODS_LABEL,
    GOODS_NAME,
    GOODS_NUM,
    GOODS_TYPE,
    PATTERN,
    REFRESHED,
    SPECIFICATION,
    STAMP,
    WAREHOUSE,
    company_filter,
    goods_filter,
    goods_filters,
    ratio,
    total,
    warehouse_filter,
)

GOODS = (GOODS_TYPE, BRAND, GOODS_NUM, GOODS_NAME, SPECIFICATION, PATTERN)
PERIODS = {"d7": "近7天", "d30": "近30天", "d90": "近90天", "month": "本月", "year": "本年"}
PERIOD = Column(
    "period_label",
    "统计区间",
    sql="case m.period_key "
    + " ".join(f"when '{key}' then '{label}'" for key, label in PERIODS.items())
    + " end",
)
DEFAULT_PERIOD = "近30天"
# Empty in the totals row, which stands for more than one goods.
PLACE = "case when count(distinct goods_num) = 1 then rank() over (order by sum(quantity) desc) end"
# Opens the detail report in the shell around the frame: a guest's token is good for one dashboard only.
DETAIL_LINK = Column(
    "detail_link",
    "明细",
    "link",
    sql=(
        '\'<a target="_top" href="/report/BestSellerInfo?goods_num=\' || url_encode(m.goods_num) '
        "|| '&amp;period=' || url_encode(m.period_label) || '\">查看单据</a>'"
    ),
)


# All goods together have no place.
NO_TOTAL_PLACE = "tfoot td:nth-child(2) { font-size: 0 !important; }"


def period_choice(dataset: Dataset) -> Filter:
    return Filter(
        "period",
        "统计区间",
        dataset.key,
        "period_label",
        multiple=False,
        default=(DEFAULT_PERIOD,),
        parameter="period",
    )


def profit_part(cost: bool) -> tuple[Metric, ...]:
    if not cost:
        return ()
    return (
        Metric("cost", "销售成本", total("cost"), MONEY),
        Metric("profit", "毛利", total("profit"), MONEY),
        Metric("margin", "毛利率", ratio("sum(profit)", "sum(amount)"), PERCENT),
    )


def rank_dataset(cost: bool) -> Dataset:
    return Dataset(
        key=f"best_seller_{'cost' if cost else 'plain'}",
        label="畅销商品",
        source="mart_best_seller",
        grain="company",
        cost=cost,
        columns=(PERIOD, COMPANY, *GOODS, GOODS_LABEL, DETAIL_LINK),
        measures=("quantity", "amount", *(("cost", "profit") if cost else ()), "stock_quantity", "days"),
        metrics=(
            Metric("place", "名次", PLACE, QUANTITY),
            Metric("quantity", "净销量", total("quantity"), QUANTITY),
            Metric("amount", "净销售额", total("amount"), MONEY),
            Metric(
                "goods_count", "动销商品数", "count(distinct goods_num) filter (where quantity > 0)", QUANTITY
            ),
            Metric("stock", "现有库存", total("stock_quantity"), QUANTITY),
            Metric("cover", "可售天数", ratio("sum(stock_quantity)", "sum(quantity)", "max(days)"), DAYS),
            *profit_part(cost),
        ),
    )


def rank_board(cost: bool) -> Board:
    data = rank_dataset(cost)
    key = data.key
    last = (
        Chart("profit", "毛利", "kpi", key, ("profit",), subtitle="净额减成本")
        if cost
        else Chart("stock", "现有库存", "kpi", key, ("stock",), subtitle="畅销商品在库")
    )
    charts = (
        Chart("quantity", "净销量", "kpi", key, ("quantity",), subtitle="出库减退货"),
        Chart("amount", "净销售额", "kpi", key, ("amount",), subtitle="不含税"),
        last,
        Chart("goods_count", "动销商品数", "kpi", key, ("goods_count",), subtitle="区间内有销售"),
        Chart("cover", "可售天数", "kpi", key, ("cover",), subtitle="库存 ÷ 日均销量"),
        STAMP,
        Chart(
            "top",
            "销量前十五商品",
            "bar",
            key,
            ("quantity",),
            x="goods_label",
            order="quantity",
            horizontal=True,
            limit=15,
        ),
        Chart(
            "top_amount",
            "销售额前十五商品",
            "bar",
            key,
            ("amount",),
            x="goods_label",
            order="amount",
            horizontal=True,
            limit=15,
        ),
        Chart("brands", "销售额构成（品牌）", "donut", key, ("amount",), by=("brand_name",), limit=10),
        Chart(
            "types", "销售额结构（类型与品牌）", "treemap", key, ("amount",), by=("type1_name", "brand_name")
        ),
        Chart(
            "detail",
            "畅销商品排名",
            "table",
            key,
            ("place", "quantity", "amount", *(("profit", "margin") if cost else ()), "stock", "cover"),
            by=("goods_num", "goods_name", "specification_type", "brand_name", "type1_name", "detail_link"),
            order="-quantity",
            bars=("quantity",),
            paged=True,
        ),
    )
    rows = (
        Row(
            (("quantity", 2), ("amount", 2), (last.key, 2), ("goods_count", 2), ("cover", 2), ("stamp", 2)),
            19,
        ),
        Row((("top", 6), ("top_amount", 6)), 52),
        Row((("brands", 5), ("types", 7)), 44),
        Row((("detail", 12),), 82),
    )
    filters = (period_choice(data), company_filter(data), *goods_filters(data), goods_filter(data))
    return Board(charts, rows, filters, (data, REFRESHED), css=NO_TOTAL_PLACE)


def bill_dataset(cost: bool) -> Dataset:
    bill_type = (
        "case m.bill_type when 'XSCK' then '销售出库' when 'XSTH' then '销售退货' else m.bill_type end"
    )
    return Dataset(
        key=f"best_seller_info_{'cost' if cost else 'plain'}",
        label="畅销商品明细",
        source="mart_best_seller_info",
        grain="warehouse",
        cost=cost,
        time_column="business_date",
        columns=(
            PERIOD,
            COMPANY,
            WAREHOUSE,
            *GOODS,
            Column("business_date", "业务日期", "date"),
            Column("day_label", "日期", sql="strftime(m.business_date, '%Y-%m-%d')"),
            Column("bill_type", "单据类型", sql=bill_type),
            Column("bill_no", "单据编号"),
            CUSTOMER,
            EMPLOYEE,
        ),
        measures=("quantity", "amount", *(("cost", "profit") if cost else ())),
        metrics=(
            Metric("quantity", "数量", total("quantity"), QUANTITY),
            Metric(
                "price",
                "单价",
                "cast(sum(amount) as double) / nullif(cast(sum(quantity) as double), 0)",
                MONEY,
            ),
            Metric("amount", "金额", total("amount"), MONEY),
            Metric("newest", "最近日期", "max(business_date)"),
            Metric("bills", "单据数", "count(distinct bill_no)", QUANTITY),
            Metric("customers", "客户数", "count(distinct customer_name)", QUANTITY),
            *profit_part(cost),
        ),
    )


def bill_board(cost: bool) -> Board:
    data = bill_dataset(cost)
    key = data.key
    charts = (
        Chart("quantity", "净销量", "kpi", key, ("quantity",), subtitle="出库减退货"),
        Chart("amount", "净销售额", "kpi", key, ("amount",), subtitle="不含税"),
        Chart("price", "平均单价", "kpi", key, ("price",), subtitle="金额 ÷ 数量"),
        Chart("bills", "单据数", "kpi", key, ("bills",), subtitle="出库与退货"),
        Chart("customers", "客户数", "kpi", key, ("customers",), subtitle="区间内成交"),
        STAMP,
        Chart("days", "每日销售额与数量", "mixed", key, ("amount",), x="day_label", second=("quantity",)),
        Chart(
            "buyers",
            "购买前十客户",
            "bar",
            key,
            ("amount",),
            x="customer_name",
            order="amount",
            horizontal=True,
            limit=10,
        ),
        Chart(
            "warehouses",
            "各仓库出货数量",
            "bar",
            key,
            ("quantity",),
            x="warehouse_name",
            order="-quantity",
            limit=20,
        ),
        Chart(
            "detail",
            "单据明细",
            "table",
            key,
            ("quantity", "price", "amount", *(("cost", "profit", "margin") if cost else ())),
            by=(
                "business_date",
                "bill_type",
                "bill_no",
                "company_name",
                "warehouse_name",
                "goods_num",
                "goods_name",
                "customer_name",
                "employee_name",
            ),
            order="-newest",
            paged=True,
        ),
    )
    rows = (
        Row((("quantity", 2), ("amount", 2), ("price", 2), ("bills", 2), ("customers", 2), ("stamp", 2)), 19),
        Row((("days", 7), ("buyers", 5)), 44),
        Row((("warehouses", 12),), 36),
        Row((("detail", 12),), 82),
    )
    filters = (
        period_choice(data),
        goods_filter(data),
        company_filter(data),
        warehouse_filter(data),
        *goods_filters(data),
        Filter("customer", "客户", key, "customer_name", parent="company", searched=True),
    )
    return Board(charts, rows, filters, (data, REFRESHED))


BEST_SELLER = Report(
    code="BestSeller",
    label="畅销商品",
    question="什么卖得最好，库存还够卖几天？",
    group="销售报表",
    tabs=(Tab("all", "畅销商品", rank_board(cost=False), rank_board(cost=True)),),
)
BEST_SELLER_INFO = Report(
    code="BestSellerInfo",
    label="畅销商品明细",
    question="畅销商品卖给了谁，在哪些单据上？",
    group="销售报表",
    tabs=(Tab("all", "畅销商品明细", bill_board(cost=False), bill_board(cost=True)),),
)
