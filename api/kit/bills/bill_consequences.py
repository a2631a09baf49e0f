"""Consequences of a bill's actions, described from what its type declares and its audit posts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cache
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Row, select

from api.kit.declaration import registry
from api.kit.declaration.document import Bill, Document
from api.kit.declaration.posting import Postings


@dataclass(frozen=True, slots=True)
class Consequence:
    """The effect of an action and how to undo it, in words; `question` is asked about `{count}` records."""

    effect: str
    undo: str
    question: str = ""


@dataclass(frozen=True, slots=True)
class LedgerEffects:
    """Ledgers that bills' audits posted to, and whether closing the bills releases reserved stock."""

    stock: bool = False
    numbers: bool = False
    settles: bool = False
    money: bool = False
    reserves: bool = False
    releases: bool = False

    def describe_ledgers(self) -> str:
        """Return the ledgers that were posted to, in words; empty if none was."""
        words = {"库存": self.stock, "胎号": self.numbers, "往来": self.settles, "资金": self.money}
        *first, last = [word for word, posted in words.items() if posted] or [""]
        return f"{'、'.join(first)}和{last}" if first else last


NO_EFFECTS = LedgerEffects()
BILL_ACTIONS = ("antiAuditor", "invalid", "close", "open")
"""The actions that do what the bill's type does, and to other types something else."""


def summarize_effects(cls: type[Bill], docs: Iterable[Document]) -> LedgerEffects:
    """Summarize the effects of audited bills, all of them together."""
    found = [_detect_effects(cls.postings(doc), cls.closing_postings(doc)) for doc in docs]
    return LedgerEffects(
        **{one.name: any(getattr(each, one.name) for each in found) for one in fields(LedgerEffects)}
    )


def _detect_effects(audit: Postings, closing: Postings) -> LedgerEffects:
    return LedgerEffects(
        stock=bool(audit.stock or audit.adjustments),
        numbers=bool(audit.registrations),
        settles=bool(audit.settlements or audit.write_offs),
        money=bool(audit.money),
        reserves=bool(audit.reservations),
        releases=bool(closing.reservations),
    )


def read_documents(conn: Connection, cls: type[Bill], keys: Sequence[int]) -> list[Document]:
    """Read stored bills with their blocks, with one statement per table."""
    assert cls.bill is not None
    if not keys:
        return []
    headers = conn.execute(select(cls.table()).where(cls.key().in_(keys))).all()
    blocks: dict[str, dict[int, list[Row[Any]]]] = {}
    for block in cls.bill.blocks:
        table = block.cls.table()
        mine = table.c.bill_id.in_(keys)
        rows = conn.execute(select(table).where(mine).order_by(table.c.bill_id, table.c.line_no))
        blocks[block.name] = {key: list(some) for key, some in groupby(rows, lambda row: row.bill_id)}
    return [
        Document(head, {name: rows.get(head.bill_id, []) for name, rows in blocks.items()})
        for head in headers
    ]


def describe_consequence(cls: type[Bill], action: str, effects: LedgerEffects) -> Consequence | None:
    """Describe an action on bills with these effects.

    None for an action that means the same for every type.
    """
    assert cls.bill is not None
    if action == "antiAuditor":
        again = "重新审核；其间库存、价格若变，结果不同" if effects != NO_EFFECTS else "重新审核"
        return Consequence(_join_clauses(*describe_reversal(cls, effects), "单据回到未审核"), again)
    if action == "invalid":
        return Consequence(
            _join_clauses("作废后不再计入任何数字", *describe_reversal(cls, effects)),
            "不能恢复，可复制为新单据",
        )
    if action == "close":
        return _describe_closing(cls, effects)
    return _describe_reopening(cls, effects) if action == "open" else None


def describe_reversal(cls: type[Bill], done: LedgerEffects) -> list[str]:
    """Describe what un-auditing bills with these effects takes back, one text per kind."""
    assert cls.bill is not None
    ledgers = done.describe_ledgers()
    sentences = [
        f"审核所过的{ledgers}随之冲回" if ledgers else "",
        "占用的库存随之放开" if done.reserves else "",
    ]
    return [text for text in (*sentences, cls.bill.undoes, _describe_expiry(cls)) if text]


def _describe_closing(cls: type[Bill], done: LedgerEffects) -> Consequence:
    sentences = (
        "未执行的数量不再执行" if _is_source(cls) else "",
        "占用的库存放开" if done.releases else "",
        "没有执行的还给来源单据" if _returns_to_source(cls) else "",
        _describe_expiry(cls),
    )
    undo = "打开；放开的库存可能已被别人占用" if done.releases else "打开"
    return Consequence(_join_clauses(*sentences) or "单据不再使用", undo)


def _describe_reopening(cls: type[Bill], done: LedgerEffects) -> Consequence:
    assert cls.bill is not None
    sentences = (
        "未执行的数量重新可以执行" if _is_source(cls) else "",
        "重新占用库存" if done.releases else "",
        "再次计入来源单据的已执行数量" if _returns_to_source(cls) else "",
        f"{cls.bill.in_force}重新生效" if cls.bill.in_force else "",
    )
    return Consequence(
        _join_clauses(*sentences) or "单据恢复使用", "暂停" if "pause" in cls.bill.transitions else "关闭"
    )


def _describe_expiry(cls: type[Bill]) -> str:
    assert cls.bill is not None
    return f"{cls.bill.in_force}不再生效" if cls.bill.in_force else ""


def _returns_to_source(cls: type[Bill]) -> bool:
    return any(link.gives_back for link in cls.bill.links) if cls.bill else False


@cache
def _is_source(cls: type[Bill]) -> bool:
    """Return whether other bill types execute lines of this one."""
    return any(
        link.bill == cls.name()
        for other in registry.list_resources()
        if issubclass(other, Bill) and other.bill
        for link in other.bill.links
    )


def _join_clauses(*clauses: str) -> str:
    return "，".join(text for text in clauses if text)
