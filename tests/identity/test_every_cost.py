"""Cost in every registered type: whoever doesn't see it finds it nowhere, in list, form, detail, print or export."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from api import catalogue
from api.identity.sessions import principal_of
from api.kit import registry
from api.kit.context import Context
from api.kit.document import Bill
from api.kit.fields import COST, Field
from api.kit.projection import MASK, shown_fields
from api.kit.resource import Declared, Resource
from api.printing import sheet
from api.printing.papers import PrintColumn, PrintLayout
from api.reporting.published import Published
from tests.identity.test_data_scope import exported
from tests.kit.declared import added
from tests.kit.fixtures import Site

assert catalogue.__all__
SEES, BLIND = "manager_a", "clerk_a"


def costs(cls: type[Declared]) -> list[Field]:
    return [item for item in shown_fields(cls) if item.permission == COST]


def costly(cls: type[Resource]) -> bool:
    return any(costs(part) for part in (cls, *(block.cls for block in cls.blocks())))


COSTLY = [cls for cls in registry.declared() if costly(cls)]
KEPT = [cls for cls in COSTLY if not issubclass(cls, Published)]
BILLS = [cls for cls in KEPT if issubclass(cls, Bill) and "add" in cls.declaration.actions]


def of_each(classes: Iterable[type[Resource]]) -> Any:
    return pytest.mark.parametrize("cls", classes, ids=lambda cls: cls.name())


def unmasked(cls: type[Declared], rows: Iterable[dict[str, Any]]) -> set[str]:
    """Costs that rows tell."""
    names = {item.name for item in costs(cls)}
    return {name for row in rows for name in names & set(row) if row[name] not in (MASK, None)}


def test_there_are_some_of_every_family() -> None:
    assert {"company_goods", "sales_outbound", "supplier_price", "stock_card", "sales_summary"} <= {
        cls.name() for cls in COSTLY
    }


@of_each(KEPT)
def test_lists_and_details(site: Site, cls: type[Resource]) -> None:
    api, caller = cls.declaration.api, site.as_(BLIND)
    if "add" in cls.declaration.actions:
        added(site, cls)
    rows = caller.get(f"{api}/getList", per_page=100).data["data"]
    assert rows or "add" not in cls.declaration.actions
    details = [caller.get(f"{api}/getInfo", id=row[cls.key().key]).data for row in rows[:5]]
    assert unmasked(cls, [*rows, *details]) == set()
    for block in cls.blocks():
        assert unmasked(block.cls, [line for detail in details for line in detail[block.name]]) == set()


@pytest.mark.usefixtures("figures")
@of_each([cls for cls in COSTLY if issubclass(cls, Published)])
def test_lists_of_reports(site: Site, cls: type[Resource]) -> None:
    answer = site.as_(BLIND).get(f"{cls.declaration.api}/getList", per_page=100)
    assert answer.ok, answer
    assert unmasked(cls, answer.data["data"]) == set()


@of_each(COSTLY)
def test_forms_and_screens(site: Site, cls: type[Resource]) -> None:
    """The description that lists, forms and details are drawn from: masked, and nothing to write in."""
    for place in cls.declaration.places:
        for route in place.routes.values():
            told = site.as_(BLIND).get("v2/Open/Screen/getScreen", route=route)
            assert told.ok, told
            parts = [(cls, told.data["fields"])]
            blocks = {block["name"]: block["fields"] for block in told.data["blocks"]}
            parts += [(block.cls, blocks.get(block.name, [])) for block in cls.blocks()]
            for part, fields in parts:
                names = {item.name for item in costs(part)}
                open_ones = [one for one in fields if one["name"] in names and not one["masked"]]
                writable = [one for one in fields if one["name"] in names and not one["readonly"]]
                assert (open_ones, writable) == ([], [])


@of_each(BILLS)
def test_prints(site: Site, cls: type[Bill]) -> None:
    """A template with every field there is."""
    layout = PrintLayout(
        heading=[item.name for item in sheet.headers(cls)][:40],
        columns={
            block.name: [PrintColumn(name=item.name) for item in sheet.line_fields(block)][:40]
            for block in cls.blocks()
        },
        skip_empty=False,
    )
    key, printed = added(site, cls), {}
    for user in (SEES, BLIND):
        with site.engine.connect() as conn:
            ctx = Context(conn, principal_of(conn, getattr(site.world, f"user_{user}")))
            [page] = sheet.sheets_of(ctx, cls, key, layout)
        headed = [item["label"] for item in page["heading"]]
        printed[user] = sorted(headed + [one["label"] for part in page["parts"] for one in part["columns"]])
    hidden = [label for label in printed[SEES] if printed[SEES].count(label) > printed[BLIND].count(label)]
    own = {item.label for part in (cls, *(block.cls for block in cls.blocks())) for item in costs(part)}
    assert hidden and set(hidden) == own


@pytest.mark.usefixtures("figures")
@of_each([cls for cls in COSTLY if "export" in cls.declaration.actions])
def test_exports(site: Site, cls: type[Resource]) -> None:
    seen, left = (list(exported(site, user, cls)[0]) for user in (SEES, BLIND))
    missing = {label for label in seen if seen.count(label) > left.count(label)}
    assert missing == {item.label for item in costs(cls) if item.label in seen}
    assert len(left) == len(seen) - sum(item.label in missing for item in costs(cls))
