"""Files of a chart's own menu: whole, every text as it is, every number a number, and nothing in them that is computed."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import httpx
import openpyxl
import pytest

from tests.reports.explore_client import Analyst
from tests.reports.guest_requests import BEST_SELLER, DATA, change_query
from tests.support.superset import EVERYTHING, SupersetClient, publish_snapshot

NAMES = {
    "G001": "-45℃ 防冻液",
    "G002": r"C:\轮胎\x|y",
    "G003": "=1+1",
    "G004": '@SUM(1,2) "引号"',
    "G005": "{=1+1}",
    "G006": "+86-138",
    "G007": "http://tyre.example/a",
    "G008": "-12.5",
    "G009": "－1+1",
    "G010": " =1+1",
    "G011": "一\n二",
    "G012": "-45℃",
}
COMPUTED = {"G003", "G004", "G006", "G009", "G010"}
"""What a spreadsheet would compute, or try to, if it stood so in a CSV file."""
MANY = 10_500
ROWS = f"""
create or replace table mart_best_seller as
select m.* replace (n.goods_id as goods_id, n.goods_num as goods_num, n.goods_name as goods_name, n.quantity as quantity)
from (select * from mart_best_seller where period_key = 'd7' and company_id = 1 and goods_num = 'G001') as m
cross join (
    select * from (values {", ".join(f"({at}, '{key}', '{name}', {at}.25)" for at, (key, name) in enumerate(NAMES.items()))})
        as t(goods_id, goods_num, goods_name, quantity)
    union all
    select i + 100, 'N' || i, '轮胎' || i, 1.0 from range({MANY}) as t(i)
) as n
"""


@pytest.fixture(scope="module")
def body(superset: SupersetClient) -> Iterator[dict[str, Any]]:
    """The request of a frame that exports its table, of goods with such names."""
    warehouse = Path(superset.environment["ERP_DATA_DIR"]) / "warehouse"
    publish_snapshot(warehouse, 51, ROWS)
    token = superset.token(BEST_SELLER, EVERYTHING)
    yield superset.chart_body(BEST_SELLER, BEST_SELLER.board.chart("detail"), token)
    publish_snapshot(warehouse, 52)


def export_chart(superset: SupersetClient, body: dict[str, Any], form: str) -> httpx.Response:
    period = [{"col": "period_label", "op": "IN", "val": ["近7天"]}]
    asked = {**change_query(body, filters=period, row_limit=10_000), "result_format": form}
    answer = superset.post(DATA, superset.token(BEST_SELLER, EVERYTHING), asked)
    assert answer.status_code == 200, answer.text
    return answer


def read_sheet(content: bytes) -> list[list[Any]]:
    [sheet] = openpyxl.load_workbook(io.BytesIO(content))
    cells = [[*row] for row in sheet.iter_rows()]
    assert {cell.data_type for row in cells for cell in row} <= {"s", "n", "d"}, "there is a formula"
    return [[cell.value for cell in row] for row in cells]


class TestTable:
    def test_a_workbook_has_texts_as_they_are_and_numbers_as_numbers(self, superset: SupersetClient, body):
        content = export_chart(superset, body, "xlsx").content
        heading, *rows = read_sheet(content)
        number, name, quantity = (heading.index(label) for label in ("商品编码", "商品名称", "净销量"))
        told = {row[number]: row for row in rows}
        assert {key: told[key][name] for key in NAMES} == NAMES
        assert [told[key][quantity] for key in NAMES] == [at + 0.25 for at in range(len(NAMES))]
        with ZipFile(io.BytesIO(content)) as book:
            parts = {
                part: book.read(part).decode("utf-8") for part in book.namelist() if part.endswith(".xml")
            }
        assert not any(re.search(r"<f[ >]|<hyperlink", text) for text in parts.values())

    def test_a_csv_file_has_them_too_but_for_what_would_be_computed(self, superset: SupersetClient, body):
        text = export_chart(superset, body, "csv").content.decode("utf-8-sig")
        heading, *rows = csv.reader(io.StringIO(text, newline=""))
        number, name, quantity = (heading.index(label) for label in ("商品编码", "商品名称", "净销量"))
        told = {row[number]: row for row in rows}
        for key, words in NAMES.items():
            assert told[key][name] == (f"'{words}" if key in COMPUTED else words), key
        assert [float(told[key][quantity]) for key in NAMES] == [at + 0.25 for at in range(len(NAMES))]

    @pytest.mark.parametrize("form", ["csv", "xlsx"])
    def test_has_all_rows(self, superset: SupersetClient, body, form: str):
        content = export_chart(superset, body, form).content
        rows = (
            read_sheet(content)
            if form == "xlsx"
            else [*csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""))]
        )
        assert len(rows) == 1 + len(NAMES) + MANY


class TestAnalyst:
    @pytest.mark.parametrize("form", ["csv", "xlsx"])
    def test_an_own_chart_gives_the_same(self, superset: SupersetClient, body, form: str):
        asking = Analyst(superset, user=79, role_id=EVERYTHING, exports=["BestSeller"])
        kept = [{"col": "goods_num", "op": "IN", "val": [*NAMES]}]
        query = {"columns": ["goods_num", "goods_name"], "metrics": ["quantity"], "filters": kept}
        # A number of rows at which Superset would write a file by another way.
        more = {"row_limit": 100_000, "form": {"row_limit": 100_000}}
        answer = asking.query_best_sellers(**query, **more, result_format=form)
        assert answer.status_code == 200, answer.text
        if form == "xlsx":
            heading, *rows = read_sheet(answer.content)
            assert {row[0]: row[1] for row in rows} == NAMES
        else:
            lines = csv.reader(io.StringIO(answer.content.decode("utf-8-sig"), newline=""))
            heading, *rows = lines
            assert {row[0]: row[1] for row in rows} == {
                key: f"'{name}" if key in COMPUTED else name for key, name in NAMES.items()
            }
        assert heading == ["商品编码", "商品名称", "净销量"]
        assert {row[0]: float(row[2]) for row in rows} == {key: at + 0.25 for at, key in enumerate(NAMES)}

    def test_days_are_days(self, superset: SupersetClient, body):
        asking = Analyst(
            superset, user=79, role_id=EVERYTHING, reports=["OperatingRevenue"], exports=["OperatingRevenue"]
        )
        axis = {"columnType": "BASE_AXIS", "sqlExpression": "day", "label": "day", "expressionType": "SQL"}
        query = {"columns": [{**axis, "timeGrain": "P1M"}], "metrics": ["revenue"]}
        dataset = asking.datasets["营业收入"]
        _, *rows = read_sheet(asking.query_dataset(dataset, **query, result_format="xlsx").content)
        assert {f"{day:%Y-%m-%d}" for day, _ in rows} == {"2026-10-01", "2026-11-01"}
        text = asking.query_dataset(dataset, **query, result_format="csv").content.decode("utf-8-sig")
        assert {line.partition(",")[0] for line in text.splitlines()[1:]} == {"2026-10-01", "2026-11-01"}
