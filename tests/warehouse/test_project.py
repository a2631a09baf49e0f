"""dbt's project itself: figures of the hard models by hand."""

from __future__ import annotations

import pytest
import yaml

from tests.warehouse.conftest import AS_OF
from warehouse.files import Files
from warehouse.refresh import Outcome, Refresher
from warehouse.transform import PROJECT, Project

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


def test_figures_by_hand(files: Files, outcome: Outcome) -> None:
    """dbt's unit tests: what a model makes of the few rows that are given. A failure shows the difference."""
    ran = Project(files)._invoke("test", "--select", "test_type:unit", as_of=AS_OF, whole=False)
    assert {item.node.name for item in ran.results} == UNIT_TESTS
