"""Number templates (单据编号设置): the format of each bill type's numbers."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import Any

from pydantic import BaseModel, Field
from sqlalchemy import select, text
from sqlalchemy.orm import Mapped

from api.kit.bills.numbering import (
    DATE_FORMS,
    LEAST_DIGITS,
    MOST_DIGITS,
    RESETS,
    BillNumberTemplate,
    NumberTemplate,
    parse_templates,
)
from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.fields import enum_field, flag_field, integer_field, key_field, text_field
from api.kit.declaration.resource import Declaration, Menu
from api.kit.declaration.view import READ_ONLY, Sql, Values, View
from api.kit.errors import InvalidInput, NotFound
from api.kit.http.endpoints import declare_action
from api.kit.http.routing import build_router, call
from api.kit.http.schemas import Payload
from api.kit.scope import Principal
from api.kit.storage import business_log
from api.kit.storage.database import today

api = build_router()
PREFIX = re.compile(r"[A-Z][A-Z0-9]{1,7}")


class BillNumbering(View):
    """单据编号: every bill type with its template, the default one where it has none of its own."""

    __tablename__ = "bill_numbering"
    declaration = Declaration(
        "单据编号",
        "v2/system/BillBusinessSnTemplate",
        "bill_name",
        routes={"list": "/system/itemno"},
        menu=Menu("系统管理", "系统设置", 10),
        actions=(*READ_ONLY, "save"),
        order_by=("bill_numbering_id", "asc"),
    )

    bill_numbering_id: Mapped[int] = key_field()
    bill_type: Mapped[str] = text_field("单据类型", search=True, width=100)
    bill_name: Mapped[str] = text_field("单据名称", search=True, width=180)
    prefix: Mapped[str] = text_field("前缀", search=True, width=100)
    with_company: Mapped[bool] = flag_field("含公司编码", default=True)
    date_form: Mapped[int] = enum_field("日期格式", DATE_FORMS, default=1, width=110)
    digits: Mapped[int] = integer_field("流水号位数", default=4, width=100)
    reset: Mapped[int] = enum_field("重新编号", RESETS, default=1, width=100)
    example: Mapped[str] = text_field("示例", width=220)

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        types = registry.map_prefixes()
        names = [bill.declaration.label for bill in types.values()]
        return _TYPES, {"types": list(types), "names": names, "company": principal.company_id}


_TYPES = """
select
    k.place as bill_numbering_id, k.bill_type, k.bill_name, coalesce(t.prefix, k.bill_type) as prefix,
    coalesce(t.with_company, true) as with_company, coalesce(t.date_form, 1) as date_form,
    coalesce(t.digits, 4) as digits, coalesce(t.reset, 1) as reset,
    concat(
        coalesce(t.prefix, k.bill_type),
        case when coalesce(t.with_company, true) then
            (select company_code from company where company_id = :company)
        end,
        case coalesce(t.date_form, 1)
            when 1 then to_char(current_date, 'YYYYMMDD')
            when 2 then to_char(current_date, 'YYMMDD')
            when 3 then to_char(current_date, 'YYYYMM')
        end,
        lpad('1', coalesce(t.digits, 4), '0')
    ) as example
from unnest(cast(:types as text[]), cast(:names as text[])) with ordinality as k (bill_type, bill_name, place)
left join bill_number_template t using (bill_type)
"""


class TemplateBody(Payload):
    """A template as it is asked for; a prefix left empty is the bill type's own."""

    bill_type: str = Field(max_length=20, description="单据类型")
    prefix: str = Field("", max_length=20, description="前缀")
    with_company: bool = Field(True, description="含公司编码")
    date_form: int = Field(1, ge=1, le=4, description="日期格式：1 yyyyMMdd，2 yyMMdd，3 yyyyMM，4 不含")
    digits: int = Field(4, ge=LEAST_DIGITS, le=MOST_DIGITS, description="流水号位数")
    reset: int = Field(1, ge=1, le=4, description="重新编号：1 按日，2 按月，3 按年，4 不重置")


class TemplateAnswer(BaseModel):
    bill_numbering_id: int
    bill_type: str
    bill_name: str
    prefix: str
    with_company: bool
    date_form: int
    digits: int
    reset: int
    example: str


class NumberExample(BaseModel):
    """The first number that a template would make today in the user's company."""

    example: str


