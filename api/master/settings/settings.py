"""Settings (参数设置) of the group and of each company's bills, with the controls at their audit.

Each is read once a context.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Row, Select, UniqueConstraint, bindparam, select, text
from sqlalchemy.orm import Mapped

from api.kit.bills.refusal_causes import link_to_list
from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import Bill, Document
from api.kit.declaration.fields import enum_field, integer_field, key_field, money_field, reference_field
from api.kit.declaration.flow import POSTED
from api.kit.declaration.resource import Declaration, Menu, Resource
from api.kit.declaration.validation_rules import NumberBounds
from api.kit.errors import ConfirmationRequired, InvalidInput, Refusal, Remedy
from api.kit.storage import business_log
from api.kit.storage.database import today
from api.kit.storage.projection import format_yuan
from api.master.pricing import price_rules
from api.master.settlements.open_item_sql import open_amounts_sql

PURCHASE, SALES, STOCK = 1, 2, 3
KINDS = {PURCHASE: "采购单据", SALES: "销售单据", STOCK: "库存单据"}
MODULES = {"采购管理": PURCHASE, "销售管理": SALES, "库存管理": STOCK}
"""Kind of settings by the menu module of the bills."""
FREE, BLOCKS, ASKS = 0, 1, 2
MODES = {FREE: "不控制", BLOCKS: "禁止审核", ASKS: "提示后可继续"}
BACKUP_HOURS = {-1: "不自动备份"} | {hour: f"{hour}:00" for hour in range(24)}
NO_AUDIT, NEW, NEW_AND_CHANGED = 0, 1, 2
AUDITS = {NO_AUDIT: "不审核", NEW: "新增须审核", NEW_AND_CHANGED: "新增和修改都须审核"}
CONTROLS = ("price_mode", "overdue_mode", "credit_mode")
_MODES = (*CONTROLS, "sample_mode", "print_mode")
CONTROLS_BY_BILL_TYPE: dict[str, tuple[str, ...]] = {
    "purchase_order": ("price_mode",),
    "purchase_inbound": ("price_mode",),
    "sales_quote": ("price_mode", "overdue_mode"),
    "sales_order": CONTROLS,
    "sales_outbound": CONTROLS,
    "sales_transfer": CONTROLS,
}
"""Controls that apply at the audit of each bill type."""
ANY_STATUS, AUDITED_ONLY = 0, 1
PRINTS = {ANY_STATUS: "不控制", AUDITED_ONLY: "只打印已审核的"}
FILLS, LEAVES = 0, 1
ARRIVALS = {FILLS: "自动占用", LEAVES: "不占用"}
OVER_CREDIT, BELOW_LOWEST = "overCredit", "belowLowest"
SHOWN = 5

ControlCheck = Callable[[Context, Document], str]
"""Describes by how much a bill exceeds its partner's credit or advances; empty where it doesn't."""


class ControlFinding(NamedTuple):
    """Finding of a control: its mode, message, ways out, and the right that lifts it; see `Refusal`."""

    mode: int
    msg: str
    ways: tuple[Remedy, ...] = ()
    lifted_by: str = ""


class ErpConfig(Resource):
    """系统参数: the single record of the group."""

    __tablename__ = "erp_config"
    declaration = Declaration(
        "系统参数",
        "v2/system/Config",
        "erp_config_id",
        routes={"list": "/system/erpconfig"},
        menu=Menu("系统管理", "系统设置", 20),
        actions=("list", "edit"),
    )

    erp_config_id: Mapped[int] = key_field()
    session_hours: Mapped[int] = integer_field(
        "登录闲置失效（小时）",
        default=12,
        rule="PositiveInt",
        bounds=NumberBounds(least=1, most=168),
        width=180,
    )
    overdue_days: Mapped[int] = integer_field(
        "客户逾期宽限（天）", rule="positiveInt", bounds=NumberBounds(most=365), width=160
    )
    waive_limit: Mapped[Decimal] = money_field(
        "每单抹零上限（元）", default="1", rule="Positive", extract=False, width=160
    )
    customer_audit: Mapped[int] = enum_field("客户审核", AUDITS, default=NO_AUDIT, extract=False, width=150)
    backup_hour: Mapped[int] = enum_field("每日自动备份", BACKUP_HOURS, default=2, extract=False, width=130)
    backups_kept: Mapped[int] = integer_field(
        "备份保留份数",
        default=14,
        rule="PositiveInt",
        bounds=NumberBounds(least=1, most=365),
        extract=False,
        width=120,
    )


class BillSetting(Resource):
    """单据设置: the controls of a company's bills at their audit, and the bills that may be printed.

    The database gives every company a row of each kind.
    """

    __tablename__ = "bill_setting"
    __table_args__ = (UniqueConstraint("company_id", "type"),)
    declaration = Declaration(
        "单据设置",
        "v2/system/BillSetting",
        "bill_setting_id",
        routes={"list": "/system/billsetting"},
        menu=Menu("系统管理", "系统设置", 30),
        actions=("list", "edit", "export"),
        order_by=("bill_setting_id", "asc"),
    )

    bill_setting_id: Mapped[int] = key_field()
    company_id: Mapped[int] = reference_field(
        "company", "公司", required=True, readonly=True, search=True, width=200
    )
    type: Mapped[int] = enum_field("单据", KINDS, default=SALES, readonly=True, search=True)
    price_mode: Mapped[int] = enum_field("低于最低售价 / 高于采购价", MODES, default=FREE, width=200)
    overdue_mode: Mapped[int] = enum_field("客户有逾期欠款", MODES, default=FREE, width=140)
    credit_mode: Mapped[int] = enum_field("客户超信用额度", MODES, default=FREE, width=140)
    sample_mode: Mapped[int] = enum_field("只有赠品、没有付款商品", MODES, default=FREE, width=180)
    arrival_mode: Mapped[int] = enum_field(
        "到货给未占足的订单", ARRIVALS, default=FILLS, extract=False, width=160
    )
    """Arrivals are reserved for orders that are short of them, or not."""
    print_mode: Mapped[int] = enum_field("打印", PRINTS, default=ANY_STATUS, extract=False, width=130)

    @classmethod
    def validate_row(cls, row: dict[str, Any]) -> None:
        if row["type"] == STOCK and any(row[name] for name in (*CONTROLS, "sample_mode")):
            raise InvalidInput("库存单据没有价格和客户，只设置打印，其余请选择不控制")
        if row["type"] != SALES and row["arrival_mode"] != FILLS:
            raise InvalidInput("只有销售单据占用库存，“到货给未占足的订单”请选择自动占用")
        if row["type"] == PURCHASE and (row["overdue_mode"] or row["credit_mode"]):
            raise InvalidInput("采购单据没有客户，“客户有逾期欠款”和“客户超信用额度”请选择不控制")
        if row["type"] == PURCHASE and row["sample_mode"]:
            raise InvalidInput("供应商只送赠品不必控制，“只有赠品、没有付款商品”请选择不控制")


def read_customer_audit(ctx: Context) -> int:
    """Return which customers wait for an audit before bills may name them."""
    found: int | None = ctx.conn.execute(select(ErpConfig.table().c.customer_audit)).scalar()
    return found or NO_AUDIT


def read_waive_limit(ctx: Context) -> Decimal:
    """Return the amount that may be waived by one bill, and of one item, without a right."""
    if ("waive_limit", 0) not in ctx.lookup_cache:
        found = ctx.conn.execute(select(ErpConfig.table().c.waive_limit)).scalar()
        ctx.lookup_cache["waive_limit", 0] = found or Decimal(0)
    limit: Decimal = ctx.lookup_cache["waive_limit", 0]
    return limit


def read_setting(ctx: Context, company_id: int, kind: int) -> dict[str, int]:
    """Return a company's modes for a kind of bills; nothing is controlled where none are set."""
    place = (f"bill_setting_{kind}", company_id)
    if place not in ctx.lookup_cache:
        row = ctx.conn.execute(_build_modes_query(), {"company": company_id, "kind": kind}).first()
        ctx.lookup_cache[place] = row._asdict() if row else dict.fromkeys(_MODES, FREE)
    found: dict[str, int] = ctx.lookup_cache[place]
    return found


