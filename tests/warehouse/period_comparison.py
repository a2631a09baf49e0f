"""Expected figures of prior periods: those of a month, the month before and a year ago, in polars and from
a dataset."""

from __future__ import annotations

import polars as pl

from reports.semantics.datasets import Dataset
from tests.warehouse.conftest import Mart, assert_frames_agree

MONTH = pl.col("business_date").dt.truncate("1mo").alias("month")
KEYS = ["month", "company_name"]


def divide_or_null(top: pl.Expr, base: pl.Expr) -> pl.Expr:
    """Return a quotient, null where its base is zero or less."""
    return pl.when(base > 0).then(top / base)


def add_prior_periods(monthly: pl.DataFrame) -> pl.DataFrame:
    """Return a frame of months with each figure also of the month before and of a year ago, where there was
    one."""
    names = [name for name in monthly.columns if name not in KEYS]
    months = monthly.select("month").unique()
    found = monthly
    for suffix, step in (("_before", "1mo"), ("_year", "12mo")):
        earlier = monthly.rename({name: f"{name}{suffix}" for name in names}).with_columns(
            pl.col("month").dt.offset_by(step)
        )
        kept = earlier.join(months, on="month", how="semi")
        found = found.join(kept, on=KEYS, how="full", coalesce=True)
    return found


def query_metrics(mart: Mart, dataset: Dataset, *metrics: str) -> pl.DataFrame:
    """Return the metrics of a dataset by month and company, of all rows."""
    figures = ", ".join(f'{dataset.metric(name).sql} as "{name}"' for name in metrics)
    return mart(
        f"select month, company_name, {figures} from ({dataset.sql}) as d where role_id = 1 group by all"
    )


def assert_prior_periods(mart: Mart, dataset: Dataset, monthly: pl.DataFrame, *names: str) -> pl.DataFrame:
    """Assert that all figures and those of prior periods equal polars'; returns the dataset's."""
    shown = [f"{name}{suffix}" for name in names for suffix in ("", "_before", "_year")]
    found = query_metrics(mart, dataset, *shown).sort(KEYS)
    expected = add_prior_periods(monthly).select(*KEYS, *shown).sort(KEYS)
    assert_frames_agree(found, expected, KEYS)
    assert found.null_count().rows() == expected.null_count().rows()
    for name in shown:
        assert found[name].is_not_null().any(), name
    return found
