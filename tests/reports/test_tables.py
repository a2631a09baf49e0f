"""Tables whose rows are found by keys and named afterwards: the same rows as by their names."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import duckdb
import pytest
import sqlalchemy as sa

from reports.semantics.dashboards import Chart
from reports.semantics.datasets import PERIOD_OFFSET, SUFFIXES, Column, Dataset, Metric
from reports.semantics.deferred_join import EXTREMES, PagedTableQuery
from reports.semantics.expressions import Expression, RawSql, quoted_sum
from reports.semantics.kpi_comparison import KPI_KEY
from reports.semantics.metrics import change_of, total_of
from reports.superset.drilldown_links import add_drilldown_filters
from tests.reports.guest_requests import DATA, PLACES, read_rows
from tests.support.superset import (
    AS_OF,
    EVERYTHING,
    DashboardPlace,
    SupersetClient,
    bind_sample_range,
    build_range_filter,
)

ROWS = "(values ('卖过', 1, 0), ('没有', 0, 0)) as t (company_name, sold, sold_before)"


class FoundQuery(NamedTuple):
    """Superset's query, as far as it is read."""

    sqla_query: Any
    labels_expected: list[str]


def round_rows(columns: list[str], answers: list[dict[str, object]]) -> list[list[object]]:
    return sorted(
        [
            [round(value, 6) if isinstance(value, float) else value for value in map(answer.get, columns)]
            for answer in answers
        ],
        key=str,
    )


def list_keyed_tables(at: DashboardPlace) -> list[tuple[Chart, Dataset]]:
    tables = [(chart.on_screen, at.board.dataset(chart.dataset)) for chart in at.board.tables]
    return [(chart, data) for chart, data in tables if len(data.row_keys(chart.by)) < len(chart.by)]


def list_named_rows(found: duckdb.DuckDBPyRelation) -> list[dict[str, Any]]:
    return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


def query_rows(snapshot: duckdb.DuckDBPyConnection, sql: str) -> list[dict[str, Any]]:
    return list_named_rows(snapshot.sql(sql))


def has_day_extremes(data: Dataset, columns: Iterable[str]) -> bool:
    """Return whether one of the columns says from which day to which a row is."""
    return any(
        made_of is not None and EXTREMES.keys() & made_of.columns
        for made_of in (data.column(name).made_of for name in columns)
    )


def replace_day_links(row: dict[str, Any]) -> None:
    """Point a row's links at the bills of its own days instead of this month's."""
    for name in (name for name in row if name.endswith("_link")):
        for end, day in (("start", row["min_day"]), ("end", row["max_day"])):
            row[name] = re.sub(rf"(?<=business_date_{end}=)[\d-]+", day.isoformat(), row[name])


def build_stock_dataset(*columns: Column) -> Dataset:
    return Dataset(
        key="stock", label="库存", source="mart", grain="company", columns=columns, measures=(), metrics=()
    )


def find_empty_choice(snapshot, at: DashboardPlace, chart: Chart) -> dict[str, str] | None:
    """Return filter values under which the chosen period has no rows, but an earlier one has."""
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
    def test_a_chosen_period_without_rows_stands_first_and_is_empty(self, superset: SupersetClient, snapshot):
        heads = [(at, chart) for at in PLACES for chart in at.board.kpi_charts]
        asked = [(at, chart, find_empty_choice(snapshot, at, chart)) for at, chart in heads]
        assert len([choices for *_, choices in asked if choices]) > 3
        for at, chart, choices in asked:
            if not choices:
                continue
            beside = at.board.dataset(chart.dataset).comparison
            token = superset.token(at, EVERYTHING)
            body = superset.chart_body(at, chart, token)
            filters = [{"col": name, "op": "IN", "val": [value]} for name, value in choices.items()]
            body["queries"][0]["filters"] = filters
            first, *earlier = superset.post("/api/v1/chart/data", token, body).json()["result"][0]["data"]
            assert [row[KPI_KEY] for row in (first, *earlier)] == list(beside.labels), at
            assert {first[name] for name in chart.metrics} == {None}, at
            assert any(row[name] is not None for row in earlier for name in chart.metrics), at

    def test_of_nothing_there_is_no_row(self, superset: SupersetClient):
        at, chart = next((at, chart) for at in PLACES for chart in at.board.kpi_charts)
        token = superset.token(at, EVERYTHING)
        body = superset.chart_body(at, chart, token)
        [column, *_] = [
            item.column
            for item in at.board.filters
            if at.board.dataset(chart.dataset).has_column(item.column)
        ]
        body["queries"][0]["filters"] = [{"col": column, "op": "IN", "val": ["没有"]}]
        assert superset.post("/api/v1/chart/data", token, body).json()["result"][0]["data"] == []


