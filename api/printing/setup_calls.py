"""Print settings (打印设置): templates saved, previewed on a real bill, made the default, reset to the
factory one."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel, Field
from sqlalchemy import Row, insert, select, update

from api.kit.context import Context
from api.kit.declaration.document import Bill
from api.kit.declaration.fields import COST
from api.kit.declaration.fields import Field as Declared
from api.kit.declaration.menu import MODULES
from api.kit.errors import Forbidden, NotFound, Refusal
from api.kit.http.routing import build_router, call
from api.kit.http.schemas import Key
from api.kit.scope import scope_condition
from api.kit.storage import business_log
from api.kit.storage.database import TIME_ZONE
from api.printing import bill_layout, print_template, typst_renderer
from api.printing.print_layout import PAPERS, PrintLayout
from api.printing.print_template import PrintTemplate

api = build_router()
LIST, SETUP = PrintTemplate.right("list"), PrintTemplate.right("setup")
_T = PrintTemplate.table()


class PrintedBillType(BaseModel):
    """A bill type and what it is printed with."""

    bill_type: str
    label: str
    menu: str
    templates: list[OwnedTemplate]


class OwnedTemplate(BaseModel):
    print_template_id: int
    template_name: str
    company_id: int | None
    company_name: str | None
    is_default: bool
    paper: str
    saved_at: datetime
    editable: bool


class PrintPaper(BaseModel):
    value: str
    label: str
    width: float
    height: float


class PrintChoice(BaseModel):
    """A field that a template may print."""

    name: str
    label: str
    is_number: bool
    is_cost: bool
    width: int


class PrintBlock(BaseModel):
    name: str
    label: str
    fields: list[PrintChoice]


class PrintDefinition(BaseModel):
    """Data for the editor of a template."""

    bill_type: str
    api: str
    label: str
    print_template_id: int
    template_name: str
    company_id: int | None
    company_name: str | None
    is_default: bool
    editable: bool
    layout: PrintLayout
    papers: list[PrintPaper]
    fields: list[PrintChoice]
    blocks: list[PrintBlock]


class PrintTemplateDraft(BaseModel):
    """A template as it is saved; without an id it is a new one, without a company the whole group's."""

    print_template_id: Annotated[int | None, Field(ge=1, le=2**62)] = None
    bill_type: Annotated[str, Field(max_length=60)]
    company_id: Annotated[int | None, Field(ge=1, le=2**62)] = None
    template_name: Annotated[str, Field(min_length=1, max_length=40, pattern=r"\S")]
    is_default: bool = False
    layout: PrintLayout


class PrintTemplateKey(BaseModel):
    print_template_id: Annotated[int, Field(ge=1, le=2**62)]


class PrintTrial(BaseModel):
    """A layout to look at on a bill; without an id on the newest one."""

    bill_type: Annotated[str, Field(max_length=60)]
    layout: PrintLayout
    id: Annotated[int | None, Field(ge=1, le=2**62)] = None


class PrintPreview(BaseModel):
    html: str
    shown: int
    pages: int
    id: int
    bill_no: str


@call(api, "GET", "v2/system/PrintSetup/getPrintList", right=LIST, returns=list[PrintedBillType])
def get_print_list(ctx: Context) -> Any:
    """打印设置列表: every bill type that the user may look at, with its templates."""
    companies, offers = _company_names(ctx), print_template.list_templates_by_type(ctx)
    rows = [
        {
            "bill_type": cls.name(),
            "label": cls.declaration.label,
            "menu": cls.declaration.menu.module if cls.declaration.menu else "",
            "templates": [_describe_template(ctx, cls, row, companies) for row in offers[cls.name()]],
        }
        for cls in print_template.list_bill_types()
        if ctx.principal.has_right(cls.right("list"))
    ]
    modules = [*MODULES, ""]
    return sorted(rows, key=lambda row: modules.index(row["menu"]))


