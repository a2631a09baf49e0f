"""Label calls (商品标签打印): labels of goods to look at and as PDF; a bill's goods bring their pieces along."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field

from api.kit.calls import call, router
from api.kit.context import Context
from api.master.goods import Goods
from api.printing import press
from api.printing.bill_calls import as_file
from api.printing.labels import SIZES, LabelItem, LabelLayout, labels

api = router()
RIGHT = Goods.right("list")


class LabelsToPrint(BaseModel):
    items: Annotated[list[LabelItem], Field(min_length=1, max_length=500)]
    layout: LabelLayout = LabelLayout()


class LabelSize(BaseModel):
    width: float
    height: float


class PrintedLabels(BaseModel):
    html: str
    shown: int
    pages: int


@call(api, "GET", "v2/system/GoodsLabel/getSizes", right=RIGHT, returns=list[LabelSize])
def get_sizes(ctx: Context) -> Any:
    """标签尺寸: the usual ones."""
    return [{"width": width, "height": height} for width, height in SIZES]


@call(api, "POST", "v2/system/GoodsLabel/print", right=RIGHT, returns=PrintedLabels, turns=press.TURNS)
def show(ctx: Context, payload: LabelsToPrint) -> Any:
    """标签预览."""
    sheets = labels(ctx.conn, payload.items, payload.layout)
    with ctx.apart():
        drawn = press.document("labels", sheets, "商品标签")
    return {"html": drawn.html, "shown": drawn.shown, "pages": drawn.pages}


@call(api, "POST", "v2/system/GoodsLabel/printPdf", right=RIGHT, turns=press.TURNS)
def make_pdf(ctx: Context, payload: LabelsToPrint) -> Any:
    """标签 PDF."""
    sheets = labels(ctx.conn, payload.items, payload.layout)
    with ctx.apart():
        return as_file(press.pdf("labels", sheets, press.MOST_PAGES), "labels")