@cache
def _build_modes_query() -> Select[Any]:
    """Build the query of a `company`'s modes for a `kind` of bills; cached, as every audit runs it."""
    table = BillSetting.table()
    columns = (table.c[name] for name in _MODES)
    return select(*columns).where(
        table.c.company_id == bindparam("company"), table.c.type == bindparam("kind")
    )


def get_setting_kind(cls: type[Resource]) -> int | None:
    """Return the kind of settings that a bill type is under; None for those under none."""
    menu = cls.declaration.menu
    return MODULES.get(menu.module) if menu else None


def forbid_unaudited_prints(ctx: Context, cls: type[Bill], bills: Iterable[Row[Any]]) -> None:
    """Raise Refusal for printing unaudited bills (bill_no, company_id, status) where their company forbids
    it."""
    kind = get_setting_kind(cls)
    if kind is None:
        return
    waiting = [
        bill.bill_no
        for bill in bills
        if bill.status not in POSTED
        and read_setting(ctx, bill.company_id, kind)["print_mode"] == AUDITED_ONLY
    ]
    if waiting:
        more = f"等{len(waiting)}张" if len(waiting) > SHOWN else ""
        raise Refusal(f"只打印已审核的单据，{'、'.join(waiting[:SHOWN])}{more}未审核")


