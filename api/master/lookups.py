"""Dropdowns (下拉): the rows a field may choose from, inside the user's scope."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, create_model
from pydantic import Field as Described
from sqlalchemy import ColumnElement, func, select

from api.kit import registry
from api.kit.context import Context
from api.kit.listing import MAX_PAGE_SIZE, PAGE_SIZE, matching, paged
from api.kit.projection import masked, masks, project
from api.kit.resource import Resource
from api.kit.scope import within
from api.kit.told import Told
from api.kit.typed import Words
from api.kit.view import reading, sourced
from api.master.choosing import chooser

AT_ONCE = 2000
"""The most rows of a list that is answered whole."""


class _LookupQuery(BaseModel):
    model_config = ConfigDict(extra="ignore")

    keyword: Words = Described("", max_length=100)
    page: int = Described(1, ge=1, le=100_000)
    per_page: int = Described(PAGE_SIZE, ge=1, le=MAX_PAGE_SIZE)
    id: int | None = Described(None, ge=0, le=2**62, description="只取这一条")
    type: str = Described("", pattern=r"^([0-9]{1,9}(,[0-9]{1,9})*)?$", description="只取这些类型，逗号分隔")
    is_coupon: int = Described(
        0, ge=0, le=1, description=f"1 = 一次取齐（至多 {AT_ONCE} 条），由界面自行查找"
    )
    disabled: int = Described(0, ge=0, le=1, description="1 = 也取已停用的，排在后面")
    beyond: int = Described(0, ge=0, le=1, description="1 = 也取无权使用的仓库，供调入")
    hideLoding: str = Described("", max_length=10, description="只关乎界面：不显示等待提示")
    timeStamp: int | None = None
    sign: str | None = None


NARROWING = (
    *("company_id", "department_id", "warehouse_id", "goods_id", "p_id", "level"),
    *("country_id", "province_id", "city_id", "logistics_id", "customer_id", "supplier_id"),
)
NAMES = tuple(
    cls.declaration.title for cls in registry.declared() if cls.bill is None and cls.declaration.lookup
)

BEYOND = frozenset(
    item.ref.resource for cls in registry.declared() for item in cls.fields() if item.ref and item.ref.beyond
)
"""What is offered beyond the user's warehouses, too, where goods go to it."""

LookupQuery = create_model(
    "LookupQuery",
    __base__=_LookupQuery,
    **{name: (int | None, Described(None, ge=0, le=2**62)) for name in NARROWING},  # type: ignore[call-overload]
    **{name: (str, Described("", max_length=100)) for name in NAMES},
)
"""`keyword` or the name the specification gives (warehouse_name, …), and what narrows the choice; 0 counts as empty."""


def dropdown(ctx: Context, cls: type[Resource], query: Any) -> dict[str, Any]:
    """A page of choices: the key, the title, and the fields that tell alike ones apart; for who lists or keys what they
    are chosen for the other fields of their list too; the whole list, for coupons, with initials to search it by."""
    table = cls.table()
    asked = query.model_dump()
    reader = chooser(cls, ctx.principal)
    principal = ctx.principal.beyond if query.beyond and cls.name() in BEYOND else ctx.principal
    conditions: list[ColumnElement[bool]] = [within(table, principal), cls.choosable()]
    order: list[ColumnElement[Any]] = [cls.key()]
    if "enabled" in table.c and query.disabled:
        order.insert(0, table.c.enabled.desc())
    elif "enabled" in table.c:
        conditions.append(table.c.enabled)
    conditions += [
        table.c[name] == asked[name]
        for name in NARROWING
        if asked.get(name) and name in table.c and name != cls.key().key
    ]
    if query.type and "type" in table.c:
        conditions.append(table.c.type.in_([int(kind) for kind in query.type.split(",")]))
    by_key = (cls.key() == query.id,) if query.id else ()
    words = query.keyword.strip() or next(
        (asked[name].strip() for name in NAMES if asked.get(name) and name in table.c), ""
    )
    if words:
        conditions.append(matching(cls, words, reader))
    counted = select(func.count()).select_from(table).where(*by_key)
    fields = [
        item
        for item in cls.fields()
        if (item.list or (query.is_coupon and item.initials_of == cls.declaration.title))
        and reader.sees(cls.name(), item.name, item.permission)
    ]
    more = cls.chosen_by if reader is ctx.principal else ()
    told = (one.expression(table, goods=query.goods_id or 0).label(one.field.name) for one, _ in more)
    statement = project(cls, fields).select().add_columns(*told).where(*by_key).order_by(*order)
    page, per_page = (1, AT_ONCE) if query.is_coupon else (query.page, query.per_page)
    statement = statement.limit(per_page).offset((page - 1) * per_page)
    with reading(cls, ctx.conn) as conn:
        total: int = conn.execute(sourced(cls, counted, ctx.principal, where=conditions)).scalar_one()
        rows = conn.execute(sourced(cls, statement, ctx.principal, where=conditions)).all()
    hidden = masks(cls, cls.name(), reader)
    hidden |= {one.field.name for one, repeats in more if not Told((repeats,)).seen_by(reader)}
    names = cls.declaration.also_named
    shown = [masked(row, hidden) for row in rows]
    for row in shown:
        row |= {name: row.get(of) for name, of in names.items()}
    return paged(shown, total, page, per_page)
