"""Nodes of metrics: what they render is what they answer of themselves, and what changes them changes nothing else."""

from __future__ import annotations

from itertools import product
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.semantics.expressions import (
    Aggregate,
    Bracketed,
    CaseWhen,
    ColumnRef,
    Constant,
    CountRows,
    Expression,
    FunctionCall,
    IsIn,
    IsNull,
    Negative,
    Not,
    Operation,
    Quotient,
    RawSql,
    RelativeChange,
    Sum,
    ToDouble,
    Window,
    compare,
    count_distinct,
    default_to_zero,
    is_known,
    is_positive,
    max_of,
    narrow,
    prorate,
    quoted_sum,
    sum_of,
    sum_over_rows,
    weighted_sum,
)
from reports.semantics.metrics import change_of, is_change_of, ratio_of, sum_where, total_of
from reports.superset.assets import list_dashboards

SOLD, BOUGHT = sum_of("sold"), sum_of("bought")
METRICS = {
    metric.sql: metric for at in list_dashboards() for data in at.board.datasets for metric in data.metrics
}
NAMES = ("sold", "bought", "days")
SHARE = ColumnRef("elapsed")


def test_braces_of_a_text_and_signs_of_a_number_stay_what_they_are() -> None:
    assert RawSql("'{{a}}' || {b}").rename({"b": "c"}).sql == "'{a}' || c"
    assert Negative(Constant(-1)).sql == "-(-1)"
    assert (sum_of("sold") - Constant(-1)).sql == "sum(sold) - -1"


def measures() -> st.SearchStrategy[Expression]:
    return st.builds(ColumnRef, st.sampled_from(NAMES), st.booleans())


def sums() -> st.SearchStrategy[Expression]:
    """Figures that are made of sums, as the catalogue makes them."""
    row = st.one_of(
        measures(),
        st.builds(CaseWhen, st.builds(compare, measures(), st.just(">"), st.integers(0, 3)), measures()),
    )
    plain = st.builds(Sum, row)
    return st.recursive(
        plain,
        lambda below: st.one_of(
            st.builds(Operation, below, st.sampled_from(["+", "-", "*"]), below),
            st.builds(ToDouble, below),
            st.builds(Negative, below),
            st.builds(Bracketed, below),
        ),
        max_leaves=5,
    )


def value_of(figure: Expression, rows: str) -> Any:
    found = duckdb.sql(
        f"select {figure.sql} from (values {rows}) as t (sold, bought, days, elapsed)"
    ).fetchone()
    assert found
    return found[0]


