"""Bills in reports (报表中的单据): what kind of bill a row is of, in words, and where it is seen."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date

from sqlalchemy.orm import Mapped

from api.kit import registry
from api.kit.asked import this_month
from api.kit.fields import day, text
from api.kit.projection import MASK
from api.kit.scope import Principal
from api.reporting.published import Published


class BilledRow(Published):
    """A report row about one bill or a line of it, which it leads to; opens with the current month."""

    __abstract__ = True

    business_date: Mapped[date] = day("业务日期", search=True, width=110, sort=-60)
    bill_no: Mapped[str] = text("单据号", search=True, width=190, sort=-49)
    route: Mapped[str | None] = text("单据地址", list=False, export=False, hidden=True)

    @classmethod
    def usual(cls) -> dict[str, str]:
        return this_month("business_date")


def bill_columns(row: str, *prefixes: str, of: str = "") -> str:
    """`bill_name`, the bill's kind in words, and `route`, where it is seen; `of` goes before all columns' names.

    A report of known `prefixes` is spared the others, row by row.
    """
    names = {prefix: cls.declaration.label for prefix, cls in registry.prefixes().items()}
    routes = registry.see_routes()
    return (
        f"{_chosen(row, of, prefixes, names)} as {of}bill_name,"
        f" {_chosen(row, of, prefixes, routes)} || '?id=' || {row}.{of}bill_id as {of}route"
    )


def opened_no(principal: Principal, number: str, facts: str) -> str:
    """A number of a bill beside a row's own, as 无权限 where whose it is lies not in the principal's scope.

    `facts` are the published rows that say so, by `bill_no`, `maker_id`, `department_id`.
    """
    if principal.own == "all":
        return number
    owner = "department_id" if principal.own == "department" else "maker_id"
    mine = principal.department_id if principal.own == "department" else principal.user_id
    own = "false" if mine is None else f"f.{owner} = {mine}"
    allowed = f"exists (select 1 from {facts} as f where f.bill_no = {number} and {own})"
    return f"case when {number} is null or {allowed} then {number} else '{MASK}' end"


def _chosen(row: str, of: str, prefixes: tuple[str, ...], values: Mapping[str, str]) -> str:
    known = prefixes or tuple(values)
    arms = " ".join(f"when '{prefix}' then '{values[prefix]}'" for prefix in known)
    return f"case {row}.{of}bill_type {arms} end"