def enforce_controls(
    ctx: Context,
    cls: type[Bill],
    doc: Document,
    action: str,
    beyond_credit: ControlCheck | None = None,
    shortfall: ControlCheck | None = None,
    rebated: ControlCheck | None = None,
    buyer: int | None = None,
) -> None:
    """Run the controls of an audit or an order's reopening: refuse or ask, as the company has set it.

    Sales that lack their prepayment are refused, purchases asked about; so is whatever changes a confirmed
    rebate's base, by a reversal too. A confirmation is logged; holders of the right are asked about credit
    or a lowest price where others are refused. `buyer`: the company that buys what this one sells; its
    control of purchase prices applies as well.
    """
    findings: list[ControlFinding | tuple[int, str]] = []
    if action in ("auditorPass", "open"):
        findings += _find_control_failures(ctx, cls, doc, beyond_credit, shortfall, buyer)
    if rebated:
        findings.append((ASKS, rebated(ctx, doc)))
    refuse_or_confirm(ctx, cls, doc, findings)


def _find_control_failures(
    ctx: Context,
    cls: type[Bill],
    doc: Document,
    beyond_credit: ControlCheck | None,
    shortfall: ControlCheck | None,
    buyer: int | None,
) -> list[ControlFinding]:
    kind, controls = get_setting_kind(cls), CONTROLS_BY_BILL_TYPE[cls.name()]
    assert kind is not None
    modes = read_setting(ctx, doc.header.company_id, kind)
    findings = []
    if modes["price_mode"]:
        allowed = kind == SALES and ctx.principal.has_right(cls.right(BELOW_LOWEST))
        mode = ASKS if allowed else modes["price_mode"]
        lifted = cls.right(BELOW_LOWEST) if kind == SALES else ""
        findings.append(
            ControlFinding(mode, _describe_price_violation(ctx, cls, doc, kind), lifted_by=lifted)
        )
    if buyer and (mode := read_setting(ctx, buyer, PURCHASE)["price_mode"]):
        msg = _describe_price_violation(ctx, cls, doc, PURCHASE, buyer)
        findings.append(ControlFinding(mode, f"调入公司：{msg}" if msg else ""))
    if modes["overdue_mode"] and "overdue_mode" in controls:
        owed = link_to_list("credit_item", "查看客户欠款", customer_id=doc.header.customer_id)
        findings.append(ControlFinding(modes["overdue_mode"], _describe_overdue(ctx, doc), (owed,)))
    if modes["credit_mode"] and beyond_credit:
        mode = ASKS if ctx.principal.has_right(cls.right(OVER_CREDIT)) else modes["credit_mode"]
        use = link_to_list("credit_use", "查看信用占用", customer_id=doc.header.customer_id)
        findings.append(ControlFinding(mode, beyond_credit(ctx, doc), (use,), cls.right(OVER_CREDIT)))
    if shortfall:
        findings.append(ControlFinding(BLOCKS if kind == SALES else ASKS, shortfall(ctx, doc)))
    return findings


