"""Station calls (服务站外壳接口): the header's counters, voice broadcast, operating version, super-station progress."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Annotated, Any, Literal, NamedTuple

from fastapi import Query
from pydantic import BaseModel
from pydantic import Field as Described
from sqlalchemy import ColumnElement, func, select, text

from api.identity.tables import UserAccount
from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.field_sources import APART, PLAIN, from_fields
from api.kit.declaration.flow import POSTED_SQL, UNAUDITED
from api.kit.declaration.resource import Resource
from api.kit.errors import NotFound
from api.kit.http.routing import ANY_USER, build_router, call
from api.kit.http.schemas import Count, Key, Payload
from api.kit.scope import scope_condition
from api.kit.storage.projection import MASK
from api.ledger.tables import SettlementItem
from api.master.goods.goods import CompanyGoods
from api.master.organization.companies import GroupInfo
from api.shell.workspace.station import MOST_TIERS, PRICE_DAYS, TIMEOUT_HOURS, ShoppingCart, StationSetting

api = build_router()
OUTBOUND, TIMED_OUT, RETURNS = 2, 3, 4
"""The badges' lists, as the header names them in `header_icon_action` (spec/1-shell.md 2)."""
SOUND = "/voice/broadcast.mp3"
LATEST = 20


class OutstockCounts(BaseModel):
    """Counts of outbound to audit, unpaid outbound, returns to audit, and supplier consents to returns."""

    count: int
    unpaid_outstock_count: int
    not_refund_outstock_count: int
    purchase_refund_count: int


class WaitingBill(BaseModel):
    id: int
    bill_no: Annotated[str, APART]
    customer_name: Annotated[str, APART]
    total_amount: Annotated[str, APART]
    made_at: Annotated[str, APART]


class WaitingBills(BaseModel):
    count: int
    data: list[WaitingBill]


class PriceChanges(BaseModel):
    """Company goods that have a guide price, and how many of these prices changed lately."""

    total: int
    goods_price_change: int


class CartCount(BaseModel):
    cart_count: int


class Broadcast(BaseModel):
    """`latest_id` is the newest outbound that waits: a newer one than the browser has heard of is to be told."""

    is_broadcast: int
    jybd_mp3_url: Annotated[str, PLAIN]
    latest_id: int
    content: Annotated[str, APART]


class IsBroadcast(Payload):
    is_broadcast: Literal[0, 1]


class Version(Payload):
    """`version` is the operating version minus 1."""

    version: Literal[0, 1] = Described(description="0 标准版，1 简洁版")


class Reward(BaseModel):
    purchase_amount: Annotated[str, from_fields("super_station_reward.purchase_amount")]
    reward_name: Annotated[str, from_fields("super_station_reward.reward_name")]
    reward_value: Annotated[str, from_fields("super_station_reward.reward_value")]


Bought = Annotated[str, from_fields("purchase_inbound.total_amount")]


class SuperStationConfig(BaseModel):
    """`reward_key` is the number of tiers reached; `target_diff_amount` what is missing to the next one."""

    super_station_name: Annotated[str, from_fields("super_station.super_station_name")]
    start_date: Annotated[str, from_fields("super_station.start_date")]
    end_date: Annotated[str, from_fields("super_station.end_date")]
    purchase_amount: Bought
    reward_key: Annotated[int, from_fields("purchase_inbound.total_amount")]
    target_diff_amount: Bought
    rule_desc: Annotated[str, from_fields("super_station.rule_desc")]
    rewardList: list[Reward]


class Downloads(BaseModel):
    app_url: Annotated[str, from_fields("station_setting.app_url")]
    voice_url: Annotated[str, from_fields("station_setting.voice_url")]


class CustomerService(BaseModel):
    """Empty texts where the group tells nothing."""

    contact: Annotated[str, from_fields("group_info.service_contact")]
    phone: Annotated[str, from_fields("group_info.service_phone", "group_info.hotline")]
    hours: Annotated[str, from_fields("group_info.service_hours")]


