"""Header of an export (导出抬头): the report, who exports it, as of when, and every filter in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, select

from api.exporting.export_request import ExportRequest, Values
from api.identity.tables import Role
from api.kit.scope import Principal
from api.kit.storage.database import TIME_ZONE, today
from api.master.organization.companies import Company
from api.shell.files.export_summary import format_moment
from reports.semantics.dashboards import Filter
from reports.semantics.day_ranges import describe_range as told_range

ALL, NOTHING = "全部", "（空）"
LONGEST = 1000
"""Of the words of one filter; what is beyond is counted."""


@dataclass(frozen=True)
class ExportMetadata:
    """Metadata of an export: who exports, when, and as of when the figures are computed; `notices` say why
    they are not current, or may still change."""

    company: str
    role: str
    realname: str
    at: datetime
    computed: datetime | None
    notices: Sequence[str]

    @property
    def exporter_line(self) -> str:
        exporter = f"导出人公司：{self.company}　　角色：{self.role}　　导出人：{self.realname}"
        return f"{exporter}　　导出时间：{format_moment(self.at)}"

    @property
    def time_line(self) -> str:
        computed = "尚未发布" if self.computed is None else format_moment(self.computed)
        return f"数据时间：{computed}" + "".join(f"　　注意：{notice}" for notice in self.notices)


def read_export_metadata(
    conn: Connection, principal: Principal, computed: datetime | None, notices: Sequence[str]
) -> ExportMetadata:
    """Return the header's facts; company and role of the principal are read from the core."""
    company = conn.execute(
        select(Company.company_name).where(Company.company_id == principal.company_id)
    ).scalar()
    role = conn.execute(select(Role.role_name).where(Role.role_id == principal.role_id)).scalar()
    now = datetime.now(TIME_ZONE)
    return ExportMetadata(company or "", role or "", principal.realname, now, computed, notices)


def build_header(
    request: ExportRequest, facts: ExportMetadata, title: str, filters: str, notes: Iterable[str] = ()
) -> list[str]:
    """Return the lines above a table."""
    name = title if title == request.title else f"{request.title} · {title}"
    return [name, facts.exporter_line, facts.time_line, f"筛选条件：{filters}", *notes]


def describe_filters(
    request: ExportRequest, applied: Iterable[Filter], values: Mapping[str, Values], free: Iterable[str] = ()
) -> str:
    """Return each filter with its values in words; `free` ones are spread out in the table."""
    if request.listed:
        return request.listed.filters or ALL
    words = [f"{item.label}＝{_describe_values(item, values[item.key])}" for item in applied]
    return "；".join([*words, *(f"{label}＝{ALL}（在表中展开）" for label in free)]) or ALL


def _describe_values(item: Filter, values: Values) -> str:
    if item.ranged and values:
        return told_range(str(values[0]), today()) or ALL
    words = "、".join(NOTHING if value is None else value for value in values) or ALL
    return words if len(words) <= LONGEST else f"{words[:LONGEST]}…等 {len(values)} 项"
