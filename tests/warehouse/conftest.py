"""Fixtures of the warehouse's tests: a small group in Postgres, and warehouses of one's own."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import psycopg
import pytest

from api.launch.postgres import EmbeddedPostgres
from tests.support.databases import cloned_database, run_statements
from tests.support.demo_database import TODAY
from tests.support.shared_artifacts import copy_artifact, shared_artifact
from tests.warehouse import calculations
from tests.warehouse.group import GroupSize, fill_database
from warehouse import compile_cache
from warehouse.engine import attach_postgres, open_work_database, remote_sql
from warehouse.extract import INSTANCE_SQL
from warehouse.files import Files
from warehouse.refresh import Refresher

AS_OF = TODAY.isoformat()
GROUP, DEMO = "group", "demo"

RELATION = re.compile(r"\b(?:mart|fct)_\w+")
_queried: set[str] = set()
"""What of the published snapshot the present test has asked."""

Mart = Callable[[str], pl.DataFrame]
Core = Callable[[str], pl.DataFrame]


GROUP_DATABASE = "erp_group"

BOTH = pytest.mark.parametrize("world", [GROUP, DEMO], indirect=True, scope="module")
"""Asks of a calculation to hold for the small group, whose odd cases are known, and for the demo group."""

SMALL = pytest.mark.parametrize("world", [GROUP], indirect=True, scope="module")
"""Asks for rows that the small group alone has."""


@pytest.fixture(scope="module")
def world(request: pytest.FixtureRequest) -> str:
    """Whose rows there are: the small group's, or those of the demo group where a module asks for `BOTH`."""
    return getattr(request, "param", GROUP)


@pytest.fixture(scope="session")
def group(postgres: EmbeddedPostgres, template_database: str) -> str:
    """The address of a database with a small group in it, which modules clone and nobody writes to."""
    run_statements(
        postgres, f"create database {GROUP_DATABASE} template {template_database} strategy file_copy"
    )
    fill_database(postgres.url(GROUP_DATABASE), GroupSize())
    return postgres.url(GROUP_DATABASE)


@pytest.fixture(scope="module")
def own_group(postgres: EmbeddedPostgres, figures: Files) -> Iterator[str]:
    """The address of a copy of the group, which is also the module's ERP_DATABASE_URL.

    The group's figures are older: a copy of them can follow what is written here.
    """
    assert figures
    with cloned_database(postgres, GROUP_DATABASE) as url, pytest.MonkeyPatch.context() as environment:
        environment.setenv("ERP_DATABASE_URL", url)
        yield url


@pytest.fixture(scope="module")
def core(world: str, request: pytest.FixtureRequest) -> str:
    """The address of a database with the world in it; tests only read the demo group's."""
    return str(request.getfixturevalue("demo_url" if world == DEMO else "own_group"))


@pytest.fixture
def sql(core: str) -> Iterator[psycopg.Connection[Any]]:
    """A session on the core's database that writes past the application: foreign keys rest, stamps don't."""
    with psycopg.connect(core, autocommit=True) as conn:
        conn.execute("set session_replication_role = replica")
        for (table,) in conn.execute(
            "select tgrelid::regclass::text from pg_trigger where tgfoid in"
            " ('erp_stamp'::regproc, 'erp_tombstone'::regproc) group by 1"
        ).fetchall():
            conn.execute(f"alter table {table} enable always trigger {table}_stamp")
            conn.execute(f"alter table {table} enable always trigger {table}_tombstone")
        yield conn


@pytest.fixture
def refresher(core: str, tmp_path: Path) -> Refresher:
    return Refresher(Files(tmp_path / "warehouse"), core)


@pytest.fixture(scope="module")
def moved_in(figures: Files, own_group: str) -> Callable[[Path], Refresher]:
    """Builds a warehouse at a place: a copy of the group's, for which the module's copy of the group is the
    group.

    What the module has written to it by then, the next refresh finds.
    """

    def move_in(place: Path) -> Refresher:
        copy_artifact(figures.root, place)
        made = Refresher(Files(place), own_group)
        with open_work_database(made.files.work) as conn:
            attach_postgres(conn, own_group)
            ((identity, _),) = conn.execute(remote_sql(INSTANCE_SQL)).fetchall()
            conn.execute("update state.position set identity = ?", [identity])
        return made

    return move_in


@pytest.fixture
def published(refresher: Refresher) -> Callable[[str], list[tuple[Any, ...]]]:
    """Rows of a query over the current snapshot."""

    def run_query(query: str) -> list[tuple[Any, ...]]:
        with duckdb.connect(str(refresher.files.current / "wh.duckdb"), read_only=True) as conn:
            return conn.execute(query).fetchall()

    return run_query


def copy_parsed_project(place: Path) -> None:
    """Copy dbt's parsed project, if there is one, into an empty cache: it is the same for every way of
    building."""
    from warehouse.compiler import MANIFEST_FILE

    own = place / compile_cache.project_digest()
    own.mkdir(parents=True)
    with suppress(FileNotFoundError):
        shutil.copy(compile_cache.CACHE_DIRECTORY / compile_cache.project_digest() / MANIFEST_FILE, own)


def build_core_query(core: str) -> Core:
    """Return a function that queries Postgres: the rows as a frame, numbers as floats."""

    def run_query(query: str) -> pl.DataFrame:
        with psycopg.connect(core) as conn:
            return _read_frame(conn.execute(query))

    return run_query


@pytest.fixture(scope="module")
def core_rows(core: str) -> Core:
    return build_core_query(core)


@pytest.fixture(scope="module")
def companies(core_rows: Core) -> pl.DataFrame:
    return core_rows("select company_id, company_name from company")


