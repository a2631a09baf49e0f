"""The application over figures of the module's own: a data directory, and a refresh that publishes what was posted."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest

from api.kit.database import today
from api.kit.settings import settings
from tests.kit.desk import Desk
from tests.kit.fixtures import Site, conn, desk, site, world
from tests.kit.superset import Superset, point
from tests.reporting.exported import companies_apart, source
from tests.reporting.frames import Frames
from tests.reporting.namesakes import Namesakes
from tests.reporting.stocked import stocked
from warehouse import worker
from warehouse.files import Files
from warehouse.refresh import business_date
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

    def once() -> None:
        worker.refresh_once()

    return once


@pytest.fixture
def frames(superset: Superset, desk: Desk, data_dir: Path) -> Iterator[Frames]:
    """The frames of the module's own figures, once they are refreshed."""
    shutil.copy(data_dir / "secrets.json", settings().data_dir)  # what is signed here is trusted there
    shown = data_dir / "warehouse"
    before = Path(os.readlink(shown / "current"))
    point(shown, (settings().warehouse_dir / "current").resolve())
    yield Frames(superset, desk)
    point(shown, before)


@pytest.fixture(scope="module")
def namesakes(desk: Desk, now: date, refresh: Callable[[], None]) -> Namesakes:
    """What is called alike and was traded, in published figures."""
    found = Namesakes(desk, now)
    found.settle()
    found.trade()
    refresh()
    return found


@pytest.fixture(scope="module")
def prove() -> Callable[..., None]:
    """Run dbt tests, by their names or their models', over the figures that were refreshed last."""

    def once(*names: str) -> None:
        proof = Project(Files(settings().warehouse_dir)).test(as_of=business_date(), select=names)
        assert proof.ran >= len(names)
        assert proof.failures == ()

    return once
