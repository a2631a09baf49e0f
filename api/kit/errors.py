"""Refusals (拒绝): typed errors with the answer's code and a Chinese message that says what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class RowFailure:
    """One row of the failure table: 序号, 单据号/序号, 失败原因 (spec/3-rules.md 3).

    `code` where it isn't 400; `asks` names the field of the body that answers `questions` with more than
    one answer.
    """

    index: int
    serial: str
    msg: str
    code: int = 400
    asks: str = ""
    questions: Sequence[Mapping[str, str]] = ()
    reasons: Sequence[Mapping[str, Any]] = ()
    """Each cause by itself, with what can be done about it; `msg` joins them."""

    def as_dict(self) -> dict[str, Any]:
        row: dict[str, Any] = {"index": self.index, "serial": self.serial, "msg": self.msg}
        if self.code != 400:
            row["code"] = self.code
        if self.asks:
            row |= {"asks": self.asks, "questions": list(self.questions)}
        if self.reasons:
            row["reasons"] = list(self.reasons)
        return row


@dataclass(frozen=True, slots=True)
class Remedy:
    """A remedy for a refusal: words, and a page that leads on, shown to whoever has its right."""

    label: str
    route: str = ""
    right: str = ""


class Refusal(Exception):
    """A request that is refused and changes nothing; `code` follows the catalogue of spec/3-rules.md 8.

    `remedies` say what can be done about it; whoever has the right `override_right` would not have been
    refused.
    """

    code = 400
    asks = ""
    questions: Sequence[Mapping[str, str]] = ()

    def __init__(
        self, msg: str, *, data: Any = None, remedies: Sequence[Remedy] = (), override_right: str = ""
    ) -> None:
        super().__init__(msg)
        self.msg = msg
        self.data = data
        self.remedies = tuple(remedies)
        self.override_right = override_right


class InvalidInput(Refusal):
    """Input that breaks rules; every broken row is reported at once."""

    def __init__(self, msg: str, failures: Sequence[RowFailure] = ()) -> None:
        super().__init__(
            msg, data={"failures": [failure.as_dict() for failure in failures]} if failures else None
        )
        self.failures = tuple(failures)


class NotFound(Refusal):
    """A record that doesn't exist, or lies outside the user's data scope: both answer alike."""

    def __init__(self, label: str) -> None:
        super().__init__(f"{label}不存在或无权访问")


class TransitionConflict(Refusal):
    """A transition lost its race: somebody else has changed the status."""

    def __init__(self) -> None:
        super().__init__("单据状态已变化，请刷新后重试")


class EditConflict(Refusal):
    """Somebody else has saved the record since it was read."""

    def __init__(self, what: str = "单据") -> None:
        super().__init__(f"{what}已被他人修改，请刷新后重试")


class RevisionRequired(Refusal):
    """An edit without the revision it was based on: it may overwrite what it never saw."""

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


class SafetyStockBlocked(Refusal):
    """The outbound takes a warehouse below its safety stock, and that warehouse blocks it."""

    code = 362


class ConfirmationRequired(Refusal):
    """A question (363) that the user may confirm to go on, say of safety stock, credit or prices."""

    code = 363


class CountConfirmationRequired(ConfirmationRequired):
    """A question whether stock that moves on or before a stocktake's date was counted by it.

    The user answers each question by itself; what else has moved meanwhile is asked about anew.
    """

    asks = "counted"

    def __init__(self, about: str, questions: Mapping[str, str]) -> None:
        self.questions = [{"question": key, "msg": f"{about}{what}"} for key, what in questions.items()]
        message = "；".join(questions.values())
        super().__init__(
            f"{about}{message}，盘点时是否已盘在内？", data={"asks": self.asks, "questions": self.questions}
        )
