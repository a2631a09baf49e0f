"""报表目录：每张报表声明一次，资产、地址、权限都由此而来。只用标准库。"""

from __future__ import annotations

from reports.catalogue.model import GUEST_AUDIENCE, GUEST_ROLE, Report, embed_id, filter_id
from reports.catalogue.turnover import WAREHOUSE_TURNOVER

REPORTS: tuple[Report, ...] = (WAREHOUSE_TURNOVER,)
_BY_CODE = {report.code: report for report in REPORTS}


def find_report(code: str) -> Report | None:
    """The report of a route code, or None."""
    return _BY_CODE.get(code)


__all__ = ["GUEST_AUDIENCE", "GUEST_ROLE", "REPORTS", "Report", "embed_id", "filter_id", "find_report"]
