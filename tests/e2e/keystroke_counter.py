"""Keystroke counter: whole jobs from a list to the audited bill, and the README's table of them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect
from pypinyin import Style, lazy_pinyin

from api.kit.settings import PROJECT_DIR
from tests.e2e.bill_form import cell_input, expect_cell
from tests.e2e.station_setup import require_data
from tests.support.client import Caller

INITIALS = 4
"""So many initials of a partner's name are typed."""
READ = 400
"""Milliseconds until a short list has been read: before, its first row is nobody's choice."""
TAIL = 4
"""So many characters from the end of a goods code are typed, as its figures tell goods apart."""
ROW = re.compile(
    r"^\| (?P<job>[^|]+?) \| (?P<counted>\d+) \| (?P<most>\d+) \| (?P<keys>[^|]+?) \|$", re.MULTILINE
)


class CountedKeyboard:
    """A keyboard that counts; a chord is one press."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.count = 0

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)
            self.count += 1

    def type(self, text: str) -> None:
        self.press(*text)

    def enter(self, text: str) -> None:
        """Type and press Enter at once, without a look at what the list offers."""
        self.type(text)
        self.press("Enter")

    def pick(self, label: str, down: int) -> None:
        """Open a short list, read it, and take the row so far below the marked one."""
        field = self.page.get_by_role("combobox", name=label, exact=True)
        expect(field).to_be_focused()
        self.press("ArrowDown")
        rows = self.page.locator(f".ant-select-item-option[id^='{field.get_attribute('id')}_list_']")
        expect(rows.nth(down)).to_be_attached()
        self.page.wait_for_timeout(READ)
        self.press(*["ArrowDown"] * down, "Enter")

    def expect_focused(self, field: Locator) -> None:
        """Wait for the focus, as a user does after a key that led to another page."""
        expect(field).to_be_focused()

    def expect_cell(self, place: str) -> None:
        expect_cell(self.page, place)
        expect(cell_input(self.page)).to_be_focused()


def read_documented_counts() -> dict[str, tuple[int, int]]:
    """Return the README's table: job → keys counted, and the most there may be."""
    text = Path(PROJECT_DIR, "README.md").read_text()
    return {found["job"]: (int(found["counted"]), int(found["most"])) for found in ROW.finditer(text)}


def format_initials(name: str) -> str:
    return "".join(lazy_pinyin(name, style=Style.FIRST_LETTER)).lower()


def find_by_initials(
    caller: Caller, api: str, title: str, letters: int, **narrow: Any
) -> tuple[str, dict[str, Any]]:
    """Return the initials, so many of them, that name one record only, and the record."""
    rows = require_data(caller.get(f"{api}/getDropdown", per_page=100, **narrow))["data"]
    for row in rows:
        words = format_initials(row[title])[:letters]
        if words.isascii() and words.isalpha() and len(words) == letters:
            found = require_data(caller.get(f"{api}/getDropdown", keyword=words, per_page=2, **narrow))[
                "data"
            ]
            if len(found) == 1:
                return words, row
    raise AssertionError(f"no {letters} initials name one record of {api} alone")


def stock_of(goods: dict[str, Any]) -> float:
    return float(goods["available_stocks"] or 0)


def find_distinct_goods(
    caller: Caller, goods: list[dict[str, Any]], count: int, **narrow: Any
) -> list[tuple[str, dict[str, Any]]]:
    """Return goods that the end of their code identifies, those with the largest stock first."""
    found = []
    for row in sorted(goods, key=stock_of, reverse=True):
        words = row["goods_num"][-TAIL:]
        asked = require_data(
            caller.get("v2/inventory/Goods/getGoodsListPopup", keyword=words, per_page=2, **narrow)
        )["data"]
        if len({one["goods_id"] for one in asked}) == len(asked) == 1:
            found.append((words, row))
        if len(found) == count:
            return found
    raise AssertionError("too few goods are told apart by the ends of their codes")
