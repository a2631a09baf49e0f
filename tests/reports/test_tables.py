"""Tables whose rows are found by keys and named afterwards: the same rows as by their names."""

from __future__ import annotations

import pytest

from reports.catalogue.beside import KEY
from reports.catalogue.model import Chart, Column, Dataset
from tests.kit.superset import EVERYTHING, Place, Superset
from tests.reports.guests import PLACES


def rows(columns: list[str], answers: list[dict[str, object]]) -> list[list[object]]:
    return sorted(
        [
            [round(value, 6) if isinstance(value, float) else value for value in map(answer.get, columns)]
            for answer in answers
        ],
        key=str,
    )


def keyed(at: Place) -> list[tuple[Chart, Dataset]]:
    tables = [(chart.on_screen, at.board.dataset(chart.dataset)) for chart in at.board.tables]
    return [(chart, data) for chart, data in tables if len(data.row_keys(chart.by)) < len(chart.by)]


def stock(*columns: Column) -> Dataset:
    return Dataset(
        key="stock", label="库存", source="mart", grain="company", columns=columns, measures=(), metrics=()
    )


def without_chosen(snapshot, at: Place, chart: Chart) -> dict[str, str] | None:
    """Choices of a board's filters under which the head's chosen period has no rows, but an earlier one has."""
    data = at.board.dataset(chart.dataset)
    columns = [item.column for item in at.board.filters if data.has_column(item.column)]
    [latest] = [item.column for item in at.board.filters if item.latest] or [""]
    for other in columns if latest else ():
        found = snapshot.sql(
            f"select {latest}, {other} from ({data.sql}) where role_id = {EVERYTHING}"
            f" group by all having min(beside_order) > 0 order by all limit 1"
        ).fetchall()
        if found:
            return dict(zip((latest, other), found[0], strict=True))
    return None


class TestHeads:
    def test_a_chosen_period_without_rows_stands_first_and_is_empty(self, superset: Superset, snapshot):
        heads = [(at, chart) for at in PLACES for chart in at.board.figures]
        asked = [(at, chart, without_chosen(snapshot, at, chart)) for at, chart in heads]
        assert len([choices for *_, choices in asked if choices]) > 3
        for at, chart, choices in asked:
            if not choices:
                continue
            beside = at.board.dataset(chart.dataset).beside
            token = superset.token(at, EVERYTHING)
            body = superset.chart_body(at, chart, token)
            filters = [{"col": name, "op": "IN", "val": [value]} for name, value in choices.items()]
            body["queries"][0]["filters"] = filters
            first, *earlier = superset.post("/api/v1/chart/data", token, body).json()["result"][0]["data"]
            assert [row[KEY] for row in (first, *earlier)] == list(beside.words), at
            assert {first[name] for name in chart.metrics} == {None}, at
            assert any(row[name] is not None for row in earlier for name in chart.metrics), at

    def test_of_nothing_there_is_no_row(self, superset: Superset):
        at, chart = next((at, chart) for at in PLACES for chart in at.board.figures)
        token = superset.token(at, EVERYTHING)
        body = superset.chart_body(at, chart, token)
        [column, *_] = [
            item.column
            for item in at.board.filters
            if at.board.dataset(chart.dataset).has_column(item.column)
        ]
        body["queries"][0]["filters"] = [{"col": column, "op": "IN", "val": ["没有"]}]
        assert superset.post("/api/v1/chart/data", token, body).json()["result"][0]["data"] == []


