"""A valid payload for any declared class, made from its fields and the group's masters."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from api.kit.bills import pack_units
from api.kit.declaration.document import BillLine
from api.kit.declaration.fields import Field
from api.kit.declaration.resource import Declared, Resource
from tests.support.world import LISTS, REBATE_MONTHS, World

DAY = "2026-03-05"
REFERENCES = {
    "company": "company_a",
    "department": "department_a",
    "employee": "employee_a",
    "warehouse": "warehouse_a",
    "allocation": "allocation_a",
    "customer": "customer_a",
    "customer_address": "customer_address_a",
    "supplier": "supplier",
    "receivables_mode": "mode",
    "goods": "oil",
    "goods_type": "type2",
    "brand": "brand",
    "unit": "unit",
    "role": "role_nobody",
    "bank": "bank",
    "stock_area": "stock_area",
    "super_station": "super_station",
    "questionnaire": "questionnaire",
    "logistics": "logistics",
    "logistics_driver": "logistics_driver",
    "supplier_resource": "supplier_resource",
    "supplier_rebate_policy": "supplier_rebate_policy_a",
    "customer_rebate_policy": "customer_rebate_policy_a",
    **{name: name for name in ("country", "province", "city", "area")},
    **{name: name for name in LISTS},
}
GIVEN: dict[tuple[str, str], Any] = {
    ("goods_type", "level"): 1,
    ("sms_channel", "url"): "https://sms.example.com/send",
    ("sms_channel", "header"): "X-Key: {secret}",
    ("sms_channel", "body"): None,
    ("sms_channel", "is_default"): False,
    ("sms_channel", "secret"): None,
    ("goods_type", "p_id"): None,
    ("role", "scope_kind"): 2,
    ("warehouse", "type"): 1,
    ("defective", "kind"): 1,
    ("safety_stock", "goods_type_id"): None,
    ("sales_price", "customer_type_id"): None,
    ("commission_scheme", "goods_type_id"): None,
    ("promotion_policy_line", "brand_id"): None,
    ("promotion_policy_line", "goods_type_id"): None,
    ("stock_take", "freezes"): False,
    ("stock_take_line", "batch"): "2325",
    **{(name, "unit_cost"): None for name in ("stock_surplus_line", "sales_return_line")},
    **{(name, "share"): "50" for name in ("conversion_output", "conversion_recipe_output")},
    ("transfer_in", "liable_employee_id"): None,
    ("transfer_in_line", "lost_quantity"): "0.5",
    ("transfer_in_line", "lost_tire_numbers"): None,
    **{(partner, "inner_company_id"): None for partner in ("customer", "supplier")},
    ("questionnaire_question", "options"): "满意\n不满意",
    ("station_setting", "app_url"): "https://example.com/app",
    ("station_setting", "voice_url"): "/voice/client",
    ("tire_registration_line", "allocation_id"): None,
    **{
        (name, field): value
        for name in ("return_request_line", "refund_request_line")
        for field, value in (("price", "1"), ("discount_amount", "0"), ("tax_rate", "13"))
    },
    ("fund_transfer", "fee"): "0.50",
    ("customer_address", "is_default"): False,
    ("erp_config", "customer_audit"): 0,
    ("customer_receipt", "waived_amount"): "0",
    ("supplier_payment", "waived_amount"): "0",
    ("offline_collection", "waived_amount"): "0",
    ("account_statement", "starts_on"): "2001-01-01",
    ("account_statement", "ends_on"): "2001-01-31",
    **{("naming_rule", f"part{number}"): number for number in range(1, 7)},
}
"""Values that rules over the whole row ask for."""
CHOSEN = {
    ("contra", "customer_id"): "customer3",
    ("contra", "supplier_id"): "supplier3",
    ("three_inbound", "warehouse_id"): "warehouse3",
    ("three_outbound", "warehouse_id"): "warehouse3",
    ("tire_back", "warehouse_id"): "warehouse3",
    ("three_inbound_line", "allocation_id"): "allocation3",
    ("three_outbound_line", "allocation_id"): "allocation3",
    ("tire_back_line", "allocation_id"): "allocation3",
    ("transfer_out", "to_warehouse_id"): "warehouse2",
    ("purchase_allocation_line", "to_warehouse_id"): "warehouse2",
    ("defective", "to_warehouse_id"): "warehouse4",
    ("location_move_line", "allocation_id"): None,
    ("fund_transfer", "to_mode_id"): "mode2",
    ("sales_delivery", "customer_address_id"): "customer_address3",
    **{
        (name, f"{party}_id"): f"{party}3"
        for party, names in {
            "customer": (
                "sales_delivery",
                "sales_invoice",
                "consignment_settlement",
                "consignment_return",
            ),
            "supplier": ("return_request", "refund_request", "purchase_invoice"),
        }.items()
        for name in names
    },
}
"""References that a bill's rules ask for, by the name of a company's record."""
GOODS = {
    ("transfer_in_line", "goods_id"): "belt",
    ("stock_take_line", "goods_id"): "tube",
    ("tire_registration_line", "goods_id"): "numbered",
    ("return_request_line", "goods_id"): "belt",
    ("refund_request_line", "goods_id"): "belt",
}
"""Goods of lines that would spoil the others' stock."""
ROWS = dict.fromkeys(
    (
        *("stock_take_line", "shop_price_line"),
        *("supplier_rebate_policy_tier", "customer_rebate_policy_tier"),
    ),
    1,
)
"""How many rows a block has where it is not two or none: a goods stands once, tiers start at different places."""
OFFSETS = {
    "deposit_write_off": {"owed_customer": "1.00", "advanced_customer": "-1.00"},
    "prepaid_offset_write_off": {"owed_supplier": "1.00", "advanced_supplier": "-1.00"},
    "contra_write_off": {"netted_customer": "1.00", "netted_supplier": "1.00"},
}
"""Blocks that settle items with others, yuan by yuan."""
SOURCES = {
    ("transfer_in_line", "source_line_id"): "sent",
    ("sales_delivery_line", "source_line_id"): "shipped",
    ("sales_invoice_line", "outbound_line_id"): "shipped",
    ("consignment_settlement_line", "source_line_id"): "consigned",
    ("consignment_return_line", "source_line_id"): "consigned",
    ("return_request_line", "source_line_id"): "received",
    ("purchase_allocation_line", "source_line_id"): "received",
    ("purchase_invoice_line", "inbound_line_id"): "received",
    ("refund_request_line", "request_line_id"): "asked",
}
"""Lines of other bills that a bill cannot do without; they are of the goods `belt`."""
ACROSS = {("sales_transfer", "to_warehouse_id"): "warehouse"}
"""References into the other company."""
_numbers = itertools.count(1)
_spares = {
    (name, "goods_id"): itertools.count()
    for name in ("company_goods", "safety_stock", "sales_price", "shopping_cart", "supplier_price")
} | {("stock_area_member", "stock_area_id"): itertools.count()}


