"""Every answer tells the business's time, from which browsers know what day it is."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from api.kit.http.routing import build_response
from tests.support.fixtures import Site


def parse_business_time(header: str) -> tuple[timedelta | None, timedelta]:
    """Return the header's offset, and how long ago it was."""
    moment = datetime.fromisoformat(header)
    return moment.utcoffset(), abs(datetime.now(UTC) - moment)


def test_refusals_tell_the_time() -> None:
    zone, past = parse_business_time(build_response(None, code=401).headers["business-time"])
    assert zone == timedelta(hours=8)
    assert past < timedelta(minutes=1)


def test_answers_and_files_tell_the_time(site: Site) -> None:
    caller = site.as_("admin")
    for path in ("v2/Open/RoleAuth/getLeftMenuList", "v2/system/Goods/getImportTemplate"):
        zone, past = parse_business_time(caller.raw("GET", path).headers["business-time"])
        assert (zone, past < timedelta(minutes=1)) == (timedelta(hours=8), True), path
