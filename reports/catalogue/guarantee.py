"""售后损益：赔付给客户的减厂家结算的，按品牌、厂家、症状，直到逐笔单据。

Both count on their own dates, so that a month tells what was paid and what came back in it; whether a piece was settled
is told piece by piece in the native report of claims.
"""

from __future__ import annotations

from dataclasses import replace

from reports.catalogue.beside import Figure, figures
from reports.catalogue.boards import Board, Filter, Pivot
from reports.catalogue.compare import compared_datasets
from reports.catalogue.datasets import MONEY, QUANTITY, Column, Dataset, Metric
from reports.catalogue.expressions import ToDouble, max_of, sum_of
from reports.catalogue.metrics import grown_metric, money, percent, quantity
from reports.catalogue.parts import (
    BY_COMPANY,
    BY_SUPPLIER,
    COMPANY,
    CUSTOMER,
    GOODS,
    GOODS_LABEL,
    MONTH_DAYS,
    PATTERN,
    SUPPLIER,
    bars,
    board,
    by_key,
    company_filter,
    curves,
    goods_filter,
    goods_filters,
    line,
    link,
    ranking,
    report,
    running_filter,
    share,
    table,
)

FACTORY = replace(SUPPLIER, label="厂家", keys=(), follows=("supplier_id",))
SYMPTOM = Column("symptom_name", "三包症状", follows=("symptom_id",), is_unwrapped=True)
LINES = link(
    "售后明细",
    "/report/aftersalesdetrpt",
    **BY_COMPANY,
    **by_key("brand_id", "brand_name"),
    **BY_SUPPLIER,
    **by_key("symptom_id", "symptom_name"),
    **MONTH_DAYS,
)
MEASURES = {
    "paid_quantity": "compensated_quantity",
    "paid": "compensation_amount",
    "settled_quantity": "factory_quantity",
    "settled": "factory_amount",
}
RECOVERY = "厂家承担率"


def net(name: str, label: str, suffix: str = "") -> Metric:
    return Metric(name, label, ToDouble(sum_of(f"paid{suffix}") - sum_of(f"settled{suffix}")), MONEY)


def guarantee_datasets() -> tuple[Dataset, Dataset]:
    return compared_datasets(
        "guarantee",
        "售后损益",
        "mart_guarantee_month",
        grain="company",
        keys=("brand_id", "supplier_id", "symptom_id"),
        columns=(COMPANY, FACTORY, SYMPTOM, *GOODS, PATTERN, GOODS_LABEL, LINES),
        measures=MEASURES,
        metrics=(
            quantity("paid_quantity", "赔付数量"),
            money("paid", "赔付金额"),
            money("paid_before", "上月整月赔付"),
            grown_metric("paid_change", "赔付按进度较上月", sum_of("paid"), sum_of("paid_before"), "rise"),
            money("paid_year", "去年同月整月赔付"),
            grown_metric("paid_growth", "赔付按进度较去年同月", sum_of("paid"), sum_of("paid_year"), "rise"),
            quantity("settled_quantity", "厂家结算数量"),
            money("settled", "厂家结算金额"),
            net("net", "理赔净支出"),
            net("net_before", "上月整月净支出", "_before"),
            net("net_year", "去年同月整月净支出", "_year"),
            percent("recovery", RECOVERY, sum_of("settled"), sum_of("paid")),
            percent("recovery_before", "上月整月承担率", sum_of("settled_before"), sum_of("paid_before")),
            percent("recovery_year", "去年同月整月承担率", sum_of("settled_year"), sum_of("paid_year")),
        ),
    )


