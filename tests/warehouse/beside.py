"""What stands beside the figures of a month, a period before and a year ago: as polars has it, and as a dataset tells it."""

from __future__ import annotations

import polars as pl

from reports.catalogue.datasets import Dataset
from tests.warehouse.conftest import Mart, agree

MONTH = pl.col("business_date").dt.truncate("1mo").alias("month")
KEYS = ["month", "company_name"]


def over(top: pl.Expr, base: pl.Expr) -> pl.Expr:
    """A quotient, empty where its base is none."""
    return pl.when(base > 0).then(top / base)


def beside(monthly: pl.DataFrame) -> pl.DataFrame:
    """A frame of months with each figure also of the month before and of a year ago, where there was one."""
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


def asked(mart: Mart, dataset: Dataset, *metrics: str) -> pl.DataFrame:
    """The metrics of a dataset by month and company, of all rows."""
    figures = ", ".join(f'{dataset.metric(name).sql} as "{name}"' for name in metrics)
    return mart(
        f"select month, company_name, {figures} from ({dataset.sql}) as d where role_id = 1 group by all"
    )


def compare(mart: Mart, dataset: Dataset, monthly: pl.DataFrame, *names: str) -> pl.DataFrame:
    """Asserts that all figures stand beside each other as they do in polars; gives what was found."""
    shown = [f"{name}{suffix}" for name in names for suffix in ("", "_before", "_year")]
    found = asked(mart, dataset, *shown).sort(KEYS)
    expected = beside(monthly).select(*KEYS, *shown).sort(KEYS)
    agree(found, expected, KEYS)
    assert found.null_count().rows() == expected.null_count().rows()
    for name in shown:
        assert found[name].is_not_null().any(), name
    return found
