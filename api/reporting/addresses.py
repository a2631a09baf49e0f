"""报表地址：按站点主机名取报表服务地址，以会话的角色编号结尾；未登记的主机名没有地址。

The role_id at the end is what users of the product know; what the role sees comes from the signed token alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from reports.catalogue.model import Board, Report, Tab, embed_id, filter_id

HIDE_TITLE = 1


def report_site(host: str, sites: Mapping[str, str]) -> str | None:
    """The report server's base address for a site's hostname ("" = this origin), or None when it is not listed."""
    address = sites.get(host.strip().lower().rstrip("."))
    return None if address is None else address.rstrip("/")


def frame_address(
    base: str, report: Report, tab: Tab, sees_cost: bool, role_id: int, values: Mapping[str, str]
) -> str:
    """Where a tab's frame lies. `values` open filters by their parameter names (goods_num=…)."""
    variant = tab.variant(sees_cost)
    parts = [f"uiConfig={HIDE_TITLE}", "show_filters=true", "expand_filters=true"]
    masks = filter_masks(report.code, tab.key, variant, tab.board(variant), values)
    if masks:
        parts.append(f"native_filters={quote(rison(masks), safe='')}")
    parts.append(f"role_id={role_id}")
    return f"{base}/embedded/{embed_id(report.code, tab, sees_cost)}?{'&'.join(parts)}"


def filter_masks(
    code: str, tab_key: str, variant: str, board: Board, values: Mapping[str, str]
) -> dict[str, object]:
    """Superset's data masks of the filters that an address sets."""
    masks: dict[str, object] = {}
    for item in board.filters:
        value = values.get(item.parameter) if item.parameter else None
        if value:
            number = filter_id(code, tab_key, variant, item.key)
            clause = {"col": item.column, "op": "IN", "val": [value]}
            masks[number] = {
                "id": number,
                "extraFormData": {"filters": [clause]},
                "filterState": {"label": value, "value": [value]},
                "ownState": {},
            }
    return masks


def rison(value: object) -> str:
    """Rison, the notation in which Superset reads filters from an address."""
    if isinstance(value, Mapping):
        return "(" + ",".join(f"{rison(key)}:{rison(item)}" for key, item in value.items()) + ")"
    if isinstance(value, list):
        return "!(" + ",".join(rison(item) for item in value) + ")"
    return "'" + str(value).replace("!", "!!").replace("'", "!'") + "'"
