"""库存占用：所选月份的日均、峰值、期末与占比，旁边是上月和去年同月。

A month's peak is the greatest of its days' sums, so that it holds for any choice of warehouses and goods; peaks of
parts fall on different days and don't add up.
"""

from __future__ import annotations

from reports.catalogue.beside import Figure, figures
from reports.catalogue.boards import Board, Chart
from reports.catalogue.compare import compared_datasets
from reports.catalogue.datasets import Column, Dataset, Metric
from reports.catalogue.expressions import Expression, FunctionCall, ToDouble, compare, max_of, sum_of
from reports.catalogue.metrics import among_all, change_metric, ratio, sum_where, total
from reports.catalogue.parts import (
    BRAND,
    BY_WAREHOUSE,
    GOODS_TYPE,
    PLACES,
    board,
    days_known,
    line,
    link,
    period_filter,
    place_and_goods_filters,
    ranking,
    report,
    share,
    table,
    variant,
)
from reports.catalogue.stock import held

MOVES = link(
    "流水",
    "/inventory/stockmoves",
    **BY_WAREHOUSE,
    **days_known("{period_start}", "last_day({period_start})"),
)


def mean(suffix: str = "") -> Expression:
    return ratio(sum_of(f"held{suffix}"), max_of(f"days{suffix}"))


def peak(suffix: str = "") -> Expression:
    days = (sum_where(f"held{suffix}", compare("day_of_month", "=", day)) for day in range(1, 32))
    return ToDouble(FunctionCall("greatest", tuple(days)))


def occupation_datasets(cost: bool) -> tuple[Dataset, Dataset]:
    measure, what, form = held(cost)
    measures = {"held": measure, "closing": f"closing_{measure}", "days": "days"}

    return compared_datasets(
        variant("stock_occupation", cost),
        "库存占用",
        "mart_stock_occupation",
        grain="warehouse",
        cost=cost,
        axis=(
            Column("period_start", "期间开始", "date"),
            Column("period_label", "月", starts="period_start"),
        ),
        columns=(
            Column("day_label", "日", sql="lpad(cast(m.day_of_month as varchar), 2, '0')"),
            *PLACES,
            GOODS_TYPE,
            BRAND,
            MOVES,
        ),
        measures=measures,
        alone=("day_of_month",),
        levels=tuple(measures),
        metrics=(
            Metric("mean", f"日均{what}", mean(), form),
            Metric("mean_before", "上月日均", mean("_before"), form),
            change_metric("mean_change", "较上月", mean(), mean("_before"), ""),
            Metric("mean_year", "去年同月日均", mean("_year"), form),
            change_metric("year_change", "较去年", mean(), mean("_year"), ""),
            Metric("peak", f"峰值{what}", peak(), form),
            Metric("peak_before", "上月峰值", peak("_before"), form),
            Metric("closing", f"期末{what}", total("closing"), form),
            Metric("closing_before", "上月末", total("closing_before"), form),
            among_all("share", "占比", sum_of("held")),
            Metric("held", "所选月份", total("held"), form),
            Metric("held_before", "上月", total("held_before"), form),
            Metric("held_year", "去年同月", total("held_year"), form),
        ),
    )


def occupation_board(cost: bool) -> Board:
    data, _ = occupation_datasets(cost)
    what = held(cost)[1]
    listed = table(
        "库存占用明细",
        data,
        ("company_name", "warehouse_name", "type1_name", "detail_link"),
        (
            *("mean", "share", "peak", "closing", "mean_before", "mean_change"),
            *("peak_before", "closing_before", "mean_year", "year_change"),
        ),
        "mean",
        bar="mean",
    )
    days = Chart(
        "days",
        f"每日{what}：所选月份、上月与去年同月",
        "line",
        data.key,
        ("held", "held_before", "held_year"),
        x="day_label",
    )
    head = figures(
        data,
        Figure("mean", "每日期末的平均"),
        Figure("peak", "一天中最高"),
        Figure("closing", "期末或今天"),
    )
    lines = (
        line(
            46,
            (days, 8),
            (share("types", f"日均{what}占比（商品类型）", data, "mean", "type1_name"), 4),
        ),
        line(
            46,
            (
                ranking(
                    *("companies", f"各公司日均{what}与上月", data, "mean", "company_name", 20),
                    beside=("mean_before",),
                ),
                6,
            ),
            (ranking("warehouses", f"各仓库日均{what}", data, "mean", "warehouse_name", 15), 6),
        ),
        line(82, (listed, 12)),
    )
    filters = (period_filter(data, "period_label", "月"), *place_and_goods_filters(data))
    return board((data,), head, lines, filters)


INVENTORY_OCCUPATION = report(
    code="inventoryOccupation",
    label="库存占用",
    question="钱压在哪些公司、仓库和品类，比上月和去年是多是少？",
    group="库存报表",
    words="压货 积压 占用资金",
    make=occupation_board,
)