@call(api, "GET", "v2/open/SalesOutstock/getSalesOutstocksList", right=ANY_USER, returns=OutstockCounts)
def get_sales_outstocks_list(ctx: Context) -> Any:
    """待出库: the user's company's outbound bills that wait."""
    return {
        "count": _count_rows(ctx, "sales_outbound", *_waiting_conditions("sales_outbound")),
        "unpaid_outstock_count": _count_rows(ctx, "sales_outbound", _unpaid_condition()),
        "not_refund_outstock_count": _count_rows(ctx, "sales_return", *_waiting_conditions("sales_return")),
        "purchase_refund_count": _count_rows(ctx, "refund_request", *_waiting_conditions("refund_request")),
    }


@call(api, "GET", "v2/open/SalesOutstock/getSalesOutTimeoutCount", right=ANY_USER, returns=Count)
def get_sales_out_timeout_count(ctx: Context) -> Any:
    """出库超时: outbound bills that have waited longer than the station allows."""
    return {"count": _count_rows(ctx, "sales_outbound", *_badge_conditions(ctx, TIMED_OUT))}


@call(api, "GET", "v2/open/SalesOutstock/getSalesOutListByType", right=ANY_USER, returns=WaitingBills)
def get_sales_out_list_by_type(ctx: Context, type: Annotated[int, Query(ge=2, le=4)] = RETURNS) -> Any:
    """待处理单据: 2 outbound to be audited, 3 those timed out, 4 returns to be audited; the newest of them."""
    name = "sales_return" if type == RETURNS else "sales_outbound"
    where = tuple(_badge_conditions(ctx, type))
    return {"count": _count_rows(ctx, name, *where), "data": list(_read_newest(ctx, name, where))}


@call(api, "GET", "v2/open/GoodsPrice/getGoodsChainPriceNumber", right=ANY_USER, returns=PriceChanges)
def get_goods_chain_price_number(ctx: Context, company_id: Key | None = None) -> Any:
    """商城指导价变动: of the user's company, or of one in his scope."""
    company = company_id or ctx.principal.company_id
    if not ctx.principal.has_right(CompanyGoods.right("list")) or not ctx.principal.covers_company(company):
        return {"total": 0, "goods_price_change": 0}
    row = ctx.conn.execute(_PRICES, {"company": company, "days": _read_setting(ctx).price_days}).one()
    return {"total": row.total, "goods_price_change": row.changed}


@call(
    api,
    "GET",
    "service_station/purchase/ShoppingCart/getCount",
    right=ShoppingCart.right("list"),
    returns=CartCount,
)
@call(api, "GET", "v2/open/ShoppingCart/newGetCartTabCount", right=ANY_USER, returns=CartCount)
def new_get_cart_tab_count(ctx: Context) -> Any:
    """购物车数量"""
    return {"cart_count": _count_rows(ctx, ShoppingCart.name())}


@call(api, "GET", "v2/open/BroadcastVoice/getBroadcastVoice", right=ANY_USER, returns=Broadcast)
def get_broadcast_voice(ctx: Context, user_id: Key | None = None) -> Any:
    """语音播报: whether it is on, and the newest outbound to tell of; `user_id` is one's own whatever is sent."""
    table = UserAccount.table()
    mine = table.c.user_id == ctx.principal.user_id
    on: bool = ctx.conn.execute(select(table.c.is_broadcast).where(mine)).scalar_one()
    latest = next(
        _read_newest(ctx, "sales_outbound", tuple(_waiting_conditions("sales_outbound")), limit=1), None
    )
    return {
        "is_broadcast": int(on),
        "jybd_mp3_url": SOUND,
        "latest_id": latest["id"] if latest else 0,
        "content": f"您有新的销售出库单，客户{latest['customer_name']}，请及时处理" if latest else "",
    }


