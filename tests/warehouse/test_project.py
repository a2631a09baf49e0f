"""dbt's project itself: figures of the hard models by hand, and what is told of every published column."""

from __future__ import annotations

from collections.abc import Iterator

import duckdb
import pytest
import yaml

from api.exposures import exposures
from api.kit.flow import POSTED_SQL
from tests.warehouse.conftest import AS_OF
from warehouse import dictionary
from warehouse.dictionary import Entry
from warehouse.files import Files
from warehouse.refresh import Outcome, Refresher
from warehouse.shelf import PROJECT, Shelf

UNIT_TESTS = {
    test["name"]
    for path in (PROJECT / "models" / "unit_tests").glob("*.yml")
    for test in yaml.safe_load(path.read_text("utf-8"))["unit_tests"]
}


@pytest.fixture(scope="module")
def outcome(core: str, files: Files) -> Outcome:
    return Refresher(files, core).refresh(as_of=AS_OF)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return Files(tmp_path_factory.mktemp("project") / "warehouse")


@pytest.fixture(scope="module")
def entries(core: str, files: Files, outcome: Outcome) -> list[Entry]:
    Refresher(files, core).document(outcome)
    return dictionary.read(files.dictionary)["entries"]


@pytest.fixture
def snapshot(files: Files, outcome: Outcome) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(str(files.current / "wh.duckdb"), read_only=True) as conn:
        yield conn


def test_figures_by_hand(files: Files, outcome: Outcome) -> None:
    """dbt's unit tests: what a model makes of the few rows that are given. A failure shows the difference."""
    # Every worker reads this file, and dbt alone takes seconds to import.
    from warehouse.compiler import Compiler

    ran = Compiler(files, Shelf()).invoke("test", "--select", "test_type:unit", as_of=AS_OF)
    assert {item.node.name for item in ran.results} == UNIT_TESTS


def test_the_bills_that_count_are_those_of_the_core() -> None:
    assert f"status }}}} in {POSTED_SQL}\n" in (PROJECT / "macros" / "bills.sql").read_text("utf-8")


class TestDictionary:
    def test_it_tells_every_published_column(
        self, entries: list[Entry], snapshot: duckdb.DuckDBPyConnection
    ) -> None:
        published = snapshot.execute(
            "select case table_schema when 'main' then '' else table_schema || '.' end || table_name, column_name"
            " from information_schema.columns where table_name <> 'refreshed_at'"
            " order by table_schema, table_name, ordinal_position"
        ).fetchall()
        told = [(entry["table_name"], entry["column_name"]) for entry in entries]
        assert sorted(told) == sorted(published)
        silent = [
            (entry["table_name"], entry["column_name"])
            for entry in entries
            if not (entry["table_label"] and entry["column_label"] and entry["data_type"])
        ]
        assert silent == [], "写上 description 和 data_type；各表共用的说法在 transforms/docs/"

    def test_the_readers_are_told_in_their_language(self, entries: list[Entry]) -> None:
        words = {entry["table_label"] for entry in entries} | {entry["column_label"] for entry in entries}
        assert [text for text in words if text.isascii()] == []

    def test_every_report_stands_beside_what_it_is_made_of(self, entries: list[Entry]) -> None:
        reports = {entry["table_name"]: entry["reports"] for entry in entries}
        assert {label for labels in reports.values() for label in labels} == {
            exposure.label for exposure in exposures()
        }
        assert "库存账龄" in reports["mart_inventory_aging"], "the mart itself"
        assert "库存账龄" in reports["facts.fct_stock_layer"], "what the mart is made of"
        assert "库存账龄" not in reports["mart_customer_profit"]

    def test_it_is_written_once_a_version(
        self, core: str, files: Files, outcome: Outcome, entries: list[Entry]
    ) -> None:
        page = files.lineage.stat()
        assert b"mart_inventory_aging" in files.lineage.read_bytes()
        Refresher(files, core).document(outcome)
        assert files.lineage.stat().st_mtime_ns == page.st_mtime_ns
        files.lineage.unlink()
        Refresher(files, core).document(outcome)
        assert files.lineage.stat().st_size == page.st_size
