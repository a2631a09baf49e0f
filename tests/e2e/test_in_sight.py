"""Every bill form at 1366 × 768 beside the open menu: what is keyed in or decides is in sight, nothing is moved sideways."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

import api.catalogue  # noqa: F401 declares the bills
from api.kit import registry
from tests.e2e.conftest import START_SECONDS, Desk, Profiles
from tests.e2e.frames import OPENED
from tests.e2e.office import ADMIN_PASSWORD, Office, made

pytestmark = pytest.mark.timeout(START_SECONDS + 600)
NUMBERS = {"integer", "quantity", "money", "price", "rate"}
PACKS = {"pack_unit_id", "pack_quantity", "pack_factor"}
FORM = ".form-page:not([data-seen]):visible"
"""The one that was opened last."""
AT_ONCE = 12
"""So many forms stay open behind the one that is looked at; a page that is loaded anew has none."""
HEADINGS = """grid => {
    const { left } = grid.getBoundingClientRect();
    const cells = [...grid.querySelectorAll('.grid-heading [role=columnheader]')];
    const ends = cells.map(cell => [cell.textContent.trim(), Math.round(cell.getBoundingClientRect().right - left)]);
    return [grid.clientWidth, ends];
}"""


def meant(block: dict[str, Any], pricing: dict[str, str] | None) -> list[str]:
    """The labels of a block's columns that have to be in sight: what has to be keyed in, numbers that are, what a line
    comes to, and what is said to decide. How a price came about (discount, tax) and packs are not among them."""
    priced = pricing or {}
    aside = {priced.get("discount"), priced.get("tax_rate"), *PACKS}
    chosen = {priced.get("quantity"), priced.get("price"), priced.get("total")}

    def counts(field: dict[str, Any]) -> bool:
        if field["hidden"] or field["optional"] or field["name"] in aside or field["name"] == "line_no":
            return False
        if field["decides"] is not None:
            return bool(field["decides"])
        keyed = field["form"] and not field["readonly"]
        return field["name"] in chosen or (keyed and (field["required"] or field["type"] in NUMBERS))

    return [field["label"] for field in block["fields"] if counts(field)]


def cut_off(page: Page, screen: dict[str, Any]) -> list[str]:
    """What of a form's grids stands beyond their right edge."""
    found = []
    for block in keyed_in(screen):
        grid = page.locator(f"{FORM} section[aria-label='{block['label']}'] .line-grid")
        width, ends = grid.evaluate(HEADINGS)
        priced = screen["pricing"] if screen["line"] and block["name"] == screen["line"]["name"] else None
        standing = dict(ends)
        found += [
            f"{screen['label']} {block['label']}“{label}”"
            for label in meant(block, priced)
            if standing.get(label, width + 1) > width
        ]
    return found


def keyed_in(screen: dict[str, Any]) -> list[dict[str, Any]]:
    """The blocks whose lines are keyed in; what the server makes has no grid."""
    return [
        block
        for block in screen["blocks"]
        if any(field["form"] and not field["readonly"] for field in block["fields"])
    ]


def bill_forms(office: Office) -> list[dict[str, Any]]:
    """The screens of all declared bills whose lines are keyed in on a page."""
    routes = [cls.declaration.routes.get("add") for cls in registry.declared() if cls.bill]
    told = [made(office.admin.get("v2/Open/Screen/getScreen", route=route)) for route in routes if route]
    return [screen for screen in told if keyed_in(screen)]


class TestForms:
    def test_what_is_keyed_in_is_in_sight(
        self, office: Office, taken: list[Desk], profiles: Profiles
    ) -> None:
        taken.append(desk := profiles.take())
        desk.log_in_as("admin", ADMIN_PASSWORD)
        page, wrong = desk.page, list[str]()
        for number, screen in enumerate(bill_forms(office)):
            if number % AT_ONCE:
                page.evaluate(OPENED, screen["routes"]["add"])
            else:
                desk.open(screen["routes"]["add"])
            page.locator(f"{FORM} .grid-heading").first.wait_for()
            wrong += cut_off(page, screen)
            page.locator(FORM).evaluate("page => { page.dataset.seen = 'yes'; }")
        assert wrong == []
