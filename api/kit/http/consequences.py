"""Consequences (后果): effects of an action that a click doesn't take back, for whom, and how to undo it.

Every action of the product is either here, of bills in `api.kit.bills.bill_consequences`, or in
`UNCONFIRMED_ACTIONS` with the reason why nothing need be shown first. `getConsequence` answers for the
records of the action; the web shows it and asks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel
from pydantic import Field as Described
from sqlalchemy import Row

from api.kit.bills.bill_consequences import (
    BILL_ACTIONS,
    NO_EFFECTS,
    Consequence,
    LedgerEffects,
    describe_consequence,
    describe_reversal,
    read_documents,
    summarize_effects,
)
from api.kit.context import Context
from api.kit.declaration.document import Bill
from api.kit.declaration.flow import POSTED
from api.kit.declaration.resource import Resource
from api.kit.declaration.view import apply_source, open_read_connection
from api.kit.errors import NotFound, Refusal
from api.kit.http.routing import call
from api.kit.http.schemas import Key, Payload
from api.kit.scope import scope_condition
from api.kit.storage.projection import build_projection, mask_row, masked_names

MAX_NAMES = 5
MAX_FIGURES = 3


class Fact(BaseModel):
    label: str
    value: str


class Foreseen(BaseModel):
    """A preview of an action; `warnings` speak against it."""

    effect: str
    undo: str
    facts: list[Fact]
    warnings: list[str] = []


class About(Payload):
    """An action and the records that it is about."""

    action: str = Described(max_length=40, description="动作")
    ids: list[Key] = Described(min_length=1, max_length=1000, description="要操作的记录")


GONE = "不能恢复，只能重新录入"
CONSEQUENCES: dict[str, Consequence] = {
    "del": Consequence("删除所选记录，被引用的不会删除", GONE),
    "pause": Consequence("政策停止计返利，返利单不能再审核", "打开"),
    "turnOrder": Consequence("按所选计划生成采购订单", "在采购订单中删除或作废生成的订单"),
    "generate": Consequence(
        "按应计返利生成返利单（未审核）", "在返利单中删除", "确定为所选的 {count} 条生成返利单？"
    ),
    "invoice": Consequence(
        "把所选单据开成发票单（未审核）", "在发票单中删除", "确定为所选的 {count} 条开票？"
    ),
    "send": Consequence("短信发到客户手机", "短信发出后不能收回"),
    "transfer": Consequence("所选客户改由另一业务员负责，今后的单据和提成归他", "再转移给原业务员"),
    "unbind": Consequence("所选客户不再有业务员", "重新绑定"),
    "convert": Consequence("转为正式客户，可以开单", "在客户资料中停用", "确定把所选的 {count} 条转为客户？"),
    "giveUp": Consequence("不再跟进", "重新跟进"),
    "cooperate": Consequence(
        "转为正式供应商，可以开单", "在供应商资料中停用", "确定把所选的 {count} 条转为供应商？"
    ),
    "suspend": Consequence("停用后不能再选用", "启用"),
    "rename": Consequence(
        "按规则改写商品名称，单据和报表显示新名称",
        "不能成批改回，只能逐个修改",
        "确定把所选的 {count} 条按规则改名？",
    ),
    "withdraw": Consequence("公告对所有收件人消失，未读的不再提示", "重新发布"),
    "unsign": Consequence("取消客户签收", "重新签收"),
    "closePeriod": Consequence(
        "该公司当月已过账的单据全部锁定，不能再反审核、作废；日期在当月的单据只能保存，不能再审核",
        "反结账，须填原因；先反结其后的月份",
    ),
    "openPeriod": Consequence("该公司当月单据解锁，可以修改，已报出的数字可能变化", "重新结账"),
    "start": Consequence("从起始期间起重算移动加权平均成本，更正出库成本和毛利", "不能恢复原来的成本"),
    "clear": Consequence("删除所选内容", "不能恢复"),
    "delOutOfStock": Consequence("删除所选中缺货、已停用的商品，有货的留下", "重新加入购物车"),
}
UNCONFIRMED_ACTIONS: dict[str, str] = {
    "list": "只是查看",
    "export": "只生成文件",
    "add": "表单里看得见要保存的内容",
    "edit": "表单里看得见要保存的内容",
    "import": "先预览再导入",
    "save": "表单里看得见要保存的内容",
    "setup": "表单里看得见要保存的内容",
    "followUp": "表单里看得见要保存的内容",
    "collect": "表单里看得见要保存的内容",
    "bind": "表单里看得见要保存的内容",
    "upload": "先预览再导入",
    "auditorPass": "已询问；反审核可以还原",
    "auditorNoPass": "已询问；须填原因，修改后可再审核",
    "resume": "随时可以停用",
    "sign": "随时可以取消签收",
    "backup": "只生成文件",
    "payLink": "只生成链接，七天后失效",
    "download": "只生成文件",
    "verify": "只是核对",
    "run": "只是核对",
    "explore": "只是查看",
    "publish": "另有自己的询问；随时可以撤回",
    "imitate": "另有自己的询问；退出即还原",
    "overCredit": "是权限，不是动作",
    "belowLowest": "是权限，不是动作",
    "waive": "是权限，不是动作",
    "beyondSource": "是权限，不是动作",
}
PAGE_ACTIONS = frozenset({"closePeriod", "openPeriod", "start", "clear"})
"""Actions on no records: their pages preview them in their own way."""
FactFinder = Callable[[Context, Sequence[Row[Any]]], tuple[list[Fact], list[str]]]
_class_consequences: dict[tuple[str, str], Consequence] = {}
_fact_finders: dict[tuple[str, str], FactFinder] = {}


def declare_consequence(cls: type[Resource], action: str, consequence: Consequence) -> None:
    """Register an action's consequence for one class, where it differs from the general one."""
    _class_consequences[cls.name(), action] = consequence


