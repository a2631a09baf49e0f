"""Measures of a period's row: one sum of all of them tells whether there is a row at all."""

from __future__ import annotations

from reports.semantics.metrics import total_of
from reports.superset.assets import list_dashboards
from tests.support.superset import bind_sample_range
from tests.warehouse.conftest import BOTH, Mart

COMPARED = {data.key: data for placed in list_dashboards() for data in placed.board.datasets if data.periods}


@BOTH
def test_every_row_has_all_that_tables_add_up(mart: Mart) -> None:
    summed = 0
    for key, data in COMPARED.items():
        added = {metric.expression for metric in data.metrics}
        names = [name for name, number in data.periods.items() if number == 0 and total_of(name) in added]
        summed += len(names)
        lacks = ", ".join(f'count(*) - count("{name}") as "{name}"' for name in names)
        lacking = (
            mart(f"select {lacks} from {bind_sample_range(data.source)} where beside_order = 0").row(0)
            if names
            else ()
        )
        assert not any(lacking), (key, names, lacking)
    assert summed > len(COMPARED), "most have several"
