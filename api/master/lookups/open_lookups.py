"""Open lookups (开放下拉) that no declared list answers: the purchase center's, stores, stock, tyre numbers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel
from sqlalchemy import select, text

from api.kit.context import Context
from api.kit.declaration.field_sources import from_fields
from api.kit.declaration.resource import Resource
from api.kit.http.routing import ANY_USER, build_router, call
from api.kit.http.schemas import Key, Paged
from api.kit.scope import any_of, scope_condition
from api.kit.storage.listing import build_page
from api.master.goods.goods_columns import BrandName, GoodsName, GoodsNum, Pattern, Specification, UnitName
from api.master.lookups import dropdowns
from api.master.lookups.lookup_rights import list_entry_rights, restrict_lookup_principal
from api.master.organization.companies import STATION, Employee
from api.master.partners.partners import Customer, PaymentMethod, Supplier
from api.master.warehouses.warehouses import Warehouse

api = build_router()
Name = Annotated[str, Query(max_length=100)]
MOST = 500
CENTRE = "purchase_center/Open"


class EmployeeOption(BaseModel):
    employee_id: int
    employee_name: Annotated[str, from_fields("employee.employee_name")]
    company_id: Annotated[int, from_fields("employee.company_id")]


class CustomerOption(BaseModel):
    customer_id: int
    customer_name: Annotated[str, from_fields("customer.customer_name")]
    type: Annotated[int | None, from_fields("customer.customer_type_id")]
    address: Annotated[str | None, from_fields("customer.address")]
    contact_name: Annotated[str | None, from_fields("customer.contact_name")]
    customer_mobile: Annotated[str | None, from_fields("customer.customer_mobile")]
    province_name: Annotated[str | None, from_fields("customer.province_id")]
    city_name: Annotated[str | None, from_fields("customer.city_id")]
    area_name: Annotated[str | None, from_fields("customer.area_id")]


class WarehouseOption(BaseModel):
    warehouse_id: int
    warehouse_name: Annotated[str, from_fields("warehouse.warehouse_name")]
    type: Annotated[int, from_fields("warehouse.type")]


class PaymentMethodOption(BaseModel):
    payment_method_id: int
    payment_method_name: Annotated[str, from_fields("receivables_mode.receivables_mode_name")]


class SupplierOption(BaseModel):
    supplier_id: int
    supplier_name: Annotated[str, from_fields("supplier.supplier_name")]


class StoreOption(BaseModel):
    """A shop that goods are bought from; its principal is whom one speaks to."""

    store_id: int
    supplier_name: Annotated[str, from_fields("supplier.supplier_name")]
    member_name: Annotated[str | None, from_fields("supplier_resource.legal_person")]
    principal_name: Annotated[str | None, from_fields("supplier.contact_name")]
    principal_mobile: Annotated[str | None, from_fields("supplier.supplier_mobile")]
    province_name: Annotated[str | None, from_fields("supplier.province_id")]
    city_name: Annotated[str | None, from_fields("supplier.city_id")]
    area_name: Annotated[str | None, from_fields("supplier.area_id")]


class ChainStore(BaseModel):
    """A service station of the chain, who answers for it, and at which number it is reached."""

    chain_id: int
    chain_user: Annotated[int | None, from_fields("user_account.realname")]
    chain_name: Annotated[str, from_fields("company.company_name")]
    chain_user_name: Annotated[str | None, from_fields("user_account.realname")]
    customer_mobile: Annotated[str | None, from_fields("customer.customer_mobile")]


class CountedGoods(BaseModel):
    """Goods of a warehouse with what the books say lies at each place."""

    goods_id: Annotated[int, from_fields("stock_detail.goods_id")]
    goods_num: GoodsNum
    goods_name: GoodsName
    specification_type: Specification
    pattern: Pattern
    brand_name: BrandName
    unit_name: UnitName
    allocation_id: Annotated[int, from_fields("stock_detail.allocation_id")]
    allocation_name: Annotated[str | None, from_fields("stock_detail.allocation_id")]
    batch_id: Annotated[int, from_fields("stock_detail.batch_id")]
    batch: Annotated[str | None, from_fields("stock_detail.batch_id")]
    stocks: Annotated[str, from_fields("stock_detail.quantity")]


class NumberedGoods(BaseModel):
    """A tyre number that lies in a warehouse, or at the customer asked for."""

    goods_sn: Annotated[str, from_fields("tire_management.number")]
    goods_id: Annotated[int, from_fields("tire_management.goods_id")]
    goods_num: GoodsNum
    goods_name: GoodsName
    batch: Annotated[str | None, from_fields("tire_management.batch_id")]
    warehouse_id: Annotated[int | None, from_fields("tire_management.warehouse_id")]
    warehouse_name: Annotated[str | None, from_fields("tire_management.warehouse_id")]
    allocation_id: Annotated[int, from_fields("tire_management.allocation_id")]
    allocation_name: Annotated[str | None, from_fields("tire_management.allocation_id")]


def _build_scope_params(ctx: Context) -> dict[str, Any]:
    me = ctx.principal
    return {
        "companies": None if me.companies is None else sorted(me.companies),
        "warehouses": None if me.warehouses is None else sorted(me.warehouses),
        "own": me.company_id,
        "most": MOST,
    }


def _read_rows(ctx: Context, sql: str, **values: Any) -> list[dict[str, Any]]:
    for name, value in values.items():
        if isinstance(value, str):
            values[name] = value.strip().replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    found = ctx.conn.execute(text(sql), _build_scope_params(ctx) | values)
    return [dict(row._mapping) for row in found]


_OURS = "(cast(:companies as bigint[]) is null or {table}.company_id = any(cast(:companies as bigint[])))"
_MINE = "(cast(:warehouses as bigint[]) is null or {table}.warehouse_id = any(cast(:warehouses as bigint[])))"


LookupParams = Annotated[dropdowns.LookupQuery, Query()]


def _mount_dropdown(path: str, cls: type[Resource], row: type[BaseModel], **renamed: str) -> None:
    """Mount a dropdown at a path of its own with the fields of `row`; `renamed` maps these to the class's
    fields."""

    def offered(ctx: Context, query: LookupParams) -> Any:
        return _rename_fields(dropdowns.list_choices(ctx, cls, query)["data"], row, renamed)

    offered.__doc__ = cls.declaration.label
    call(api, "GET", path, right=ANY_USER, returns=list[row])(offered)  # type: ignore[valid-type]


def _rename_fields(
    found: list[dict[str, Any]], row: type[BaseModel], renamed: Mapping[str, str]
) -> list[dict[str, Any]]:
    return [{name: one.get(renamed.get(name, name)) for name in row.model_fields} for one in found]


_mount_dropdown(f"{CENTRE}/Employee/getEmployeeList", Employee, EmployeeOption)
_mount_dropdown(f"{CENTRE}/Customer/getCustomerList", Customer, CustomerOption)
_mount_dropdown(f"{CENTRE}/Supplier/getSupplierList", Supplier, SupplierOption)
_mount_dropdown(
    f"{CENTRE}/PaymentMethod/getPaymentMethodList",
    PaymentMethod,
    PaymentMethodOption,
    payment_method_id="receivables_mode_id",
    payment_method_name="receivables_mode_name",
)


@call(api, "GET", f"{CENTRE}/Warehouse/getWarehouseList", right=ANY_USER, returns=list[WarehouseOption])
def get_warehouse_list(ctx: Context, query: LookupParams) -> Any:
    """集采-仓库: those of the customer's company; without a customer there are none (spec/3-rules.md 5.3)."""
    table = Customer.table()
    mine = (table.c.customer_id == query.customer_id) & scope_condition(table, ctx.principal)
    company = ctx.conn.execute(select(table.c.company_id).where(mine)).scalar()
    if company is None:
        return []
    query = query.model_copy(update={"company_id": company})
    return _rename_fields(dropdowns.list_choices(ctx, Warehouse, query)["data"], WarehouseOption, {})


