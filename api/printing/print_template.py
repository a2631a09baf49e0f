"""Print templates (打印模板): a layout of one bill type, for one company or the whole group.

In force is the company's default, else the group's, else the one that the bill type is delivered with.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from sqlalchemy import Index, Row, Select, select, update
from sqlalchemy import text as sql
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import Bill
from api.kit.declaration.fields import datetime_field, flag_field, key_field, reference_field, text_field
from api.kit.declaration.resource import Declaration, Menu, Resource, ScreenPlacement
from api.kit.errors import NotFound
from api.kit.scope import Principal
from api.printing.bill_layout import build_factory_layout
from api.printing.print_layout import PrintLayout

FACTORY_TEMPLATE = 0
"""The id by which the delivered template is asked for."""


class PrintTemplate(Resource):
    """打印模板: an empty layout stands for the delivered one."""

    __tablename__ = "print_template"
    __table_args__ = (
        Index(
            "ux_print_template_default",
            "bill_type",
            sql("coalesce(company_id, 0)"),
            unique=True,
            postgresql_where="is_default",
        ),
    )
    extract = False
    declaration = Declaration(
        "打印设置",
        "v2/system/PrintSetup",
        "template_name",
        routes={"list": "/system/printsetting", "see": "/system/customPrint"},
        menu=Menu("系统管理", "系统设置", 60),
        also=(ScreenPlacement({"list": "/system/autoPrint"}, Menu("系统管理", "服务站", 60)),),
        actions=("list", "setup", "del"),
    )

    print_template_id: Mapped[int] = key_field()
    template_name: Mapped[str] = text_field("模板名称", required=True, search=True, max_length=40)
    bill_type: Mapped[str] = text_field("单据类型", required=True, max_length=60)
    company_id: Mapped[int | None] = reference_field("company", "公司", search=True)
    is_default: Mapped[bool] = flag_field("默认")
    layout: Mapped[dict[str, Any]] = mapped_column(JSONB, server_default="{}", nullable=False)
    saved_at: Mapped[Any] = datetime_field(
        "修改时间", form=False, column={"server_default": sql("now()"), "nullable": False}
    )


_T = PrintTemplate.table()


def list_bill_types() -> list[type[Bill]]:
    """Return every bill type."""
    return [cls for cls in registry.list_resources() if issubclass(cls, Bill)]


def require_bill_type(ctx: Context, name: str) -> type[Bill]:
    """Return a bill type by name. Raises NotFound where the user may not look at its bills."""
    for cls in list_bill_types():
        if cls.name() == name and ctx.principal.has_right(cls.right("list")):
            return cls
    raise NotFound("单据类型")


def layout_of(cls: type[Bill], row: Row[Any] | None) -> PrintLayout:
    """Return a stored template's layout; none, or an empty one, is the factory one."""
    return (
        PrintLayout.model_validate(row.layout)
        if row is not None and row.layout
        else build_factory_layout(cls)
    )


def list_templates(ctx: Context, cls: type[Bill]) -> list[Row[Any]]:
    """Return the templates of a bill type that the user's companies may print with, the group's among them."""
    return list(ctx.conn.execute(_select_templates(ctx.principal).where(_T.c.bill_type == cls.name())))


def list_templates_by_type(ctx: Context) -> defaultdict[str, list[Row[Any]]]:
    """Return the templates of every bill type that the user's companies may print with."""
    found: defaultdict[str, list[Row[Any]]] = defaultdict(list)
    for row in ctx.conn.execute(_select_templates(ctx.principal)):
        found[row.bill_type].append(row)
    return found


def _select_templates(principal: Principal) -> Select[Any]:
    companies = principal.companies
    owners = [] if companies is None else [_T.c.company_id.in_(sorted(companies)) | _T.c.company_id.is_(None)]
    by = (_T.c.company_id.nulls_last(), _T.c.is_default.desc(), _T.c.print_template_id)
    return select(_T).where(*owners).order_by(*by)


def default_layout(cls: type[Bill], offers: list[Row[Any]], company_id: int) -> PrintLayout:
    """Return the layout that a company's bills are printed with unless another is chosen."""
    for owner in (company_id, None):
        for row in offers:
            if row.is_default and row.company_id == owner:
                return layout_of(cls, row)
    return build_factory_layout(cls)


def resolve_layout(
    cls: type[Bill], offers: list[Row[Any]], template_id: int | None, company_id: int
) -> PrintLayout:
    """Return the requested layout, of those that fit the bill's company; without one the default layout."""
    if template_id is None:
        return default_layout(cls, offers, company_id)
    if template_id == FACTORY_TEMPLATE:
        return build_factory_layout(cls)
    for row in offers:
        if row.print_template_id == template_id and row.company_id in (None, company_id):
            return layout_of(cls, row)
    raise NotFound("打印模板")


def set_only_default(ctx: Context, template: Row[Any]) -> None:
    """Make a template the one default of its bill type and company."""
    same = (_T.c.bill_type == template.bill_type) & _T.c.company_id.is_not_distinct_from(template.company_id)
    ctx.conn.execute(update(_T).where(same, _T.c.is_default).values(is_default=False))
    mine = _T.c.print_template_id == template.print_template_id
    ctx.conn.execute(update(_T).where(mine).values(is_default=True))
