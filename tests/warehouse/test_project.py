"""dbt's project itself: figures of the hard models by hand, and what is told of every published column."""

from __future__ import annotations

import re
from collections.abc import Iterator

import duckdb
import pytest
import yaml

from api.exporting.export_request import ExportRequest
from api.exposures import list_exposures
from api.figures.figure_explanation import explain_figures
from api.kit.declaration.flow import POSTED_SQL
from api.kit.scope import Principal
from reports.catalogue import REPORTS, Report
from reports.semantics.dashboards import COST, Board
from tests.warehouse.conftest import AS_OF
from warehouse import dictionary
from warehouse.compile_cache import PROJECT, CompileCache
from warehouse.dictionary import ColumnEntry
from warehouse.files import Files
from warehouse.refresh import Refresher, RefreshResult

UNIT_TESTS = {
    test["name"]
    for path in (PROJECT / "models" / "unit_tests").glob("*.yml")
    for test in yaml.safe_load(path.read_text("utf-8"))["unit_tests"]
}


@pytest.fixture(scope="module")
def outcome(core: str, files: Files) -> RefreshResult:
    return Refresher(files, core).refresh(as_of=AS_OF)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return Files(tmp_path_factory.mktemp("project") / "warehouse")


@pytest.fixture(scope="module")
def entries(core: str, files: Files, outcome: RefreshResult) -> list[ColumnEntry]:
    Refresher(files, core).write_dictionary(outcome)
    return dictionary.read_dictionary(files.dictionary)["entries"]


WORD = re.compile(r"[^Σ（）\s＋－×÷、，]+")
"""What a formula is made of."""


def formulas_of(report: Report, board: Board, known: dictionary.Dictionary) -> dict[str, str]:
    """The formulas of a board's figures by their names."""
    reader = Principal(0, "", "", 1, 0)
    asked = ExportRequest(report.code, report.label, board, reader, "detail", {}, board.pivot)
    return {one["label"]: one["formula"] for one in explain_figures(asked, known) if one["formula"]}


@pytest.fixture
def snapshot(files: Files, outcome: RefreshResult) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(str(files.current / "wh.duckdb"), read_only=True) as conn:
        yield conn


def test_figures_by_hand(files: Files, outcome: RefreshResult) -> None:
    """dbt's unit tests: what a model makes of the few rows that are given. A failure shows the difference."""
    # Every worker reads this file, and dbt alone takes seconds to import.
    from warehouse.compiler import Compiler

    ran = Compiler(files, CompileCache()).invoke("test", "--select", "test_type:unit", as_of=AS_OF)
    assert {item.node.name for item in ran.results} == UNIT_TESTS


def test_the_bills_that_count_are_those_of_the_core() -> None:
    assert f"status }}}} in {POSTED_SQL}\n" in (PROJECT / "macros" / "bills.sql").read_text("utf-8")


class TestDictionary:
    def test_tells_which_bills_a_table_comes_from(self, entries: list[ColumnEntry], files: Files) -> None:
        assert entries
        origins = dictionary.read_dictionary(files.dictionary)["origins"]
        assert {"sales_outbound", "sales_outbound_line", "sales_return"} <= {
            *origins["mart_operating_revenue"]
        }
        assert "purchase_inbound" not in origins["mart_operating_revenue"]
        assert origins["mart_business_target"] == ["business_target", "company", "province"]

    def test_it_tells_every_published_column(
        self, entries: list[ColumnEntry], snapshot: duckdb.DuckDBPyConnection
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

    def test_the_readers_are_told_in_their_language(self, entries: list[ColumnEntry]) -> None:
        words = {entry["table_label"] for entry in entries} | {entry["column_label"] for entry in entries}
        assert [text for text in words if text.isascii()] == []

    def test_every_report_stands_beside_what_it_is_made_of(self, entries: list[ColumnEntry]) -> None:
        reports = {entry["table_name"]: entry["reports"] for entry in entries}
        assert {label for labels in reports.values() for label in labels} == {
            exposure.label for exposure in list_exposures()
        }
        assert "库存账龄" in reports["mart_inventory_aging"], "the mart itself"
        assert "库存账龄" in reports["facts.fct_stock_layer"], "what the mart is made of"
        assert "库存账龄" not in reports["mart_customer_profit"]

    @pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.code)
    def test_a_formula_calls_nothing_by_the_name_of_another_figure(
        self, files: Files, entries: list[ColumnEntry], report: Report
    ) -> None:
        """What a formula names as a figure of the board is named is what that figure adds up."""
        assert entries
        known = dictionary.read_dictionary(files.dictionary)
        for tab in report.tabs:
            told = formulas_of(report, tab.board(COST), known)
            for label, sum_of in told.items():
                for word in WORD.findall(sum_of):
                    own = told.get(word, word)
                    assert own in (word, f"Σ {word}"), (tab.key, label, sum_of, own)
                    assert word not in told or label == word or sum_of != own, (tab.key, label, word)

    def test_it_is_written_once_a_version(
        self, core: str, files: Files, outcome: RefreshResult, entries: list[ColumnEntry]
    ) -> None:
        page = files.lineage.stat()
        assert b"mart_inventory_aging" in files.lineage.read_bytes()
        Refresher(files, core).write_dictionary(outcome)
        assert files.lineage.stat().st_mtime_ns == page.st_mtime_ns
        files.lineage.unlink()
        Refresher(files, core).write_dictionary(outcome)
        assert files.lineage.stat().st_size == page.st_size