_MEMBERS = text("select supplier_id, legal_person from supplier_resource where supplier_id = any(:keys)")
_STORE = {
    "store_id": "supplier_id",
    "principal_name": "contact_name",
    "principal_mobile": "supplier_mobile",
}


@call(api, "GET", "system/Supplier/getStoreList", right=ANY_USER, returns=list[StoreOption])
def get_store_list(ctx: Context, query: LookupParams) -> Any:
    """门店: suppliers with whom to speak to and where they are; who holds the file on one is its member."""
    stores = _rename_fields(dropdowns.list_choices(ctx, Supplier, query)["data"], StoreOption, _STORE)
    if ctx.principal.has_right("supplier_resource:list"):
        rows = ctx.conn.execute(_MEMBERS, {"keys": [store["store_id"] for store in stores]})
        members = {row.supplier_id: row.legal_person for row in rows}
        stores = [{**store, "member_name": members.get(store["store_id"])} for store in stores]
    return stores


@call(api, "GET", "open/Chain/getChainList", right=ANY_USER, returns=list[ChainStore])
def get_chain_list(ctx: Context, chain_name: Name = "") -> Any:
    """连锁门店: service stations in one's scope; the first user of one answers for it, its customer has the number."""
    found = _read_rows(
        ctx,
        "select c.company_id as chain_id, u.user_id as chain_user, c.company_name as chain_name,"
        " u.realname as chain_user_name, coalesce(m.customer_mobile, u.mobile) as customer_mobile"
        " from company c"
        " left join lateral (select a.user_id, a.realname, e.mobile from user_account a"
        " left join employee e using (employee_id)"
        " where a.company_id = c.company_id and a.enabled order by a.user_id limit 1) u on true"
        " left join lateral (select k.customer_mobile from customer k where k.inner_company_id = c.company_id"
        f" and k.enabled and k.customer_mobile is not null and {_OURS.format(table='k')}"
        " order by k.customer_id limit 1) m on true"
        f" where c.type = {STATION} and c.enabled and {_OURS.format(table='c')}"
        " and (c.company_name ilike '%' || :name || '%' or c.logogram ilike '%' || :name || '%'"
        " or u.realname ilike '%' || :name || '%')"
        " order by c.company_id limit :most",
        name=chain_name,
    )
    if restrict_lookup_principal(Customer, ctx.principal) is ctx.principal:
        return found
    return [row | {"customer_mobile": None} for row in found]


