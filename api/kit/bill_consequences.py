"""What a bill's actions change, in words that follow from what its type declares and its audit posts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from functools import cache
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Row, select

from api.kit import registry
from api.kit.document import Bill, Document
from api.kit.posting import Postings


@dataclass(frozen=True, slots=True)
class Consequence:
    """What an action changes, and how that is undone, in words; `asked` is the question, of `{count}` records."""

    effect: str
    undo: str
    asked: str = ""


@dataclass(frozen=True, slots=True)
class Effects:
    """What bills' audits did, and whether closing them gives stock back that they have reserved."""

    stock: bool = False
    numbers: bool = False
    settles: bool = False
    money: bool = False
    reserves: bool = False
    releases: bool = False

    def ledgers(self) -> str:
        """What was posted to, in words; empty where nothing was."""
        words = {"库存": self.stock, "胎号": self.numbers, "往来": self.settles, "资金": self.money}
        *first, last = [word for word, posted in words.items() if posted] or [""]
        return f"{'、'.join(first)}和{last}" if first else last


NO_EFFECTS = Effects()
OF_BILLS = ("antiAuditor", "invalid", "close", "open")
"""The actions that do what the bill's type does, and to other types something else."""


def effects_of(cls: type[Bill], docs: Iterable[Document]) -> Effects:
    """What audited bills did, all of them together."""
    found = [_effects(cls.postings(doc), cls.closing(doc)) for doc in docs]
    return Effects(**{one.name: any(getattr(each, one.name) for each in found) for one in fields(Effects)})


def _effects(audit: Postings, closing: Postings) -> Effects:
    return Effects(
        stock=bool(audit.stock or audit.adjustments),
        numbers=bool(audit.registrations),
        settles=bool(audit.settlements or audit.write_offs),
        money=bool(audit.money),
        reserves=bool(audit.reservations),
        releases=bool(closing.reservations),
    )


def read_all(conn: Connection, cls: type[Bill], keys: Sequence[int]) -> list[Document]:
    """Stored bills with their blocks, by a statement each table."""
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


def tell(cls: type[Bill], action: str, done: Effects) -> Consequence | None:
    """What an action changes of bills whose audit did this; None for an action that says the same of every type."""
    assert cls.bill is not None
    if action == "antiAuditor":
        again = "重新审核；其间库存、价格若变，结果不同" if done != NO_EFFECTS else "重新审核"
        return Consequence(_joined(*taken_back(cls, done), "单据回到未审核"), again)
    if action == "invalid":
        return Consequence(
            _joined("作废后不再计入任何数字", *taken_back(cls, done)), "不能恢复，可复制为新单据"
        )
    if action == "close":
        return _closed(cls, done)
    return _opened(cls, done) if action == "open" else None


def taken_back(cls: type[Bill], done: Effects) -> list[str]:
    """What goes with a bill's audit when that is undone."""
    assert cls.bill is not None
    ledgers = done.ledgers()
    told = [f"审核所过的{ledgers}随之冲回" if ledgers else "", "占用的库存随之放开" if done.reserves else ""]
    return [text for text in (*told, cls.bill.undoes, _ceases(cls)) if text]


def _closed(cls: type[Bill], done: Effects) -> Consequence:
    told = (
        "未执行的数量不再执行" if _is_executed(cls) else "",
        "占用的库存放开" if done.releases else "",
        "没有执行的还给来源单据" if _gives_back(cls) else "",
        _ceases(cls),
    )
    undo = "打开；放开的库存可能已被别人占用" if done.releases else "打开"
    return Consequence(_joined(*told) or "单据不再使用", undo)


def _opened(cls: type[Bill], done: Effects) -> Consequence:
    assert cls.bill is not None
    told = (
        "未执行的数量重新可以执行" if _is_executed(cls) else "",
        "重新占用库存" if done.releases else "",
        "再次计入来源单据的已执行数量" if _gives_back(cls) else "",
        f"{cls.bill.in_force}重新生效" if cls.bill.in_force else "",
    )
    return Consequence(
        _joined(*told) or "单据恢复使用", "暂停" if "pause" in cls.bill.transitions else "关闭"
    )


def _ceases(cls: type[Bill]) -> str:
    assert cls.bill is not None
    return f"{cls.bill.in_force}不再生效" if cls.bill.in_force else ""


def _gives_back(cls: type[Bill]) -> bool:
    return any(link.gives_back for link in cls.bill.links) if cls.bill else False


@cache
def _is_executed(cls: type[Bill]) -> bool:
    """Whether other bills are drawn from what a bill has left."""
    return any(
        link.bill == cls.name()
        for other in registry.declared()
        if issubclass(other, Bill) and other.bill
        for link in other.bill.links
    )


def _joined(*told: str) -> str:
    return "，".join(text for text in told if text)
