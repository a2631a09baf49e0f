"""Export summary (导出说明): list, user, time, data time, row count and every filter in words."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from sqlalchemy import Connection, select

from api.kit.declaration import registry
from api.kit.declaration.fields import Field
from api.kit.declaration.resource import Resource
from api.kit.declaration.view import View
from api.kit.scope import Principal, scope_condition
from api.kit.storage.database import TIME_ZONE
from api.kit.storage.listing import FLAGS, RANGED, ListQuery, Sums

MONTH = len("2026-11")


def build_export_summary(
    conn: Connection,
    cls: type[Resource],
    query: ListQuery,
    principal: Principal,
    sums: Sums,
    computed: datetime | None,
) -> list[tuple[str, str]]:
    """Return labels with values, as they are printed into the file."""
    lines = [
        ("列表", cls.declaration.label),
        ("导出人", principal.realname),
        ("导出时间", format_moment(datetime.now(TIME_ZONE))),
    ]
    if computed is not None:
        lines.append(("数据时间", format_moment(computed)))
    if issubclass(cls, View):
        lines.extend(("数据提示", notice) for notice in cls.notices(conn, principal))
    lines.append(("行数", str(sums.rows)))
    if sums.uncounted:
        lines.append(("不计入合计", f"{'、'.join(cls.uncounted_labels())} {sums.uncounted} 行"))
    filters = list(describe_filters(conn, cls, query, principal))
    return [*lines, *([("筛选条件", "")] if filters else [("筛选条件", "全部")]), *filters]


def format_moment(at: datetime) -> str:
    """Format a moment in the group's time zone."""
    return f"{at.astimezone(TIME_ZONE):%Y-%m-%d %H:%M:%S}"


def describe_filters(
    conn: Connection, cls: type[Resource], query: ListQuery, principal: Principal
) -> Iterator[tuple[str, str]]:
    """Yield the label and the described value of each filter that is set."""
    values = query.model_dump()
    if query.keyword.strip():
        yield "关键字", query.keyword.strip()
    for _, item in cls.search_fields().values():
        if item.kind in RANGED:
            start, end = (str(values.get(f"{item.name}_{side}") or "") for side in ("start", "end"))
            if item.span == "month":
                start, end = start[:MONTH], end[:MONTH]
            if start or end:
                alone = item.span == "until" or start == end
                yield item.label, end if alone else f"{start or '不限'} 至 {end or '不限'}"
        elif values.get(item.name):
            yield item.label, _describe_value(conn, item, str(values[item.name]), principal)


def _describe_value(conn: Connection, item: Field, value: str, principal: Principal) -> str:
    """Return a filter value with options and references as names, as far as the user may see them."""
    if item.kind == "bool":
        flag = FLAGS.get(value.lower())
        return value if flag is None else "是" if flag else "否"
    parts = [part.strip() for part in value.split(",") if part.strip()]
    if item.kind == "enum":
        named = {str(key): label for key, label in item.options}
        return "、".join(named.get(part, part) for part in parts)
    if item.ref and all(part.isdecimal() and len(part) <= 18 for part in parts):
        target = registry.get_resource(item.ref.resource)
        title = target.table().columns[target.declaration.title]
        mine = target.key().in_([int(part) for part in parts]), scope_condition(target.table(), principal)
        names: dict[int, str] = {
            row[0]: row[1] for row in conn.execute(select(target.key(), title).where(*mine))
        }
        return "、".join(str(names.get(int(part), part)) for part in parts)
    return value
