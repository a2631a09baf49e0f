"""Keys that are really pressed, counted: whole jobs from a list to the audited bill, and how they are told in the README."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect
from pypinyin import Style, lazy_pinyin

from api.kit.settings import PROJECT_DIR
from tests.e2e.entry import at, cell
from tests.e2e.office import made
from tests.kit.client import Caller

INITIALS = 4
"""So many initials of a partner's name are typed."""
READ = 400
"""Milliseconds until a short list has been read: before, its first row is nobody's choice."""
TAIL = 4
"""So many characters from the end of a goods code are typed, as its figures tell goods apart."""
ROW = re.compile(
    r"^\| (?P<job>[^|]+?) \| (?P<counted>\d+) \| (?P<most>\d+) \| (?P<keys>[^|]+?) \|$", re.MULTILINE
)


class Keys:
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

    def focused(self, field: Locator) -> None:
        """Wait for the page, as whoever keys in does after a key that led to another page."""
        expect(field).to_be_focused()

    def at(self, place: str) -> None:
        at(self.page, place)
        expect(cell(self.page)).to_be_focused()


def told() -> dict[str, tuple[int, int]]:
    """The README's table: job → keys counted, and the most there may be."""
    text = Path(PROJECT_DIR, "README.md").read_text()
    return {found["job"]: (int(found["counted"]), int(found["most"])) for found in ROW.finditer(text)}


def initials(name: str) -> str:
    return "".join(lazy_pinyin(name, style=Style.FIRST_LETTER)).lower()


def named(caller: Caller, api: str, title: str, letters: int, **narrow: Any) -> tuple[str, dict[str, Any]]:
    """The initials, so many of them, that name one record only, and the record."""
    rows = made(caller.get(f"{api}/getDropdown", per_page=100, **narrow))["data"]
    for row in rows:
        words = initials(row[title])[:letters]
        if words.isascii() and words.isalpha() and len(words) == letters:
            found = made(caller.get(f"{api}/getDropdown", keyword=words, per_page=2, **narrow))["data"]
            if len(found) == 1:
                return words, row
    raise AssertionError(f"no {letters} initials name one record of {api} alone")


def in_stock(goods: dict[str, Any]) -> float:
    return float(goods["available_stocks"] or 0)


def told_apart(
    caller: Caller, goods: list[dict[str, Any]], count: int, **narrow: Any
) -> list[tuple[str, dict[str, Any]]]:
    """Goods whose codes' ends name them alone, those of which most are in stock first."""
    found = []
    for row in sorted(goods, key=in_stock, reverse=True):
        words = row["goods_num"][-TAIL:]
        asked = made(caller.get("v2/inventory/Goods/getGoodsListPopup", keyword=words, per_page=2, **narrow))[
            "data"
        ]
        if len({one["goods_id"] for one in asked}) == len(asked) == 1:
            found.append((words, row))
        if len(found) == count:
            return found
    raise AssertionError("too few goods are told apart by the ends of their codes")
