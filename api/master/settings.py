"""Settings (参数设置): of the group, and of a company's purchase, sales and stock bills.

What a bill's audit may do is asked under the company's setting; each is read once a context.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Row, Select, UniqueConstraint, bindparam, select, text
from sqlalchemy.orm import Mapped

from api.kit import business_log, registry
from api.kit.context import Context
from api.kit.database import today
from api.kit.document import Bill, Document
from api.kit.errors import Invalid, Refusal, StockWarningAsk, Way
from api.kit.fields import enum, integer, key, money, ref
from api.kit.flow import POSTED
from api.kit.projection import in_yuan
from api.kit.reasons import see_list
from api.kit.resource import Declaration, Menu, Resource
from api.kit.rules import Bounds
from api.master import pricing
from api.master.dues import dues

PURCHASE, SALES, STOCK = 1, 2, 3
KINDS = {PURCHASE: "采购单据", SALES: "销售单据", STOCK: "库存单据"}
MODULES = {"采购管理": PURCHASE, "销售管理": SALES, "库存管理": STOCK}
"""Whose bills a kind's settings are about."""
FREE, BLOCKS, ASKS = 0, 1, 2
MODES = {FREE: "不控制", BLOCKS: "禁止审核", ASKS: "提示后可继续"}
BACKUP_HOURS = {-1: "不自动备份"} | {hour: f"{hour}:00" for hour in range(24)}
UNASKED, NEW, NEW_AND_CHANGED = 0, 1, 2
AUDITS = {UNASKED: "不审核", NEW: "新增须审核", NEW_AND_CHANGED: "新增和修改都须审核"}
CONTROLS = ("price_mode", "overdue_mode", "credit_mode")
_MODES = (*CONTROLS, "sample_mode", "print_mode")
HELD: dict[str, tuple[str, ...]] = {
    "purchase_order": ("price_mode",),
    "purchase_inbound": ("price_mode",),
    "sales_quote": ("price_mode", "overdue_mode"),
    "sales_order": CONTROLS,
    "sales_outbound": CONTROLS,
    "sales_transfer": CONTROLS,
}
"""What the audit of a bill type is asked about."""
ANY_STATUS, AUDITED_ONLY = 0, 1
PRINTS = {ANY_STATUS: "不控制", AUDITED_ONLY: "只打印已审核的"}
FILLS, LEAVES = 0, 1
ARRIVALS = {FILLS: "自动占用", LEAVES: "不占用"}
OVER_CREDIT, BELOW_LOWEST = "overCredit", "belowLowest"
SHOWN = 5

Check = Callable[[Context, Document], str]
"""Says by how much a bill passes its partner's credit or advances; nothing where it doesn't."""


class Told(NamedTuple):
    """What a control found, whether it blocks or asks, and what can be done about it; see `Refusal`."""

    mode: int
    msg: str
    ways: tuple[Way, ...] = ()
    lifted_by: str = ""


class ErpConfig(Resource):
    """系统参数: the one record of the group."""

    __tablename__ = "erp_config"
    declaration = Declaration(
        "系统参数",
        "v2/system/Config",
        "erp_config_id",
        routes={"list": "/system/erpconfig"},
        menu=Menu("系统管理", "系统设置", 20),
        actions=("list", "edit"),
    )

    erp_config_id: Mapped[int] = key()
    session_hours: Mapped[int] = integer(
        "登录闲置失效（小时）", default=12, rule="PositiveInt", bounds=Bounds(least=1, most=168), width=180
    )
    overdue_days: Mapped[int] = integer(
        "客户逾期宽限（天）", rule="positiveInt", bounds=Bounds(most=365), width=160
    )
    waive_limit: Mapped[Decimal] = money(
        "每单抹零上限（元）", default="1", rule="Positive", extract=False, width=160
    )
    customer_audit: Mapped[int] = enum("客户审核", AUDITS, default=UNASKED, extract=False, width=150)
    backup_hour: Mapped[int] = enum("每日自动备份", BACKUP_HOURS, default=2, extract=False, width=130)
    backups_kept: Mapped[int] = integer(
        "备份保留份数",
        default=14,
        rule="PositiveInt",
        bounds=Bounds(least=1, most=365),
        extract=False,
        width=120,
    )


