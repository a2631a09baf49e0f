"""The demo group's masters (演示集团资料): companies, people, warehouses, goods, partners; made once."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, insert, select, update

from api.customers.customer_addresses import CustomerAddress
from api.demo.goods import TYPES, DemoGoods, build_goods, format_ean13
from api.demo.names import (
    CARTON,
    COMPANIES,
    DEPARTMENTS,
    MODES,
    ROADS,
    SHOPS,
    STATIONS,
    SUPPLIERS,
    TRADES,
    UNITS,
    WAREHOUSES,
    draw_mobile,
    draw_name,
)
from api.demo.sizes import DemoSize
from api.kit.declaration.resource import Resource
from api.kit.storage.records import insert_records
from api.master.goods.goods import Brand, CompanyGoods, Goods, GoodsType, GoodsUnit, Unit
from api.master.organization.companies import BRANCH, STATION, Company, Department, Employee, GroupInfo
from api.master.organization.geography import Area, City, Province
from api.master.partners.logistics import Logistics, LogisticsDriver
from api.master.partners.partners import Customer, PaymentMethod, Supplier
from api.master.settings.business_types import CustomerType, SalesType, SupplierType
from api.master.warehouses.warehouses import (
    DEFECTIVE,
    GOOD,
    GUARANTEE,
    WAREHOUSE_TYPES,
    StorageLocation,
    Warehouse,
)
from api.messaging.tables import FILE, SmsChannel

FIRST_CARTON = 90_001
"""The barcodes of cartons come after those of goods."""
TERMS = (0, 0, 15, 30, 30, 30, 45, 60, 90)


@dataclass(slots=True)
class DemoBranch:
    """A company with the ids of its own masters."""

    company_id: int
    code: str
    share: float
    warehouses: list[int]
    guarantee: int
    allocations: dict[int, list[int]]
    department_of: dict[int, int]
    sellers: list[int]
    buyers: list[int]
    keepers: list[int]
    cashiers: list[int]
    customers: list[dict[str, Any]]


@dataclass(slots=True)
class DemoGroup:
    """Masters that the branches share, and the branches."""

    goods: list[DemoGoods]
    suppliers: dict[str, dict[str, Any]]
    modes: list[int]
    sales_types: list[int]
    carton_id: int
    branches: list[DemoBranch]


def make_masters(conn: Connection, size: DemoSize) -> None:
    """Insert the masters of the whole group."""
    chance = random.Random(7)
    goods = _make_goods(conn, size)
    insert_records(
        conn, PaymentMethod, [{"receivables_mode_name": n, "account_kind": k} for n, k in MODES.items()]
    )
    _make_suppliers(conn, chance)
    _make_carriers(conn)
    channel = {
        "channel_name": "演示短信（只写入文件）",
        "kind": FILE,
        "signature": "汽配轮胎",
        "is_default": True,
    }
    insert_records(conn, SmsChannel, [channel])
    service = {
        "service_contact": "周晓梅",
        "service_phone": "0571-88990011",
        "service_hours": "每日 8:30–18:00",
    }
    conn.execute(update(GroupInfo.table()).values(**service))
    for code, facts in COMPANIES.items():
        _make_branch(conn, chance, code, facts, goods, size)


def read_group(conn: Connection, size: DemoSize) -> DemoGroup:
    """Return the masters that `make_masters` inserted, with their ids."""
    goods = build_goods(size.goods)
    ids = {number: key for number, key in conn.execute(select(Goods.goods_num, Goods.goods_id))}  # noqa: C416
    for item in goods:
        item.goods_id = ids[str(item.row["goods_num"])]
    suppliers = {row.supplier_name: dict(row._mapping) for row in conn.execute(select(Supplier.table()))}
    modes = conn.execute(
        select(PaymentMethod.receivables_mode_id).order_by(PaymentMethod.receivables_mode_id)
    )
    branches = [_read_branch(conn, code) for code in COMPANIES]
    types = select(SalesType.key()).order_by(SalesType.key())
    sales_types: list[int] = list(conn.execute(types).scalars())
    carton = conn.execute(select(Unit.unit_id).where(Unit.unit_name == CARTON)).scalar_one()
    return DemoGroup(goods, suppliers, list(modes.scalars()), sales_types, carton, branches)


def _make_goods(conn: Connection, size: DemoSize) -> list[DemoGoods]:
    found = build_goods(size.goods)
    types: dict[str, int] = {}
    for first, seconds in TYPES.items():
        [top] = insert_records(conn, GoodsType, [{"goods_type_name": first, "p_id": None, "level": 1}])
        for second, thirds in seconds.items():
            [middle] = insert_records(conn, GoodsType, [{"goods_type_name": second, "p_id": top, "level": 2}])
            keys = insert_records(
                conn, GoodsType, [{"goods_type_name": n, "p_id": middle, "level": 3} for n in thirds]
            )
            types |= {second: middle, **dict(zip(thirds, keys, strict=True))}
    units = dict(zip(UNITS, insert_records(conn, Unit, [{"unit_name": name} for name in UNITS]), strict=True))
    names = sorted({item.brand_name for item in found})
    brands = dict(
        zip(names, insert_records(conn, Brand, [{"brand_name": name} for name in names]), strict=True)
    )
    blank = {"pattern": None, "load_index": None, "speed_index": None}
    rows = [
        blank
        | item.row
        | {
            "goods_type_id": types[item.type_name],
            "brand_id": brands[item.brand_name],
            "unit_id": units[item.unit_name],
            "tax_rate": 13,
        }
        for item in found
    ]
    for item, key in zip(found, insert_records(conn, Goods, rows), strict=True):
        item.goods_id = key
    cartons = [
        {
            "goods_id": item.goods_id,
            "line_no": 1,
            "unit_id": units[CARTON],
            "factor": item.carton,
            "barcode": format_ean13(FIRST_CARTON + number),
        }
        for number, item in enumerate(found)
        if item.carton
    ]
    if cartons:
        conn.execute(insert(GoodsUnit.table()), cartons)
    return found


def _make_suppliers(conn: Connection, chance: random.Random) -> None:
    kinds: Sequence[int] = (
        conn.execute(select(SupplierType.key()).order_by(SupplierType.key()).limit(3)).scalars().all()
    )
    rows = [
        {
            "supplier_name": name,
            "supplier_type_id": kinds[number % len(kinds)],
            "contact_name": draw_name(chance),
            "supplier_mobile": draw_mobile(chance),
            "payment_days": chance.choice((15, 30, 30, 45)),
        }
        for number, name in enumerate(SUPPLIERS)
    ]
    insert_records(conn, Supplier, rows)


def _make_carriers(conn: Connection) -> None:
    [carrier] = insert_records(conn, Logistics, [{"logistics_name": "顺通物流", "phone": "0571-85881234"}])
    driver = {"driver_name": "马国强", "mobile": "13758201234", "plate_no": "浙A6K218"}
    insert_records(conn, LogisticsDriver, [{**driver, "logistics_id": carrier}])


def _make_branch(
    conn: Connection,
    chance: random.Random,
    code: str,
    facts: tuple[Any, ...],
    goods: list[DemoGoods],
    size: DemoSize,
) -> None:
    name, short, province, city, districts, _, houses = facts
    place = _find_districts(conn, province, city, districts)[districts[0]]
    named = {"company_name": name, "company_code": code, "short_name": short}
    kind = {"type": STATION if code in STATIONS else BRANCH}
    [company] = insert_records(conn, Company, [{**named, **kind, **place}])
    names = [f"{short}{house}" for house in WAREHOUSES[:houses]]
    warehouses = insert_records(
        conn, Warehouse, [{"warehouse_name": house, "company_id": company} for house in names]
    )
    apart = [
        {"warehouse_name": f"{short}{WAREHOUSE_TYPES[kind]}", "company_id": company, "type": kind}
        for kind in (DEFECTIVE, GUARANTEE)
    ]
    insert_records(conn, Warehouse, apart)
    shelves = [
        {"allocation_name": f"{row}-{place:02d}", "warehouse_id": warehouse}
        for warehouse in warehouses
        for row in "ABC"
        for place in range(1, 5)
    ]
    insert_records(conn, StorageLocation, shelves)
    rows = [{"department_name": department, "company_id": company} for department in DEPARTMENTS]
    departments = insert_records(conn, Department, rows)
    staff = [
        {
            "employee_name": draw_name(chance),
            "company_id": company,
            "department_id": department,
            "mobile": draw_mobile(chance),
        }
        for department, number in zip(departments, (4, 3, 2, 2, 1), strict=True)
        for _ in range(number)
    ]
    employees = insert_records(conn, Employee, staff)
    _make_customers(conn, chance, company, employees[:7], (province, city, districts), size)
    priced = [
        {
            "company_id": company,
            "goods_id": item.goods_id,
            "sale_price": item.price,
            "purchase_price": item.cost,
            "lowest_price": (item.cost * Decimal("1.03")).quantize(Decimal("0.01")),
            "safety_stock": 8 if item.is_tyre else 5,
        }
        for item in goods
    ]
    insert_records(conn, CompanyGoods, priced)


def _make_customers(
    conn: Connection,
    chance: random.Random,
    company: int,
    sellers: list[int],
    where: tuple[Any, ...],
    size: DemoSize,
) -> None:
    *_, districts = where
    places = _find_districts(conn, *where)
    named = select(CustomerType.table().c.customer_type_name, CustomerType.table().c.customer_type_id)
    types: dict[str, int] = dict(conn.execute(named).tuples().all())
    found: dict[str, dict[str, Any]] = {}
    while len(found) < size.customers:
        district = chance.choice(districts)
        number = f"{len(found) // 200 + 2}店" if len(found) >= 200 else ""
        shop, trade = chance.choice(SHOPS), chance.choice(list(TRADES))
        name = f"{district[:2]}{shop}{trade}{number}"
        terms = chance.choice(TERMS)
        found[name] = {
            "customer_name": name,
            "company_id": company,
            "customer_type_id": types[TRADES[trade]],
            "contact_name": draw_name(chance),
            "customer_mobile": draw_mobile(chance),
            **places[district],
            "address": f"{ROADS[len(found) % len(ROADS)]}{len(found) + 1}号",
            "employee_id": chance.choice(sellers),
            "payment_days": terms,
        }
    rows = list(found.values())
    keys = insert_records(conn, Customer, rows)
    insert_records(
        conn, CustomerAddress, [build_address(key, row) for key, row in zip(keys, rows, strict=True)]
    )


def build_address(customer: int, row: dict[str, Any]) -> dict[str, Any]:
    """Build the delivery address of a customer: his own."""
    same = ("company_id", "province_id", "city_id", "area_id", "address")
    return {name: row[name] for name in same} | {
        "customer_id": customer,
        "consignee": row["contact_name"],
        "mobile": row["customer_mobile"],
        "is_default": True,
    }


def _find_districts(conn: Connection, province: str, city: str, districts: tuple[str, ...]) -> dict[str, Any]:
    """Return the region fields of each district of a city."""
    tables = [cls.table() for cls in (Province, City, Area)]
    query = select(*(table.c[f"{table.name}_id"] for table in tables), tables[2].c.area_name).where(
        tables[1].c.province_id == tables[0].c.province_id,
        tables[2].c.city_id == tables[1].c.city_id,
        tables[0].c.province_name == province,
        tables[1].c.city_name == city,
        tables[2].c.area_name.in_(districts),
    )
    return {
        row.area_name: {name: getattr(row, name) for name in ("province_id", "city_id", "area_id")}
        for row in conn.execute(query)
    }


def _read_branch(conn: Connection, code: str) -> DemoBranch:
    company = conn.execute(select(Company.company_id).where(Company.company_code == code)).scalar_one()

    def rows(cls: type[Resource]) -> list[Any]:
        table = cls.table()
        return list(conn.execute(select(table).where(table.c.company_id == company).order_by(cls.key())))

    sisters = {name for name, *_ in COMPANIES.values()}
    departments = {row.department_name: row.department_id for row in rows(Department)}
    staff = rows(Employee)
    houses = rows(Warehouse)
    warehouses = [row.warehouse_id for row in houses if row.type == GOOD]
    [guarantee] = [row.warehouse_id for row in houses if row.type == GUARANTEE]
    shelves = StorageLocation.table()
    allocations: dict[int, list[int]] = {warehouse: [] for warehouse in warehouses}
    query = select(shelves).where(shelves.c.warehouse_id.in_(warehouses)).order_by(shelves.c.allocation_id)
    for row in conn.execute(query):
        allocations[row.warehouse_id].append(row.allocation_id)

    def of(*names: str) -> list[int]:
        wanted = {departments[name] for name in names}
        return [row.employee_id for row in staff if row.department_id in wanted]

    return DemoBranch(
        company_id=company,
        code=code,
        share=COMPANIES[code][5],
        warehouses=warehouses,
        guarantee=guarantee,
        allocations=allocations,
        department_of={row.employee_id: row.department_id for row in staff},
        sellers=of("销售一部", "销售二部"),
        buyers=of("采购部"),
        keepers=of("仓储部"),
        cashiers=of("财务部"),
        customers=[dict(row._mapping) for row in rows(Customer) if row.customer_name not in sisters],
    )
