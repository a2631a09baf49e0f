"""取数提速：报表目录的图表少走 Superset 的弯路，结果与权限不变。

Superset prepares each request as if anybody could have written its SQL: it opens the file anew, parses a dataset's SQL
four times, asks for each right by itself. The catalogue's datasets are compiled by us and read one published file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import date
from functools import cache, partial
from typing import Any, cast

import sqlalchemy as sa

from reports.assets import boards
from reports.catalogue.beside import KEY
from reports.catalogue.datasets import BESIDE_ORDER, Dataset, in_chosen
from reports.cross_order import without_places
from reports.late_names import asked_table
from reports.name_order import in_name_order
from reports.query_parts import column_name
from reports.ranges import RANGE_OPERATOR, business_day, days_of
from reports.searching import without_typed
from reports.snapshot import SNAPSHOT_URI, Snapshot, Snapshots
from reports.spelled import KeptNames, found_by_letters

NEWEST = "newest_snapshot"


def forget_older(mark: str) -> None:
    """Drop the answers that are kept of older snapshots, once for all workers: the others come to know a new snapshot
    when the first has already kept answers of it.
    """
    from superset.extensions import cache_manager

    kept = cache_manager.data_cache
    if kept.get(NEWEST) != mark:
        kept.clear()
        kept.set(NEWEST, mark, timeout=0)


_snapshots = Snapshots(forget_older)
_kept_names = KeptNames()


def answer_quickly() -> None:
    """Put the short ways in place; everything that isn't the catalogue's keeps Superset's own."""
    _keep_engine()
    _run_compiled_queries()
    _trust_own_datasets()
    _find_rows_first()
    _count_own_rows()
    _look_for_no_chart()


def _keep_engine() -> None:
    from superset.models.core import Database

    opened: Callable[..., Any] = Database._get_sqla_engine
    made: Callable[..., Any] = Database.get_dialect

    def engine(self: Any, *args: Any, **options: Any) -> Any:
        return snapshot().engine if _is_snapshot(self) else opened(self, *args, **options)

    def dialect(self: Any) -> Any:
        # A new one asks DuckDB for its keywords.
        return snapshot().engine.dialect if _is_snapshot(self) else made(self)

    Database._get_sqla_engine = engine
    Database.get_dialect = dialect


def _run_compiled_queries() -> None:
    """Run a chart's query as SQLAlchemy compiled it, not parsed and written out again."""
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


def _trust_own_datasets() -> None:
    """Take the SQL of the catalogue's datasets as it is.

    Superset parses it to look for writing statements, which a read-only file refuses anyway, and for rules that an
    administrator laid on the tables below: as long as there are none, there is nothing to look for. The number of the
    snapshot belongs to the key of a kept answer, so that a new one is seen at the next request.
    """
    from flask import g
    from sqlalchemy.sql.selectable import TextAsFrom
    from superset.connectors.sqla.models import BaseDatasource, SqlaTable
    from superset.models.helpers import VIRTUAL_TABLE_ALIAS

    checked_source: Callable[..., Any] = SqlaTable.get_from_clause
    checked_keys: Callable[..., Any] = SqlaTable.get_extra_cache_keys

    def source(self: Any, template_processor: Any = None) -> Any:
        if not _is_own(self):
            return checked_source(self, template_processor)
        sql = in_chosen(self.sql, g.get("ends", frozenset()))
        return TextAsFrom(self.text(f"{sql}\n"), []).alias(VIRTUAL_TABLE_ALIAS), None

    def keys(self: Any, query_obj: Any) -> Any:
        plain = BaseDatasource.get_extra_cache_keys if _is_own(self) else checked_keys
        found = plain(self, query_obj)
        return [*found, snapshot().mark] if _is_snapshot(self.database) else found

    SqlaTable.get_from_clause = source
    SqlaTable.get_extra_cache_keys = keys


def _find_rows_first() -> None:
    """Find rows by the days of their periods, a table's by what tells them apart (`reports.late_names`), and none that
    tells nothing of the chosen period."""
    from flask import g
    from superset.connectors.sqla.models import SqlaTable

    built: Callable[..., Any] = SqlaTable.get_sqla_query

    def query(self: Any, *args: Any, **parts: Any) -> Any:
        parts, typed = without_typed(parts)
        counted = parts.get("is_rowcount")
        if counted:
            parts["orderby"] = []
        own = own_dataset(self)
        g.ends = frozenset()

        def found(asked: dict[str, Any]) -> Any:
            answer = built(self, *args, **asked)
            return answer if typed is None else answer._replace(sqla_query=answer.sqla_query.where(typed))

        if own is not None:
            asked = parts.get("filter") or []
            g.ends = frozenset(ends for condition in asked for ends in _chosen(own, condition))
            asked = [*without_places(asked, own)]
            parts["filter"] = found_by_letters(_by_days(own, asked), own, partial(_names, own))
            if own.beside is not None and parts.get("columns") == [KEY] and not counted:
                return every_period(found(parts), own.beside.words)
        table = asked_table(own, parts)
        if own is None:
            return found(parts)
        rows = in_name_order(found({**parts, "is_rowcount": bool(counted) and table is None}), own)
        if table is None:
            return rows
        counts = g.setdefault("counts_of_rows", {})
        if counted:
            return table.counted(rows, counts)
        if not table.is_found_first:
            return table.telling(rows)
        return table.named(rows, partial(_rows, self.database), counts)

    SqlaTable.get_sqla_query = query


