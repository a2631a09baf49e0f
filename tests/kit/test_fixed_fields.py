"""Fixed fields stay as they are: each field of every referenced master is decided on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from api import catalogue
from api.kit.declaration import registry
from api.kit.declaration.document import Bill
from api.kit.declaration.fields import Field
from api.kit.declaration.resource import Declared, Resource
from api.kit.declaration.view import View

assert catalogue.__all__
DECIDED = ("ref", "enum", "bool", "rate", "quantity", "money", "price", "integer")
"""Kinds of fields that say what a record is, not what it is called or where it is reached."""

CLASSIFIES = "tells apart: reports group what was posted by what it is now"
DEFAULT = "a bill begins with it and keeps its own"
REACHED = "where somebody is reached"
BEHAVES = "says what happens next, not what happened"
OFFERED = "whether it may be chosen from now on"
LISTED = "the order in which lists show it"

FIXED: dict[tuple[str, str], str] = {
    ("allocation", "warehouse_id"): "always",
    ("area", "city_id"): "named",
    ("city", "province_id"): "named",
    ("customer", "company_id"): "always",
    ("customer_address", "company_id"): "always",
    ("customer_address", "customer_id"): "always",
    ("department", "company_id"): "named",
    ("employee", "company_id"): "named",
    ("goods", "is_batch"): "held",
    ("goods", "unit_id"): "named",
    ("goods_type", "level"): "always",
    ("logistics_driver", "logistics_id"): "named",
    ("potential_customer", "company_id"): "always",
    ("rebate_cycle", "months"): "named",
    ("receivables_mode", "account_kind"): "named",
    ("unit", "unit_name"): "named",
    ("warehouse", "company_id"): "always",
    ("warehouse", "type"): "named",
}
FREE: dict[tuple[str, str], str] = {
    ("brand", "goods_type_id"): CLASSIFIES,
    ("company", "type"): CLASSIFIES,
    ("conversion_recipe", "kind"): DEFAULT,
    ("customer", "credit_limit"): BEHAVES,
    ("customer", "customer_type_id"): CLASSIFIES,
    ("customer", "employee_id"): DEFAULT,
    ("customer", "inner_company_id"): "its own rule: stays while bills between the companies stand",
    ("customer", "payment_days"): DEFAULT,
    ("customer_address", "is_default"): DEFAULT,
    ("employee", "department_id"): DEFAULT,
    ("goods", "brand_id"): CLASSIFIES,
    ("goods", "goods_type_id"): CLASSIFIES,
    (
        "goods",
        "is_numbered",
    ): "its own rule: begins with stock to be registered, ends when no number lies there",
    ("goods", "tax_rate"): DEFAULT,
    ("goods_type", "p_id"): CLASSIFIES,
    ("logistics", "supplier_id"): DEFAULT,
    ("logistics", "type"): CLASSIFIES,
    ("receivables_mode", "account_type_id"): CLASSIFIES,
    ("receivables_mode", "bank_id"): "where the account is kept; its journal is its own",
    ("supplier", "inner_company_id"): "its own rule: stays while bills between the companies stand",
    ("supplier", "payment_days"): DEFAULT,
    ("supplier", "supplier_type_id"): CLASSIFIES,
    ("user_account", "company_id"): BEHAVES,
    ("user_account", "employee_id"): DEFAULT,
    ("user_account", "role_id"): BEHAVES,
    ("warehouse", "allow_negative"): BEHAVES,
    ("warehouse", "document_warning"): BEHAVES,
}
EVERYWHERE = {
    "enabled": OFFERED,
    "sort": LISTED,
    "province_id": REACHED,
    "city_id": REACHED,
    "area_id": REACHED,
}


def list_owners(cls: type[Resource]) -> tuple[type[Declared], ...]:
    return (cls, *(block.cls for block in cls.blocks()))


def list_edited() -> Iterator[type[Resource]]:
    """Return the masters that can be edited."""
    for cls in registry.list_resources():
        if not issubclass(cls, Bill | View) and "edit" in cls.declaration.actions:
            yield cls


def list_named() -> frozenset[str]:
    """Return the resources that bills and their rows refer to."""
    bills = (cls for cls in registry.list_resources() if issubclass(cls, Bill))
    fields = (item for cls in bills for owner in list_owners(cls) for item in owner.fields())
    return frozenset(item.ref.resource for item in fields if item.ref)


def list_shared() -> frozenset[tuple[str, str]]:
    """Return the columns of masters that their referrers must share."""
    classes = (cls for cls in registry.list_resources() if not issubclass(cls, View))
    refs = [item.ref for cls in classes for owner in list_owners(cls) for item in owner.fields() if item.ref]
    asked = {(ref.resource, name) for ref in refs for name in (*ref.within, *(ref.only or ())[:1])}
    masters = {cls.name(): cls for cls in list_edited()}
    return frozenset(
        (resource, str(name))
        for resource, name in asked
        if resource in masters and name in masters[resource].table().c
    )


def list_cases() -> list[tuple[type[Resource], Field]]:
    return [
        (cls, item)
        for cls in list_edited()
        if cls.name() in list_named()
        for item in cls.fields()
        if item.writable and item.kind in DECIDED
    ]


@pytest.mark.parametrize(("cls", "item"), list_cases(), ids=lambda one: getattr(one, "name", "") or "")
def test_every_field_that_says_what_a_master_is_was_decided_on(cls: type[Resource], item: Field) -> None:
    place = (cls.name(), item.name)
    reason = FREE.get(place) or EVERYWHERE.get(item.name)
    assert bool(item.fixed) != bool(reason), place


def test_the_table_tells_what_is_fixed() -> None:
    found = {
        (cls.name(), item.name): item.fixed for cls in list_edited() for item in cls.fields() if item.fixed
    }
    assert found == FIXED


def test_nothing_is_decided_on_that_is_not_there() -> None:
    there = {(cls.name(), item.name) for cls, item in list_cases()}
    assert FREE.keys() <= there


def test_what_others_must_agree_with_is_fixed() -> None:
    assert list_shared() <= FIXED.keys()