@call(api, "POST", "v2/open/BroadcastVoice/setIsBroadcast", right=ANY_USER, returns=None, write=True)
def set_is_broadcast(ctx: Context, payload: IsBroadcast) -> Any:
    """设置语音播报"""
    _update_user(ctx, is_broadcast=bool(payload.is_broadcast))
    return None


@call(api, "POST", "v2/open/User/serviceStationSetUpVersion", right=ANY_USER, returns=None, write=True)
def service_station_set_up_version(ctx: Context, payload: Version) -> Any:
    """默认操作版本: the next login begins with it."""
    _update_user(ctx, operating_version=payload.version + 1)
    return None


@call(
    api,
    "GET",
    "v2/open/SuperStation/getSuperStationConfig",
    right=ANY_USER,
    returns=SuperStationConfig | None,
)
def get_super_station_config(ctx: Context) -> Any:
    """超级服务站进度: of the activity that runs today, for who may see what was bought; none when none does."""
    if not ctx.principal.has_right(registry.get_resource("purchase_inbound").right("list")):
        return None
    activity = ctx.conn.execute(_ACTIVITY).first()
    if activity is None:
        return None
    rewards = ctx.conn.execute(_REWARDS, {"activity": activity.super_station_id, "most": MOST_TIERS}).all()
    period = {"company": ctx.principal.company_id, "start": activity.start_date, "end": activity.end_date}
    bought: Decimal = ctx.conn.execute(_BOUGHT, period).scalar_one()
    reached = sum(1 for reward in rewards if bought >= reward.purchase_amount)
    missing = rewards[reached].purchase_amount - bought if reached < len(rewards) else Decimal(0)
    return {
        "super_station_name": activity.super_station_name,
        "start_date": activity.start_date,
        "end_date": activity.end_date,
        "purchase_amount": f"{bought:.2f}",
        "reward_key": reached,
        "target_diff_amount": f"{missing:.2f}",
        "rule_desc": activity.rule_desc,
        "rewardList": [
            {**reward._asdict(), "purchase_amount": f"{reward.purchase_amount:.2f}"} for reward in rewards
        ],
    }


@call(api, "GET", "v2/open/SuperStation/getDownloads", right=ANY_USER, returns=Downloads)
def get_downloads(ctx: Context) -> Any:
    """下载地址: of the mobile app and the voice client; empty where the station sets none."""
    found = _read_setting(ctx)
    return {"app_url": found.app_url or "", "voice_url": found.voice_url or ""}


@call(api, "GET", "v2/open/SuperStation/getCustomerService", right=ANY_USER, returns=CustomerService)
def get_customer_service(ctx: Context) -> Any:
    """客服: whom stations turn to; the group's hotline where it names no number for that."""
    own = GroupInfo.table()
    phone = func.coalesce(own.c.service_phone, own.c.hotline, "").label("phone")
    contact, hours = (
        func.coalesce(column, "").label(name)
        for column, name in ((own.c.service_contact, "contact"), (own.c.service_hours, "hours"))
    )
    return ctx.conn.execute(select(contact, phone, hours).limit(1)).one()._asdict()


_PRICES = text("""
select
    count(*) filter (where sale_price > 0) as total,
    count(*) filter (where exists (
        select from price_change p
        where p.company_id = g.company_id and p.goods_id = g.goods_id and p.sale_to is not null
            and p.changed_at > now() - make_interval(days => :days)
    )) as changed
from company_goods g
where g.company_id = :company and g.enabled
""")
_ACTIVITY = text("""
select super_station_id, super_station_name, start_date, end_date, rule_desc from super_station
where enabled and current_date between start_date and end_date
order by start_date desc, super_station_id desc limit 1
""")
_REWARDS = text("""
select purchase_amount, reward_name, reward_value from super_station_reward
where super_station_id = :activity order by purchase_amount limit :most
""")
_BOUGHT = text(f"""
select coalesce(sum(total_amount), 0) from purchase_inbound
where company_id = :company and status in {POSTED_SQL} and business_date between :start and :end
""")