class TestRendering:
    @pytest.mark.parametrize(
        ("figure", "sql"),
        [
            (total_of("sold"), 'cast(sum("sold") as double)'),
            (SOLD - BOUGHT, "sum(sold) - sum(bought)"),
            (SOLD - (BOUGHT + SOLD), "sum(sold) - (sum(bought) + sum(sold))"),
            ((SOLD - BOUGHT) * 100, "(sum(sold) - sum(bought)) * 100"),
            (SOLD / (BOUGHT / SOLD), "sum(sold) / (sum(bought) / sum(sold))"),
            (-(SOLD + BOUGHT), "-(sum(sold) + sum(bought))"),
            (Negative(-SOLD), "-(-sum(sold))"),
            (
                Not(Operation(is_positive(SOLD), "or", is_positive(BOUGHT))),
                "not (sum(sold) > 0 or sum(bought) > 0)",
            ),
            (IsNull(ColumnRef("a") + ColumnRef("b")), "a + b is null"),
            (IsIn(ColumnRef("kind"), ("a",)), "kind in ('a')"),
            (sum_where("sold", is_known("bought")), "sum(case when bought is not null then sold end)"),
            (
                ratio_of(SOLD, BOUGHT, 30),
                "case when sum(bought) > 0 then cast(sum(sold) as double) * 30 / cast(sum(bought) as double) end",
            ),
            (
                change_of(SOLD, BOUGHT),
                "case when sum(bought) > 0 then cast(sum(sold) as double) / cast(sum(bought) as double) - 1 end",
            ),
            (
                count_distinct("bill_no", is_positive("sold")),
                "count(distinct bill_no) filter (where sold > 0)",
            ),
            (CountRows(), "count(*)"),
            (compare("name", "=", Constant("a'b")), "name = 'a''b'"),
            (Constant(0.5), "0.5"),
            (sum_over_rows(SOLD), "sum(sum(sold)) over ()"),
            (Window(Sum(SOLD), ColumnRef("day")), "sum(sum(sold)) over (order by day)"),
            (weighted_sum("sold", "days"), "sum(cast(sold as double) * days)"),
            (RawSql("median({sold}) + 1"), "median(sold) + 1"),
        ],
    )
    def test_a_node_is_written_with_the_brackets_that_it_needs(self, figure: Expression, sql: str):
        assert figure.sql == sql

    @settings(deadline=None)
    @given(sums(), st.sampled_from(["+", "-", "*"]), sums())
    def test_brackets_keep_operands_together(self, left: Expression, operator: Any, right: Expression):
        rows = "(2, 5, 3, 0.5), (1, 7, 4, 0.5)"
        values = value_of(left, rows), value_of(right, rows)
        assert None not in values or value_of(Operation(left, operator, right), rows) is None
        if None not in values:
            found = value_of(Operation(left, operator, right), rows)
            a, b = values
            assert found == pytest.approx({"+": a + b, "-": a - b, "*": a * b}[operator])


class TestProperties:
    @pytest.mark.parametrize(
        ("figure", "additive"),
        [
            (total_of("sold"), True),
            (ToDouble(SOLD - BOUGHT), True),
            (ToDouble(-SOLD), True),
            (sum_where("sold", is_positive("days")), True),
            (SOLD * 2, False),
            (ratio_of(SOLD, BOUGHT), False),
            (ToDouble(FunctionCall("greatest", (SOLD, BOUGHT))), False),
            (ToDouble(Window(Sum(SOLD), ColumnRef("day"))), False),
            (max_of("sold"), False),
            (count_distinct("bill_no"), False),
        ],
    )
    def test_sums_and_their_differences_add_up(self, figure: Expression, additive: bool):
        assert figure.is_additive is additive

    @settings(deadline=None)
    @given(sums())
    def test_what_is_additive_adds_up_over_parts(self, figure: Expression):
        parts = ("(2, 5, 3, 0.5), (1, 7, 4, 0.5)", "(4, 9, 2, 0.5), (3, 1, 1, 0.5)")
        values = [value_of(figure, rows) for rows in parts]
        if figure.is_additive and None not in values:
            assert value_of(figure, ", ".join(parts)) == pytest.approx(sum(values))

    def test_quotes_and_casts_make_no_other_figure(self):
        assert quoted_sum("sold") == SOLD != BOUGHT
        assert hash(quoted_sum("sold")) == hash(SOLD)
        assert ToDouble(SOLD) != SOLD and ToDouble(SOLD).is_empty_without(SOLD)

    def test_a_change_is_empty_where_what_has_changed_is(self):
        mean = ratio_of(SOLD, BOUGHT)
        assert is_change_of(change_of(total_of("sold"), BOUGHT), SOLD)
        assert is_change_of(change_of(mean, BOUGHT), SOLD), "a mean is empty where its top is"
        assert not is_change_of(change_of(SOLD, BOUGHT), BOUGHT)
        assert not is_change_of(mean, SOLD), "a ratio is no change"
        assert not is_change_of(change_of(ratio_of(default_to_zero(SOLD), BOUGHT), BOUGHT), SOLD)

    def test_counts_and_windows_are_found_at_any_depth(self):
        one = CaseWhen(compare(count_distinct("goods_id"), "=", 1), ratio_of(SOLD, sum_over_rows(SOLD)))
        assert one.has_count and one.has_window and one.has_division and not one.is_count
        assert ToDouble(CountRows(ColumnRef("sold"))).is_count
        assert not (SOLD * 2).has_division and (SOLD / 2).has_division
        assert not Aggregate("avg", ColumnRef("sold")).has_count

    def test_every_column_of_raw_sql_is_known(self):
        figure = RawSql("median({sold}) - {days}")
        assert figure.columns == {"sold", "days"}
        assert figure.rename({"sold": "sold_before"}).sql == "median(sold_before) - days"

    def test_the_catalogue_s_figures_read_what_their_sql_names(self):
        """Parsed by DuckDB itself."""
        parse = "select json_serialize_sql(?, skip_null := true, skip_empty := true, skip_default := true)"
        for sql, metric in METRICS.items():
            found = duckdb.execute(
                f"select list_distinct(json_extract(({parse}), '$..column_names[0]'))", [f"select {sql}"]
            )
            row = found.fetchone()
            assert row
            assert {str(name).strip('"') for name in row[0]} - {"x"} == metric.expression.columns, sql

    def test_the_catalogue_needs_no_raw_sql(self):
        raw = [
            sql
            for sql, metric in METRICS.items()
            for node in metric.expression.walk()
            if isinstance(node, RawSql)
        ]
        assert raw == []


