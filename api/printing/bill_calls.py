"""Printing bills (单据打印): each bill type's `print`, `printPdf` and `printTask`, under the right to list it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Any
from urllib.parse import quote

from fastapi import Response
from pydantic import AfterValidator, BaseModel, Field
from sqlalchemy import select

from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import MAX_LINES, Bill
from api.kit.errors import NotFound, Refusal
from api.kit.http.routing import build_router, call
from api.kit.scope import scope_condition
from api.master.settings.settings import forbid_unaudited_prints
from api.printing import bill_layout, print_template, typst_renderer
from api.shell.files import export_tasks

api = build_router()
PRINT_JOB = "print_bills"
export_tasks.REQUIRED_RIGHTS[PRINT_JOB] = lambda name: (registry.get_resource(name).right("list"),)
DIRECT, LARGE = 50, 500
"""So many bills are printed while one waits; so many as a task."""
MAX_ROWS = MAX_LINES
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


def _mount_bill(cls: type[Bill]) -> None:
    """Mount the printing calls of a bill type."""
    path, right = cls.declaration.api, cls.right("list")
    label = cls.declaration.label

    def show(ctx: Context, payload: BillsToPrint) -> Any:
        sheets, templates = _collect_limited(ctx, cls, payload), _describe_templates(ctx, cls)
        with ctx.without_transaction():
            drawn = typst_renderer.render_html("paper", sheets, label)
        return {"html": drawn.html, "shown": drawn.shown, "pages": drawn.pages, "templates": templates}

    def make_pdf(ctx: Context, payload: BillsToPrint) -> Any:
        sheets = _collect_limited(ctx, cls, payload)
        with ctx.without_transaction():
            return build_pdf_response(
                typst_renderer.render_pdf("paper", sheets, typst_renderer.MOST_PAGES), "print"
            )

    def queue(ctx: Context, payload: ManyBillsToPrint) -> Any:
        _require_owners(ctx, cls, payload.ids)
        return export_tasks.enqueue_export(ctx, PRINT_JOB, cls.name(), label, payload.model_dump(), ".pdf")

    waiting: dict[str, Any] = {"right": right, "turns": typst_renderer.TURNS}
    _declare_call(show, f"{label}打印", "POST", f"{path}/print", returns=PrintedBills, **waiting)
    _declare_call(make_pdf, f"{label} PDF", "POST", f"{path}/printPdf", **waiting)
    _declare_call(
        queue, f"{label}批量打印", "POST", f"{path}/printTask", right=right, returns=PrintTask, write=True
    )


def _declare_call(handler: Callable[..., Any], doc: str, method: str, path: str, **options: Any) -> None:
    handler.__doc__ = doc
    call(api, method, path, **options)(handler)


def _collect_limited(ctx: Context, cls: type[Bill], payload: BillsToPrint) -> list[dict[str, Any]]:
    """Return the sheets of bills that are printed in the request. Raises Refusal for more rows, before all
    are read."""
    sheets, rows = [], 0
    for one in collect_sheets(ctx, cls, payload.ids, payload.print_template_id):
        sheets.append(one)
        rows += bill_layout.count_rows(one)
        if rows > MAX_ROWS:
            msg = f"这些单据连同份数超过{MAX_ROWS}行，请减少张数，或用“后台生成PDF”，完成后在导出任务中下载"
            raise Refusal(msg, data=typst_renderer.AS_TASK)
    return sheets


def collect_sheets(
    ctx: Context, cls: type[Bill], keys: list[int], template_id: int | None, most: int = MAX_LINES
) -> Iterator[dict[str, Any]]:
    """Yield the sheets of bills in the requested order. Raises where one may not be printed."""
    owners = _require_owners(ctx, cls, keys)
    offers = print_template.list_templates(ctx, cls)
    layouts = {
        company: print_template.resolve_layout(cls, offers, template_id, company)
        for company in dict.fromkeys(owners.values())
    }
    for key in keys:
        yield from bill_layout.build_sheets(ctx, cls, key, layouts[owners[key]], most)


def _require_owners(ctx: Context, cls: type[Bill], keys: list[int]) -> dict[int, int]:
    """Return the companies of bills. Raises where one is outside the user's scope, or its company forbids to
    print it."""
    table = cls.table()
    mine = select(table.c.bill_id, table.c.bill_no, table.c.company_id, table.c.status).where(
        table.c.bill_id.in_(keys), scope_condition(table, ctx.principal)
    )
    bills = ctx.conn.execute(mine).all()
    if {bill.bill_id for bill in bills} != set(keys):
        raise NotFound(cls.declaration.label)
    forbid_unaudited_prints(ctx, cls, bills)
    return {bill.bill_id: bill.company_id for bill in bills}


def build_pdf_response(content: bytes, name: str) -> Response:
    return Response(
        content,
        media_type="application/pdf",
        headers={"Content-Disposition": f"attachment; filename*=UTF-8''{quote(name)}.pdf"},
    )


def _describe_templates(ctx: Context, cls: type[Bill]) -> list[dict[str, Any]]:
    rows = print_template.list_templates(ctx, cls)
    own = [{"print_template_id": row.print_template_id, "template_name": row.template_name} for row in rows]
    return [*own, {"print_template_id": print_template.FACTORY_TEMPLATE, "template_name": "出厂模板"}]


def mount_all() -> None:
    """Mount the printing calls of every bill type, once all are declared."""
    for cls in print_template.list_bill_types():
        _mount_bill(cls)
