"""Refusals (拒绝): typed errors that carry the answer's code and a Chinese message saying what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Failure:
    """One row of the failure table: 序号, 单据号/序号, 失败原因 (spec/3-rules.md 3); `code` where it isn't 400, `asks`
    what answers `questions` that have more than one answer, each of which is told by itself."""

    index: int
    serial: str
    msg: str
    code: int = 400
    asks: str = ""
    questions: Sequence[Mapping[str, str]] = ()
    reasons: Sequence[Mapping[str, Any]] = ()
    """Each cause by itself, with what can be done about it; `msg` joins them."""

    def told(self) -> dict[str, Any]:
        row: dict[str, Any] = {"index": self.index, "serial": self.serial, "msg": self.msg}
        if self.code != 400:
            row["code"] = self.code
        if self.asks:
            row |= {"asks": self.asks, "questions": list(self.questions)}
        if self.reasons:
            row["reasons"] = list(self.reasons)
        return row


@dataclass(frozen=True, slots=True)
class Way:
    """What can be done about a refusal: words, and a page that leads on, shown to whoever holds its right."""

    label: str
    route: str = ""
    right: str = ""


class Refusal(Exception):
    """A request that is refused and changes nothing; `code` follows the catalogue of spec/3-rules.md 8.

    `ways` say what can be done about it; whoever holds the right `lifted_by` would not have been refused.
    """

    code = 400
    asks = ""
    questions: Sequence[Mapping[str, str]] = ()

    def __init__(self, msg: str, *, data: Any = None, ways: Sequence[Way] = (), lifted_by: str = "") -> None:
        super().__init__(msg)
        self.msg = msg
        self.data = data
        self.ways = tuple(ways)
        self.lifted_by = lifted_by


class Invalid(Refusal):
    """Input that breaks rules; every broken row is told at once."""

    def __init__(self, msg: str, failures: Sequence[Failure] = ()) -> None:
        super().__init__(
            msg, data={"failures": [failure.told() for failure in failures]} if failures else None
        )
        self.failures = tuple(failures)


class NotFound(Refusal):
    """The record does not exist, or lies outside the user's data scope: both answer alike."""

    def __init__(self, label: str) -> None:
        super().__init__(f"{label}不存在或无权访问")


class Stale(Refusal):
    """Somebody was faster: a transition lost its race."""

    def __init__(self) -> None:
        super().__init__("单据状态已变化，请刷新后重试")


class Edited(Refusal):
    """Somebody else saved the record since it was read."""

    def __init__(self, what: str = "单据") -> None:
        super().__init__(f"{what}已被他人修改，请刷新后重试")


class Unread(Refusal):
    """An edit that doesn't say which revision it was made of: it may write over what it never saw."""

    def __init__(self) -> None:
        super().__init__("请先读取数据，带上读取时的版本（revision）再修改")


class Unauthenticated(Refusal):
    code = 401

    def __init__(self, msg: str = "登录已失效，请重新登录") -> None:
        super().__init__(msg)


class BadSignature(Refusal):
    code = 402

    def __init__(self, msg: str = "请求签名无效，请刷新页面后重试") -> None:
        super().__init__(msg)


class Forbidden(Refusal):
    code = 403

    def __init__(self, msg: str = "您没有此操作的权限") -> None:
        super().__init__(msg)


class StockWarningBlocked(Refusal):
    """The outbound takes a warehouse below its safety stock, and that warehouse blocks it."""

    code = 362


class StockWarningAsk(Refusal):
    """As above, but the user may confirm and go on."""

    code = 363


class CountedAsk(StockWarningAsk):
    """What moves stock is not dated after a stocktake of it: the user says whether it was counted.

    He says so of each question by itself: what else has moved when he answers is asked about anew.
    """

    asks = "counted"

    def __init__(self, about: str, questions: Mapping[str, str]) -> None:
        self.questions = [{"question": key, "msg": f"{about}{what}"} for key, what in questions.items()]
        told = "；".join(questions.values())
        super().__init__(
            f"{about}{told}，盘点时是否已盘在内？", data={"asks": self.asks, "questions": self.questions}
        )
