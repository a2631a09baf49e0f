"""Label calls (商品标签打印): preview and PDF of goods' labels; a bill's goods bring their quantities along."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field

from api.kit.context import Context
from api.kit.http.routing import build_router, call
from api.master.goods.goods import Goods
from api.printing import typst_renderer
from api.printing.bill_calls import build_pdf_response
from api.printing.labels import SIZES, LabelItem, LabelLayout, build_labels

api = build_router()
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


@call(
    api, "POST", "v2/system/GoodsLabel/print", right=RIGHT, returns=PrintedLabels, turns=typst_renderer.TURNS
)
def show(ctx: Context, payload: LabelsToPrint) -> Any:
    """标签预览."""
    sheets = build_labels(ctx.conn, payload.items, payload.layout)
    with ctx.without_transaction():
        drawn = typst_renderer.render_html("labels", sheets, "商品标签")
    return {"html": drawn.html, "shown": drawn.shown, "pages": drawn.pages}


@call(api, "POST", "v2/system/GoodsLabel/printPdf", right=RIGHT, turns=typst_renderer.TURNS)
def make_pdf(ctx: Context, payload: LabelsToPrint) -> Any:
    """标签 PDF."""
    sheets = build_labels(ctx.conn, payload.items, payload.layout)
    with ctx.without_transaction():
        return build_pdf_response(
            typst_renderer.render_pdf("labels", sheets, typst_renderer.MOST_PAGES), "labels"
        )