class BillSetting(Resource):
    """单据设置: what an audit of a company's bills forbids or asks about, and which of them are printed.

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

    bill_setting_id: Mapped[int] = key()
    company_id: Mapped[int] = ref("company", "公司", required=True, readonly=True, search=True, width=200)
    type: Mapped[int] = enum("单据", KINDS, default=SALES, readonly=True, search=True)
    price_mode: Mapped[int] = enum("低于最低售价 / 高于采购价", MODES, default=FREE, width=200)
    overdue_mode: Mapped[int] = enum("客户有逾期欠款", MODES, default=FREE, width=140)
    credit_mode: Mapped[int] = enum("客户超信用额度", MODES, default=FREE, width=140)
    sample_mode: Mapped[int] = enum("只有赠品、没有付款商品", MODES, default=FREE, width=180)
    arrival_mode: Mapped[int] = enum("到货给未占足的订单", ARRIVALS, default=FILLS, extract=False, width=160)
    """Whether what arrives is reserved for orders that are short of it."""
    print_mode: Mapped[int] = enum("打印", PRINTS, default=ANY_STATUS, extract=False, width=130)

    @classmethod
    def check(cls, row: dict[str, Any]) -> None:
        if row["type"] == STOCK and any(row[name] for name in (*CONTROLS, "sample_mode")):
            raise Invalid("库存单据没有价格和客户，只设置打印，其余请选择不控制")
        if row["type"] != SALES and row["arrival_mode"] != FILLS:
            raise Invalid("只有销售单据占用库存，“到货给未占足的订单”请选择自动占用")
        if row["type"] == PURCHASE and (row["overdue_mode"] or row["credit_mode"]):
            raise Invalid("采购单据没有客户，“客户有逾期欠款”和“客户超信用额度”请选择不控制")
        if row["type"] == PURCHASE and row["sample_mode"]:
            raise Invalid("供应商只送赠品不必控制，“只有赠品、没有付款商品”请选择不控制")


def customer_audit(ctx: Context) -> int:
    """Which customers wait for an audit before they are used on bills."""
    found: int | None = ctx.conn.execute(select(ErpConfig.table().c.customer_audit)).scalar()
    return found or UNASKED


def waive_limit(ctx: Context) -> Decimal:
    """How much a receipt or payment may waive, and all of them of one item, without a right."""
    if ("waive_limit", 0) not in ctx.known:
        found = ctx.conn.execute(select(ErpConfig.table().c.waive_limit)).scalar()
        ctx.known["waive_limit", 0] = found or Decimal(0)
    limit: Decimal = ctx.known["waive_limit", 0]
    return limit


def setting(ctx: Context, company_id: int, kind: int) -> dict[str, int]:
    """A company's modes for a kind of bills; nothing is controlled where none are set."""
    place = (f"bill_setting_{kind}", company_id)
    if place not in ctx.known:
        row = ctx.conn.execute(_modes(), {"company": company_id, "kind": kind}).first()
        ctx.known[place] = row._asdict() if row else dict.fromkeys(_MODES, FREE)
    found: dict[str, int] = ctx.known[place]
    return found


@cache
def _modes() -> Select[Any]:
    """The modes of a `company` for a `kind` of bills; made once, as every audit asks for them."""
    table = BillSetting.table()
    columns = (table.c[name] for name in _MODES)
    return select(*columns).where(
        table.c.company_id == bindparam("company"), table.c.type == bindparam("kind")
    )


def kind_of(cls: type[Resource]) -> int | None:
    """Whose settings a bill type is under; None for those under none."""
    menu = cls.declaration.menu
    return MODULES.get(menu.module) if menu else None


def refuse_unaudited(ctx: Context, cls: type[Bill], bills: Iterable[Row[Any]]) -> None:
    """Refuse to print bills (bill_no, company_id, status) that wait for an audit where their company prints no such."""
    kind = kind_of(cls)
    if kind is None:
        return
    waiting = [
        bill.bill_no
        for bill in bills
        if bill.status not in POSTED and setting(ctx, bill.company_id, kind)["print_mode"] == AUDITED_ONLY
    ]
    if waiting:
        more = f"等{len(waiting)}张" if len(waiting) > SHOWN else ""
        raise Refusal(f"只打印已审核的单据，{'、'.join(waiting[:SHOWN])}{more}未审核")


def hold(
    ctx: Context,
    cls: type[Bill],
    doc: Document,
    action: str,
    beyond_credit: Check | None = None,
    lacking: Check | None = None,
    rebated: Check | None = None,
    buyer: int | None = None,
) -> None:
    """Refuse an audit, or an order's reopening, or ask whether to go on, as the company has set it.

    Sales that lack their prepayment are refused, purchases asked about; so is whatever changes a confirmed rebate's
    base, by a reversal too. Who goes on is logged; whoever holds the allowance is asked about credit or a lowest price
    where others are refused. `buyer`: the company that buys what this one sells; what it minds about purchase prices
    is minded as well.
    """
    told: list[Told | tuple[int, str]] = []
    if action in ("auditorPass", "open"):
        told += _controlled(ctx, cls, doc, beyond_credit, lacking, buyer)
    if rebated:
        told.append((ASKS, rebated(ctx, doc)))
    refuse_or_ask(ctx, cls, doc, told)