def _waiting_conditions(name: str) -> Iterator[ColumnElement[bool]]:
    yield registry.get_resource(name).table().c.status == UNAUDITED


def _badge_conditions(ctx: Context, kind: int) -> Iterator[ColumnElement[bool]]:
    """Yield the conditions of a badge's list."""
    name = "sales_return" if kind == RETURNS else "sales_outbound"
    yield from _waiting_conditions(name)
    if kind == TIMED_OUT:
        hours = _read_setting(ctx).timeout_hours
        yield registry.get_resource(name).table().c.made_at < func.now() - func.make_interval(
            0, 0, 0, 0, hours
        )


def _unpaid_condition() -> ColumnElement[bool]:
    """Return the condition of outbound bills whose receivable is still open."""
    table = registry.get_resource("sales_outbound").table()
    open_claims = (SettlementItem.bill_type == "XSCK") & (SettlementItem.open_amount != 0)
    return table.c.bill_id.in_(select(SettlementItem.bill_id).where(open_claims))


def _own_condition(ctx: Context, cls: type[Resource]) -> ColumnElement[bool]:
    table = cls.table()
    return (table.c.company_id == ctx.principal.company_id) & scope_condition(table, ctx.principal)


def _count_rows(ctx: Context, name: str, *where: ColumnElement[bool]) -> int:
    """Return the number of the company's rows, 0 where the user may not list them."""
    cls = registry.get_resource(name)
    if not ctx.principal.has_right(cls.right("list")):
        return 0
    query = select(func.count()).select_from(cls.table()).where(_own_condition(ctx, cls), *where)
    found: int = ctx.conn.execute(query).scalar_one()
    return found


def _read_newest(
    ctx: Context, name: str, where: tuple[ColumnElement[bool], ...], limit: int = LATEST
) -> Iterator[dict[str, Any]]:
    cls, customer = registry.get_resource(name), registry.get_resource("customer").table()
    if not ctx.principal.has_right(cls.right("list")):
        return
    table = cls.table()
    shown = {
        field: ctx.principal.can_see(name, field, cls.field(field).permission)
        for field in ("bill_no", "customer_id", "total_amount", "made_at")
    }
    query = (
        select(
            table.c.bill_id, table.c.bill_no, customer.c.customer_name, table.c.total_amount, table.c.made_at
        )
        .join(customer, customer.c.customer_id == table.c.customer_id)
        .where(_own_condition(ctx, cls), *where)
        .order_by(table.c.bill_id.desc())
        .limit(limit)
    )
    for row in ctx.conn.execute(query):
        yield {
            "id": row.bill_id,
            "bill_no": row.bill_no if shown["bill_no"] else MASK,
            "customer_name": row.customer_name if shown["customer_id"] else MASK,
            "total_amount": f"{row.total_amount:.2f}" if shown["total_amount"] else MASK,
            "made_at": row.made_at if shown["made_at"] else MASK,
        }


class _Setting(NamedTuple):
    """Settings of a station, with the defaults for what it doesn't set."""

    timeout_hours: int = TIMEOUT_HOURS
    price_days: int = PRICE_DAYS
    app_url: str | None = None
    voice_url: str | None = None


def _read_setting(ctx: Context) -> _Setting:
    """Read the settings of the user's company."""
    table = StationSetting.table()
    query = select(*(table.c[name] for name in _Setting._fields))
    newest = table.c.station_setting_id.desc()
    mine = table.c.company_id == ctx.principal.company_id
    found = ctx.conn.execute(query.where(mine).order_by(newest).limit(1)).first()
    return _Setting(**found._mapping) if found else _Setting()


def _update_user(ctx: Context, **values: Any) -> None:
    table = UserAccount.table()
    mine = table.c.user_id == ctx.principal.user_id
    if ctx.conn.execute(table.update().where(mine).values(values)).rowcount != 1:
        raise NotFound("用户")
