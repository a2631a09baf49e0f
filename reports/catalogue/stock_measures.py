"""Common parts of stock reports (库存报表).

Value or quantity, month ends, comparison with two earlier month ends.
"""

from __future__ import annotations

from dataclasses import replace

from reports.semantics.dashboards import Chart
from reports.semantics.datasets import (
    DAYS,
    MONEY,
    QUANTITY,
    SUFFIXES,
    Column,
    Dataset,
    Metric,
    PeriodComparison,
    Worse,
)
from reports.semantics.expressions import Expression, max_of, sum_of
from reports.semantics.metrics import list_comparison_names, ratio_of, with_prior_periods
from reports.semantics.period_comparison import (
    MONTH_COLUMNS,
    MONTH_END,
    compared_datasets,
    prior_period_variants,
)
from reports.semantics.report_builders import build_table, variant_key

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
    return Metric(name, label, ratio_of(stock, sold, days), DAYS)


COVER = cover_metric(sum_of("quantity"), sum_of("sales_quantity_30"), 30)
"""Of stock in warehouses, by the sales of the last 30 days."""
LAST_SALE = Column("last_sale_date", "最近销售（至今）", "date", determined_by=("warehouse_id", "goods_id"))


def with_sales_sql(mart: str, *more: str, where: str = "true") -> str:
    """Return SQL of a stock mart joined with the latest sale of each goods, and `more` columns of it."""
    columns = ", ".join(f"k.{name}" for name in (LAST_SALE.name, *more))
    keys = " and ".join(f"k.{key} = t.{key}" for key in ("company_id", "warehouse_id", "goods_id"))
    return f"(select t.*, {columns} from {mart} as t left join mart_goods_sale as k on {keys} where {where})"


def build_layers_comparison(mart: str, measures: tuple[str, ...]) -> PeriodComparison:
    """Return the comparison of a mart of layers at a month's end with the one before and last year's."""
    return MONTH_END.compare_rows(mart, MONTH_COLUMNS, measures, LAYER_MONTHS)


def get_stock_measure(cost: bool) -> tuple[str, str, str]:
    """Return the measure of a stock report, its label and its format."""
    return ("value", "库存金额", MONEY) if cost else ("quantity", "库存数量", QUANTITY)


def list_stock_measures(cost: bool) -> tuple[str, ...]:
    """Return the measures of stock that a role sees."""
    return ("quantity", "value") if cost else ("quantity",)


def list_amount_names(cost: bool) -> tuple[str, ...]:
    """Return the metrics of stock in a table: with a value the quantity too."""
    return ("quantity", "amount") if cost else ("amount",)


def month_end_dataset(
    shown: Dataset,
    key: str,
    rows: str,
    measures: tuple[str, ...],
    columns: tuple[Column, ...],
    summed: str,
    ratio_names: tuple[str, ...],
    keys: tuple[str, ...] = (),
    worse: Worse = "",
) -> Dataset:
    """Return the dataset of stock at a month's end with the prior month's and last year's, row by row.

    It has the metric `summed` with its changes, and `ratio_names` in all three periods.
    """
    amount = shown.metric(summed)
    ratios = (shown.metric(name) for name in ratio_names)
    months, _ = compared_datasets(
        variant_key(key, shown.cost),
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
            *with_prior_periods(amount, measures, *MONTH_END.prior_labels, worse=worse),
            *(each for metric in ratios for each in (metric, *_month_end_variants(metric, measures))),
        ),
    )
    return months


def _month_end_variants(metric: Metric, measures: tuple[str, ...]) -> tuple[Metric, ...]:
    """Return a ratio at the earlier ends, under short headings: that of now says its unit."""
    then = prior_period_variants(metric, measures, *MONTH_END.prior_labels)
    return tuple(replace(each, heading=_without_unit(each.label)) for each in then)


def _without_unit(label: str) -> str:
    """Return a label without the brackets at its end, or the word for a share."""
    return label.partition("（")[0] if label.endswith("）") else label.removesuffix("占比")


def build_month_end_table(title: str, months: Dataset, summed: str, ratio_names: tuple[str, ...]) -> Chart:
    """Return the table of places and kinds of goods at the three month ends."""
    return build_table(
        f"{title}与{'、'.join(MONTH_END.prior_labels)}",
        months,
        ("company_name", "warehouse_name", "type1_name", "brand_name"),
        (
            *list_comparison_names(summed),
            *(f"{name}{then}" for name in ratio_names for then in ("", *SUFFIXES)),
        ),
        summed,
        key="compared",
        bar=summed,
        # Brands tell the kind.
        export_only=("type1_name",),
    )
