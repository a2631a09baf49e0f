"""Addresses of embedded reports (报表地址): the report server of a site's hostname; hostnames that aren't
listed have none.

The role_id at the end is shown to users of the product; the rows that a role sees come from the signed
token alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from urllib.parse import urlencode

from reports.semantics.dashboards import Report, Tab, embed_id

HIDE_TITLE = 1


def report_site(host: str, sites: Mapping[str, str]) -> str | None:
    """Return the report server's base address for a site's hostname ("" = this origin), or None when it is
    not listed."""
    address = sites.get(host.strip().lower().rstrip("."))
    return None if address is None else address.rstrip("/")


def frame_address(
    base: str, report: Report, tab: Tab, sees_cost: bool, role_id: int, closed: Iterable[str] = ()
) -> str:
    """Return the address of a tab's frame, without links to `closed` pages."""
    left_out = "".join(f"&{urlencode({'closed': page})}" for page in closed)
    parts = f"uiConfig={HIDE_TITLE}&show_filters=true&expand_filters=true{left_out}&role_id={role_id}"
    return f"{base}/embedded/{embed_id(report.code, tab, sees_cost)}?{parts}"