def _cycle_start(ordinal: int) -> str:
    year, month = divmod(ordinal % REBATE_MONTHS, 12)
    return f"{1990 + year}-{month + 1:02}-01"


def _distinct_date(ordinal: int) -> str:
    return str(date(1991, 1, 1) + timedelta(ordinal))


OWN: dict[tuple[str, str], Callable[[int], str]] = {
    ("supplier_rebate", "cycle_start"): _cycle_start,
    ("customer_rebate", "cycle_start"): _cycle_start,
    ("year_close", "year"): lambda ordinal: str(2000 + ordinal % 100),
    ("account_count", "business_date"): _distinct_date,
    ("business_target", "month"): lambda ordinal: _cycle_start(ordinal)[:7].replace("19", "20", 1),
    ("commission_scheme", "starts_on"): _distinct_date,
    ("commission_scheme", "ends_on"): _distinct_date,
}
"""What there is once only: a value of its own each time."""
_ordinals = {given: itertools.count() for given in OWN}


def payload_of(cls: type[Resource], world: World, mark: str = "a") -> dict[str, Any]:
    """Return every writable field filled in, in company A or B.

    Blocks that must have lines get two, others none.
    """
    values = row_of(cls, world, mark)
    for block in cls.blocks():
        count = ROWS.get(block.cls.name(), 2 if block.required else 0)
        values[block.name] = [row_of(block.cls, world, mark) for _ in range(count)]
        if block.cls.name() in OFFSETS:
            values[block.name] = _build_offset(world, OFFSETS[block.cls.name()], mark)
    return values


