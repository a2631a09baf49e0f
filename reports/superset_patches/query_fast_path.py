"""Query fast path (取数提速): patches of Superset for charts of the catalogue; results and rights stay the same.

Superset prepares each request as if anybody could have written its SQL: it opens the file anew, parses a
dataset's SQL four times, checks each right by itself. The catalogue's datasets are compiled by us and read
one published file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import cache, partial
from typing import Any, cast

import sqlalchemy as sa

from reports.semantics.datasets import PERIOD_OFFSET, Dataset, bind_chosen_range
from reports.semantics.day_ranges import RANGE_OPERATOR, business_day, parse_day_range
from reports.semantics.deferred_join import parse_table_query
from reports.semantics.kpi_comparison import KPI_KEY
from reports.semantics.query_validation import column_name
from reports.semantics.text_order import sort_by_pinyin
from reports.superset.assets import list_dashboards
from reports.superset.initials_search import NameCache, match_initials
from reports.superset.snapshot import SNAPSHOT_URI, PublishedSnapshot, SnapshotCache
from reports.superset_patches.cross_order import strip_order_letters
from reports.superset_patches.table_search import split_search

NEWEST = "newest_snapshot"


def clear_stale_results(mark: str) -> None:
    """Clear cached results of older snapshots.

    Guarded by a marker in the shared cache: a slower worker would otherwise delete what a faster one has
    just stored.
    """
    from superset.extensions import cache_manager

    kept = cache_manager.data_cache
    if kept.get(NEWEST) != mark:
        kept.clear()
        kept.set(NEWEST, mark, timeout=0)


_snapshots = SnapshotCache(clear_stale_results)
_name_cache = NameCache()


def install_query_fast_path() -> None:
    """Install the query fast path; whatever isn't the catalogue's keeps Superset's own way."""
    _reuse_engine()
    _run_compiled_queries()
    _skip_sql_checks()
    _patch_query_builder()
    _count_own_rows()
    _skip_chart_lookup()


def _reuse_engine() -> None:
    from superset.models.core import Database

    opened: Callable[..., Any] = Database._get_sqla_engine
    made: Callable[..., Any] = Database.get_dialect

    def engine(self: Any, *args: Any, **options: Any) -> Any:
        return get_request_snapshot().engine if _is_snapshot(self) else opened(self, *args, **options)

    def dialect(self: Any) -> Any:
        # A new one asks DuckDB for its keywords.
        return get_request_snapshot().engine.dialect if _is_snapshot(self) else made(self)

    Database._get_sqla_engine = engine
    Database.get_dialect = dialect


def _run_compiled_queries() -> None:
    """Run a chart's query as SQLAlchemy compiled it, without parsing and writing it out again."""
    from superset.models.core import Database

    parsed: Callable[..., Any] = Database.get_df

    def frame(
        self: Any, sql: str, catalog: str | None = None, schema: str | None = None, mutator: Any = None
    ) -> Any:
        if not _is_snapshot(self):
            return parsed(self, sql, catalog, schema, mutator)
        spec = self.db_engine_spec
        with self.get_raw_connection(catalog=catalog, schema=schema) as conn:
            cursor = conn.cursor()
            spec.execute(cursor, sql, self)
            description = cursor.description
            rows = spec.fetch_data(cursor)
        found = self.load_into_dataframe(description, rows)
        return self.post_process_df(mutator(found) if mutator else found)

    Database.get_df = frame


