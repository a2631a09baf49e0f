"""质押商品价值：质押给出借方的商品值多少，够不够借款，各月末与现在。

A piece is worth the lower of cost and the contract's price, less the haircut. A role without cost rights is told the
value by the contracts' prices: the lower one would give away the cost.
"""

from __future__ import annotations

from reports.catalogue.beside import Figure, figures
from reports.catalogue.boards import Board, Filter
from reports.catalogue.compare import MONTH_END, compared_datasets
from reports.catalogue.datasets import MONEY, Column, Dataset
from reports.catalogue.expressions import quoted_sum, sum_of
from reports.catalogue.metrics import change_metric, money, percent, quantity
from reports.catalogue.parts import (
    BRAND,
    BY_COMPANY,
    BY_GOODS,
    COMPANY,
    GOODS_LABEL,
    GOODS_NAME,
    GOODS_NUM,
    GOODS_TYPE,
    SPECIFICATION,
    board,
    company_filter,
    curves,
    goods_filter,
    goods_filters,
    line,
    link,
    period_filter,
    ranking,
    report,
    share,
    table,
    variant,
)

CONTRACT = Column("contract_no", "合同号")
LENDER = Column("lender", "出借方")


def valued(cost: bool) -> tuple[str, str, str]:
    """The columns of value and shortfall, and what the value is called."""
    if cost:
        return "pledge_value", "shortfall", "质押价值"
    return "agreed_amount", "agreed_shortfall", "质押价值（合同价）"


def contract_datasets(cost: bool) -> tuple[Dataset, Dataset]:
    value, gap, what = valued(cost)
    measures = {"worth": value, "gap": gap, "loan": "loan_amount"}
    measures |= {name: name for name in ("quantity", "missing_quantity")}
    measures |= {"agreed": "agreed_amount"} if cost else {}
    return compared_datasets(
        variant("pledge_contract", cost),
        "质押合同",
        "mart_pledge_contract",
        grain="company",
        cost=cost,
        period=MONTH_END,
        columns=(
            COMPANY,
            LENDER,
            CONTRACT,
            Column("starts_on", "起始日期", "date"),
            Column("ends_on", "到期日期", "date"),
            Column("state", "状态", is_unwrapped=True),
        ),
        measures=measures,
        levels=tuple(measures),
        metrics=(
            money("worth", what),
            money("worth_before", "上月末价值"),
            change_metric("worth_change", "较上月末", quoted_sum("worth"), sum_of("worth_before")),
            money("worth_year", "去年同月价值"),
            money("loan", "借款金额"),
            money("loan_before", "上月末借款"),
            money("gap", "缺口"),
            money("gap_before", "上月末缺口"),
            percent("coverage", "覆盖率", quoted_sum("worth"), sum_of("loan")),
            percent("coverage_before", "上月末覆盖率", sum_of("worth_before"), sum_of("loan_before")),
            quantity("quantity", "质押数量"),
            quantity("missing", "库存不足", "missing_quantity"),
            *((money("agreed", "按合同价的价值"),) if cost else ()),
        ),
    )


def goods_dataset(cost: bool) -> Dataset:
    value, _, what = valued(cost)
    measures = ("quantity", "missing_quantity", "agreed_amount")
    return Dataset(
        key=variant("pledge_goods", cost),
        label="质押商品",
        source="mart_pledge_goods",
        grain="company",
        cost=cost,
        time_column="month",
        columns=(
            Column("month", "月份", "date"),
            Column("month_label", "月", starts="month"),
            COMPANY,
            LENDER,
            CONTRACT,
            GOODS_TYPE,
            BRAND,
            GOODS_NUM,
            GOODS_NAME,
            SPECIFICATION,
            GOODS_LABEL,
            Column("price", "合同单价", "number", number_format=MONEY),
            # No figure to add up: contracts that pledge the same goods share what lies in stock.
            Column("stock_quantity", "公司库存", "number"),
            *((Column("unit_cost", "平均成本", "number", number_format=MONEY),) if cost else ()),
            link("库存", "/inventory/inventorysummer", **BY_COMPANY, **BY_GOODS),
        ),
        measures=(*measures, *(("pledge_value",) if cost else ())),
        metrics=(
            money("worth", what, value),
            quantity("quantity", "质押数量"),
            quantity("missing", "库存不足", "missing_quantity"),
            *((money("agreed", "按合同价的价值", "agreed_amount"),) if cost else ()),
        ),
    )


def pledge_board(cost: bool) -> Board:
    data, series = contract_datasets(cost)
    goods = goods_dataset(cost)
    what = valued(cost)[2]
    agreed = ("agreed",) if cost else ()
    contracts = table(
        "质押合同",
        data,
        ("company_name", "lender", "contract_no", "starts_on", "ends_on", "state"),
        (
            *("loan", "worth", "gap", "coverage", *agreed, "quantity", "missing"),
            *("worth_before", "worth_change", "gap_before", "worth_year"),
        ),
        "gap",
        bar="gap",
        only_filed=(*agreed, "quantity", "worth_before", "gap_before", "worth_year"),
    )
    pledged = table(
        "质押商品",
        goods,
        (
            *("company_name", "contract_no", "goods_num", "goods_name", "specification_type", "price"),
            *(("unit_cost",) if cost else ()),
            *("stock_quantity", "detail_link"),
        ),
        ("quantity", "missing", "worth", *agreed),
        "worth",
        key="goods",
        bar="worth",
    )
    compared = ranking("contracts", f"借款与{what}前十五合同", data, "loan", "contract_no", 15, ("worth",))
    head = figures(
        data,
        Figure("worth", "期末在押", "fall"),
        Figure("loan", "在押合同"),
        Figure("gap", "借款减质押价值，大于0的合同", "rise"),
        Figure("coverage", "质押价值 ÷ 借款", "fall"),
    )
    lines = (
        line(
            44,
            (
                curves(
                    "months", f"借款、{what}与覆盖率", series, ("loan", "worth"), "coverage", "month_label"
                ),
                7,
            ),
            (share("brands", f"{what}按品牌", goods, "worth", "brand_name"), 5),
        ),
        line(
            44,
            (compared, 7),
            (ranking("lenders", "各出借方缺口", data, "gap", "lender", beside=("loan",)), 5),
        ),
        line(60, (contracts, 12)),
        line(76, (pledged, 12)),
    )
    filters = (
        period_filter(data, "month_label", "月"),
        company_filter(data),
        Filter("lender", "出借方", data.key, "lender"),
        Filter("contract", "合同号", data.key, "contract_no", parent="lender", searched=True),
        Filter("state", "状态", data.key, "state"),
        *goods_filters(goods),
        goods_filter(goods),
    )
    return board((data, series, goods), head, lines, filters)


PLEDGE_VALUE = report(
    code="PledgeGoodsValueTable",
    label="质押商品价值表",
    question="质押给出借方的商品值多少，够不够抵借款，缺多少？",
    group="库存报表",
    make=pledge_board,
)