def register_facts(cls: type[Resource], action: str) -> Callable[[FactFinder], FactFinder]:
    """Register a function that finds more facts, and warnings, for one class's action."""

    def register(find: FactFinder) -> FactFinder:
        """Register the function."""
        _fact_finders[cls.name(), action] = find
        return find

    return register


def find_consequence(
    cls: type[Resource], action: str, done: LedgerEffects = NO_EFFECTS
) -> Consequence | None:
    """Return the consequence of a class's action, of a bill by its effects; None if nothing need be shown."""
    own = _class_consequences.get((cls.name(), action)) or CONSEQUENCES.get(action)
    return own or (describe_consequence(cls, action, done) if issubclass(cls, Bill) else None)


def build_question(cls: type[Resource], action: str, label: str) -> str | None:
    """Return the question that an action asks of `{count}` records; None if nothing need be asked."""
    consequence = find_consequence(cls, action)
    return (consequence.question or f"确定{label}所选的 {{count}} 条？") if consequence else None


def mount_consequences(router: APIRouter, cls: type[Resource]) -> None:
    """Add the call that previews a class's actions, if it has any with a consequence."""
    if not any(find_consequence(cls, name) for name in set(cls.declaration.actions) - PAGE_ACTIONS):
        return

    def get_consequence(ctx: Context, about: About) -> Any:
        return preview_consequence(ctx, cls, about.action, about.ids)

    path = f"{cls.declaration.api}/getConsequence"
    call(router, "POST", path, right=cls.right("list"), returns=Foreseen)(get_consequence)


def preview_consequence(
    ctx: Context, cls: type[Resource], action: str, keys: Sequence[int]
) -> dict[str, Any]:
    """Preview an action on some records; nothing is written."""
    if find_consequence(cls, action) is None or action not in cls.declaration.actions:
        raise Refusal("该单据没有此操作")
    ctx.require_right(cls.right(action))
    rows = _read_rows(ctx, cls, keys)
    if not rows:
        raise NotFound(cls.declaration.label)
    done, warnings = NO_EFFECTS, []
    if issubclass(cls, Bill) and action in BILL_ACTIONS:
        posted = [row.bill_id for row in rows if row.status in POSTED]
        done = summarize_effects(cls, read_documents(ctx.conn, cls, posted))
        if action == "invalid" and posted:
            warnings = ["，".join((f"其中 {len(posted)} 张已审核", *describe_reversal(cls, done)))]
    consequence = find_consequence(cls, action, done)
    assert consequence is not None
    facts = list(_list_facts(ctx, cls, rows))
    if find := _fact_finders.get((cls.name(), action)):
        more, against = find(ctx, rows)
        facts, warnings = facts + more, warnings + against
    return {
        "effect": consequence.effect,
        "undo": consequence.undo,
        "facts": [fact.model_dump() for fact in facts],
        "warnings": warnings,
    }


def _read_rows(ctx: Context, cls: type[Resource], keys: Sequence[int]) -> Sequence[Row[Any]]:
    projection = build_projection(cls, cls.fields(), always=("status", "bill_no"))
    mine = (cls.key().in_(sorted(set(keys))), scope_condition(cls.table(), ctx.principal))
    with open_read_connection(cls, ctx.conn) as conn:
        return conn.execute(
            apply_source(cls, projection.select().order_by(cls.key()), ctx.principal, where=mine)
        ).all()


def _list_facts(ctx: Context, cls: type[Resource], rows: Sequence[Row[Any]]) -> Iterable[Fact]:
    hidden = masked_names(cls, cls.name(), ctx.principal)
    shown = [mask_row(row, hidden) for row in rows]
    what = "张单据" if issubclass(cls, Bill) else "条"
    title = _title_column(cls, cls.declaration.title)
    yield Fact(
        label=cls.declaration.label,
        value=_format_names([row.get(title) for row in shown], f"{len(rows)} {what}"),
    )
    for item in cls.fields():
        if item.ref and item.ref.resource in ("company", "customer", "supplier") and item.name not in hidden:
            names = [row.get(item.label_field or item.name) for row in shown]
            if found := list(dict.fromkeys(name for name in names if name)):
                yield Fact(
                    label=item.label, value=_format_names(found, f"{len(found)} 个" if len(found) > 1 else "")
                )
        if item.name == "status" and item.options and len(rows) > 1:
            counts = Counter(dict(item.options).get(row["status"], "") for row in shown)
            yield Fact(label=item.label, value="、".join(f"{name} {count}" for name, count in counts.items()))
    left = [item for item in cls.fields() if item.uncounted and item.name in shown[0]]
    counted = [row for row in shown if all(row[item.name] not in item.uncounted for item in left)]
    summed = [item for item in cls.fields() if item.total and item.list and item.name in shown[0]]
    for item in [item for item in summed if item.name not in hidden][:MAX_FIGURES]:
        total = sum((Decimal(row[item.name] or 0) for row in counted), Decimal(0))
        yield Fact(
            label=item.label, value=f"{total:,.2f}" if item.kind == "money" else f"{total.normalize():,f}"
        )


def _title_column(cls: type[Resource], name: str) -> str:
    """Return the column by which a title is read: of a reference, its label."""
    item = next((item for item in cls.fields() if item.name == name), None)
    return (item.label_field or name) if item and item.ref else name


def _format_names(names: Sequence[Any], head: str) -> str:
    shown = "、".join(str(name) for name in names[:MAX_NAMES] if name)
    more = "等" if len(names) > MAX_NAMES else ""
    return "：".join(part for part in (head, f"{shown}{more}") if part)