def list_compared_tables(at: DashboardPlace) -> list[tuple[Chart, Dataset]]:
    tables = [(chart.on_screen, at.board.dataset(chart.dataset)) for chart in at.board.tables]
    return [(chart, data) for chart, data in tables if data.has_comparisons]


def find_newest_period(snapshot, at: DashboardPlace, chart: Chart) -> dict[str, str]:
    """Return the newest period, which a board opens on."""
    newest = {}
    for item in at.board.filters_of(chart):
        if item.latest:
            source = at.board.dataset(item.dataset).sql
            asked = f"select max({item.column}) from ({source}) where role_id = {EVERYTHING}"
            newest[item.column] = snapshot.sql(asked).fetchone()[0]
    return newest


class TestRowsOfTheChosenPeriod:
    def test_every_row_tells_something_and_none_that_does_is_missing(
        self, superset: SupersetClient, snapshot
    ):
        left_out = 0
        for at in PLACES:
            token = superset.token(at, EVERYTHING)
            for chart, data in list_compared_tables(at):
                chosen = find_newest_period(snapshot, at, chart)
                where = " and ".join(f"{name} = '{value}'" for name, value in chosen.items())
                figures = [f'{data.metric(name).sql} as "{name}"' for name in chart.metrics]
                asked = snapshot.sql(
                    f"select {', '.join(figures)} from ({bind_sample_range(data.sql)}) where role_id = {EVERYTHING}"
                    f" and {where or 'true'} group by {', '.join(chart.by)}"
                ).fetchall()
                telling = [row for row in asked if any(value is not None for value in row)]
                left_out += len(asked) - len(telling)
                body = superset.chart_body(at, chart, token)
                filters = [{"col": name, "op": "IN", "val": [value]} for name, value in chosen.items()]
                if data.has_range:
                    filters.append(build_range_filter(data))
                whole = {**body["queries"][0], "filters": filters}
                page = {**whole, "row_limit": 5}
                queries = [whole, page, {**page, "is_rowcount": True}]
                answer = superset.post("/api/v1/chart/data", token, {**body, "queries": queries}).json()
                found, first, counted = (result["data"] for result in answer["result"])
                assert len(found) == len(telling) == counted[0]["rowcount"], (at, chart.key)
                assert len(first) == min(5, len(telling)), (at, chart.key)
                for row in (*found, *first):
                    assert any(row[name] is not None for name in chart.metrics), (at, chart.key, row)
        assert left_out > 0

    @pytest.mark.parametrize(
        ("figures", "order", "searched"),
        [
            (("sold", "grown"), "sold", "0"),
            (("sold", "grown"), "grown", "0, 1"),
            (("sold", "sold_before"), "sold", "0, 1"),
            (("sold", "sold_before", "sold_year", "grown"), "sold", ""),
            (("grown", "sold_year"), "sold_year", ""),
        ],
    )
    def test_what_is_left_out_of_the_search_changes_nothing(
        self, figures: tuple[str, ...], order: str, searched: str
    ):
        """Sold now and before, now alone, before alone, last year alone; the change of a row is told of all its rows."""
        sums: dict[str, Expression] = {name: total_of(name) for name in ("sold", "sold_before", "sold_year")}
        sums["grown"] = change_of(sums["sold"], sums["sold_before"])
        columns = (Column("goods_id", "商品"), Column("goods_name", "名称", determined_by=("goods_id",)))
        metrics = tuple(Metric(name, name, figure) for name, figure in sums.items())
        measures = (PERIOD_OFFSET, "sold", "sold_before", "sold_year")
        data = replace(build_stock_dataset(*columns), measures=measures, metrics=metrics)
        table = PagedTableQuery(data, ("goods_id", "goods_name"), figures, ((order, False),), 3, 0)
        kept = (
            "(values (0, 1, 'a', 6, null, null), (1, 1, 'a', null, 8, null), (0, null, 'b', 7, null, null),"
            " (1, 3, 'c', null, 4, null), (2, 4, 'd', null, null, 9)) as virtual_table"
            " (beside_order, goods_id, goods_name, sold, sold_before, sold_year)"
        )
        names = [
            sa.literal_column(name)
            for name in ("goods_id", "goods_name", *(sums[name].sql for name in figures))
        ]
        asked = sa.select(*names).select_from(sa.text(kept)).group_by(*names[:2])
        found = FoundQuery(asked.limit(3).offset(0), ["goods_id", "goods_name", *figures])
        counts: dict[str, int] = {}
        asked_for = []

        def answer(query: Any) -> list[tuple[Any, ...]]:
            asked_for.append(str(query.compile(compile_kwargs={"literal_binds": True})))
            return duckdb.sql(asked_for[-1]).fetchall()

        rows = answer(table.with_deferred_columns(found, answer, counts).sqla_query)
        known = " or ".join(f"{sums[name].sql} is not null" for name in figures)
        whole = f"{asked} having {known} order by {sums[order].sql} desc nulls last, goods_id"
        every = duckdb.sql(whole).fetchall()
        assert rows == every[:3] != []
        assert (f"IN ({searched})" in asked_for[0]) == bool(searched) == (" IN (" in asked_for[0])
        for known_counts in (counts, {}):
            assert answer(table.with_row_count(found, known_counts).sqla_query) == [(len(every),)]

    def test_a_chart_s_own_condition_holds_beside_it(self):
        """Of two figures neither is anything: the row is left out, though both are told."""
        names = ("sold", "sold_before")
        metrics = tuple(Metric(name, name, quoted_sum(name)) for name in names)
        data = replace(build_stock_dataset(Column("company_name", "公司")), measures=names, metrics=metrics)
        table = PagedTableQuery(data, ("company_name",), names, (), None, None)
        own = "sum(sold) <> 0 or sum(sold_before) <> 0"
        asked = sa.select(sa.literal_column("company_name")).select_from(sa.text(ROWS))
        found = FoundQuery(asked.group_by(sa.literal_column("company_name")).having(sa.text(f"({own})")), [])
        query = str(table.with_visible_rows(found).sqla_query)
        assert duckdb.sql(query).fetchall() == [("卖过",)]