@call(
    api,
    "GET",
    f"{BillNumbering.declaration.api}/billTypeList",
    right=BillNumbering.right("list"),
    returns=list[TemplateAnswer],
)
def bill_type_list(ctx: Context) -> Any:
    """单据类型列表"""
    return list(_list_templates(ctx).values())


@call(
    api,
    "GET",
    f"{BillNumbering.declaration.api}/info",
    right=BillNumbering.right("list"),
    returns=TemplateAnswer,
)
def info(ctx: Context, bill_type: str) -> Any:
    """单据编号详情"""
    found = _list_templates(ctx).get(bill_type)
    if found is None:
        raise NotFound("单据类型")
    return found


@call(
    api,
    "POST",
    f"{BillNumbering.declaration.api}/preview",
    right=BillNumbering.right("list"),
    returns=NumberExample,
)
def preview(ctx: Context, payload: TemplateBody) -> Any:
    """编号预览: changes nothing."""
    return {"example": _format_example(ctx, _validate_template(ctx, payload))}


@declare_action(api, BillNumbering, "save", TemplateAnswer)
def save(ctx: Context, payload: TemplateBody) -> Any:
    """保存单据编号: bills that are saved from now on; numbers given before stay, and are given to none again."""
    ctx.conn.exec_driver_sql("lock table bill_number_template in share row exclusive mode")
    before = _read_templates(ctx)
    template = _validate_template(ctx, payload)
    kind = payload.bill_type
    ctx.conn.exec_driver_sql(
        "insert into bill_number_template (bill_type, prefix, with_company, date_form, digits, reset)"
        " values (%s, %s, %s, %s, %s, %s) on conflict (bill_type) do update set prefix = excluded.prefix,"
        " with_company = excluded.with_company, date_form = excluded.date_form, digits = excluded.digits,"
        " reset = excluded.reset",
        (kind, template.prefix, template.with_company, template.date_form, template.digits, template.reset),
    )
    business_log.log_action(
        ctx.conn,
        ctx.principal,
        BillNumbering.name(),
        list(before).index(kind) + 1,
        "save",
        bill_no=kind,
        company_id=ctx.principal.company_id,
        before=asdict(before[kind]),
        after=asdict(template),
    )
    return _list_templates(ctx)[kind]


def _list_templates(ctx: Context) -> dict[str, dict[str, Any]]:
    """Return the rows of the list by bill type."""
    sql, values = BillNumbering.source(ctx.principal, {})
    return {row.bill_type: row._asdict() for row in ctx.conn.execute(text(sql), values)}


def _read_templates(ctx: Context) -> dict[str, NumberTemplate]:
    """Return the template of every bill type, by its own prefix."""
    rows = ctx.conn.execute(select(BillNumberTemplate.__table__))
    own = parse_templates({row.bill_type: row._asdict() for row in rows})
    return {kind: own.get(kind) or NumberTemplate(kind) for kind in registry.map_prefixes()}


def _validate_template(ctx: Context, body: TemplateBody) -> NumberTemplate:
    """Return the template of a request body.

    Raises Invalid where its numbers would repeat or be taken for another type's.
    """
    known = _read_templates(ctx)
    if body.bill_type not in known:
        raise NotFound("单据类型")
    prefix = body.prefix.strip().upper() or body.bill_type
    if not PREFIX.fullmatch(prefix):
        raise InvalidInput("前缀为2到8位大写字母和数字，以字母开头")
    taken = {name: kind for kind, other in known.items() for name in (kind, other.prefix)}
    if taken.get(prefix, body.bill_type) != body.bill_type:
        raise InvalidInput(f"前缀 {prefix} 已用于{_get_bill_label(taken[prefix])}，请更换")
    template = NumberTemplate(prefix, body.with_company, body.date_form, body.digits, body.reset)
    problem = template.describe_problem()
    if problem:
        raise InvalidInput(problem)
    return template


def _get_bill_label(kind: str) -> str:
    return registry.map_prefixes()[kind].declaration.label


def _format_example(ctx: Context, template: NumberTemplate) -> str:
    query = "select company_code from company where company_id = %s"
    code: str = ctx.conn.exec_driver_sql(query, (ctx.principal.company_id,)).scalar_one()
    run = template.sequence_for(code, today())
    return f"{run.head}{1:0{run.digits}d}"
