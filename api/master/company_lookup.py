"""Company lookup (企业查询): who companies are, by name or code, from whichever provider stands behind one interface.

The provider that comes with the product reads a table in the data directory; one that asks a paid service would be
another class of `CompanyLookup`.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Protocol

from api.kit.errors import Refusal
from api.kit.settings import settings
from api.kit.turns import Turns
from api.master.check_digits import is_credit_code
from api.master.papers import Item

LABELS = {
    "name": "名称",
    "code": "统一社会信用代码",
    "legal_person": "法定代表人",
    "address": "地址",
    "phone": "电话",
    "capital": "注册资本",
    "founded_on": "成立日期",
}
"""The columns of the table, in any order; the first two have to be there."""
TURNS = Turns("正在查询企业的人较多，已有{}个在等，请稍后再试", at_once=2, waiting=2)
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]")
NOT_THERE = "没有可查询的企业资料，请让管理员把企业名录（CSV）放到数据目录的 {}，或用 ERP_COMPANY_FILE 指定"


@dataclass(frozen=True, slots=True)
class Company:
    """What is known of a company; empty is unknown."""

    name: str
    code: str
    legal_person: str = ""
    address: str = ""
    phone: str = ""
    capital: str = ""
    founded_on: str = ""

    def items(self) -> list[Item]:
        """What fills in a form; a code that can't be one is doubted."""
        known = [(one.name, getattr(self, one.name)) for one in fields(self)]
        wrong = "" if is_credit_code(self.code) else "校验码不符，请核对"
        return [
            Item(name, LABELS[name], value, wrong if name == "code" else "") for name, value in known if value
        ]


class CompanyLookup(Protocol):
    """Finds companies."""

    def find(self, words: str, most: int) -> list[Company]:
        """At most so many companies whose name holds the words, or whose code begins with them, the closest first.

        Raises:
            Refusal: it can't be asked; the message says what to do.
        """
        ...


@dataclass(frozen=True, slots=True)
class CompanyFile:
    """Companies in a CSV file (UTF-8, or GB 18030 as spreadsheets save it) with headings, read anew each time."""

    path: Path

    def find(self, words: str, most: int) -> list[Company]:
        wanted = _plain(words)
        found = [(_distance(company, wanted), company) for company in self._companies()]
        near = sorted((pair for pair in found if pair[0] < FAR), key=lambda pair: (pair[0], pair[1].name))
        return [company for _, company in near[:most]]

    def _companies(self) -> Iterator[Company]:
        try:
            text = _decoded(self.path.read_bytes())
        except FileNotFoundError:
            raise Refusal(NOT_THERE.format(self.path.name)) from None
        except (OSError, UnicodeDecodeError):
            raise Refusal(f"企业名录 {self.path.name} 读不出来，请让管理员检查文件") from None
        # Line breaks within quotes are the reader's to judge: only it knows where a row begins.
        rows, line = csv.DictReader(io.StringIO(text, newline=""), strict=True), 1
        try:
            lacking = [
                LABELS[name] for name in ("name", "code") if LABELS[name] not in (rows.fieldnames or ())
            ]
            if lacking:
                raise Refusal(f"企业名录 {self.path.name} 缺少“{'、'.join(lacking)}”列，请让管理员检查文件")
            line = rows.line_num + 1
            for row in rows:
                company = _company(row)
                if any(_CONTROL.search(getattr(company, one.name)) for one in fields(company)):
                    raise self._broken(line, "有换行或不可见字符，可能是上一格的引号没有成对")
                if company.name:
                    yield company
                line = rows.line_num + 1
        except csv.Error:
            raise self._broken(line, "引号没有成对，或一格太长") from None

    def _broken(self, line: int, what: str) -> Refusal:
        return Refusal(f"企业名录 {self.path.name} 第 {line} 行{what}，请让管理员改正这一行")


def company_lookup() -> CompanyLookup:
    """The provider that this product is set up with."""
    return CompanyFile(settings().company_file)


def _decoded(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("gb18030")


def _company(row: Mapping[str, str | None]) -> Company:
    return Company(**{name: (row.get(label) or "").strip() for name, label in LABELS.items()})


FAR = 9


def _distance(company: Company, wanted: str) -> int:
    """How close a company is to what was asked; FAR where it is not meant."""
    name, code = _plain(company.name), company.code.upper()
    if wanted in (name, code):
        return 0
    if name.startswith(wanted) or code.startswith(wanted):
        return 1
    return 2 if wanted in name else FAR


def _plain(words: str) -> str:
    """Without blanks, brackets in half width: as names are compared."""
    return "".join(words.split()).upper().replace("（", "(").replace("）", ")")
