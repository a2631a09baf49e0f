"""Calls of closes, funds home and checkstand (结账接口、资金首页、收银台) beyond the declared ones."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import BaseModel, Field

from api.kit.context import Context
from api.kit.http.consequences import Foreseen
from api.kit.http.endpoints import declare_action
from api.kit.http.routing import build_router, call
from api.kit.http.schemas import Act, Key, Oldest
from api.master.settlements.open_items import OpenItem, list_open_items
from api.money import checkstand, money_home, month_close, year_close
from api.money.checkstand import Checkstand, CollectedReceipt, CollectionRequest
from api.money.money_home import FundsSummary, MoneyHome
from api.money.month_close import MonthClose
from api.money.receivable_payable_offset import ReceivablePayableOffset
from api.money.year_close import YearClose

api = build_router()


class ObstacleRow(BaseModel):
    serial: str
    msg: str
    route: str | None


class QuestionAnswer(BaseModel):
    """One check of a close; `count` rows block it, `rows` are the first of them."""

    name: str
    label: str
    advice: str
    blocking: bool
    count: int
    rows: list[ObstacleRow]


class MonthCloseRequest(BaseModel):
    company_id: int = Field(ge=1, le=2**62)
    period: str = Field(max_length=100, description="会计期间 YYYY-MM")
    reason: str = Field("", max_length=200, description="反结账原因")


class MonthConsequenceRequest(BaseModel):
    """The month, and the action intended for it."""

    action: Literal["closePeriod", "openPeriod"]
    company_id: int = Field(ge=1, le=2**62)
    period: str = Field(max_length=100, description="会计期间 YYYY-MM")


class ClosedMonth(BaseModel):
    period: str
    bill_count: int


@call(
    api,
    "GET",
    "v2/system/MonthClose/getQuestions",
    right=MonthClose.right("list"),
    returns=list[QuestionAnswer],
)
def get_questions(ctx: Context, company_id: Key, period: Annotated[str, Query(max_length=100)]) -> Any:
    """结账检查"""
    month_close.require_whole_company(ctx, company_id)
    return month_close.run_close_checks(ctx, company_id, period)


@call(api, "POST", "v2/system/MonthClose/getConsequence", right=MonthClose.right("list"), returns=Foreseen)
def get_consequence(ctx: Context, about: MonthConsequenceRequest) -> Any:
    """结账、反结账的后果"""
    return month_close.describe_consequence(ctx, about.action, about.company_id, about.period)


@declare_action(api, MonthClose, "closePeriod", ClosedMonth)
def close_period(ctx: Context, payload: MonthCloseRequest) -> Any:
    """月末结账"""
    return month_close.close_month(ctx, payload.company_id, payload.period)


@declare_action(api, MonthClose, "openPeriod", ClosedMonth)
def open_period(ctx: Context, payload: MonthCloseRequest) -> Any:
    """反结账"""
    return month_close.reopen_month(ctx, payload.company_id, payload.period, payload.reason)


@declare_action(api, YearClose, "auditorPass")
def auditor_pass(ctx: Context, payload: Act) -> Any:
    """年结审核: all or nothing"""
    for key in payload.ids:
        year_close.approve_year(ctx, key)
    return {"success": payload.ids, "failures": []}


@declare_action(api, YearClose, "auditorNoPass")
def auditor_no_pass(ctx: Context, payload: Act) -> Any:
    """年结驳回: all or nothing"""
    for key in payload.ids:
        year_close.reject_year(ctx, key, payload.reason or "")
    return {"success": payload.ids, "failures": []}


@call(api, "GET", "v2/money/MoneyHome/getSummary", right=MoneyHome.right("list"), returns=FundsSummary)
def get_summary(ctx: Context, company_id: Key = 0) -> Any:
    """资金概况"""
    return money_home.summarize_funds(ctx, company_id or None)


@declare_action(api, Checkstand, "collect", list[CollectedReceipt])
def collect_payment(ctx: Context, body: CollectionRequest) -> Any:
    """收银"""
    return checkstand.collect_payment(ctx, body)


@call(
    api,
    "GET",
    "v2/money/Contra/getOpenItems",
    right=ReceivablePayableOffset.right("list"),
    returns=Oldest[OpenItem],
)
def get_open_items(ctx: Context, company_id: Key, customer_id: Key, supplier_id: Key) -> Any:
    """未核销的应收和应付"""
    return list_open_items(ctx, company_id, customer_id=customer_id, supplier_id=supplier_id)
