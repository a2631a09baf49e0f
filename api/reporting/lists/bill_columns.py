"""Bills in list reports (报表中的单据): a row's bill type as text, and the address of the bill's page."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from sqlalchemy.orm import Mapped

from api.kit.declaration import registry
from api.kit.declaration.fields import date_field, text_field
from api.kit.http.date_filters import this_month_filter
from api.kit.scope import Principal
from api.kit.storage.projection import MASK
from api.reporting.lists.list_report import ListReport


class BillReportRow(ListReport):
    """Base of report rows about one bill or a line of it, with a link to the bill; opens with the current
    month."""

    __abstract__ = True

    business_date: Mapped[date] = date_field("业务日期", search=True, width=110, sort=-60)
    bill_no: Mapped[str] = text_field("单据号", search=True, width=190, sort=-49)
    route: Mapped[str | None] = text_field("单据地址", list=False, export=False, hidden=True)

    @classmethod
    def default_filters(cls) -> dict[str, str]:
        return this_month_filter("business_date")


def bill_columns_sql(row: str, *prefixes: str, of: str = "") -> str:
    """Return SQL of the columns `bill_name`, the bill type's label, and `route`, the address of its page.

    `of` is put before all columns' names. Known `prefixes` leave out the other types, which are compared
    row by row.
    """
    names = {prefix: cls.declaration.label for prefix, cls in registry.map_prefixes().items()}
    routes = registry.map_see_routes()
    return (
        f"{_bill_case_sql(row, of, prefixes, names)} as {of}bill_name,"
        f" {_bill_case_sql(row, of, prefixes, routes)} || '?id=' || {row}.{of}bill_id as {of}route"
    )


def masked_bill_no_sql(principal: Principal, number: str, facts: str) -> str:
    """Return SQL of a second bill number of a row, masked as 无权限 where that bill is outside the principal's
    scope.

    `facts` are published rows with `bill_no`, `maker_id` and `department_id` of those bills.
    """
    if principal.own == "all":
        return number
    owner = "department_id" if principal.own == "department" else "maker_id"
    mine = principal.department_id if principal.own == "department" else principal.user_id
    own = "false" if mine is None else f"f.{owner} = {mine}"
    allowed = f"exists (select 1 from {facts} as f where f.bill_no = {number} and {own})"
    return f"case when {number} is null or {allowed} then {number} else '{MASK}' end"


def _bill_case_sql(row: str, of: str, prefixes: tuple[str, ...], values: Mapping[str, str]) -> str:
    known = prefixes or tuple(values)
    arms = " ".join(f"when '{prefix}' then '{values[prefix]}'" for prefix in known)
    return f"case {row}.{of}bill_type {arms} end"
