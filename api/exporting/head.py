"""The head of an export (导出抬头): which report, whose, of what moment, and every filter in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select

from api.exporting.asked import Asked, Values
from api.identity.tables import Role
from api.kit.database import TIME_ZONE, today
from api.kit.scope import Principal
from api.master.organisation import Company
from api.shell.export_about import moment
from reports.catalogue.boards import Filter
from reports.ranges import told as told_range

ALL, NOTHING = "全部", "（空）"
LONGEST = 1000
"""Of the words of one filter; what is beyond is counted."""


@dataclass(frozen=True)
class Told:
    """Who exports, when, and of what moment the figures are; `notices` say why they are not those of now, or may
    still change."""

    company: str
    role: str
    realname: str
    at: datetime
    computed: datetime | None
    notices: Sequence[str]

    @property
    def who(self) -> str:
        exporter = f"导出人公司：{self.company}　　角色：{self.role}　　导出人：{self.realname}"
        return f"{exporter}　　导出时间：{moment(self.at)}"

    @property
    def when(self) -> str:
        computed = "尚未发布" if self.computed is None else moment(self.computed)
        return f"数据时间：{computed}" + "".join(f"　　注意：{notice}" for notice in self.notices)


def told(conn: Connection, principal: Principal, computed: datetime | None, notices: Sequence[str]) -> Told:
    """The head's facts: the asker's are read from the core."""
    company = conn.execute(
        select(Company.company_name).where(Company.company_id == principal.company_id)
    ).scalar()
    role = conn.execute(select(Role.role_name).where(Role.role_id == principal.role_id)).scalar()
    now = datetime.now(TIME_ZONE)
    return Told(company or "", role or "", principal.realname, now, computed, notices)


def head(asked: Asked, facts: Told, title: str, filters: str, notes: Iterable[str] = ()) -> list[str]:
    """The lines above a table."""
    name = title if title == asked.title else f"{asked.title} · {title}"
    return [name, facts.who, facts.when, f"筛选条件：{filters}", *notes]


def filter_words(
    asked: Asked, heeded: Iterable[Filter], values: Mapping[str, Values], free: Iterable[str] = ()
) -> str:
    """Each filter with its values; what is `free` is spread out in the table."""
    if asked.listed:
        return asked.listed.filters or ALL
    words = [f"{item.label}＝{_chosen(item, values[item.key])}" for item in heeded]
    return "；".join([*words, *(f"{label}＝{ALL}（在表中展开）" for label in free)]) or ALL


def _chosen(item: Filter, values: Values) -> str:
    if item.ranged and values:
        return told_range(str(values[0]), today()) or ALL
    words = "、".join(NOTHING if value is None else value for value in values) or ALL
    return words if len(words) <= LONGEST else f"{words[:LONGEST]}…等 {len(values)} 项"