class TestChanges:
    @settings(deadline=None)
    @given(sums(), st.dictionaries(st.sampled_from(NAMES), st.sampled_from(("x", "y")), max_size=3))
    def test_renaming_names_other_columns_alone(self, figure: Expression, names: dict[str, str]):
        renamed = figure.rename(names)
        assert renamed.columns == {names.get(name, name) for name in figure.columns}
        assert [type(node) for node in renamed.walk()] == [type(node) for node in figure.walk()]
        assert figure.rename({}) == figure

    @pytest.mark.parametrize(
        ("figure", "sql"),
        [
            (total_of("sold"), 'cast(sum("sold" * elapsed) as double)'),
            (SOLD - BOUGHT, "sum(sold * elapsed) - sum(bought * elapsed)"),
            (sum_of(ColumnRef("sold") + ColumnRef("bought")), "sum((sold + bought) * elapsed)"),
            (
                sum_where("sold", is_positive("days")),
                "sum(case when days > 0 then sold * elapsed end)",
            ),
            (
                Sum(CaseWhen(is_positive("days"), ColumnRef("sold"), Constant(0))),
                "sum(case when days > 0 then sold * elapsed else 0 end)",
            ),
        ],
    )
    def test_of_a_part_of_a_period_as_much_of_each_row_counts(self, figure: Expression, sql: str):
        assert prorate(figure, SHARE).sql == sql

    @settings(deadline=None)
    @given(st.lists(st.tuples(*(st.integers(0, 9) for _ in NAMES)), min_size=1, max_size=4))
    def test_where_all_rows_have_one_share_the_figure_has_it(self, rows: list[tuple[int, ...]]):
        text = ", ".join(f"({', '.join(map(str, row))}, 0.25)" for row in rows)
        for figure in (SOLD - BOUGHT, sum_where("sold", is_positive("days"))):
            whole, part = value_of(figure, text), value_of(prorate(figure, SHARE), text)
            assert part == (None if whole is None else pytest.approx(float(whole) / 4))

    def test_sums_are_narrowed_one_by_one(self):
        assert narrow(SOLD - BOUGHT, is_known("aim")).sql == (
            "sum(case when aim is not null then sold end) - sum(case when aim is not null then bought end)"
        )

    @pytest.mark.parametrize("kind", [Quotient, RelativeChange])
    def test_nothing_is_divided_by_what_is_not_positive(self, kind: Any):
        for top, base in product((5, -5), (0, -2)):
            assert value_of(kind(SOLD, BOUGHT), f"({top}, {base}, 1, 1)") is None
        assert value_of(kind(SOLD, BOUGHT), "(6, 3, 1, 1)") in (2, 1)
