"""Printing bills (单据打印): each bill type's `print`, `printPdf` and `printTask`, under the right to look at it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Response
from pydantic import AfterValidator, BaseModel, Field
from sqlalchemy import select

from api.kit import registry
from api.kit.calls import call, router
from api.kit.context import Context
from api.kit.document import MAX_LINES, Bill
from api.kit.errors import NotFound, Refusal
from api.kit.scope import within
from api.master.settings import refuse_unaudited
from api.printing import press, print_template, sheet
from api.shell import export_tasks

api = router()
PRINT_JOB = "print_bills"
export_tasks.NEEDED[PRINT_JOB] = lambda name: (registry.get(name).right("list"),)
DIRECT, LARGE = 50, 500
"""So many bills are printed while one waits; so many as a task."""
MOST_SET = MAX_LINES
"""So many rows, copies included, are set while one waits."""
Key = Annotated[int, Field(ge=1, le=2**62)]
Once = AfterValidator(lambda keys: list(dict.fromkeys(keys)))
"""A bill is printed once, however often it is named; for more there are copies."""


class BillsToPrint(BaseModel):
    """Bills to print; without a template each with the one in force for its company."""

    ids: Annotated[list[Key], Field(min_length=1, max_length=DIRECT), Once]
    print_template_id: Annotated[int | None, Field(ge=0, le=2**62)] = None


class ManyBillsToPrint(BillsToPrint):
    ids: Annotated[list[Key], Field(min_length=1, max_length=LARGE), Once]


class PrintTemplateOffer(BaseModel):
    print_template_id: int
    template_name: str


class PrintedBills(BaseModel):
    """Pages as HTML that prints true to size; `shown` of `pages`, the rest is in the PDF."""

    html: str
    shown: int
    pages: int
    templates: list[PrintTemplateOffer]


class PrintTask(BaseModel):
    export_id: int
    file_name: str


def _mount(cls: type[Bill]) -> None:
    """Give a bill type its printing calls."""
    path, right = cls.declaration.api, cls.right("list")
    label = cls.declaration.label

    def show(ctx: Context, payload: BillsToPrint) -> Any:
        sheets, templates = _few(ctx, cls, payload), _offers(ctx, cls)
        with ctx.apart():
            drawn = press.document("paper", sheets, label)
        return {"html": drawn.html, "shown": drawn.shown, "pages": drawn.pages, "templates": templates}

    def make_pdf(ctx: Context, payload: BillsToPrint) -> Any:
        sheets = _few(ctx, cls, payload)
        with ctx.apart():
            return as_file(press.pdf("paper", sheets, press.MOST_PAGES), "print")

    def queue(ctx: Context, payload: ManyBillsToPrint) -> Any:
        _owners(ctx, cls, payload.ids)
        return export_tasks.queue(ctx, PRINT_JOB, cls.name(), label, payload.model_dump(), ".pdf")

    waiting: dict[str, Any] = {"right": right, "turns": press.TURNS}
    _declare(show, f"{label}打印", "POST", f"{path}/print", returns=PrintedBills, **waiting)
    _declare(make_pdf, f"{label} PDF", "POST", f"{path}/printPdf", **waiting)
    _declare(
        queue, f"{label}批量打印", "POST", f"{path}/printTask", right=right, returns=PrintTask, write=True
    )


def _declare(handler: Callable[..., Any], doc: str, method: str, path: str, **options: Any) -> None:
    handler.__doc__ = doc
    call(api, method, path, **options)(handler)


def _few(ctx: Context, cls: type[Bill], payload: BillsToPrint) -> list[dict[str, Any]]:
    """The sheets of bills that are set while one waits; refuses more rows, before all are read."""
    sheets, rows = [], 0
    for one in collect(ctx, cls, payload.ids, payload.print_template_id):
        sheets.append(one)
        rows += sheet.rows_of(one)
        if rows > MOST_SET:
            msg = f"这些单据连同份数超过{MOST_SET}行，请减少张数，或用“后台生成PDF”，完成后在导出任务中下载"
            raise Refusal(msg, data=press.AS_TASK)
    return sheets


def collect(
    ctx: Context, cls: type[Bill], keys: list[int], template_id: int | None, most: int = MAX_LINES
) -> Iterator[dict[str, Any]]:
    """The sheets of bills in the order asked for; one that may not be printed refuses them all."""
    owners = _owners(ctx, cls, keys)
    offers = print_template.offered(ctx, cls)
    layouts = {
        company: print_template.chosen(cls, offers, template_id, company)
        for company in dict.fromkeys(owners.values())
    }
    for key in keys:
        yield from sheet.sheets_of(ctx, cls, key, layouts[owners[key]], most)


def _owners(ctx: Context, cls: type[Bill], keys: list[int]) -> dict[int, int]:
    """The companies of bills that are in the user's scope and that these companies print."""
    table = cls.table()
    mine = select(table.c.bill_id, table.c.bill_no, table.c.company_id, table.c.status).where(
        table.c.bill_id.in_(keys), within(table, ctx.principal)
    )
    bills = ctx.conn.execute(mine).all()
    if {bill.bill_id for bill in bills} != set(keys):
        raise NotFound(cls.declaration.label)
    refuse_unaudited(ctx, cls, bills)
    return {bill.bill_id: bill.company_id for bill in bills}


def as_file(content: bytes, name: str) -> Response:
    return Response(
        content,
        media_type="application/pdf",
        headers={"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}.pdf"},
    )


def _offers(ctx: Context, cls: type[Bill]) -> list[dict[str, Any]]:
    rows = print_template.offered(ctx, cls)
    own = [{"print_template_id": row.print_template_id, "template_name": row.template_name} for row in rows]
    return [*own, {"print_template_id": print_template.DELIVERED, "template_name": "出厂模板"}]


def mount_all() -> None:
    """Give every bill type its printing calls, once all are declared."""
    for cls in print_template.printable():
        _mount(cls)
