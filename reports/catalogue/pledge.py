"""Pledged goods (质押商品价值): their value against the loan, at month ends and now.

A piece is worth the lower of cost and the contract's price, less the haircut. A role without cost rights
sees the value by the contracts' prices: the lower one would give away the cost.
"""

from __future__ import annotations

from reports.semantics.dashboards import Board, Filter
from reports.semantics.datasets import MONEY, Column, Dataset
from reports.semantics.expressions import quoted_sum, sum_of
from reports.semantics.kpi_comparison import Kpi, build_kpi_header
from reports.semantics.metrics import change_metric, money_metric, percent_metric, quantity_metric
from reports.semantics.period_comparison import MONTH_END, compared_datasets
from reports.semantics.report_builders import (
    BRAND,
    BY_COMPANY,
    BY_GOODS,
    COMPANY,
    GOODS_LABEL,
    GOODS_NAME,
    GOODS_NUM,
    GOODS_TYPE,
    SPECIFICATION,
    build_board,
    build_curve_chart,
    build_donut_chart,
    build_ranking_chart,
    build_report,
    build_row,
    build_table,
    company_filter,
    goods_filter,
    goods_filters,
    link_column,
    period_filter,
    variant_key,
)

CONTRACT = Column("contract_no", "合同号")
LENDER = Column("lender", "出借方")


def list_value_columns(cost: bool) -> tuple[str, str, str]:
    """Return the columns of value and shortfall, and the label of the value."""
    if cost:
        return "pledge_value", "shortfall", "质押价值"
    return "agreed_amount", "agreed_shortfall", "质押价值（合同价）"


def contract_datasets(cost: bool) -> tuple[Dataset, Dataset]:
    value, gap, what = list_value_columns(cost)
    measures = {"worth": value, "gap": gap, "loan": "loan_amount"}
    measures |= {name: name for name in ("quantity", "missing_quantity")}
    measures |= {"agreed": "agreed_amount"} if cost else {}
    return compared_datasets(
        variant_key("pledge_contract", cost),
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
            money_metric("worth", what),
            money_metric("worth_before", "上月末价值"),
            change_metric("worth_change", "较上月末", quoted_sum("worth"), sum_of("worth_before")),
            money_metric("worth_year", "去年同月价值"),
            money_metric("loan", "借款金额"),
            money_metric("loan_before", "上月末借款"),
            money_metric("gap", "缺口"),
            money_metric("gap_before", "上月末缺口"),
            percent_metric("coverage", "覆盖率", quoted_sum("worth"), sum_of("loan")),
            percent_metric("coverage_before", "上月末覆盖率", sum_of("worth_before"), sum_of("loan_before")),
            quantity_metric("quantity", "质押数量"),
            quantity_metric("missing", "库存不足", "missing_quantity"),
            *((money_metric("agreed", "按合同价的价值"),) if cost else ()),
        ),
    )


def goods_dataset(cost: bool) -> Dataset:
    value, _, what = list_value_columns(cost)
    measures = ("quantity", "missing_quantity", "agreed_amount")
    return Dataset(
        key=variant_key("pledge_goods", cost),
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
            link_column("库存", "/inventory/inventorysummer", **BY_COMPANY, **BY_GOODS),
        ),
        measures=(*measures, *(("pledge_value",) if cost else ())),
        metrics=(
            money_metric("worth", what, value),
            quantity_metric("quantity", "质押数量"),
            quantity_metric("missing", "库存不足", "missing_quantity"),
            *((money_metric("agreed", "按合同价的价值", "agreed_amount"),) if cost else ()),
        ),
    )


def pledge_board(cost: bool) -> Board:
    data, series = contract_datasets(cost)
    goods = goods_dataset(cost)
    what = list_value_columns(cost)[2]
    agreed = ("agreed",) if cost else ()
    contracts = build_table(
        "质押合同",
        data,
        ("company_name", "lender", "contract_no", "starts_on", "ends_on", "state"),
        (
            *("loan", "worth", "gap", "coverage", *agreed, "quantity", "missing"),
            *("worth_before", "worth_change", "gap_before", "worth_year"),
        ),
        "gap",
        bar="gap",
        export_only=(*agreed, "quantity", "worth_before", "gap_before", "worth_year"),
    )
    pledged = build_table(
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
    compared = build_ranking_chart(
        "contracts", f"借款与{what}前十五合同", data, "loan", "contract_no", 15, ("worth",)
    )
    head = build_kpi_header(
        data,
        Kpi("worth", "期末在押", "fall"),
        Kpi("loan", "在押合同"),
        Kpi("gap", "借款减质押价值，大于0的合同", "rise"),
        Kpi("coverage", "质押价值 ÷ 借款", "fall"),
    )
    lines = (
        build_row(
            44,
            (
                build_curve_chart(
                    "months", f"借款、{what}与覆盖率", series, ("loan", "worth"), "coverage", "month_label"
                ),
                7,
            ),
            (build_donut_chart("brands", f"{what}按品牌", goods, "worth", "brand_name"), 5),
        ),
        build_row(
            44,
            (compared, 7),
            (
                build_ranking_chart(
                    "lenders", "各出借方缺口", data, "gap", "lender", extra_metrics=("loan",)
                ),
                5,
            ),
        ),
        build_row(60, (contracts, 12)),
        build_row(76, (pledged, 12)),
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
    return build_board((data, series, goods), head, lines, filters)


PLEDGE_VALUE = build_report(
    code="PledgeGoodsValueTable",
    label="质押商品价值表",
    question="质押给出借方的商品值多少，够不够抵借款，缺多少？",
    group="库存报表",
    make=pledge_board,
)