def _skip_sql_checks() -> None:
    """Skip the parsing of the SQL of the catalogue's datasets.

    Superset parses it to look for writing statements, which a read-only file refuses anyway, and for rules
    that an administrator laid on the tables below: as long as there are none, there is nothing to look
    for. The snapshot's mark is part of the cache key, so that a new snapshot is seen at the next request.
    """
    from flask import g
    from sqlalchemy.sql.selectable import TextAsFrom
    from superset.connectors.sqla.models import BaseDatasource, SqlaTable
    from superset.models.helpers import VIRTUAL_TABLE_ALIAS

    checked_source: Callable[..., Any] = SqlaTable.get_from_clause
    checked_keys: Callable[..., Any] = SqlaTable.get_extra_cache_keys

    def source(self: Any, template_processor: Any = None) -> Any:
        if not _is_own_dataset(self):
            return checked_source(self, template_processor)
        sql = bind_chosen_range(self.sql, g.get("ends", frozenset()))
        return TextAsFrom(self.text(f"{sql}\n"), []).alias(VIRTUAL_TABLE_ALIAS), None

    def keys(self: Any, query_obj: Any) -> Any:
        plain = BaseDatasource.get_extra_cache_keys if _is_own_dataset(self) else checked_keys
        found = plain(self, query_obj)
        return [*found, get_request_snapshot().mark] if _is_snapshot(self.database) else found

    SqlaTable.get_from_clause = source
    SqlaTable.get_extra_cache_keys = keys


def _patch_query_builder() -> None:
    """Rewrite queries of the catalogue's datasets.

    Conditions on first days, deferred join (`reports.semantics.deferred_join`), and no rows that have no figure of the
    chosen period.
    """
    from flask import g
    from superset.connectors.sqla.models import SqlaTable

    built: Callable[..., Any] = SqlaTable.get_sqla_query

    def query(self: Any, *args: Any, **parts: Any) -> Any:
        parts, typed = split_search(parts)
        counted = parts.get("is_rowcount")
        if counted:
            parts["orderby"] = []
        own = own_dataset(self)
        g.ends = frozenset()

        def build_query(asked: dict[str, Any]) -> Any:
            answer = built(self, *args, **asked)
            return answer if typed is None else answer._replace(sqla_query=answer.sqla_query.where(typed))

        if own is not None:
            asked = parts.get("filter") or []
            g.ends = frozenset(ends for condition in asked for ends in _list_chosen_ranges(own, condition))
            asked = [*strip_order_letters(asked, own)]
            parts["filter"] = match_initials(_add_day_conditions(own, asked), own, partial(_list_names, own))
            if own.comparison is not None and parts.get("columns") == [KPI_KEY] and not counted:
                return fill_missing_periods(build_query(parts), own.comparison.labels)
        table = parse_table_query(own, parts)
        if own is None:
            return build_query(parts)
        rows = sort_by_pinyin(build_query({**parts, "is_rowcount": bool(counted) and table is None}), own)
        if table is None:
            return rows
        counts = g.setdefault("counts_of_rows", {})
        if counted:
            return table.with_row_count(rows, counts)
        if not table.is_deferred:
            return table.with_visible_rows(rows)
        return table.with_deferred_columns(rows, partial(_read_rows, self.database), counts)

    SqlaTable.get_sqla_query = query


def _count_own_rows() -> None:
    """Restrict an analyst's own counts to rows of the period itself, without the comparison rows."""
    from superset.connectors.sqla.models import SqlaTable

    counted: Callable[..., Any] = SqlaTable.adhoc_metric_to_sqla

    def count(self: Any, metric: Any, *args: Any, **options: Any) -> Any:
        made = counted(self, metric, *args, **options)
        own = catalogue_datasets().get(self.table_name) if _is_own_dataset(self) else None
        if own is None or not own.periods:
            return made
        found = made.element.filter(sa.literal_column(f'"{PERIOD_OFFSET}"') == 0).label(made.name)
        found.key = made.key
        return found

    SqlaTable.adhoc_metric_to_sqla = count


def fill_missing_periods(found: Any, labels: Sequence[str]) -> Any:
    """Return the query with a row for each period of a KPI header, in order; without any row it stays empty.

    A row's label may be longer than its period's (未过完). The first row is drawn large: a prior period's
    would stand there if the chosen one had none.
    """
    rows = found.sqla_query.cte("rows")
    periods = sa.values(sa.column("place"), sa.column("word"), name="periods").data(list(enumerate(labels)))
    key, *figures = found.labels_expected
    every = (
        sa.select(
            sa.func.coalesce(rows.c[key], periods.c.word).label(key), *(rows.c[name] for name in figures)
        )
        .select_from(periods.outerjoin(rows, sa.func.starts_with(rows.c[key], periods.c.word)))
        .where(sa.exists(sa.select(rows)))
        .order_by(periods.c.place)
    )
    return found._replace(sqla_query=every)


