"""The application over figures of the module's own: a data directory, and a refresh that publishes what was posted."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest

from api.kit.settings import read_settings
from api.kit.storage.database import today
from tests.reporting.frame_client import FrameClient
from tests.reporting.namesakes import Namesakes
from tests.reporting.report_files import companies_apart, source
from tests.reporting.stock_scenario import stocked
from tests.support.bill_client import BillClient
from tests.support.fixtures import Site, conn, desk, site, world
from tests.support.superset import SupersetClient, point_current
from warehouse import worker
from warehouse.files import Files
from warehouse.refresh import find_business_date
from warehouse.transform import Project

__all__ = ["companies_apart", "conn", "desk", "site", "source", "stocked", "world"]


@pytest.fixture(scope="module", autouse=True)
def own_warehouse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A data directory without figures, so that no other module's are read."""
    place = tmp_path_factory.mktemp("figures")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("ERP_DATA_DIR", str(place))
        yield place


@pytest.fixture(scope="module")
def now() -> date:
    """The business day on which the module posts: a run of all tests may begin before midnight and end after it."""
    return today()


@pytest.fixture(scope="module")
def refresh(site: Site) -> Callable[[], None]:
    """Publish a snapshot of what is posted."""

    def publish() -> None:
        worker.refresh_once()

    return publish


@pytest.fixture
def frames(superset: SupersetClient, desk: BillClient, data_dir: Path) -> Iterator[FrameClient]:
    """The frames of the module's own figures, once they are refreshed."""
    shutil.copy(data_dir / "secrets.json", read_settings().data_dir)  # what is signed here is trusted there
    shown = data_dir / "warehouse"
    before = Path(os.readlink(shown / "current"))
    point_current(shown, (read_settings().warehouse_dir / "current").resolve())
    yield FrameClient(superset, desk)
    point_current(shown, before)


@pytest.fixture(scope="module")
def namesakes(desk: BillClient, now: date, refresh: Callable[[], None]) -> Namesakes:
    """Records of one name that were traded, in published figures."""
    found = Namesakes(desk, now)
    found.create_masters()
    found.trade()
    refresh()
    return found


@pytest.fixture(scope="module")
def prove() -> Callable[..., None]:
    """Run dbt tests, by their names or their models', over the figures that were refreshed last."""

    def run_tests(*names: str) -> None:
        proof = Project(Files(read_settings().warehouse_dir)).test(as_of=find_business_date(), select=names)
        assert proof.ran >= len(names)
        assert proof.failures == ()

    return run_tests