@call(api, "GET", "open/Warehouse/getWarehouseFocus", right=ANY_USER, returns=list[WarehouseOption])
def get_warehouse_focus(ctx: Context, company_id: Key = 0) -> Any:
    """常用仓库: a company's warehouses of good stock, those that moved most in the last 30 days first."""
    return _read_rows(
        ctx,
        "select w.warehouse_id, w.warehouse_name, w.type from warehouse w"
        " left join (select s.warehouse_id, count(*) as moves from stock_ledger s"
        " where s.company_id = coalesce(nullif(:company, 0), :own) and s.business_date > current_date - 30"
        " group by s.warehouse_id) m using (warehouse_id)"
        " where w.enabled and w.type = 1 and w.company_id = coalesce(nullif(:company, 0), :own)"
        f" and {_OURS.format(table='w')} and {_MINE.format(table='w')}"
        " order by m.moves desc nulls last, w.warehouse_id limit :most",
        company=company_id,
    )


@call(
    api,
    "GET",
    "v2/inventory/StockTaking/stockTakingGetGoodsList",
    right="stock_take:list",
    returns=list[CountedGoods],
)
def stock_taking_get_goods_list(
    ctx: Context,
    warehouse_id: Key,
    allocation_id: Key = 0,
    goods_type_id: Key = 0,
    brand_id: Key = 0,
    goods_name: Name = "",
) -> Any:
    """盘点商品: what the books say lies in a warehouse, by place and batch."""
    return _read_rows(
        ctx,
        "select b.goods_id, g.goods_num, g.goods_name, g.specification_type, g.pattern, d.brand_name, u.unit_name,"
        " b.allocation_id, l.allocation_name, b.batch_id, n.batch, b.quantity as stocks"
        " from stock_balance b join goods g using (goods_id)"
        " left join brand d on d.brand_id = g.brand_id left join unit u on u.unit_id = g.unit_id"
        " left join allocation l on l.allocation_id = b.allocation_id"
        " left join goods_batch n on n.batch_id = b.batch_id"
        f" where b.warehouse_id = :warehouse and {_OURS.format(table='b')} and {_MINE.format(table='b')}"
        " and b.quantity <> 0 and (:allocation = 0 or b.allocation_id = :allocation)"
        " and (:brand = 0 or g.brand_id = :brand)"
        " and (:kind = 0 or g.goods_type_id in (with recursive tree as ("
        " select goods_type_id from goods_type where goods_type_id = :kind union"
        " select c.goods_type_id from goods_type c join tree p on c.p_id = p.goods_type_id"
        ") select goods_type_id from tree))"
        " and (g.goods_name ilike '%' || :name || '%' or g.goods_num ilike '%' || :name || '%'"
        " or g.logogram ilike '%' || :name || '%')"
        " order by g.goods_num, b.allocation_id, b.batch_id limit 5000",
        warehouse=warehouse_id,
        allocation=allocation_id,
        brand=brand_id,
        kind=goods_type_id,
        name=goods_name,
    )


