"""Data scope (数据范围): companies, warehouses and documents a principal may touch, as SQL conditions."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any, Literal

from sqlalchemy import ColumnElement, Table, and_, false, or_, select, true

ALL_RIGHTS = "*"
_OR = "|"


def any_of(*rights: str) -> str:
    """Join alternative rights of a call into one; any of them is enough."""
    return _OR.join(rights)


def alternatives_of(right: str) -> list[str]:
    """Return the alternatives of a call's right."""
    return right.split(_OR)


@dataclass(frozen=True, slots=True)
class Principal:
    """The authenticated user: ids, rights, and scope (None = unrestricted)."""

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
    """Name of who impersonates this user, or of the API token; empty otherwise."""
    limited: bool = False
    """An API token has some of his rights alone: the shell's own commands are not among them."""

    @property
    def is_api_token(self) -> bool:
        """Return whether a program acts, by an API token of the user."""
        return bool(self.imitator_name) and not self.imitator_id

    @property
    def is_unrestricted(self) -> bool:
        """Return whether nothing lies beyond his scope."""
        return self.companies is None and self.warehouses is None and self.own == "all"

    @property
    def is_narrowed(self) -> bool:
        """Return whether some bills of his companies are hidden, by warehouse, department or maker."""
        return self.warehouses is not None or self.own != "all"

    @property
    def without_warehouse_limit(self) -> Principal:
        """The same principal with all warehouses of his companies."""
        return replace(self, warehouses=None)

    @property
    def scope_hash(self) -> str:
        """SHA-256 of his data scope: files of a list are the same for principals with equal hashes."""
        scope = [None if ids is None else sorted(ids) for ids in (self.companies, self.warehouses)]
        own = (self.own, self.department_id if self.own == "department" else None)
        parts = (self.user_id, *scope, *own, self.sees_cost, sorted(self.denied_fields))
        return sha256(repr(parts).encode()).hexdigest()

    def covers_company(self, company_id: int) -> bool:
        """Return whether a company lies in his scope."""
        return self.companies is None or company_id in self.companies

    def has_right(self, right: str) -> bool:
        return right in self.rights or ALL_RIGHTS in self.rights

    def can_see(self, screen: str, name: str, permission: str | None) -> bool:
        """Return whether a field of a screen is shown; cost fields need the cost right as well."""
        if permission == "cost" and not self.sees_cost:
            return False
        return (screen, name) not in self.denied_fields


def describe_scope(principal: Principal) -> str:
    """Describe a principal's scope where it is not just all of his own company; empty where it is."""
    limits = []
    if principal.companies is None:
        limits.append("全集团")
    elif principal.companies != {principal.company_id}:
        limits.append(f"{len(principal.companies)}家公司")
    if principal.warehouses is not None:
        limits.append(f"{len(principal.warehouses)}个仓库")
    limits += {"department": ["本部门单据"], "own": ["本人单据"]}.get(principal.own, [])
    return "、".join(limits)


def scope_condition(
    table: Table, principal: Principal, warehouse: str = "warehouse_id"
) -> ColumnElement[bool]:
    """Build the condition that keeps rows of `table` inside the principal's scope.

    A table belongs to a company by its company_id, else by its warehouse's; a table with neither is the
    group's. Documents without a department are their maker's. `warehouse` names the column of the
    warehouse that counts; a table without one may say by `of_sources` that its rows lie where all their
    sources do.
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