@call(api, "GET", "v2/system/PrintSetup/getPrintDefinedInfo", right=LIST, returns=PrintDefinition)
def get_print_defined_info(
    ctx: Context,
    bill_type: Annotated[str, Query(max_length=60)],
    print_template_id: Key = print_template.FACTORY_TEMPLATE,
) -> Any:
    """打印模板定义: a template with the fields and columns it may choose from; id 0 is the delivered one."""
    cls = print_template.require_bill_type(ctx, bill_type)
    row = None
    if print_template_id != print_template.FACTORY_TEMPLATE:
        offers = (
            one
            for one in print_template.list_templates(ctx, cls)
            if one.print_template_id == print_template_id
        )
        row = next(offers, None)
        if row is None:
            raise NotFound("打印模板")
    assert cls.bill is not None
    company = row.company_id if row else _own_company(ctx)
    return {
        "bill_type": bill_type,
        "api": cls.declaration.api,
        "label": cls.declaration.label,
        "print_template_id": print_template_id,
        "template_name": row.template_name if row else "",
        "company_id": company,
        "company_name": _company_names(ctx).get(company or 0),
        "is_default": bool(row and row.is_default),
        "editable": row is None or _can_edit(ctx, row.company_id),
        "layout": print_template.layout_of(cls, row).model_dump(),
        "papers": [
            {"value": value, "label": label, "width": width, "height": height}
            for value, (label, width, height) in PAPERS.items()
        ],
        "fields": [_describe_field(item) for item in bill_layout.header_fields(cls)],
        "blocks": [
            {
                "name": block.name,
                "label": block.label,
                "fields": [_describe_field(item) for item in bill_layout.line_fields(block)],
            }
            for block in cls.bill.blocks
        ],
    }


@call(api, "POST", "v2/system/PrintSetup/addPrint", right=SETUP, returns=PrintTemplateKey, write=True)
def add_print(ctx: Context, payload: PrintTemplateDraft) -> Any:
    """保存打印模板."""
    cls = print_template.require_bill_type(ctx, payload.bill_type)
    _validate_layout(cls, payload.layout)
    _require_owner(ctx, payload.company_id)
    values = {
        "template_name": payload.template_name.strip(),
        "company_id": payload.company_id,
        "layout": payload.layout.model_dump(),
        "saved_at": datetime.now(TIME_ZONE),
    }
    if payload.print_template_id is None:
        made = insert(_T).values(**values, bill_type=cls.name(), is_default=False).returning(_T)
        row = ctx.conn.execute(made).one()
        _log_change(ctx, row, "add")
    else:
        before = _lock_template(ctx, payload.print_template_id)
        if before.bill_type != cls.name():
            raise Refusal("打印模板的单据类型不能修改")
        # Moved to another company it might meet that company's default.
        changed = {**values, "is_default": False}
        mine = _T.c.print_template_id == before.print_template_id
        row = ctx.conn.execute(update(_T).where(mine).values(changed).returning(_T)).one()
        _log_change(ctx, row, "edit")
    if payload.is_default:
        print_template.set_only_default(ctx, row)
    return {"print_template_id": row.print_template_id}


@call(api, "POST", "v2/system/PrintSetup/setDefault", right=SETUP, returns=PrintTemplateKey, write=True)
def set_default(ctx: Context, payload: PrintTemplateKey) -> Any:
    """设为默认模板."""
    row = _lock_template(ctx, payload.print_template_id)
    print_template.set_only_default(ctx, row)
    _log_change(ctx, row, "edit")
    return {"print_template_id": row.print_template_id}


@call(api, "POST", "v2/system/PrintSetup/instantRecovery", right=SETUP, returns=PrintTemplateKey, write=True)
def instant_recovery(ctx: Context, payload: PrintTemplateKey) -> Any:
    """恢复出厂模板: name, company and default stay, the layout is the delivered one again."""
    row = _lock_template(ctx, payload.print_template_id)
    mine = _T.c.print_template_id == row.print_template_id
    ctx.conn.execute(update(_T).where(mine).values(layout={}, saved_at=datetime.now(TIME_ZONE)))
    _log_change(ctx, row, "edit")
    return {"print_template_id": row.print_template_id}


