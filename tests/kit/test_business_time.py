"""Every answer tells the business's time, from which browsers know what day it is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from api.kit.calls import answer
from tests.kit.fixtures import Site


def told(header: str) -> tuple[timedelta | None, timedelta]:
    """The offset, and how long ago it was."""
    moment = datetime.fromisoformat(header)
    return moment.utcoffset(), abs(datetime.now(UTC) - moment)


def test_refusals_tell_the_time() -> None:
    zone, past = told(answer(None, code=401).headers["business-time"])
    assert zone == timedelta(hours=8)
    assert past < timedelta(minutes=1)


def test_answers_and_files_tell_the_time(site: Site) -> None:
    caller = site.as_("admin")
    for path in ("v2/Open/RoleAuth/getLeftMenuList", "v2/system/Goods/getImportTemplate"):
        zone, past = told(caller.raw("GET", path).headers["business-time"])
        assert (zone, past < timedelta(minutes=1)) == (timedelta(hours=8), True), path