class TestRowsByKeys:
    @pytest.mark.parametrize("at", [at for at in PLACES if keyed(at)], ids=str)
    def test_are_the_rows_by_names(self, superset: Superset, snapshot, at: Place):
        token = superset.token(at, EVERYTHING)
        for chart, data in keyed(at):
            # Dates are answered as milliseconds; what tells of them here are the rows that they keep apart.
            shown = [name for name in chart.by if data.column(name).kind not in ("date", "datetime")]
            figures = [f'{data.metric(name).sql} as "{name}"' for name in chart.metrics]
            asked = snapshot.sql(
                f"select {', '.join([*shown, *figures])} from ({data.sql}) where role_id = {EVERYTHING}"
                f" group by {', '.join(chart.by)}"
            )
            expected = [dict(zip(asked.columns, row, strict=True)) for row in asked.fetchall()]
            answered = superset.data(at, chart, token)
            columns = [*shown, *chart.metrics]
            assert rows(columns, answered) == rows(columns, expected) != [], chart.key

    @pytest.mark.parametrize(
        "at", [at for at in PLACES if any(chart.paged for chart in at.board.charts)], ids=str
    )
    def test_a_page_is_the_first_of_all_rows_and_they_are_counted_with_it(
        self, superset: Superset, at: Place
    ):
        token = superset.token(at, EVERYTHING)
        for chart in (chart for chart in at.board.charts if chart.paged):
            body = superset.chart_body(at, chart, token)
            whole = superset.data(at, chart, token)
            page = {**body["queries"][0], "row_limit": 2}
            # Counted by itself the number is the same; another limit, or it would be the answer that was kept.
            alone = {**page, "row_limit": 3, "is_rowcount": True}
            for queries in ([page, {**page, "is_rowcount": True}], [alone]):
                answer = superset.post("/api/v1/chart/data", token, {**body, "queries": queries}).json()
                assert answer["result"][-1]["data"] == [{"rowcount": len(whole)}], chart.key
                if len(queries) == 1:
                    continue
                found = answer["result"][0]["data"]
                columns = [*chart.by, *chart.metrics]
                assert len(found) == min(2, len(whole))
                assert all(row in rows(columns, whole) for row in rows(columns, found)), chart.key
                ordered = chart.order.removeprefix("-")
                if ordered in chart.metrics:
                    assert [row[ordered] for row in found] == [row[ordered] for row in whole[:2]], chart.key
                    turned = {**body, "queries": [{**page, "row_offset": 2}]}
                    second = superset.post("/api/v1/chart/data", token, turned).json()["result"][0]["data"]
                    assert [row[ordered] for row in second] == [row[ordered] for row in whole[2:4]], chart.key

    def test_what_follows_from_the_goods_is_no_key_and_what_is_asked_alone_is(self):
        data = stock(
            Column("goods_num", "编码", keys=("goods_id",)),
            Column("brand_name", "品牌", follows=("goods_id",)),
            Column("detail_link", "明细", "link", keys=("goods_id", "month")),
            Column("month_label", "月", starts="month"),
        )
        assert data.row_keys(("goods_num", "brand_name", "detail_link")) == ("goods_id", "month")
        assert data.row_keys(("brand_name",)) == ("brand_name",)
        assert data.row_keys(("month_label", "brand_name")) == ("month", "brand_name")
        assert data.keys == ("goods_id", "month")

    def test_a_link_is_made_of_the_values_of_its_row(self):
        data = stock(
            Column("goods_num", "编码", keys=("goods_id",)),
            Column("month_label", "月", sql="strftime(m.month, '%Y-%m')"),
            Column("goods_link", "商品", "link", sql="'/goods?id=' || m.goods_id || m.goods_num"),
            Column("month_link", "月", "link", sql="'/month?month=' || m.month_label"),
        )
        told = data.link_made_of("goods_link", lambda name: f"any_value({name})")
        assert told == "'/goods?id=' || any_value(goods_id) || any_value(goods_num)"
        assert data.link_made_of("month_link", str) == "", "a label of its own is not the mart's"
        assert data.link_made_of("goods_num", str) == "", "no link"

    def test_a_label_of_a_period_tells_its_first_day_and_no_other_label_does(self):
        data = next(
            data
            for at in PLACES
            for data in at.board.datasets
            if data.has_column("month_label") and data.column("month_label").starts
        )
        (column, days) = data.first_days("month_label", ["2026-02"]) or ("", ())
        assert (column, [day.isoformat() for day in days]) == ("month", ["2026-02-01"])
        assert data.first_days("month_label", ["2026-02", None]) is None
        assert data.first_days("company_name", ["2026-02"]) is None