@call(
    api, "POST", "v2/system/PrintSetup/preview", right=LIST, returns=PrintPreview, turns=typst_renderer.TURNS
)
def preview(ctx: Context, payload: PrintTrial) -> Any:
    """打印预览: a layout that need not be saved, on a real bill."""
    cls = print_template.require_bill_type(ctx, payload.bill_type)
    _validate_layout(cls, payload.layout)
    table = cls.table()
    conditions = [scope_condition(table, ctx.principal)]
    if payload.id is not None:
        conditions.append(table.c.bill_id == payload.id)
    newest = (
        select(table.c.bill_id, table.c.bill_no).where(*conditions).order_by(table.c.bill_id.desc()).limit(1)
    )
    bill = ctx.conn.execute(newest).first()
    if bill is None:
        raise Refusal(f"还没有可供预览的{cls.declaration.label}")
    one = payload.layout.model_copy(update={"copies": 1})
    sheets = bill_layout.build_sheets(ctx, cls, bill.bill_id, one)
    with ctx.without_transaction():
        drawn = typst_renderer.render_html("paper", sheets, bill.bill_no)
    return {
        "html": drawn.html,
        "shown": drawn.shown,
        "pages": drawn.pages,
        "id": bill.bill_id,
        "bill_no": bill.bill_no,
    }


def _describe_field(item: Declared) -> dict[str, Any]:
    return {
        "name": item.name,
        "label": item.label,
        "is_number": item.is_number,
        "is_cost": item.permission == COST,
        "width": max(8, round(item.width / bill_layout.PIXELS_PER_MM)),
    }


def _validate_layout(cls: type[Bill], layout: PrintLayout) -> None:
    """Raise Refusal for fields that the bill type doesn't have, and for margins that leave no room."""
    assert cls.bill is not None
    known = {block.name: {item.name for item in bill_layout.line_fields(block)} for block in cls.bill.blocks}
    fields = {item.name for item in bill_layout.header_fields(cls)}
    wanted = {*layout.heading, *(item.name for item in layout.signatures if item.name)}
    strange = [name for name in sorted(wanted) if name not in fields]
    for block, columns in layout.columns.items():
        strange += [column.name for column in columns if column.name not in known.get(block, ())]
    if strange:
        raise Refusal(f"{cls.declaration.label}没有字段“{strange[0]}”")
    width, height = layout.size
    margin = layout.margin
    if width - margin.left - margin.right < 20 or height - margin.top - margin.bottom < 20:
        raise Refusal("页边距太大，纸上没有可打印的地方")


def _company_names(ctx: Context) -> dict[int, str]:
    company = PrintTemplate.metadata.tables["company"]
    rows = ctx.conn.execute(select(company.c.company_id, company.c.company_name))
    return {row.company_id: row.company_name for row in rows}


def _describe_template(
    ctx: Context, cls: type[Bill], row: Row[Any], companies: dict[int, str]
) -> dict[str, Any]:
    return {
        **{name: row._mapping[name] for name in ("print_template_id", "template_name", "company_id")},
        "company_name": companies.get(row.company_id),
        "is_default": row.is_default,
        "paper": PAPERS[print_template.layout_of(cls, row).paper][0],
        "saved_at": row.saved_at,
        "editable": _can_edit(ctx, row.company_id),
    }


def _own_company(ctx: Context) -> int | None:
    return None if ctx.principal.companies is None else ctx.principal.company_id


def _can_edit(ctx: Context, company_id: int | None) -> bool:
    """Return whether the user may edit a template: the group's only if he sees the whole group."""
    companies = ctx.principal.companies
    return companies is None or company_id in companies


def _require_owner(ctx: Context, company_id: int | None) -> None:
    if not _can_edit(ctx, company_id):
        raise Forbidden(
            "集团的打印模板由集团维护，请选择本公司" if company_id is None else "您无权维护该公司的打印模板"
        )
    if company_id is not None and company_id not in _company_names(ctx):
        raise NotFound("公司")


def _lock_template(ctx: Context, key: int) -> Row[Any]:
    """Lock and return a template that the user may change. Raises NotFound."""
    row = ctx.conn.execute(select(_T).where(_T.c.print_template_id == key).with_for_update()).first()
    if row is None or not _can_edit(ctx, row.company_id):
        raise NotFound("打印模板")
    return row


def _log_change(ctx: Context, row: Row[Any], action: str) -> None:
    business_log.log_action(
        ctx.conn,
        ctx.principal,
        PrintTemplate.name(),
        row.print_template_id,
        action,
        company_id=row.company_id,
        after={"template_name": row.template_name, "bill_type": row.bill_type},
    )
