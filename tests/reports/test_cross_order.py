"""Cross tables that analysts draw: their rows and columns stand by pinyin, and what is chosen in them is found."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from reports.catalogue import find_report
from reports.semantics.datasets import Dataset, strip_order_prefix
from reports.superset_patches.cross_order import order_cross_rows, strip_order_letters
from tests.reports.browser_charts import create_board, explorer_page, read_drawn_board
from tests.reports.explore_client import Analyst
from tests.reports.test_date_axes import SALES, SOLD
from tests.support.superset import EVERYTHING, SupersetClient, publish_snapshot

pytestmark = pytest.mark.timeout(600)

SAID = {"user": 85, "role_id": EVERYTHING, "reports": ["OperatingRevenue"]}
PINYIN = ["李娜", "张伟"]
"""By code point the other way round."""
PEOPLE = SALES.replace("'张伟'", "case c.company_id when 1 then '张伟' else '李娜' end")
CROSS = {
    "viz_type": "pivot_table_v2",
    "groupbyColumns": ["department_name"],
    "metrics": ["revenue"],
    "aggregateFunction": "Sum",
    "metricsLayout": "COLUMNS",
    "row_limit": 1000,
}


def revenue() -> Dataset:
    board = find_report("OperatingRevenue").first_tab.plain
    return board.dataset(board.chart("detail").dataset)


def test_texts_are_written_in_the_order_of_pinyin() -> None:
    people = ["张伟", "李娜", "阿强", "Bob", "王芳", "啊明", "赵六", "钱七", "孙八"]
    rows = [{"employee_name": name, "revenue": at} for at, name in enumerate(people)]
    form = {"viz_type": "pivot_table_v2", "groupbyRows": ["employee_name"]}
    told = order_cross_rows(rows, form, revenue())
    wanted = ["阿强", "啊明", "李娜", "钱七", "孙八", "王芳", "张伟", "赵六", "Bob"]
    assert [strip_order_prefix(row["employee_name"]) for row in told] == people
    assert [strip_order_prefix(name) for name in sorted(row["employee_name"] for row in told)] == wanted
    assert order_cross_rows(rows, {**form, "viz_type": "table"}, revenue()) == rows


def test_what_is_chosen_is_asked_for_as_it_reads() -> None:
    row, _ = order_cross_rows(
        [{"employee_name": "张伟"}, {"employee_name": "李娜"}],
        {"viz_type": "pivot_table_v2", "groupbyRows": ["employee_name"]},
        revenue(),
    )
    condition = {"col": "employee_name", "op": "IN", "val": [row["employee_name"]]}
    assert row["employee_name"] != "张伟"
    assert [*strip_order_letters([condition], revenue())] == [{**condition, "val": ["张伟"]}]


@pytest.fixture(scope="module")
def analyst(superset: SupersetClient) -> Iterator[Analyst]:
    warehouse = Path(superset.environment["ERP_DATA_DIR"]) / "warehouse"
    publish_snapshot(warehouse, 45, PEOPLE)
    yield Analyst(superset, **SAID)
    publish_snapshot(warehouse, 46)


def test_they_are_drawn_so(superset: SupersetClient, analyst: Analyst) -> None:
    rows = {**CROSS, "groupbyRows": ["employee_name"]}
    across = {**CROSS, "groupbyRows": ["department_name"], "groupbyColumns": ["employee_name"]}
    forms = {
        "a to z": {**rows, "rowOrder": "key_a_to_z"},
        "z to a": {**rows, "rowOrder": "key_z_to_a"},
        "across": {**across, "colOrder": "key_a_to_z"},
    }
    board, charts = create_board(analyst, "交叉表的顺序", analyst.datasets[SOLD], forms)
    with explorer_page(SAID) as page:
        drawn = read_drawn_board(page, f"{superset.url}/superset/dashboard/{board}/", charts)
    people = {
        name: [
            found for line in chart["lines"] for cell in line if (found := strip_order_prefix(cell)) in PINYIN
        ]
        for name, chart in drawn.items()
    }
    assert people == {"a to z": PINYIN, "z to a": PINYIN[::-1], "across": PINYIN}
    written = next(row["employee_name"] for row in drawn["a to z"]["answers"][0])
    chosen = analyst.query_dataset(
        analyst.datasets[SOLD],
        columns=["employee_name"],
        metrics=["revenue"],
        filters=[{"col": "employee_name", "op": "IN", "val": [written]}],
    )
    assert [row["employee_name"] for row in chosen.json()["result"][0]["data"]] == [
        strip_order_prefix(written)
    ]
