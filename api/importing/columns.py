"""Columns of an import file (导入列): their titles in the file's first row, Chinese or English, in any order."""

from __future__ import annotations

from collections.abc import Sequence

from api.kit.errors import Refusal

NAMES = {
    "date": ("日期", "业务日期", "date"),
    "bill_type": ("单据类型", "bill type", "bill_type", "type"),
    "company": ("公司", "company"),
    "warehouse": ("仓库", "warehouse"),
    "partner": ("往来单位", "客户", "供应商", "partner"),
    "goods": ("商品编码", "goods", "goods_num"),
    "batch": ("批次", "批次(DOT)", "batch"),
    "quantity": ("数量", "quantity"),
    "price": ("单价", "price"),
    "is_gift": ("赠品", "是否赠品", "gift", "is_gift"),
    "reference": ("外部单号", "reference"),
    "goods_name": ("商品名称", "goods name", "goods_name"),
}
REQUIRED = ("date", "bill_type", "company", "warehouse", "goods", "quantity", "price")
LABELS = {name: words[0] for name, words in NAMES.items()}
_BY_WORD = {word: name for name, words in NAMES.items() for word in words}


def find_columns(header: Sequence[str]) -> dict[str, int]:
    """Return the position of each known column; unknown ones are ignored. Raises Refusal for missing or
    repeated ones."""
    found: dict[str, int] = {}
    for place, title in enumerate(header):
        name = _BY_WORD.get(title.strip().lower().lstrip("\ufeff"))
        if name in found:
            raise Refusal(f"“{title}”列出现了两次，请只保留一列")
        if name:
            found[name] = place
    missing = [LABELS[name] for name in REQUIRED if name not in found]
    if missing:
        raise Refusal(f"第一行缺少列：{'、'.join(missing)}；列名可用 {'、'.join(LABELS.values())}")
    return found
