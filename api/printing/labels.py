"""Goods labels (商品标签): the content of a label, with its barcode or QR code as a drawing."""

from __future__ import annotations

import io
from collections.abc import Sequence
from itertools import groupby
from typing import Annotated, Any, Literal

import segno
from barcode import Code128
from barcode.errors import BarcodeError
from pydantic import Field
from sqlalchemy import Connection, select

from api.kit.declaration import registry
from api.kit.errors import NotFound, Refusal
from api.master.goods.goods import Brand, Goods, Unit
from api.printing.print_layout import Short, Strict

SIZES = ((60, 40), (50, 30), (40, 30), (70, 50), (100, 60))
"""Usual label sizes in millimetres, width by height."""
MAX_LABELS = 2000
"""Labels in one go."""


class LabelLayout(Strict):
    """Layout of labels; millimetres and points."""

    width: Annotated[float, Field(ge=20, le=150)] = 60
    height: Annotated[float, Field(ge=15, le=150)] = 40
    margin: Annotated[float, Field(ge=0, le=10)] = 2
    font_size: Annotated[float, Field(ge=5, le=20)] = 9
    code: Literal["code128", "qr"] = "code128"
    holds: Literal["barcode", "goods_num"] = "barcode"
    brand: bool = True
    specification: bool = True
    unit: bool = False
    company: Short = ""


class LabelItem(Strict):
    goods_id: Annotated[int, Field(ge=1, le=2**62)]
    copies: Annotated[int, Field(ge=1, le=MAX_LABELS)] = 1


def build_labels(conn: Connection, items: Sequence[LabelItem], layout: LabelLayout) -> list[dict[str, Any]]:
    """Build a label for each piece, in the requested order. Raises for unknown goods and codes that no
    scanner reads."""
    if sum(item.copies for item in items) > MAX_LABELS:
        raise Refusal(f"一次最多打印 {MAX_LABELS} 张标签，请分批打印")
    found = _read_goods(conn, {item.goods_id for item in items})
    made: dict[int, dict[str, Any]] = {}
    for item in items:
        if item.goods_id not in made:
            made[item.goods_id] = _build_label(found[item.goods_id], layout)
    return [made[item.goods_id] for item in items for _ in range(item.copies)]


def _read_goods(conn: Connection, keys: set[int]) -> dict[int, Any]:
    goods, brand, unit = Goods.__table__, Brand.__table__, Unit.__table__
    rows = conn.execute(
        select(goods, brand.c.brand_name, unit.c.unit_name)
        .outerjoin(brand, brand.c.brand_id == goods.c.brand_id)
        .outerjoin(unit, unit.c.unit_id == goods.c.unit_id)
        .where(goods.c.goods_id.in_(keys))
    )
    found = {row.goods_id: row for row in rows}
    if found.keys() != keys:
        raise NotFound(registry.get_resource("goods").declaration.label)
    return found


def _build_label(row: Any, layout: LabelLayout) -> dict[str, Any]:
    code = (row.barcode if layout.holds == "barcode" else None) or row.goods_num
    square = layout.code == "qr"
    specification = " ".join(part for part in (row.specification_type, row.pattern) if part)
    lines = [
        row.brand_name if layout.brand else None,
        specification if layout.specification else None,
        f"单位：{row.unit_name}" if layout.unit and row.unit_name else None,
        f"编码：{row.goods_num}" if code != row.goods_num else None,
    ]
    return {
        "width": layout.width,
        "height": layout.height,
        "margin": layout.margin,
        "font_size": layout.font_size,
        "company": layout.company,
        "name": row.goods_name,
        "lines": [line for line in lines if line],
        "square": square,
        "code": draw_qr_code(code) if square else draw_code128(code),
        "caption": code,
    }


def draw_qr_code(text: str) -> str:
    """Draw a QR code as SVG."""
    target = io.BytesIO()
    segno.make(text, error="m", micro=False).save(target, kind="svg", border=1, xmldecl=False, svgns=True)
    return target.getvalue().decode()


def draw_code128(text: str) -> str:
    """Draw a Code 128 barcode as SVG, with the quiet zones that scanners need."""
    try:
        [modules] = Code128(text).build()
    except (BarcodeError, KeyError, ValueError):
        raise Refusal(f"“{text}”含有条形码不能表示的字符，请改用二维码") from None
    quiet, height = 10, 40
    width = len(modules) + 2 * quiet
    bars, at = [], 0
    for module, run in groupby(modules):
        wide = len(list(run))
        if module == "1":
            bars.append(f"M{quiet + at} 0h{wide}v{height}h-{wide}z")
        at += wide
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}"><path d="{"".join(bars)}"/></svg>'
    )