class TestTotals:
    def test_a_bill_that_was_written_off_bit_by_bit_counts_once(self, superset: SupersetClient):
        """Of two companies two bills of 500 each, of which every month writes off a part."""
        at = next(at for at in PLACES if "verificationDetails" in str(at))
        [chart] = [chart for chart in at.board.tables if "item_amount" in chart.metrics]
        token = superset.token(at, EVERYTHING)
        body = superset.chart_body(at, chart, token)
        listed, totals = superset.post("/api/v1/chart/data", token, body).json()["result"]
        assert {row["item_amount"] for row in listed["data"]} == {500} and len(listed["data"]) > 4
        assert totals["data"][0]["item_amount"] == 2000


class TestRowsByKeys:
    @pytest.mark.parametrize("at", [at for at in PLACES if list_keyed_tables(at)], ids=str)
    def test_are_the_rows_by_names(self, superset: SupersetClient, snapshot, at: DashboardPlace):
        token = superset.token(at, EVERYTHING)
        for chart, data in list_keyed_tables(at):
            # Dates are answered as milliseconds; what tells of them here are the rows that they keep apart.
            shown = [name for name in chart.by if data.column(name).kind not in ("date", "datetime")]
            figures = [f'{data.metric(name).sql} as "{name}"' for name in chart.metrics]
            days = (
                [f"{end}({data.time_column}) as {end}_day" for end in ("min", "max")]
                if has_day_extremes(data, chart.by) and not data.has_range
                else []
            )
            # Earlier periods' rows are none of a table that shows nothing of them.
            ends = ("", *SUFFIXES) if data.ranged else ()
            told = [str(at) for at, end in enumerate(ends) if any(end in sql for sql in figures)]
            of_periods = f"and {PERIOD_OFFSET} in ({', '.join(told)})" if told else ""
            asked = snapshot.sql(
                f"select {', '.join([*shown, *figures, *days])} from ({bind_sample_range(data.sql)}) where role_id = {EVERYTHING}"
                f" {of_periods} group by {', '.join(chart.by)}"
            )
            expected = list_named_rows(asked)
            for row in expected if days else ():
                replace_day_links(row)
            body = superset.chart_body(at, chart, token)
            # The links of a row say by their names what it is of: of the row's own names.
            said = add_drilldown_filters(
                expected, data, body["queries"][0]["filters"], partial(query_rows, snapshot)
            )
            answered = read_rows(superset.post(DATA, token, body))
            columns = [*shown, *chart.metrics]
            assert round_rows(columns, answered) == round_rows(columns, said) != [], chart.key

    @pytest.mark.parametrize("days", [[], [AS_OF, "2026-10-31"]])
    def test_of_no_day_and_of_several_there_are_none_where_one_has_to_be_chosen(
        self, superset: SupersetClient, days: list[str]
    ):
        at = next(at for at in PLACES if (at.report.code, at.tab.key) == ("accountsReceivable", "day"))
        token = superset.token(at, EVERYTHING)
        body = superset.chart_body(at, at.board.chart("bills"), token)
        assert superset.post("/api/v1/chart/data", token, body).json()["result"][0]["data"]
        several = [{"col": "day_label", "op": "IN", "val": days}] if days else []
        queries = [{**query, "filters": several} for query in body["queries"]]
        answer = superset.post("/api/v1/chart/data", token, {**body, "queries": queries})
        assert answer.json()["result"][0]["data"] == []

    def test_of_a_range_there_are_the_rows_of_its_days_and_of_none_there_are_none(
        self, superset: SupersetClient
    ):
        """Each month opens on 1,000 of each of two customers and moves on its fifth day."""
        at = next(
            at for at in PLACES if (at.report.code, at.tab.key) == ("ScheduleAccountsReceivable", "days")
        )
        token = superset.token(at, EVERYTHING)
        body = superset.chart_body(at, at.board.chart("detail"), token)

        def totals(**asked: Any) -> list[float | None]:
            queries = [{**query, **asked} for query in body["queries"]]
            answer = superset.post("/api/v1/chart/data", token, {**body, "queries": queries})
            listed, [row] = (result["data"] for result in answer.json()["result"])
            assert len(listed) == (2 if row.get("closing") else 0)
            return [row.get(name) for name in ("opening", "settled", "closing", "closing_change")]

        assert totals(time_range="2026-11-05 : 2026-11-06") == [2000, 1200, 2400, 0]
        assert totals(time_range="2026-11-06 : 2026-11-11") == [2400, 0, 2400, 0]
        assert totals(time_range="2026-11-01 : 2026-11-05") == [2000, 0, 2000, 0]
        assert totals(filters=[]) == [None] * 4
        both = [
            {**body["queries"][0]["filters"][0], "val": f"2026-{month}-01 : 2026-11-11"} for month in (10, 11)
        ]
        assert totals(filters=both) == [None] * 4

    @pytest.mark.parametrize(
        "at", [at for at in PLACES if any(chart.paged for chart in at.board.charts)], ids=str
    )
    def test_a_page_is_the_first_of_all_rows_and_they_are_counted_with_it(
        self, superset: SupersetClient, at: DashboardPlace
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
                assert all(row in round_rows(columns, whole) for row in round_rows(columns, found)), chart.key
                ordered = chart.order.removeprefix("-")
                if ordered in chart.metrics:
                    assert [row[ordered] for row in found] == [row[ordered] for row in whole[:2]], chart.key
                    turned = {**body, "queries": [{**page, "row_offset": 2}]}
                    second = superset.post("/api/v1/chart/data", token, turned).json()["result"][0]["data"]
                    assert [row[ordered] for row in second] == [row[ordered] for row in whole[2:4]], chart.key

    def test_what_follows_from_the_goods_is_no_key_and_what_is_asked_alone_is(self):
        data = build_stock_dataset(
            Column("goods_num", "编码", keys=("goods_id",)),
            Column("brand_name", "品牌", determined_by=("goods_id",)),
            Column("detail_link", "明细", "link", keys=("goods_id", "month")),
            Column("month_label", "月", starts="month"),
        )
        assert data.row_keys(("goods_num", "brand_name", "detail_link")) == ("goods_id", "month")
        assert data.row_keys(("brand_name",)) == ("brand_name",)
        assert data.row_keys(("month_label", "brand_name")) == ("month", "brand_name")
        assert data.keys == ("goods_id", "month")

    def test_a_link_is_made_of_the_values_of_its_row(self):
        data = build_stock_dataset(
            Column("goods_num", "编码", keys=("goods_id",)),
            Column("month_label", "月", sql="strftime(m.month, '%Y-%m')"),
            Column("goods_link", "商品", "link", made_of=RawSql("'/goods?id=' || {goods_id} || {goods_num}")),
            Column("month_link", "月", "link", made_of=RawSql("'/month?month=' || {month_label}")),
        )
        told = data.build_link_sql("goods_link", lambda name: f"any_value({name})")
        assert told == "'/goods?id=' || any_value(goods_id) || any_value(goods_num)"
        assert data.build_link_sql("month_link", str) == "", "a label of its own is not the mart's"
        assert data.build_link_sql("goods_num", str) == "", "no link"

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
