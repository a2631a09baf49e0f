"""Dropdowns (下拉): the rows that a field offers, inside the user's scope."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, create_model
from pydantic import Field as Described
from sqlalchemy import ColumnElement, func, select

from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.field_sources import FieldSources
from api.kit.declaration.resource import Resource
from api.kit.declaration.view import apply_source, open_read_connection
from api.kit.scope import scope_condition
from api.kit.storage.listing import MAX_PAGE_SIZE, PAGE_SIZE, build_page, keyword_condition
from api.kit.storage.projection import build_projection, mask_row, masked_names
from api.kit.storage.text_normalization import SearchText
from api.master.lookups.lookup_rights import restrict_lookup_principal

AT_ONCE = 2000
"""The most rows of a list that is answered whole."""


class _LookupQuery(BaseModel):
    model_config = ConfigDict(extra="ignore")

    keyword: SearchText = Described("", max_length=100)
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


NARROWING_COLUMNS = (
    *("company_id", "department_id", "warehouse_id", "goods_id", "p_id", "level"),
    *("country_id", "province_id", "city_id", "logistics_id", "customer_id", "supplier_id"),
)
NAMES = tuple(
    cls.declaration.title for cls in registry.list_resources() if cls.bill is None and cls.declaration.lookup
)

OFFERED_BEYOND_SCOPE = frozenset(
    item.ref.resource
    for cls in registry.list_resources()
    for item in cls.fields()
    if item.ref and item.ref.beyond
)
"""Classes that are offered beyond the user's warehouses as well, where goods go to them."""

LookupQuery = create_model(
    "LookupQuery",
    __base__=_LookupQuery,
    **{name: (int | None, Described(None, ge=0, le=2**62)) for name in NARROWING_COLUMNS},  # type: ignore[call-overload]
    **{name: (str, Described("", max_length=100)) for name in NAMES},
)
"""`keyword` or the name the specification gives (warehouse_name, …), and what narrows the choice; 0 counts as empty."""


def list_choices(ctx: Context, cls: type[Resource], query: Any) -> dict[str, Any]:
    """Return a page of choices: key, title, and the fields that identify a record.

    Users who list or key what refers to the class also get the fields of its list. For coupons the whole
    list is returned, with initials for local search.
    """
    table = cls.table()
    params = query.model_dump()
    reader = restrict_lookup_principal(cls, ctx.principal)
    principal = (
        ctx.principal.without_warehouse_limit
        if query.beyond and cls.name() in OFFERED_BEYOND_SCOPE
        else ctx.principal
    )
    conditions: list[ColumnElement[bool]] = [scope_condition(table, principal), cls.selectable_condition()]
    order: list[ColumnElement[Any]] = [cls.key()]
    if "enabled" in table.c and query.disabled:
        order.insert(0, table.c.enabled.desc())
    elif "enabled" in table.c:
        conditions.append(table.c.enabled)
    conditions += [
        table.c[name] == params[name]
        for name in NARROWING_COLUMNS
        if params.get(name) and name in table.c and name != cls.key().key
    ]
    if query.type and "type" in table.c:
        conditions.append(table.c.type.in_([int(kind) for kind in query.type.split(",")]))
    by_key = (cls.key() == query.id,) if query.id else ()
    words = query.keyword.strip() or next(
        (params[name].strip() for name in NAMES if params.get(name) and name in table.c), ""
    )
    if words:
        conditions.append(keyword_condition(cls, words, reader))
    counted = select(func.count()).select_from(table).where(*by_key)
    fields = [
        item
        for item in cls.fields()
        if (item.list or (query.is_coupon and item.initials_of == cls.declaration.title))
        and reader.can_see(cls.name(), item.name, item.permission)
    ]
    more = cls.choice_fields if reader is ctx.principal else ()
    columns = (one.expression(table, goods=query.goods_id or 0).label(one.field.name) for one, _ in more)
    statement = build_projection(cls, fields).select().add_columns(*columns).where(*by_key).order_by(*order)
    page, per_page = (1, AT_ONCE) if query.is_coupon else (query.page, query.per_page)
    statement = statement.limit(per_page).offset((page - 1) * per_page)
    with open_read_connection(cls, ctx.conn) as conn:
        total: int = conn.execute(apply_source(cls, counted, ctx.principal, where=conditions)).scalar_one()
        rows = conn.execute(apply_source(cls, statement, ctx.principal, where=conditions)).all()
    hidden = masked_names(cls, cls.name(), reader)
    hidden |= {one.field.name for one, repeats in more if not FieldSources((repeats,)).is_visible_to(reader)}
    names = cls.declaration.also_named
    shown = [mask_row(row, hidden) for row in rows]
    for row in shown:
        row |= {name: row.get(of) for name, of in names.items()}
    return build_page(shown, total, page, per_page)