def _count_own_rows() -> None:
    """Let what an analyst counts himself be of the rows of a period, not of those that stand in it to be compared."""
    from superset.connectors.sqla.models import SqlaTable

    counted: Callable[..., Any] = SqlaTable.adhoc_metric_to_sqla

    def count(self: Any, metric: Any, *args: Any, **options: Any) -> Any:
        made = counted(self, metric, *args, **options)
        own = catalogue_datasets().get(self.table_name) if _is_own(self) else None
        if own is None or not own.periods:
            return made
        found = made.element.filter(sa.literal_column(f'"{BESIDE_ORDER}"') == 0).label(made.name)
        found.key = made.key
        return found

    SqlaTable.adhoc_metric_to_sqla = count


def every_period(found: Any, words: Sequence[str]) -> Any:
    """The query for a head with a row for each of its periods, in their order, unless none has any.

    A row may say more of its period than its word.
    The first row is drawn large: an earlier period's would stand there if the chosen one had none.
    """
    rows = found.sqla_query.cte("rows")
    periods = sa.values(sa.column("place"), sa.column("word"), name="periods").data(list(enumerate(words)))
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


def _look_for_no_chart() -> None:
    """Don't look for a guest's chart among those that he may list: there are none."""
    from superset import security_manager
    from superset.common.query_context_factory import QueryContextFactory

    found: Callable[..., Any] = QueryContextFactory._get_slice

    def chart(self: Any, number: Any) -> Any:
        return None if security_manager.is_guest_user() else found(self, number)

    QueryContextFactory._get_slice = chart


def _rows(database: Any, query: Any) -> Sequence[Sequence[Any]]:
    with database.get_raw_connection() as conn:
        cursor = conn.cursor()
        database.db_engine_spec.execute(cursor, database.compile_sqla_query(query), database)
        return list(cursor.fetchall())


def _names(dataset: Dataset, column: str) -> Sequence[str]:
    """The values of a column in the snapshot, whoever may see them: the query that they go into asks."""
    sql = f'select distinct "{column}" from ({dataset.sql}) as d where "{column}" is not null'
    read = partial(_texts, snapshot().engine, sql)
    return _kept_names.of(snapshot().mark, (dataset.name, column), read)


def _texts(engine: sa.engine.Engine, sql: str) -> Sequence[str]:
    with engine.connect() as conn:
        return [str(name) for (name,) in conn.exec_driver_sql(sql)]


def _by_days(dataset: Dataset, conditions: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Conditions, and beside those on labels of periods what follows from them for their days."""
    for condition in conditions:
        yield condition
        if found := _first_days(dataset, condition):
            name, days = found
            yield {"col": name, "op": "IN", "val": [day.isoformat() for day in days]}


def _chosen(dataset: Dataset, condition: dict[str, Any]) -> Iterator[tuple[date, date]]:
    """The first and the last day of a chosen range, and of each chosen day."""
    if condition["op"] == RANGE_OPERATOR:
        days = days_of(str(condition.get("val")), business_day())
        if days:
            yield days.ends
    elif found := _first_days(dataset, condition):
        yield from ((day, day) for day in found[1])


def _first_days(dataset: Dataset, condition: dict[str, Any]) -> tuple[str, tuple[date, ...]] | None:
    if condition["op"] != "IN":
        return None
    return dataset.first_days(column_name(condition["col"]) or "", condition.get("val") or ())


@cache
def catalogue_datasets() -> dict[str, Dataset]:
    """The catalogue's datasets by the names of their tables."""
    return {dataset.name: dataset for placed in boards() for dataset in placed.board.datasets}


def snapshot() -> Snapshot:
    """The snapshot that a request reads: one and the same, whatever is published meanwhile."""
    from flask import g

    if "snapshot" not in g:
        g.snapshot = _snapshots.newest()
    return cast(Snapshot, g.snapshot)


def asked_of_snapshot(sql: str) -> list[dict[str, Any]]:
    """The rows of a query of ours."""
    with snapshot().engine.connect() as conn:
        return [dict(row) for row in conn.exec_driver_sql(sql).mappings()]


def _is_snapshot(database: Any) -> bool:
    return bool(database.sqlalchemy_uri == SNAPSHOT_URI)


def own_dataset(table: Any) -> Dataset | None:
    """The catalogue's dataset that a table of Superset's is."""
    return catalogue_datasets().get(getattr(table, "table_name", "")) if _is_own(table) else None


def _is_own(dataset: Any) -> bool:
    """Whether a dataset is the catalogue's, with no rule of an administrator that could bear on its tables."""
    return bool(dataset.is_managed_externally) and no_table_rules()


def no_table_rules() -> bool:
    """Whether no administrator has laid a rule on any table, as of this request."""
    from flask import g
    from superset import db
    from superset.connectors.sqla.models import RowLevelSecurityFilter

    if "no_table_rules" not in g:
        g.no_table_rules = db.session.query(RowLevelSecurityFilter.id).first() is None
    return cast(bool, g.no_table_rules)