def waiting_dataset() -> Dataset:
    """Pieces that customers were paid for and their factories have not answered for."""
    return Dataset(
        key="guarantee_waiting",
        label="待厂家结算",
        source="(select * from mart_guarantee_claim where waited_days is not null)",
        grain="company",
        columns=(
            COMPANY,
            FACTORY,
            SYMPTOM,
            *GOODS,
            replace(CUSTOMER, keys=()),
            Column("bill_no", "登记单号"),
            Column("tire_number", "胎号"),
            Column("company_claim_no", "公司理赔单号"),
            Column("compensated_on", "赔付日期", "date"),
            Column("waited_days", "等待天数", "number"),
            link("三包理赔", "/report/threepacketslaims", **BY_COMPANY, bill_no="url_encode({bill_no})"),
        ),
        measures=("compensation_amount", "factory_amount"),
        metrics=(
            money("paid", "赔付金额", "compensation_amount"),
            Metric(
                "waiting",
                "待厂家结算",
                ToDouble(sum_of("compensation_amount") - sum_of("factory_amount")),
                MONEY,
            ),
            Metric("longest", "最长等待（天）", max_of("waited_days"), QUANTITY),
        ),
    )


def guarantee_board(cost: bool) -> Board:
    data, series = guarantee_datasets()
    waiting = waiting_dataset()
    pieces = table(
        "赔付后厂家还没有结算的三包件",
        waiting,
        (
            *("company_name", "supplier_name", "goods_num", "goods_name", "symptom_name", "tire_number"),
            *("customer_name", "company_claim_no", "compensated_on", "waited_days", "detail_link"),
        ),
        ("paid", "waiting"),
        "waiting",
        key="pieces",
    )
    both = ("paid", "settled")
    moved = ("paid_quantity", "paid", "settled_quantity", "settled", "net", "recovery")
    causes = table(
        "各品牌、厂家、症状的赔付与厂家结算",
        data,
        ("company_name", "brand_name", "supplier_name", "symptom_name", "detail_link"),
        (*moved, "net_before", "net_year", "recovery_before", "recovery_year"),
        "net",
        bar="net",
        only_filed=("paid_quantity", "settled_quantity"),
    )
    goods = table(
        "各商品的赔付与厂家结算",
        data,
        ("goods_num", "goods_name", "specification_type", "pattern", "brand_name", "supplier_name"),
        (*moved, "paid_before", "paid_change", "paid_year", "paid_growth"),
        "paid",
        key="goods_detail",
        bar="paid",
        only_filed=("paid_before", "paid_year"),
    )
    head = figures(
        data,
        Figure("paid", worse="rise"),
        Figure("settled"),
        Figure("net", "赔付减厂家结算", "rise"),
        Figure("recovery", "厂家结算 ÷ 赔付", "fall"),
    )
    lines = (
        line(
            42,
            (curves("trend", f"各月赔付、厂家结算与{RECOVERY}", series, both, "recovery", "month_label"), 8),
            (share("symptoms", "赔付金额构成（三包症状）", data, "paid", "symptom_name"), 4),
        ),
        line(
            44,
            (ranking("factories", "各厂家赔付与结算", data, "paid", "supplier_name", 12, ("settled",)), 6),
            (bars("brands", "各品牌赔付与结算", data, both, "brand_name", order="paid", limit=12), 6),
        ),
        line(
            44,
            (ranking("goods", "理赔净支出前十商品", data, "net", "goods_label"), 6),
            (ranking("companies", "各公司理赔净支出", data, "net", "company_name", 15, is_signed=True), 6),
        ),
        line(76, (causes, 12)),
        line(76, (goods, 12)),
        line(70, (pieces, 12)),
    )
    filters = (
        running_filter(data),
        company_filter(data),
        Filter("factory", "厂家", data.key, "supplier_name", searched=True),
        Filter("symptom", "三包症状", data.key, "symptom_name"),
        *goods_filters(data),
        goods_filter(data),
    )
    across = Pivot(data.key, ("brand_name", "supplier_name"), ("symptom_name",), ("net",))
    return board((data, series, waiting), head, lines, filters, across)


AFTERSALES_PROFIT = report(
    code="aftersalesprofit",
    label="售后损益分析",
    question="三包赔付了多少，厂家承担了多少，哪些品牌、厂家、症状让公司贴钱？",
    group="三包报表",
    make=guarantee_board,
    has_cost=False,
)
