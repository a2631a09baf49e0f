"""库存报表共用的：按金额或数量、各月末、与上月末和去年同月末的对比。"""

from __future__ import annotations

from dataclasses import replace

from reports.catalogue.boards import Chart
from reports.catalogue.compare import MONTH_COLUMNS, MONTH_END, compared_datasets, stood
from reports.catalogue.datasets import DAYS, MONEY, QUANTITY, SUFFIXES, Beside, Column, Dataset, Metric, Worse
from reports.catalogue.expressions import Expression, max_of, sum_of
from reports.catalogue.metrics import beside, compared, ratio
from reports.catalogue.parts import table, variant

LAYER_MONTHS = (
    "select t.period_start as month, t.period_label as month_label from mart_turnover_period as t"
    " where t.period_kind = 'month' group by t.period_start, t.period_label"
)
# What the filter offers: the months of which layers are kept, found in what of them is added up.
MONTH_ENDS_OF_STOCK = Dataset(
    key="stock_month_ends",
    label="库存月末",
    source=(
        "(select k.company_id, strftime(k.month, '%Y-%m') as month_label"
        " from (select distinct t.company_id, t.month from mart_stock_age_month as t) as k)"
    ),
    grain="company",
    columns=(Column("month_label", "月"),),
    measures=(),
    metrics=(Metric("newest", "最近月末", max_of("month_label")),),
    explorable=False,
)


def cover_metric(
    stock: Expression,
    sold: Expression,
    days: Expression | float,
    name: str = "cover",
    label: str = "可售天数",
) -> Metric:
    """Cover days (可售天数): how long `stock` lasts at the mean net sales of the last `days`, empty without any."""
    return Metric(name, label, ratio(stock, sold, days), DAYS)


COVER = cover_metric(sum_of("quantity"), sum_of("sales_quantity_30"), 30)
"""Of stock in warehouses, by the sales of the last 30 days."""
LAST_SALE = Column("last_sale_date", "最近销售（至今）", "date", follows=("warehouse_id", "goods_id"))


def with_sales(mart: str, *more: str, where: str = "true") -> str:
    """A mart of stock in warehouses beside the latest sale of the goods from there, and `more` of those sales."""
    told = ", ".join(f"k.{name}" for name in (LAST_SALE.name, *more))
    keys = " and ".join(f"k.{key} = t.{key}" for key in ("company_id", "warehouse_id", "goods_id"))
    return f"(select t.*, {told} from {mart} as t left join mart_goods_sale as k on {keys} where {where})"


def layers_beside(mart: str, measures: tuple[str, ...]) -> Beside:
    """A mart of layers as they lay at a month's end, the one before and last year's."""
    return MONTH_END.rows_beside(mart, MONTH_COLUMNS, measures, LAYER_MONTHS)


def held(cost: bool) -> tuple[str, str, str]:
    """What a stock report adds up, how it is called and formatted."""
    return ("value", "库存金额", MONEY) if cost else ("quantity", "库存数量", QUANTITY)


def held_in(cost: bool) -> tuple[str, ...]:
    """What a role knows of stock."""
    return ("quantity", "value") if cost else ("quantity",)


def amounts(cost: bool) -> tuple[str, ...]:
    """The metrics that tell it in a table: beside a value pieces too."""
    return ("quantity", "amount") if cost else ("amount",)


def month_ends(
    shown: Dataset,
    key: str,
    rows: str,
    measures: tuple[str, ...],
    columns: tuple[Column, ...],
    summed: str,
    told: tuple[str, ...],
    keys: tuple[str, ...] = (),
    worse: Worse = "",
) -> Dataset:
    """What lay at a month's end beside the ends of the month before and of last year's, row by row.

    Of the shown dataset's metrics, `summed` with its changes, and those `told` as they stood then.
    """
    amount = shown.metric(summed)
    ratios = (shown.metric(name) for name in told)
    months, _ = compared_datasets(
        variant(key, shown.cost),
        f"{shown.label}对比",
        rows,
        grain="warehouse",
        cost=shown.cost,
        keys=keys,
        columns=columns,
        measures={name: name for name in measures},
        levels=measures,
        buckets=shown.buckets,
        period=MONTH_END,
        periods=LAYER_MONTHS,
        metrics=(
            amount,
            *beside(amount, measures, *MONTH_END.earlier, worse=worse),
            *(each for metric in ratios for each in (metric, *_stood(metric, measures))),
        ),
    )
    return months


def _stood(metric: Metric, measures: tuple[str, ...]) -> tuple[Metric, ...]:
    """A ratio at the earlier ends, under short headings: that of now says its unit."""
    then = stood(metric, measures, *MONTH_END.earlier)
    return tuple(replace(each, heading=_without_unit(each.label)) for each in then)


def _without_unit(label: str) -> str:
    """Return a label without the brackets at its end, or the word for a share."""
    return label.partition("（")[0] if label.endswith("）") else label.removesuffix("占比")


def month_ends_table(title: str, months: Dataset, summed: str, told: tuple[str, ...]) -> Chart:
    """Places and kinds of goods with what lay there at the three month ends."""
    return table(
        f"{title}与{'、'.join(MONTH_END.earlier)}",
        months,
        ("company_name", "warehouse_name", "type1_name", "brand_name"),
        (*compared(summed), *(f"{name}{then}" for name in told for then in ("", *SUFFIXES))),
        summed,
        key="compared",
        bar=summed,
        # Brands tell the kind.
        only_filed=("type1_name",),
    )
