"""Masters that an import file names (导入资料): found by code or name, or inserted on request."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from decimal import Decimal

from sqlalchemy import Connection, select

from api.kit.declaration.resource import Resource
from api.kit.storage.records import insert_records
from api.master.goods.goods import Goods, GoodsBatch, GoodsType, Unit, is_tyre
from api.master.organization.companies import Company
from api.master.partners.partners import Customer, Supplier
from api.master.warehouses.warehouses import Warehouse

NEW_TYPE, NEW_UNIT = "导入商品", "件"


@dataclass(frozen=True, slots=True)
class KnownGoods:
    goods_id: int
    is_batch: bool
    is_tyre: bool
    tax_rate: Decimal


@dataclass(slots=True)
class Masters:
    """Masters in the database; companies are keyed by name, given by name or code."""

    companies: dict[str, int] = field(default_factory=dict)
    company_names: dict[str, str] = field(default_factory=dict)
    warehouses: dict[tuple[str, str], int] = field(default_factory=dict)
    suppliers: dict[str, int] = field(default_factory=dict)
    customers: dict[tuple[str, str], int] = field(default_factory=dict)
    goods: dict[str, KnownGoods] = field(default_factory=dict)
    batches: dict[tuple[int, str], int] = field(default_factory=dict)
    closed: set[tuple[str, str]] = field(default_factory=set)


@dataclass(slots=True)
class MissingMasters:
    """Masters that a file names and the database lacks; `goods` maps codes to names."""

    companies: set[str] = field(default_factory=set)
    warehouses: set[tuple[str, str]] = field(default_factory=set)
    suppliers: set[str] = field(default_factory=set)
    customers: set[tuple[str, str]] = field(default_factory=set)
    goods: dict[str, str] = field(default_factory=dict)

    def counts(self) -> dict[str, int]:
        """Return how many of each kind, those there are, by Chinese name."""
        kinds: dict[str, Collection[object]] = {
            "公司": self.companies,
            "仓库": self.warehouses,
            "供应商": self.suppliers,
            "客户": self.customers,
            "商品": self.goods,
        }
        return {label: len(found) for label, found in kinds.items() if found}


def read_masters(conn: Connection) -> Masters:
    """Return all masters that bills name."""
    found = Masters()
    names: dict[int, str] = {}
    for key, name, code in conn.execute(
        select(Company.company_id, Company.company_name, Company.company_code)
    ):
        names[key] = name
        found.companies[name] = key
        found.company_names |= {name: name, code: name}
    for key, name, company in conn.execute(
        select(Warehouse.warehouse_id, Warehouse.warehouse_name, Warehouse.company_id)
    ):
        found.warehouses[names[company], name] = key
    for key, name in conn.execute(select(Supplier.supplier_id, Supplier.supplier_name)):
        found.suppliers[name] = key
    for key, name, company in conn.execute(
        select(Customer.customer_id, Customer.customer_name, Customer.company_id)
    ):
        found.customers[names[company], name] = key
    for row in conn.execute(
        select(
            Goods.goods_id,
            Goods.goods_num,
            Goods.is_batch,
            Goods.is_numbered,
            Goods.specification_type,
            Goods.goods_name,
            Goods.tax_rate,
        )
    ):
        tyre = is_tyre(row.is_numbered, row.specification_type, row.goods_name)
        found.goods[row.goods_num] = KnownGoods(row.goods_id, row.is_batch, tyre, row.tax_rate)
    for key, goods, batch in conn.execute(select(GoodsBatch.batch_id, GoodsBatch.goods_id, GoodsBatch.batch)):
        found.batches[goods, batch] = key
    closed = conn.exec_driver_sql("select company_id, period from accounting_period where status = 1")
    found.closed = {(names[row.company_id], row.period) for row in closed}
    return found


def insert_missing(conn: Connection, missing: MissingMasters, known: Masters) -> None:
    """Insert missing masters, with the least that a form would require."""
    if missing.companies:
        codes = _free_codes(known, len(missing.companies))
        insert_records(
            conn,
            Company,
            [
                {"company_name": name, "company_code": code}
                for name, code in zip(sorted(missing.companies), codes, strict=True)
            ],
        )
        known = read_masters(conn)
    rows = [
        {"warehouse_name": name, "company_id": known.companies[company]}
        for company, name in sorted(missing.warehouses)
    ]
    _insert_rows(conn, Warehouse, rows)
    _insert_rows(conn, Supplier, [{"supplier_name": name} for name in sorted(missing.suppliers)])
    rows = [
        {"customer_name": name, "company_id": known.companies[company]}
        for company, name in sorted(missing.customers)
    ]
    _insert_rows(conn, Customer, rows)
    if missing.goods:
        kind = _find_or_insert(conn, GoodsType, "goods_type_name", NEW_TYPE, {"p_id": None, "level": 1})
        unit = _find_or_insert(conn, Unit, "unit_name", NEW_UNIT, {})
        common = {"goods_type_id": kind, "unit_id": unit}
        rows = [
            common | {"goods_num": code, "goods_name": name} for code, name in sorted(missing.goods.items())
        ]
        _insert_rows(conn, Goods, rows)


def _insert_rows(conn: Connection, cls: type[Resource], rows: list[dict[str, object]]) -> None:
    if rows:
        insert_records(conn, cls, rows)


def _find_or_insert(
    conn: Connection, cls: type[Resource], column: str, name: str, more: dict[str, object]
) -> int:
    table = cls.table()
    key = conn.execute(select(cls.key()).where(table.c[column] == name)).scalar()
    return int(key if key is not None else insert_records(conn, cls, [{column: name, **more}])[0])


def _free_codes(known: Masters, count: int) -> list[str]:
    codes: list[str] = []
    number = 0
    while len(codes) < count:
        number += 1
        if (code := f"D{number:02d}") not in known.company_names:
            codes.append(code)
    return codes
