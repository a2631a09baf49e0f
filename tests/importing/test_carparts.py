"""Monthly demand of car parts, imported and refreshed: turnover, aging and best sellers as polars has them.

The series is made up here; a real one (`month,part_no,quantity`) is taken from the file that ERP_CARPARTS names.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

import duckdb
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from sqlalchemy import Engine

from api.importing import import_command
from api.kit.storage.database import TIME_ZONE
from reports.catalogue.best_seller import rank_goods_by
from tests.golden import car_parts
from tests.importing import expected_figures
from warehouse.files import Files
from warehouse.refresh import Refresher

PARTS, MONTHS = 80, 18


def generate_demand() -> Iterator[tuple[str, str, int]]:
    """Yield intermittent demand: many zeros, a few parts that sell every month."""
    chance = random.Random(19980101)
    for month in range(MONTHS):
        for part in range(PARTS):
            often = 0.9 if part % 7 == 0 else 0.25
            quantity = chance.randint(1, 9) if chance.random() < often else 0
            yield f"{2000 + month // 12}-{month % 12 + 1:02d}", f"{10_000_000 + part * 7919}", quantity


def last_month(today: date) -> str:
    """Return the month before `today`'s."""
    year, month = (today.year, today.month - 1) if today.month > 1 else (today.year - 1, 12)
    return f"{year}-{month:02d}"


@dataclass(frozen=True, slots=True)
class CarpartsFigures:
    """The expected figures of polars, and the published snapshot."""

    moves: expected_figures.Moves
    snapshot: Path

    def query(self, query: str) -> pl.DataFrame:
        with duckdb.connect(str(self.snapshot), read_only=True) as conn:
            found = conn.execute(query)
            names = [column[0] for column in found.description or ()]
            return pl.DataFrame(found.fetchall(), schema=names, orient="row", infer_schema_length=None)


@pytest.fixture(scope="module")
def shown(engine: Engine, database_url: str, tmp_path_factory: pytest.TempPathFactory) -> CarpartsFigures:
    """The file imported by the command, and the warehouse refreshed from nothing."""
    assert engine
    place = tmp_path_factory.mktemp("carparts")
    given = os.environ.get("ERP_CARPARTS")
    demand = car_parts.read_demand(Path(given)) if given else generate_demand()
    today = datetime.now(TIME_ZONE).date()
    source = place / "bills.csv"
    car_parts.write_lines(
        car_parts.list_bill_lines(car_parts.shift_months(demand, last_month(today))), source
    )
    options = {"create_missing": True, "dry_run": False, "skip_refused": False, "failures": None}
    assert import_command.run_import(source, **options) == 0  # type: ignore[arg-type]
    refresher = Refresher(Files(place / "warehouse"), database_url)
    with refresher.exclusive():
        refresher.refresh(full=True, deep=True, as_of=today.isoformat())
    return CarpartsFigures(expected_figures.read_moves(source, today), refresher.files.current / "wh.duckdb")


FIGURES = """
    value_days::double as value_days, closing_value::double as closing_value,
    closing_quantity::bigint as closing_quantity, sales_cost::double as sales_cost,
    sales_quantity::bigint as sales_quantity
"""


class TestTurnover:
    def test_months_of_all_parts(self, shown: CarpartsFigures) -> None:
        found = shown.query(
            f"select period_start as month, {FIGURES} from mart_turnover_period"
            " where period_kind = 'month' order by month"
        )
        assert found["sales_cost"].sum() > 0
        assert_frame_equal(found, expected_figures.sum_months(shown.moves).drop("part"), abs_tol=0.001)

    def test_months_of_each_part(self, shown: CarpartsFigures) -> None:
        found = shown.query(
            f"select goods_num as part, period_start as month, {FIGURES} from mart_inventory_turnover"
            " order by part, month"
        )
        first = found["month"].min()
        wanted = expected_figures.sum_months_by_part(shown.moves).filter(
            (pl.col("month") >= first) & ((pl.col("value_days") != 0) | (pl.col("sales_quantity") != 0))
        )
        assert found["month"].n_unique() == wanted["month"].n_unique() > 13
        assert_frame_equal(found, wanted, abs_tol=0.001)


class TestAging:
    def test_quantities_by_bucket(self, shown: CarpartsFigures) -> None:
        found = shown.query(
            "select bucket, sum(quantity)::bigint as quantity from mart_inventory_aging"
            " where as_of = (select max(as_of) from mart_inventory_aging) group by bucket order by bucket"
        )
        wanted = expected_figures.compute_aging(shown.moves)
        assert len(wanted) > 3
        assert_frame_equal(found, wanted)

    def test_layers_are_worth_the_stock(self, shown: CarpartsFigures) -> None:
        found = shown.query(
            "select sum(value)::double as value from mart_inventory_aging"
            " where as_of = (select max(as_of) from mart_inventory_aging)"
        )
        assert found["value"][0] == pytest.approx(shown.moves.rows["value"].sum() / 100, abs=0.001)


class TestBestSellers:
    @pytest.mark.parametrize("window", expected_figures.WINDOWS)
    def test_quantity_amount_cost_and_rank(self, shown: CarpartsFigures, window: str) -> None:
        found = shown.query(
            "select goods_num as part, sum(quantity)::bigint as quantity, sum(amount)::double as amount,"
            f" sum(cost)::double as cost, {rank_goods_by('quantity').sql} as rank"
            f" from mart_best_seller where period_key = '{window}' group by goods_id, goods_num order by part"
        )
        wanted = expected_figures.rank_best_sellers(shown.moves, window).with_columns(
            pl.col("rank").cast(pl.Int64)
        )
        assert len(wanted) > 0 or window == "d30"
        if len(wanted):
            assert_frame_equal(found, wanted, abs_tol=0.001)
        else:
            assert len(found) == 0
