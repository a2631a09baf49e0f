"""Company lookup (企业查询): companies found by name or code, by a provider behind one interface.

The provider that comes with the product reads a table in the data directory; one that asks a paid service
would be another class of `CompanyLookup`.
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
from api.kit.http.work_queue import WorkQueue
from api.kit.settings import read_settings
from api.master.recognition.check_digits import is_credit_code
from api.master.recognition.identity_documents import PaperItem

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
TURNS = WorkQueue("正在查询企业的人较多，已有{}个在等，请稍后再试", at_once=2, waiting=2)
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029]")
FILE_MISSING = (
    "没有可查询的企业资料，请让管理员把企业名录（CSV）放到数据目录的 {}，或用 ERP_COMPANY_FILE 指定"
)


@dataclass(frozen=True, slots=True)
class CompanyRecord:
    """Data of a company; an empty text is unknown."""

    name: str
    code: str
    legal_person: str = ""
    address: str = ""
    phone: str = ""
    capital: str = ""
    founded_on: str = ""

    def list_items(self) -> list[PaperItem]:
        """List the values that fill in a form; a code with a wrong check digit is doubted."""
        known = [(one.name, getattr(self, one.name)) for one in fields(self)]
        wrong = "" if is_credit_code(self.code) else "校验码不符，请核对"
        return [
            PaperItem(name, LABELS[name], value, wrong if name == "code" else "")
            for name, value in known
            if value
        ]


class CompanyLookup(Protocol):
    """Provider that finds companies."""

    def find(self, words: str, most: int) -> list[CompanyRecord]:
        """Return the `most` closest companies whose name contains the words, or whose code begins with them.

        Raises:
            Refusal: it can't be asked; the message says what to do.
        """
        ...


@dataclass(frozen=True, slots=True)
class CompanyFile:
    """Companies in a CSV file (UTF-8, or GB 18030 as spreadsheets save it) with headings, read anew each time."""

    path: Path

    def find(self, words: str, most: int) -> list[CompanyRecord]:
        wanted = _normalize_name(words)
        found = [(_measure_distance(company, wanted), company) for company in self._read_companies()]
        near = sorted(
            (pair for pair in found if pair[0] < NO_MATCH), key=lambda pair: (pair[0], pair[1].name)
        )
        return [company for _, company in near[:most]]

    def _read_companies(self) -> Iterator[CompanyRecord]:
        try:
            text = _decode_text(self.path.read_bytes())
        except FileNotFoundError:
            raise Refusal(FILE_MISSING.format(self.path.name)) from None
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
                company = _build_company(row)
                if any(_CONTROL.search(getattr(company, one.name)) for one in fields(company)):
                    raise self._bad_row_refusal(line, "有换行或不可见字符，可能是上一格的引号没有成对")
                if company.name:
                    yield company
                line = rows.line_num + 1
        except csv.Error:
            raise self._bad_row_refusal(line, "引号没有成对，或一格太长") from None

    def _bad_row_refusal(self, line: int, what: str) -> Refusal:
        return Refusal(f"企业名录 {self.path.name} 第 {line} 行{what}，请让管理员改正这一行")


def get_company_lookup() -> CompanyLookup:
    """Return the configured provider."""
    return CompanyFile(read_settings().company_file)


def _decode_text(content: bytes) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("gb18030")


def _build_company(row: Mapping[str, str | None]) -> CompanyRecord:
    return CompanyRecord(**{name: (row.get(label) or "").strip() for name, label in LABELS.items()})


NO_MATCH = 9


def _measure_distance(company: CompanyRecord, wanted: str) -> int:
    """Return how close a company is to the words: 0 equal, 1 prefix, 2 within the name, NO_MATCH otherwise."""
    name, code = _normalize_name(company.name), company.code.upper()
    if wanted in (name, code):
        return 0
    if name.startswith(wanted) or code.startswith(wanted):
        return 1
    return 2 if wanted in name else NO_MATCH


def _normalize_name(words: str) -> str:
    """Return a name without blanks, in capitals, its brackets in half width, for comparison."""
    return "".join(words.split()).upper().replace("（", "(").replace("）", ")")
