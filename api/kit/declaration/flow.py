"""Flow (流转): the statuses of a bill and the transitions between them, as one table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

UNAUDITED, AUDITED, VOIDED, CLOSED, LOCKED = 1, 2, 3, 4, 5
STATUSES = {UNAUDITED: "未审核", AUDITED: "已审核", VOIDED: "已作废", CLOSED: "已关闭", LOCKED: "已锁定"}
POSTED = frozenset({AUDITED, CLOSED, LOCKED})
"""A bill in one of these counts in every report."""
UNCOUNTED = (VOIDED,)
"""A bill in one of these adds to no total of a list."""
POSTED_SQL = f"({', '.join(map(str, sorted(POSTED)))})"
"""These for a statement: `status in …`."""

Effect = Literal["post", "reverse", "close", "open", "draw", "none"]


@dataclass(frozen=True, slots=True)
class Transition:
    """One action: source statuses, target status, and effect on the ledgers.

    `draw` makes other bills of it.
    """

    name: str
    label: str
    source: frozenset[int]
    target: int
    effect: Effect
    confirm: str = ""
    reason: bool = False
    danger: bool = False


TRANSITIONS = {
    item.name: item
    for item in (
        Transition("auditorPass", "审核", frozenset({UNAUDITED}), AUDITED, "post", "确定审核所选单据？"),
        Transition(
            "auditorNoPass",
            "驳回",
            frozenset({UNAUDITED}),
            UNAUDITED,
            "none",
            "确定驳回所选单据？",
            reason=True,
        ),
        Transition(
            "antiAuditor", "反审核", frozenset({AUDITED}), UNAUDITED, "reverse", "确定反审核所选单据？"
        ),
        Transition(
            "invalid",
            "作废",
            frozenset({UNAUDITED, AUDITED}),
            VOIDED,
            "reverse",
            "作废后不能恢复，确定作废所选单据？",
            danger=True,
        ),
        Transition("close", "关闭", frozenset({AUDITED}), CLOSED, "close", "确定关闭所选单据？"),
        Transition("pause", "暂停", frozenset({AUDITED}), CLOSED, "close", "确定暂停所选政策？"),
        Transition("open", "打开", frozenset({CLOSED}), AUDITED, "open", "确定重新打开所选单据？"),
        Transition("turnOrder", "转订单", frozenset({AUDITED}), AUDITED, "draw", "确定把所选单据转为订单？"),
    )
}
BASIC = ("auditorPass", "auditorNoPass", "antiAuditor", "invalid")
ORDER = (*BASIC, "close", "open")
POLICY = (*BASIC, "pause", "open")
