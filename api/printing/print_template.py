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

from api.kit import registry
from api.kit.context import Context
from api.kit.document import Bill
from api.kit.errors import NotFound
from api.kit.fields import flag, key, moment, ref, text
from api.kit.resource import Declaration, Menu, Place, Resource
from api.kit.scope import Principal
from api.printing.papers import PrintLayout
from api.printing.sheet import delivered

DELIVERED = 0
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
        also=(Place({"list": "/system/autoPrint"}, Menu("系统管理", "服务站", 60)),),
        actions=("list", "setup", "del"),
    )

    print_template_id: Mapped[int] = key()
    template_name: Mapped[str] = text("模板名称", required=True, search=True, max_length=40)
    bill_type: Mapped[str] = text("单据类型", required=True, max_length=60)
    company_id: Mapped[int | None] = ref("company", "公司", search=True)
    is_default: Mapped[bool] = flag("默认")
    layout: Mapped[dict[str, Any]] = mapped_column(JSONB, server_default="{}", nullable=False)
    saved_at: Mapped[Any] = moment(
        "修改时间", form=False, column={"server_default": sql("now()"), "nullable": False}
    )


_T = PrintTemplate.table()


def printable() -> list[type[Bill]]:
    """Every bill type."""
    return [cls for cls in registry.declared() if issubclass(cls, Bill)]


def bill_class(ctx: Context, name: str) -> type[Bill]:
    """A bill type by name, if the user may look at its bills."""
    for cls in printable():
        if cls.name() == name and ctx.principal.may(cls.right("list")):
            return cls
    raise NotFound("单据类型")


def layout_of(cls: type[Bill], row: Row[Any] | None) -> PrintLayout:
    """A stored template's layout; none, or an empty one, is the delivered one."""
    return PrintLayout.model_validate(row.layout) if row is not None and row.layout else delivered(cls)


def offered(ctx: Context, cls: type[Bill]) -> list[Row[Any]]:
    """The templates of a bill type that the user's companies may print with, the group's among them."""
    return list(ctx.conn.execute(_offers(ctx.principal).where(_T.c.bill_type == cls.name())))


def offered_by_type(ctx: Context) -> defaultdict[str, list[Row[Any]]]:
    """Those of every bill type."""
    found: defaultdict[str, list[Row[Any]]] = defaultdict(list)
    for row in ctx.conn.execute(_offers(ctx.principal)):
        found[row.bill_type].append(row)
    return found


def _offers(principal: Principal) -> Select[Any]:
    companies = principal.companies
    owners = [] if companies is None else [_T.c.company_id.in_(sorted(companies)) | _T.c.company_id.is_(None)]
    by = (_T.c.company_id.nulls_last(), _T.c.is_default.desc(), _T.c.print_template_id)
    return select(_T).where(*owners).order_by(*by)


def in_force(cls: type[Bill], offers: list[Row[Any]], company_id: int) -> PrintLayout:
    """The layout that a company's bills are printed with unless another is chosen."""
    for owner in (company_id, None):
        for row in offers:
            if row.is_default and row.company_id == owner:
                return layout_of(cls, row)
    return delivered(cls)


def chosen(cls: type[Bill], offers: list[Row[Any]], template_id: int | None, company_id: int) -> PrintLayout:
    """The layout asked for, of those that fit the bill's company; without one the layout in force."""
    if template_id is None:
        return in_force(cls, offers, company_id)
    if template_id == DELIVERED:
        return delivered(cls)
    for row in offers:
        if row.print_template_id == template_id and row.company_id in (None, company_id):
            return layout_of(cls, row)
    raise NotFound("打印模板")


def only_default(ctx: Context, template: Row[Any]) -> None:
    """Make a template the one default of its bill type and company."""
    same = (_T.c.bill_type == template.bill_type) & _T.c.company_id.is_not_distinct_from(template.company_id)
    ctx.conn.execute(update(_T).where(same, _T.c.is_default).values(is_default=False))
    mine = _T.c.print_template_id == template.print_template_id
    ctx.conn.execute(update(_T).where(mine).values(is_default=True))