def refuse_or_confirm(
    ctx: Context, cls: type[Bill], doc: Document, findings: Iterable[ControlFinding | tuple[int, str]]
) -> None:
    """Refuse what blocks, ask about the rest at once, and log the confirmation."""
    found = [one for one in (ControlFinding(*each) for each in findings) if one.msg]
    blocked = [one for one in found if one.mode == BLOCKS]
    ctx.raise_refusals([Refusal(one.msg, remedies=one.ways, override_right=one.lifted_by) for one in blocked])
    question = "；".join(one.msg for one in found)
    if question and not blocked:
        ctx.ask_confirmation(ConfirmationRequired(f"{question}，是否继续？"))
        business_log.log_confirmation(
            ctx.conn,
            ctx.principal,
            cls.name(),
            doc.header.bill_id,
            question,
            bill_no=doc.header.bill_no,
            company_id=doc.header.company_id,
        )


_LIMITS = """
select distinct on (g.goods_num) g.goods_name, b.bound
from unnest(
    cast(:goods as bigint[]), cast(:quantities as numeric[]), cast(:amounts as numeric[]), cast(:agreed as numeric[])
) as l (goods_id, quantity, amount, agreed_amount)
join goods g on g.goods_id = l.goods_id
left join company_goods c on c.goods_id = g.goods_id and c.company_id = :company_id
left join lateral ({level}) level on true
cross join lateral (select {bound} as bound) b
where {beyond} and not coalesce({agreed}, false)
order by g.goods_num, b.bound
"""
# What is beyond a bound, and what was agreed to in the bill that a line executes, which need not be agreed to again.
_BEYOND: dict[int, tuple[price_rules.Side, str, str]] = {
    SALES: ("customer", "l.amount < round(b.bound * l.quantity, 2)", "l.amount >= l.agreed_amount"),
    PURCHASE: ("supplier", "l.amount > round(b.bound * l.quantity, 2)", "l.amount <= l.agreed_amount"),
}
_OVERDUE = text(f"""
select {open_amounts_sql("cast(:today as date) - (select overdue_days from erp_config limit 1)")}
from settlement_item l
where l.party_type = 'customer' and l.party_id = :customer and l.company_id = :company and l.open_amount <> 0
""")


def _describe_price_violation(
    ctx: Context, cls: type[Bill], doc: Document, kind: int, company_id: int | None = None
) -> str:
    """Describe lines sold below the lowest price, or bought above the purchase price, net of discount; no
    gifts.

    By the prices of the bill's company, or of the one given.
    """
    assert cls.bill is not None
    lines = [line for line in doc.lines if line.quantity and not line.is_gift]
    side, beyond, agreed = _BEYOND[kind]
    link = next((link for link in cls.bill.links if link.price_already_approved), None)
    sql = _LIMITS.format(
        level=price_rules.LEVEL[side], bound=price_rules.BOUND[side], beyond=beyond, agreed=agreed
    )
    values = {
        "company_id": company_id or doc.header.company_id,
        "customer_id": getattr(doc.header, "customer_id", None),
        "supplier_id": getattr(doc.header, "supplier_id", None),
        "priced_on": doc.header.business_date,
        "goods": [line.goods_id for line in lines],
        "quantities": [line.quantity for line in lines],
        "amounts": [line.amount for line in lines],
        "agreed": [
            line.source_amount if link and getattr(line, link.column) is not None else None for line in lines
        ],
    }
    rows = ctx.conn.execute(text(sql), values).all()
    # Whoever may not see the bound is told that a price passes it, not what it should be.
    name, prices = ("lowest_price", "sales_price") if kind == SALES else ("purchase_price", "supplier_price")
    places = [(registry.get_resource(one), name) for one in ("company_goods", prices)]
    word = "低于最低售价" if kind == SALES else "高于采购价"
    return _join_names(
        (f"{row.goods_name}{word}{format_yuan(row.bound, ctx.principal, *places)}" for row in rows), len(rows)
    )


def _describe_overdue(ctx: Context, doc: Document) -> str:
    values = {
        "customer": doc.header.customer_id,
        "company": doc.header.company_id,
        "today": today(),
    }
    row = ctx.conn.execute(_OVERDUE, values).one()
    if row.overdue <= 0:
        return ""
    places = ((registry.get_resource(one), "overdue") for one in ("customer_account", "credit_use"))
    return (
        f"客户有逾期欠款{format_yuan(row.overdue, ctx.principal, *places)}，最早于 {row.overdue_since} 到期"
    )


def _join_names(names: Iterable[str], count: int) -> str:
    first = list(names)[:SHOWN]
    return "、".join(first) + (f"等{count}种商品" if count > SHOWN else "")