NUMBERS_READ_RIGHT = any_of("tire_management:list", *sorted(list_entry_rights("goods")))
_NUMBERED = """
from tire_number n
join goods g on g.goods_id = n.goods_id
left join warehouse w on w.warehouse_id = n.warehouse_id
left join allocation l on l.allocation_id = n.allocation_id
left join goods_batch b on b.batch_id = n.batch_id
where n.company_id = coalesce(nullif(:company, 0), :own) and {ours} and (n.warehouse_id is null or {mine})
    and case when :customer = 0 then n.place = 1 else n.place = 2 and n.party_id = :customer end
    and (:warehouse = 0 or n.warehouse_id = :warehouse)
    and (:order = 0 or exists (
        select from tire_step s where s.number_id = n.number_id and s.bill_id = :order and s.reverses is null
            and (:bill_type = '' or s.bill_type = :bill_type)
    ))
    and (g.goods_name ilike '%' || :name || '%' or g.goods_num ilike '%' || :name || '%'
        or g.logogram ilike '%' || :name || '%' or n.number ilike '%' || :name || '%')
"""


@call(api, "GET", "open/Goods/getGoodsSnList", right=NUMBERS_READ_RIGHT, returns=Paged[NumberedGoods])
def get_goods_sn_list(
    ctx: Context,
    company_id: Key = 0,
    customer_id: Key = 0,
    order_id: Key = 0,
    warehouse_id: Key = 0,
    bill_type: Annotated[str, Query(max_length=8, pattern="^[A-Z]*$")] = "",
    goods_name: Name = "",
    page: Annotated[int, Query(ge=1, le=100_000)] = 1,
    per_page: Annotated[int, Query(ge=1, le=500)] = 30,
) -> Any:
    """胎号选择: numbers in a warehouse, or with a customer at his; `order_id` those that a bill has moved."""
    sql = _NUMBERED.format(ours=_OURS.format(table="n"), mine=_MINE.format(table="n"))
    values = {
        "company": company_id,
        "customer": customer_id,
        "order": order_id,
        "warehouse": warehouse_id,
        "bill_type": bill_type,
        "name": goods_name,
    }
    [counted] = _read_rows(ctx, f"select count(*) as total {sql}", **values)
    data = _read_rows(
        ctx,
        "select n.number as goods_sn, n.goods_id, g.goods_num, g.goods_name, b.batch, n.warehouse_id,"
        f" w.warehouse_name, n.allocation_id, l.allocation_name {sql} order by n.number_id limit :size offset :skip",
        **values,
        size=per_page,
        skip=(page - 1) * per_page,
    )
    return build_page(data, counted["total"], page, per_page)
