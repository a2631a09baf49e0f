"""About an export (导出说明): which list, whose, when, of what moment, and every filter in words."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from sqlalchemy import Connection, select

from api.kit import registry
from api.kit.database import TIME_ZONE
from api.kit.fields import Field
from api.kit.listing import FLAGS, RANGED, ListQuery, Sums
from api.kit.resource import Resource
from api.kit.scope import Principal, within
from api.kit.view import View

MONTH = len("2026-11")


def about(
    conn: Connection,
    cls: type[Resource],
    query: ListQuery,
    principal: Principal,
    sums: Sums,
    computed: datetime | None,
) -> list[tuple[str, str]]:
    """Labels with values, as they are printed into the file."""
    told = [
        ("列表", cls.declaration.label),
        ("导出人", principal.realname),
        ("导出时间", moment(datetime.now(TIME_ZONE))),
    ]
    if computed is not None:
        told.append(("数据时间", moment(computed)))
    if issubclass(cls, View):
        told.extend(("数据提示", notice) for notice in cls.notices(conn, principal))
    told.append(("行数", str(sums.rows)))
    if sums.uncounted:
        told.append(("不计入合计", f"{'、'.join(cls.uncounted())} {sums.uncounted} 行"))
    filters = list(filters_told(conn, cls, query, principal))
    return [*told, *([("筛选条件", "")] if filters else [("筛选条件", "全部")]), *filters]


def moment(at: datetime) -> str:
    """A moment as it is printed, by the group's clock."""
    return f"{at.astimezone(TIME_ZONE):%Y-%m-%d %H:%M:%S}"


def filters_told(
    conn: Connection, cls: type[Resource], query: ListQuery, principal: Principal
) -> Iterator[tuple[str, str]]:
    """The filters of a list that are set, each with its values in words."""
    values = query.model_dump()
    if query.keyword.strip():
        yield "关键字", query.keyword.strip()
    for _, item in cls.searched().values():
        if item.kind in RANGED:
            start, end = (str(values.get(f"{item.name}_{side}") or "") for side in ("start", "end"))
            if item.span == "month":
                start, end = start[:MONTH], end[:MONTH]
            if start or end:
                alone = item.span == "until" or start == end
                yield item.label, end if alone else f"{start or '不限'} 至 {end or '不限'}"
        elif values.get(item.name):
            yield item.label, _in_words(conn, item, str(values[item.name]), principal)


def _in_words(conn: Connection, item: Field, value: str, principal: Principal) -> str:
    """Choices and records by their names, as far as the asker may see them."""
    if item.kind == "bool":
        asked = FLAGS.get(value.lower())
        return value if asked is None else "是" if asked else "否"
    parts = [part.strip() for part in value.split(",") if part.strip()]
    if item.kind == "enum":
        named = {str(key): label for key, label in item.options}
        return "、".join(named.get(part, part) for part in parts)
    if item.ref and all(part.isdecimal() and len(part) <= 18 for part in parts):
        target = registry.get(item.ref.resource)
        title = target.table().columns[target.declaration.title]
        mine = target.key().in_([int(part) for part in parts]), within(target.table(), principal)
        names: dict[int, str] = {
            row[0]: row[1] for row in conn.execute(select(target.key(), title).where(*mine))
        }
        return "、".join(str(names.get(int(part), part)) for part in parts)
    return value