def _controlled(
    ctx: Context,
    cls: type[Bill],
    doc: Document,
    beyond_credit: Check | None,
    lacking: Check | None,
    buyer: int | None,
) -> list[Told]:
    kind, held = kind_of(cls), HELD[cls.name()]
    assert kind is not None
    modes = setting(ctx, doc.header.company_id, kind)
    told = []
    if modes["price_mode"]:
        allowed = kind == SALES and ctx.principal.may(cls.right(BELOW_LOWEST))
        mode = ASKS if allowed else modes["price_mode"]
        lifted = cls.right(BELOW_LOWEST) if kind == SALES else ""
        told.append(Told(mode, _beyond_price(ctx, cls, doc, kind), lifted_by=lifted))
    if buyer and (mode := setting(ctx, buyer, PURCHASE)["price_mode"]):
        msg = _beyond_price(ctx, cls, doc, PURCHASE, buyer)
        told.append(Told(mode, f"调入公司：{msg}" if msg else ""))
    if modes["overdue_mode"] and "overdue_mode" in held:
        owed = see_list("credit_item", "查看客户欠款", customer_id=doc.header.customer_id)
        told.append(Told(modes["overdue_mode"], _overdue(ctx, doc), (owed,)))
    if modes["credit_mode"] and beyond_credit:
        mode = ASKS if ctx.principal.may(cls.right(OVER_CREDIT)) else modes["credit_mode"]
        use = see_list("credit_use", "查看信用占用", customer_id=doc.header.customer_id)
        told.append(Told(mode, beyond_credit(ctx, doc), (use,), cls.right(OVER_CREDIT)))
    if lacking:
        told.append(Told(BLOCKS if kind == SALES else ASKS, lacking(ctx, doc)))
    return told


def refuse_or_ask(
    ctx: Context, cls: type[Bill], doc: Document, told: Iterable[Told | tuple[int, str]]
) -> None:
    """Refuse what blocks, ask about the rest at once; that the user goes on is logged."""
    found = [one for one in (Told(*each) for each in told) if one.msg]
    blocked = [one for one in found if one.mode == BLOCKS]
    ctx.refuse([Refusal(one.msg, ways=one.ways, lifted_by=one.lifted_by) for one in blocked])
    asked = "；".join(one.msg for one in found)
    if asked and not blocked:
        ctx.ask(StockWarningAsk(f"{asked}，是否继续？"))
        business_log.write_confirmed(
            ctx.conn,
            ctx.principal,
            cls.name(),
            doc.header.bill_id,
            asked,
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
_BEYOND: dict[int, tuple[pricing.Side, str, str]] = {
    SALES: ("customer", "l.amount < round(b.bound * l.quantity, 2)", "l.amount >= l.agreed_amount"),
    PURCHASE: ("supplier", "l.amount > round(b.bound * l.quantity, 2)", "l.amount <= l.agreed_amount"),
}
_OVERDUE = text(f"""
select {dues("cast(:today as date) - (select overdue_days from erp_config limit 1)")}
from settlement_item l
where l.party_type = 'customer' and l.party_id = :customer and l.company_id = :company and l.open_amount <> 0
""")


def _beyond_price(
    ctx: Context, cls: type[Bill], doc: Document, kind: int, company_id: int | None = None
) -> str:
    """Lines sold below the lowest price, or bought above the purchase price, net of discount; no gifts.

    By the prices of the bill's company, or of the one given.
    """
    assert cls.bill is not None
    lines = [line for line in doc.lines if line.quantity and not line.is_gift]
    side, beyond, agreed = _BEYOND[kind]
    link = next((link for link in cls.bill.links if link.agreed), None)
    sql = _LIMITS.format(level=pricing.LEVEL[side], bound=pricing.BOUND[side], beyond=beyond, agreed=agreed)
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
    places = [(registry.get(one), name) for one in ("company_goods", prices)]
    word = "低于最低售价" if kind == SALES else "高于采购价"
    return _told(
        (f"{row.goods_name}{word}{in_yuan(row.bound, ctx.principal, *places)}" for row in rows), len(rows)
    )


def _overdue(ctx: Context, doc: Document) -> str:
    values = {
        "customer": doc.header.customer_id,
        "company": doc.header.company_id,
        "today": today(),
    }
    row = ctx.conn.execute(_OVERDUE, values).one()
    if row.overdue <= 0:
        return ""
    places = ((registry.get(one), "overdue") for one in ("customer_account", "credit_use"))
    return f"客户有逾期欠款{in_yuan(row.overdue, ctx.principal, *places)}，最早于 {row.overdue_since} 到期"


def _told(names: Iterable[str], count: int) -> str:
    first = list(names)[:SHOWN]
    return "、".join(first) + (f"等{count}种商品" if count > SHOWN else "")
