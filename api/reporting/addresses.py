"""报表地址：按站点主机名取报表服务地址，以会话的角色编号结尾；未登记的主机名没有地址。

The role_id at the end is what users of the product know; what the role sees comes from the signed token alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from urllib.parse import urlencode

from reports.catalogue.boards import Report, Tab, embed_id

HIDE_TITLE = 1


def report_site(host: str, sites: Mapping[str, str]) -> str | None:
    """The report server's base address for a site's hostname ("" = this origin), or None when it is not listed."""
    address = sites.get(host.strip().lower().rstrip("."))
    return None if address is None else address.rstrip("/")


def frame_address(
    base: str, report: Report, tab: Tab, sees_cost: bool, role_id: int, closed: Iterable[str] = ()
) -> str:
    """Where a tab's frame lies; links to `closed` pages are left out of it."""
    left_out = "".join(f"&{urlencode({'closed': page})}" for page in closed)
    parts = f"uiConfig={HIDE_TITLE}&show_filters=true&expand_filters=true{left_out}&role_id={role_id}"
    return f"{base}/embedded/{embed_id(report.code, tab, sees_cost)}?{parts}"