def _build_offset(world: World, items: dict[str, str], mark: str) -> list[dict[str, Any]]:
    return [
        {"settlement_id": world.ids[f"{name}_{mark}"], "amount": amount} for name, amount in items.items()
    ]


def row_of(cls: type[Declared], world: World, mark: str = "a") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for item in cls.fields():
        given = (cls.name(), item.name)
        if item.name == "tire_numbers" and not item.required:
            found[item.name] = None  # they belong to goods that are kept by number
        elif item.name in pack_units.COLUMNS:
            found[item.name] = None  # they come to the quantity
        elif given in SOURCES:
            found[item.name] = world.ids[f"{SOURCES[given]}_{mark}"]
        elif given in OWN:
            found[item.name] = OWN[given](next(_ordinals[given]))
        elif given in _spares:
            keys = world.stock_areas if item.name == "stock_area_id" else world.spares
            found[item.name] = keys[next(_spares[given]) % len(keys)]
        elif item.writable and not item.hidden:
            found[item.name] = GIVEN[given] if given in GIVEN else value_of(item, world, mark)
            if given in GOODS:
                found[item.name] = world.ids[GOODS[given]]
            elif given in CHOSEN:
                found[item.name] = world.ids.get(f"{CHOSEN[given]}_{mark}")
            elif given in ACROSS:
                found[item.name] = world.ids[f"{ACROSS[given]}_{'b' if mark == 'a' else 'a'}"]
    if issubclass(cls, BillLine) and "is_gift" in found:
        found["is_gift"] = False
    return found


def value_of(item: Field, world: World, mark: str = "a") -> Any:
    """Return a value that the field takes, not its default."""
    if item.ref:
        name = REFERENCES.get(item.ref.resource, "")
        return world.ids.get(f"{name[:-2]}_{mark}" if name.endswith("_a") else name)
    if item.options:
        return item.options[-1][0]
    makers: dict[str, Any] = {
        "date": lambda: DAY,
        "bool": lambda: not item.default,
        "integer": lambda: 7,
        "quantity": lambda: "3.5",
        "money": lambda: "12.50",
        "price": lambda: "99.990001",
        "rate": lambda: "9",
        "image": lambda: world.files[item.scene or ""],
    }
    return makers[item.kind]() if item.kind in makers else text_of(item)


RULED = {
    "mobile": "138{:08}",
    "phone": "0571-8{:07}",
    "landline": "0571-8{:07}",
    "hotline": "400-{:04}-0001",
    "idCard": "33010119900101{:04}",
    "bankCard": "62220200{:08}",
    "unionNo": "1021{:08}",
    "creditCode": "91330106MA{:08}",
    "email": "post{}@example.cn",
}
"""Texts that a rule lets pass, numbered."""
_ruled = {rule: itertools.count(1) for rule in RULED}


def text_of(item: Field) -> str:
    """Return a distinct text each time, within the field's length."""
    if item.rule:
        return RULED[item.rule].format(next(_ruled[item.rule]))
    return f"T{next(_numbers)}"[: item.max_length]


def is_same_value(sent: Any, got: Any, item: Field) -> bool:
    """Return whether the answered value is the one that was sent."""
    if sent is None or got is None:
        return sent is got
    if item.kind in ("quantity", "money", "price", "rate"):
        return isinstance(got, str) and Decimal(str(sent)) == Decimal(got)
    return bool(sent == got)