def _skip_chart_lookup() -> None:
    """Skip the look-up of a guest's chart among those that he may list: there are none."""
    from superset import security_manager
    from superset.common.query_context_factory import QueryContextFactory

    found: Callable[..., Any] = QueryContextFactory._get_slice

    def chart(self: Any, number: Any) -> Any:
        return None if security_manager.is_guest_user() else found(self, number)

    QueryContextFactory._get_slice = chart


def _read_rows(database: Any, query: Any) -> Sequence[Sequence[Any]]:
    with database.get_raw_connection() as conn:
        cursor = conn.cursor()
        database.db_engine_spec.execute(cursor, database.compile_sqla_query(query), database)
        return list(cursor.fetchall())


def _list_names(dataset: Dataset, column: str) -> Sequence[str]:
    """Return the values of a column in the snapshot, regardless of role.

    The query that they go into is restricted.
    """
    sql = f'select distinct "{column}" from ({dataset.sql}) as d where "{column}" is not null'
    read = partial(_read_texts, get_request_snapshot().engine, sql)
    return _name_cache.get_or_read(get_request_snapshot().mark, (dataset.name, column), read)


def _read_texts(engine: sa.engine.Engine, sql: str) -> Sequence[str]:
    with engine.connect() as conn:
        return [str(name) for (name,) in conn.exec_driver_sql(sql)]


def _add_day_conditions(dataset: Dataset, conditions: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the conditions, and after each on period labels the one on their first days."""
    for condition in conditions:
        yield condition
        if found := _resolve_first_days(dataset, condition):
            name, days = found
            yield {"col": name, "op": "IN", "val": [day.isoformat() for day in days]}


def _list_chosen_ranges(dataset: Dataset, condition: dict[str, Any]) -> Iterator[tuple[date, date]]:
    """Yield the first and the last day of a chosen range, and of each chosen day."""
    if condition["op"] == RANGE_OPERATOR:
        days = parse_day_range(str(condition.get("val")), business_day())
        if days:
            yield days.ends
    elif found := _resolve_first_days(dataset, condition):
        yield from ((day, day) for day in found[1])


def _resolve_first_days(dataset: Dataset, condition: dict[str, Any]) -> tuple[str, tuple[date, ...]] | None:
    if condition["op"] != "IN":
        return None
    return dataset.first_days(column_name(condition["col"]) or "", condition.get("val") or ())


@cache
def catalogue_datasets() -> dict[str, Dataset]:
    """Return the catalogue's datasets by the names of their tables."""
    return {dataset.name: dataset for placed in list_dashboards() for dataset in placed.board.datasets}


def get_request_snapshot() -> PublishedSnapshot:
    """Return the snapshot that a request reads: one and the same, whatever is published meanwhile."""
    from flask import g

    if "snapshot" not in g:
        g.snapshot = _snapshots.newest()
    return cast(PublishedSnapshot, g.snapshot)


def query_snapshot(sql: str) -> list[dict[str, Any]]:
    """Return the rows of a query of ours."""
    with get_request_snapshot().engine.connect() as conn:
        return [dict(row) for row in conn.exec_driver_sql(sql).mappings()]


def _is_snapshot(database: Any) -> bool:
    return bool(database.sqlalchemy_uri == SNAPSHOT_URI)


def own_dataset(table: Any) -> Dataset | None:
    """Return the catalogue's dataset behind a table of Superset's, or None."""
    return catalogue_datasets().get(getattr(table, "table_name", "")) if _is_own_dataset(table) else None


def _is_own_dataset(dataset: Any) -> bool:
    """Return whether a dataset is the catalogue's, with no rule of an administrator on its tables."""
    return bool(dataset.is_managed_externally) and has_no_table_rules()


def has_no_table_rules() -> bool:
    """Return whether no administrator has laid a rule on any table, as of this request."""
    from flask import g
    from superset import db
    from superset.connectors.sqla.models import RowLevelSecurityFilter

    if "no_table_rules" not in g:
        g.no_table_rules = db.session.query(RowLevelSecurityFilter.id).first() is None
    return cast(bool, g.no_table_rules)
