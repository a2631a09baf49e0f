"""Calls of closes, funds home and checkstand (结账接口、资金首页、收银台) beyond the declared ones."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Query
from pydantic import BaseModel, Field

from api.kit.calls import call, router
from api.kit.consequences import Foreseen
from api.kit.context import Context
from api.kit.endpoints import action
from api.kit.schemas import Act, Key, Oldest
from api.master.open_items import OpenItem, open_items
from api.money import checkstand, money_home, month_close, year_close
from api.money.checkstand import Checkstand, Collected, Collection
from api.money.contra import Contra
from api.money.money_home import MoneyHome, Summary
from api.money.month_close import MonthClose
from api.money.year_close import YearClose

api = router()


class ObstacleRow(BaseModel):
    serial: str
    msg: str
    route: str | None


class QuestionAnswer(BaseModel):
    """One question of a close; `count` rows stand in the way, `rows` are the first of them."""

    name: str
    label: str
    advice: str
    blocking: bool
    count: int
    rows: list[ObstacleRow]


class Month(BaseModel):
    company_id: int = Field(ge=1, le=2**62)
    period: str = Field(max_length=100, description="会计期间 YYYY-MM")
    reason: str = Field("", max_length=200, description="反结账原因")


class MeantMonth(BaseModel):
    """The month, and what is meant to be done with it."""

    action: Literal["closePeriod", "openPeriod"]
    company_id: int = Field(ge=1, le=2**62)
    period: str = Field(max_length=100, description="会计期间 YYYY-MM")


class Closed(BaseModel):
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
    month_close.in_scope(ctx, company_id)
    return month_close.obstacles(ctx, company_id, period)


@call(api, "POST", "v2/system/MonthClose/getConsequence", right=MonthClose.right("list"), returns=Foreseen)
def get_consequence(ctx: Context, about: MeantMonth) -> Any:
    """结账、反结账的后果"""
    return month_close.foresee(ctx, about.action, about.company_id, about.period)


@action(api, MonthClose, "closePeriod", Closed)
def close_period(ctx: Context, payload: Month) -> Any:
    """月末结账"""
    return month_close.close(ctx, payload.company_id, payload.period)


@action(api, MonthClose, "openPeriod", Closed)
def open_period(ctx: Context, payload: Month) -> Any:
    """反结账"""
    return month_close.reopen(ctx, payload.company_id, payload.period, payload.reason)


@action(api, YearClose, "auditorPass")
def auditor_pass(ctx: Context, payload: Act) -> Any:
    """年结审核: all or nothing"""
    for key in payload.ids:
        year_close.approve(ctx, key)
    return {"success": payload.ids, "failures": []}


@action(api, YearClose, "auditorNoPass")
def auditor_no_pass(ctx: Context, payload: Act) -> Any:
    """年结驳回: all or nothing"""
    for key in payload.ids:
        year_close.reject(ctx, key, payload.reason or "")
    return {"success": payload.ids, "failures": []}


@call(api, "GET", "v2/money/MoneyHome/getSummary", right=MoneyHome.right("list"), returns=Summary)
def get_summary(ctx: Context, company_id: Key = 0) -> Any:
    """资金概况"""
    return money_home.summary(ctx, company_id or None)


@action(api, Checkstand, "collect", list[Collected])
def collect(ctx: Context, body: Collection) -> Any:
    """收银"""
    return checkstand.collect(ctx, body)


@call(api, "GET", "v2/money/Contra/getOpenItems", right=Contra.right("list"), returns=Oldest[OpenItem])
def get_open_items(ctx: Context, company_id: Key, customer_id: Key, supplier_id: Key) -> Any:
    """未核销的应收和应付"""
    return open_items(ctx, company_id, customer_id=customer_id, supplier_id=supplier_id)
