"""Hidden fields in every registered type: whoever doesn't see costs, or is denied a field, finds it nowhere, be it list, form,
detail, print or export.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from api import catalogue
from api.identity.sessions import read_principal
from api.kit.context import Context
from api.kit.declaration.document import Bill
from api.kit.declaration.fields import COST, Field
from api.kit.declaration.resource import Declared, Resource
from api.kit.storage.projection import MASK, column_names, shown_fields
from api.printing import bill_layout
from api.printing.print_layout import PrintColumn, PrintLayout
from api.reporting.lists.list_report import ListReport
from tests.identity.test_data_scope import export_rows
from tests.support.declared_types import DECLARED, add_record
from tests.support.fixtures import Site
from tests.support.role_editor import changed_role
from tests.support.type_rules import for_each_type

assert catalogue.__all__
SEES, BLIND = "manager_a", "clerk_a"


def list_parts(cls: type[Resource]) -> list[type[Declared]]:
    return [cls, *(block.cls for block in cls.blocks())]


def list_denied_fields(cls: type[Declared]) -> list[Field]:
    """Return all fields but costs and the first."""
    return [item for item in cls.fields()[1:] if item.permission != COST]


def list_hidden_fields(cls: type[Declared]) -> list[Field]:
    """Return costs, and denied fields with what their references read along."""
    names = {name for item in list_denied_fields(cls) for name in column_names(item)}
    return [item for item in shown_fields(cls) if item.name in names or item.permission == COST]


def find_shown_fields(cls: type[Declared], rows: Iterable[dict[str, Any]]) -> set[str]:
    """Return the hidden fields, and labels of hidden references, that rows show."""
    names = {
        name
        for item in list_hidden_fields(cls)
        for name in (item.name, item.label_field if item.ref else None)
    }
    return {name for row in rows for name in names & set(row) if row[name] not in (MASK, None)}


@pytest.fixture(scope="module", autouse=True)
def blind(site: Site) -> Iterator[None]:
    """The clerk's role never sees costs; for these tests it is denied all the rest."""
    pairs = [
        {"screen": part.name(), "field": item.name}
        for cls in DECLARED
        for part in list_parts(cls)
        for item in list_denied_fields(part)
    ]
    with changed_role(site.as_("admin"), site.world.role_clerk_a, denied=pairs):
        yield


HIDING = [cls for cls in DECLARED if any(list_hidden_fields(part) for part in list_parts(cls))]
KEPT = [cls for cls in HIDING if not issubclass(cls, ListReport)]
BILLS = [cls for cls in KEPT if issubclass(cls, Bill) and "add" in cls.declaration.actions]


def test_there_are_some_of_every_family() -> None:
    costly = {
        cls.name()
        for cls in HIDING
        for part in list_parts(cls)
        for item in list_hidden_fields(part)
        if item.permission == COST
    }
    assert {"company_goods", "sales_outbound", "supplier_price", "stock_card", "sales_summary"} <= costly
    assert {"customer", "role", "sales_order"} <= {cls.name() for cls in HIDING} - costly


@for_each_type(KEPT)
def test_lists_and_details(site: Site, cls: type[Resource]) -> None:
    api, caller = cls.declaration.api, site.as_(BLIND)
    if "add" in cls.declaration.actions:
        add_record(site, cls)
    rows = caller.get(f"{api}/getList", per_page=100).data["data"]
    assert rows or "add" not in cls.declaration.actions
    details = [caller.get(f"{api}/getInfo", id=row[cls.key().key]).data for row in rows[:5]]
    assert find_shown_fields(cls, [*rows, *details]) == set()
    for block in cls.blocks():
        assert (
            find_shown_fields(block.cls, [line for detail in details for line in detail[block.name]]) == set()
        )


@pytest.mark.usefixtures("figures")
@for_each_type([cls for cls in HIDING if issubclass(cls, ListReport)])
def test_lists_of_reports(site: Site, cls: type[Resource]) -> None:
    answer = site.as_(BLIND).get(f"{cls.declaration.api}/getList", per_page=100)
    assert answer.ok, answer
    assert find_shown_fields(cls, answer.data["data"]) == set()


@for_each_type(HIDING)
def test_forms_and_screens(site: Site, cls: type[Resource]) -> None:
    """The description that lists, forms and details are drawn from: masked, and nothing to write in."""
    for place in cls.declaration.places:
        for route in place.routes.values():
            described = site.as_(BLIND).get("v2/Open/Screen/getScreen", route=route)
            assert described.ok, described
            shown = [(cls, described.data["fields"])]
            blocks = {block["name"]: block["fields"] for block in described.data["blocks"]}
            shown += [(block.cls, blocks.get(block.name, [])) for block in cls.blocks()]
            for part, fields in shown:
                names = {item.name for item in list_hidden_fields(part)}
                open_ones = [one["name"] for one in fields if one["name"] in names and not one["masked"]]
                writable = [one["name"] for one in fields if one["name"] in names and not one["readonly"]]
                assert (open_ones, writable) == ([], [])


@for_each_type(BILLS)
def test_prints(site: Site, cls: type[Bill]) -> None:
    """A template with every field there is."""
    layout = PrintLayout(
        heading=[item.name for item in bill_layout.header_fields(cls)][:40],
        columns={
            block.name: [PrintColumn(name=item.name) for item in bill_layout.line_fields(block)][:40]
            for block in cls.blocks()
        },
        skip_empty=False,
    )
    key, printed = add_record(site, cls), {}
    for user in (SEES, BLIND):
        with site.engine.connect() as conn:
            ctx = Context(conn, read_principal(conn, getattr(site.world, f"user_{user}")))
            [page] = bill_layout.build_sheets(ctx, cls, key, layout)
        headed = [item["label"] for item in page["heading"]]
        printed[user] = sorted(headed + [one["label"] for part in page["parts"] for one in part["columns"]])
    gone = [label for label in printed[SEES] if printed[SEES].count(label) > printed[BLIND].count(label)]
    own = {item.label for part in list_parts(cls) for item in list_hidden_fields(part)}
    assert gone and set(gone) == own & set(printed[SEES])


def read_heading(rows: list[tuple[Any, ...]]) -> list[Any]:
    """Return the first row; empty where there is none."""
    return list(rows[0]) if rows else []


@pytest.mark.usefixtures("figures")
@for_each_type([cls for cls in HIDING if "export" in cls.declaration.actions])
def test_exports(site: Site, cls: type[Resource]) -> None:
    seen, left = (read_heading(export_rows(site, user, cls)) for user in (SEES, BLIND))
    missing = {label for label in seen if seen.count(label) > left.count(label)}
    assert missing == {item.label for item in list_hidden_fields(cls) if item.label in seen}
    assert len(left) == len(seen) - sum(
        item.label in missing for item in list_hidden_fields(cls) if not item.hidden
    )
