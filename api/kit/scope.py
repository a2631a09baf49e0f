"""Data scope (数据范围): which companies, warehouses and documents a principal may touch, as SQL conditions."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Literal

from sqlalchemy import ColumnElement, Table, and_, false, or_, select, true

ALL_RIGHTS = "*"
_OR = "|"


def any_of(*rights: str) -> str:
    """The right of a call that any of these is enough for."""
    return _OR.join(rights)


def alternatives_of(right: str) -> list[str]:
    """The rights of which a call's asks for one."""
    return right.split(_OR)


@dataclass(frozen=True, slots=True)
class Principal:
    """Who acts, as the server knows it: ids, rights, and scope (None = unrestricted)."""

    user_id: int
    user_name: str
    realname: str
    role_id: int
    company_id: int
    department_id: int | None = None
    companies: frozenset[int] | None = None
    warehouses: frozenset[int] | None = None
    own: Literal["all", "department", "own"] = "all"
    rights: frozenset[str] = frozenset()
    sees_cost: bool = False
    denied_fields: frozenset[tuple[str, str]] = field(default_factory=frozenset)
    session_id: int = 0
    imitator_id: int = 0
    imitator_name: str = ""
    """Who acts as this user in a simulated login, or the API token that does; empty otherwise."""
    limited: bool = False
    """An API token has some of his rights alone: the shell's own commands are not among them."""

    @property
    def by_token(self) -> bool:
        """Whether a program acts, by an API token of the user."""
        return bool(self.imitator_name) and not self.imitator_id

    @property
    def everywhere(self) -> bool:
        """Whether nothing lies beyond his scope."""
        return self.companies is None and self.warehouses is None and self.own == "all"

    @property
    def is_narrowed(self) -> bool:
        """Whether some bills of his companies are not his to see: other warehouses', departments' or makers'."""
        return self.warehouses is not None or self.own != "all"

    @property
    def beyond(self) -> Principal:
        """The same with all warehouses of his companies."""
        return replace(self, warehouses=None)

    @property
    def reach(self) -> str:
        """What tells from any other what he may see: two files of a list differ by it alone."""
        scope = [None if ids is None else sorted(ids) for ids in (self.companies, self.warehouses)]
        own = (self.own, self.department_id if self.own == "department" else None)
        told = (self.user_id, *scope, *own, self.sees_cost, sorted(self.denied_fields))
        return sha256(repr(told).encode()).hexdigest()

    def reaches(self, company_id: int) -> bool:
        """Whether a company lies in his scope."""
        return self.companies is None or company_id in self.companies

    def may(self, right: str) -> bool:
        return right in self.rights or ALL_RIGHTS in self.rights

    def sees(self, screen: str, name: str, permission: str | None) -> bool:
        """Whether a field of a screen is shown; cost fields need the cost right as well."""
        if permission == "cost" and not self.sees_cost:
            return False
        return (screen, name) not in self.denied_fields


def describe_scope(principal: Principal) -> str:
    """What a principal sees, in words, where it is not just all of his own company; empty where it is."""
    told = []
    if principal.companies is None:
        told.append("全集团")
    elif principal.companies != {principal.company_id}:
        told.append(f"{len(principal.companies)}家公司")
    if principal.warehouses is not None:
        told.append(f"{len(principal.warehouses)}个仓库")
    told += {"department": ["本部门单据"], "own": ["本人单据"]}.get(principal.own, [])
    return "、".join(told)


def within(table: Table, principal: Principal, warehouse: str = "warehouse_id") -> ColumnElement[bool]:
    """The condition that keeps rows of `table` inside the principal's scope.

    A table belongs to a company by its company_id, else by its warehouse's; a table with neither is the group's.
    Documents that tell no department are their maker's. `warehouse` names the column of the warehouse that counts; a
    table without one may say by `of_sources` that its rows lie where all that they are drawn from does.
    """
    conditions: list[ColumnElement[bool]] = []
    columns = table.columns
    if principal.companies is not None:
        conditions += _company_condition(table, sorted(principal.companies))
    if principal.warehouses is not None and warehouse in columns:
        column = columns[warehouse]
        allowed = column.in_(sorted(principal.warehouses))
        conditions.append(or_(column.is_(None), allowed) if column.nullable else allowed)
    if principal.warehouses is not None and (of_sources := table.info.get("of_sources")):
        conditions.append(of_sources(table, principal))
    if "maker_id" in columns:
        if principal.own == "department" and "department_id" in columns:
            mine = principal.department_id
            conditions.append(false() if mine is None else columns["department_id"] == mine)
        elif principal.own != "all":
            conditions.append(columns["maker_id"] == principal.user_id)
    return and_(true(), *conditions)


def _company_condition(table: Table, companies: list[int]) -> list[ColumnElement[bool]]:
    if "company_id" in table.columns:
        return [table.columns["company_id"].in_(companies)]
    parent: Any = table.columns.get("warehouse_id")
    if parent is None:
        return []
    owner = next(iter(parent.foreign_keys)).column.table
    return [
        parent.in_(select(owner.columns["warehouse_id"]).where(owner.columns["company_id"].in_(companies)))
    ]
