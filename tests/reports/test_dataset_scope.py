"""Datasets over a small snapshot: each role's own rows, no cost where none may be seen, nothing told without a base."""

from __future__ import annotations

import re

import pytest

from reports.semantics.dashboards import PLAIN
from reports.superset.assets import list_dashboards
from tests.support.superset import COMPANY_ONE, COMPANY_TWO, EVERYTHING, NOTHING, bind_sample_range

BOARDS = list(list_dashboards())
COST_WORDS = ("cost", "profit", "value", "margin")
COUNTS = {
    *(
        "customers",
        "goods_count",
        "bills",
        "orders",
        "place",
        "amount_place",
        "profit_place",
        "places",
        "suppliers",
        "short",
        "wanted_goods",
    ),
    *("rose", "same", "fell", "compared", "delivered", "open_companies"),
}
"""Metrics that count: nothing is 0 of them."""


class TestScopeAndCost:
    @pytest.mark.parametrize("placed", BOARDS, ids=lambda item: "-".join(item.names))
    def test_every_dataset_shows_each_role_its_own_companies_only(self, placed, snapshot):
        for dataset in placed.board.datasets:
            rows = snapshot.sql(
                f"select role_id, count(*) from ({bind_sample_range(dataset.sql)}) group by role_id"
            ).fetchall()
            roles = {role for role, _ in rows}
            assert NOTHING not in roles
            assert roles == (
                {EVERYTHING, COMPANY_ONE} if dataset.cost else {EVERYTHING, COMPANY_ONE, COMPANY_TWO}
            )
            if "company_name" in {column.name for column in dataset.columns}:
                seen = snapshot.sql(
                    f"select distinct company_name from ({bind_sample_range(dataset.sql)})"
                    f" where role_id = {COMPANY_ONE}"
                ).fetchall()
                assert seen == [("上海公司",)]

    @pytest.mark.parametrize(
        "placed", [item for item in BOARDS if item.variant == PLAIN], ids=lambda item: "-".join(item.names)
    )
    def test_plain_datasets_select_no_cost(self, placed, snapshot):
        for dataset in placed.board.datasets:
            assert not dataset.cost
            written = dataset.sql.lower() + " ".join(metric.sql for metric in dataset.metrics).lower()
            selected = re.sub(r"\bmart_\w+", "", written)
            assert not [word for word in COST_WORDS if word in selected], dataset.key

    @pytest.mark.parametrize("placed", BOARDS, ids=lambda item: "-".join(item.names))
    def test_metrics_are_empty_not_wrong_without_a_base(self, placed, snapshot):
        for dataset in placed.board.datasets:
            # What stands at a step is told of steps alone.
            metrics = [metric for metric in dataset.metrics if not metric.carries_forward]
            figures = ", ".join(f'{metric.sql} as "{metric.name}"' for metric in metrics)
            empty = snapshot.sql(
                f"select {figures} from ({bind_sample_range(dataset.sql)}) where role_id = {NOTHING}"
            )
            values = dict(zip(empty.columns, empty.fetchone(), strict=True))
            assert all(value is None or name in COUNTS for name, value in values.items()), values
