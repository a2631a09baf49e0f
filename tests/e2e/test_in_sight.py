"""Every bill form at 1366 × 768 beside the open menu: what is keyed in or decides is in sight, nothing is moved sideways."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

import api.catalogue  # noqa: F401 declares the bills
from api.kit.declaration import registry
from tests.e2e.conftest import START_SECONDS, BrowserProfiles, BrowserUser
from tests.e2e.report_reader import OPENED
from tests.e2e.station_setup import ADMIN_PASSWORD, StationSetup, require_data

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


def required_labels(block: dict[str, Any], pricing: dict[str, str] | None) -> list[str]:
    """Return the labels of a block's columns that have to be in sight: required ones, numbers that are keyed
    in, and those that decide."""
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


def find_cut_off(page: Page, screen: dict[str, Any]) -> list[str]:
    """Return the parts of a form's grids beyond their right edge."""
    found = []
    for block in keyed_blocks(screen):
        grid = page.locator(f"{FORM} section[aria-label='{block['label']}'] .line-grid")
        width, ends = grid.evaluate(HEADINGS)
        priced = screen["pricing"] if screen["line"] and block["name"] == screen["line"]["name"] else None
        standing = dict(ends)
        found += [
            f"{screen['label']} {block['label']}“{label}”"
            for label in required_labels(block, priced)
            if standing.get(label, width + 1) > width
        ]
    return found


def keyed_blocks(screen: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the blocks whose lines are keyed in; server-made ones have no grid."""
    return [
        block
        for block in screen["blocks"]
        if any(field["form"] and not field["readonly"] for field in block["fields"])
    ]


def list_bill_forms(office: StationSetup) -> list[dict[str, Any]]:
    """Return the screens of all declared bills whose lines are keyed in on a page."""
    routes = [cls.declaration.routes.get("add") for cls in registry.list_resources() if cls.bill]
    told = [
        require_data(office.admin.get("v2/Open/Screen/getScreen", route=route)) for route in routes if route
    ]
    return [screen for screen in told if keyed_blocks(screen)]


class TestForms:
    def test_what_is_keyed_in_is_in_sight(
        self, office: StationSetup, taken: list[BrowserUser], profiles: BrowserProfiles
    ) -> None:
        taken.append(desk := profiles.take())
        desk.log_in_as("admin", ADMIN_PASSWORD)
        page, wrong = desk.page, list[str]()
        for number, screen in enumerate(list_bill_forms(office)):
            if number % AT_ONCE:
                page.evaluate(OPENED, screen["routes"]["add"])
            else:
                desk.open(screen["routes"]["add"])
            page.locator(f"{FORM} .grid-heading").first.wait_for()
            wrong += find_cut_off(page, screen)
            page.locator(FORM).evaluate("page => { page.dataset.seen = 'yes'; }")
        assert wrong == []
