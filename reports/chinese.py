"""补全 Superset 的中文：界面上会出现、而语言包里缺失或译得不好的词句。"""

from __future__ import annotations

ADDED = {
    "Totals": ["合计"],
}


def complete_language_pack() -> None:
    """Add the missing messages to the pack that the frames load (kept in memory by Superset)."""
    from superset.translations.utils import get_language_pack

    messages = get_language_pack("zh")["locale_data"]["superset"]
    messages.update(ADDED)