@pytest.fixture(scope="session")
def figures(group: str, tmp_path_factory: pytest.TempPathFactory) -> Files:
    """The group's warehouse, built once."""
    return publish_warehouse(group, tmp_path_factory)


@pytest.fixture(scope="session")
def demo_figures(demo_url: str, tmp_path_factory: pytest.TempPathFactory) -> Files:
    """The demo group's warehouse, built once."""
    made = shared_artifact(
        "demo-figures", lambda place: _refresh_warehouse(demo_url, Files(place / "warehouse"))
    )
    copy_artifact(made / "warehouse", root := tmp_path_factory.mktemp("demo"))
    return Files(root / "warehouse")


@pytest.fixture(scope="module")
def mart(world: str, request: pytest.FixtureRequest) -> Iterator[Mart]:
    """A query over the world's snapshot as a frame, numbers as floats; who writes to the core builds a warehouse of it."""
    with open_mart(request.getfixturevalue("demo_figures" if world == DEMO else "figures")) as ask:
        yield ask


def publish_warehouse(url: str, places: pytest.TempPathFactory) -> Files:
    """Build a whole warehouse of a database."""
    files = Files(places.mktemp("marts") / "warehouse")
    _refresh_warehouse(url, files)
    return files


def _refresh_warehouse(url: str, files: Files) -> None:
    Refresher(files, url).refresh(as_of=AS_OF)


@contextmanager
def open_mart(files: Files) -> Iterator[Mart]:
    with duckdb.connect(str(files.current / "wh.duckdb"), read_only=True) as conn:

        def run_query(query: str) -> pl.DataFrame:
            _queried.update(RELATION.findall(query))
            return _read_frame(conn.execute(query))

        yield run_query


@pytest.fixture(autouse=True)
def asks_what_it_calculates(request: pytest.FixtureRequest) -> Iterator[None]:
    """A test that is named as the calculation of marts has asked one of them, in each of its cases another."""
    _queried.clear()
    yield
    named = calculations.find_calculated(request.node.nodeid)
    assert not named or named & _queried


def _read_frame(cursor: Any) -> pl.DataFrame:
    names = [column[0] for column in cursor.description or ()]
    frame = pl.DataFrame(cursor.fetchall(), schema=names, orient="row", infer_schema_length=None)
    return frame.with_columns(pl.selectors.decimal().cast(pl.Float64))


def assert_frames_agree(
    found: pl.DataFrame, expected: pl.DataFrame, keys: list[str], tolerance: float = 0.005
) -> None:
    """Assert that both frames have the same keys, the same figures within `tolerance`, and nulls in the same
    places."""
    both = found.join(expected, on=keys, how="full", coalesce=True, suffix="_expected")
    assert len(both) == len(found) == len(expected)
    for name in [name for name in expected.columns if name not in keys]:
        pair = [pl.col(column).cast(pl.Float64).fill_nan(None) for column in (name, f"{name}_expected")]
        differs = (pair[0] - pair[1]).abs() > tolerance
        apart = both.filter(differs.fill_null(False) | (pair[0].is_null() != pair[1].is_null()))
        assert apart.is_empty(), (name, apart.select(*keys, name, f"{name}_expected"))
        assert both[name].count(), f"{name} is nowhere known"


def digest_tables(files: Files) -> dict[str, Any]:
    """Return row count and digest of every fact and every published table, except the stamp of the snapshot."""
    with duckdb.connect() as conn:
        conn.execute(f"attach '{files.work}' as work (read_only)")
        conn.execute(f"attach '{files.current / 'wh.duckdb'}' as wh (read_only)")
        names = conn.execute(
            "select database_name || '.' || schema_name || '.' || table_name from duckdb_tables()"
            " where table_name <> 'refreshed_at'"
            " and (database_name = 'wh' or schema_name in ('facts', 'intermediate'))"
            " union all select database_name || '.' || schema_name || '.' || view_name from duckdb_views()"
            " where database_name = 'wh' and not internal"
        ).fetchall()
        digest = "select count(*), sum(cast(hash(t) as hugeint)) from {} t"
        return {name: conn.execute(digest.format(name)).fetchone() for (name,) in names}


def _origin_day(bill: str) -> str:
    """Return SQL of the day of the bill that a return's line gives back."""
    return (
        f"(select o.business_date from {bill}_line s join {bill} o using (bill_id)"
        " where s.line_id = l.source_line_id)"
    )


@pytest.fixture(scope="module")
def purchased(core_rows: Core) -> pl.DataFrame:
    """Lines of purchase bills that count, returns negative, with their goods' brand and types and the day that earned."""
    parts = (
        f"select '{kind}' as bill_type, h.bill_id, h.company_id, h.warehouse_id, h.supplier_id, h.business_date,"
        f" l.goods_id, l.is_gift, {sign} * l.quantity as quantity, {sign} * l.amount as amount,"
        f" {sign} * l.no_tax_amount as net, least(h.business_date, {earned}) as earned_on"
        f" from {bill} h join {bill}_line l using (bill_id) where h.status in (2, 4, 5)"
        for kind, bill, sign, earned in (
            ("CGRK", "purchase_inbound", 1, "h.business_date"),
            ("CGTH", "purchase_return", -1, _origin_day("purchase_inbound")),
        )
    )
    goods = core_rows(
        "select g.goods_id, g.brand_id, g.goods_type_id as type3, b.goods_type_id as type2, a.goods_type_id as type1"
        " from goods g join goods_type c using (goods_type_id) join goods_type b on b.goods_type_id = c.p_id"
        " join goods_type a on a.goods_type_id = b.p_id"
    )
    return core_rows(" union all ".join(parts)).join(goods, on="goods_id")
