"""What the shell's browser tests need in the product, made through its API: a service station with a user, notices,
questionnaires, an activity."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from typing import Any

import httpx

import api.catalogue  # noqa: F401 declares what there are rights to
from api.kit import menus
from api.kit.database import today
from reports.catalogue import REPORTS
from tests.kit.client import Answer, Caller

ADMIN_PASSWORD = os.environ.get("ERP_ADMIN_PASSWORD", "Guanli#2468")
FIRST_PASSWORD = "Shouci#2468"
PASSWORD = "Fuwuzhan#2468"


@dataclass(frozen=True, slots=True)
class Login:
    user_name: str
    password: str
    company_id: int
    user_id: int
    role_id: int


@dataclass(frozen=True, slots=True)
class Office:
    """The administrator's calls, and the station's users."""

    admin: Caller
    station: Login
    plain: Login
    """A user of the station whose role holds no right."""

    def caller(self, login: Login) -> Caller:
        return log_in(self.admin.http, login.user_name, login.password)


def line_to(address: str) -> httpx.Client:
    """Connections to the product, given up before it gives up idle ones: who writes just then gets no answer."""
    return httpx.Client(base_url=address, timeout=60, limits=httpx.Limits(keepalive_expiry=2))


def log_in(http: Any, user_name: str, password: str) -> Caller:
    answer = made(Caller(http).post("v2/user/Login/login", {"user_name": user_name, "password": password}))
    return Caller(http, answer["token"], answer["sign_key"])


def made(answer: Answer) -> Any:
    assert answer.ok, answer
    return answer.data


def furnish(address: str) -> Office:
    """A station of its own for each run, so that runs against one product don't meet."""
    admin = log_in(line_to(address), "admin", ADMIN_PASSWORD)
    mark = _mark()
    company = _company(admin, mark)
    plain = _user(admin, f"plain{mark}", company, [])
    _content_with_us(admin, plain)
    _content(admin, mark)
    return Office(admin, _station(admin, mark, company), plain)


def another_station(office: Office) -> Login:
    """A user of a new service station: no other test meets its notices, bills or files."""
    mark = _mark()
    return _station(office.admin, mark, _company(office.admin, mark))


def _mark() -> str:
    """Tells apart what tests make, also in runs that follow each other."""
    return str(time.time_ns() // 1000)


def _company(admin: Caller, mark: str) -> int:
    body = {"company_name": f"城北轮胎服务站{mark}", "company_code": f"F{mark[-10:-3]}", "type": 3}
    company: int = made(admin.post("v2/system/Company/add", body))["id"]
    return company


def unasked_station(office: Office) -> Login:
    """A user of a new service station who has yet to say how content he is."""
    mark = _mark()
    return _user(office.admin, f"station{mark}", _company(office.admin, mark), [])


def _station(admin: Caller, mark: str, company: int) -> Login:
    login = _user(admin, f"station{mark}", company, list(menus.every_right()))
    _content_with_us(admin, login)
    return login


def _content_with_us(admin: Caller, login: Login) -> None:
    """He has answered the satisfaction survey, which would stand before every other page."""
    own = log_in(admin.http, login.user_name, login.password)
    asked = made(own.get("v2/open/Survey/getSatisfactionStatus"))["questions"]
    given = {"score": "90", "text": "无"}
    made(
        own.post(
            "v2/open/Survey/save", {one["name"]: given.get(one["kind"]) or one["options"][0] for one in asked}
        )
    )


def _user(
    admin: Caller, name: str, company: int, rights: list[str], *, realname: str = "马站长", **sight: Any
) -> Login:
    """A user in a role of his own, who has set his own password already; `sight` is what the role sees."""
    login = _account(admin, name, company, rights, realname, **sight)
    own = log_in(admin.http, name, FIRST_PASSWORD)
    made(own.post("v2/system/User/changePassword", {"old_password": FIRST_PASSWORD, "password": PASSWORD}))
    return replace(login, password=PASSWORD)


def _account(admin: Caller, name: str, company: int, rights: list[str], realname: str, **sight: Any) -> Login:
    shape = {"role_name": name, "scope_kind": 2, "own_kind": 1, "sees_cost": True, **sight}
    holdings = {"rights": rights, "companies": [company]}
    role = made(admin.post("v2/system/Role/save", {**shape, **holdings}))["id"]
    person = {"user_name": name, "realname": realname, "company_id": company, "role_id": role}
    user = made(admin.post("v2/system/User/save", {**person, "password": FIRST_PASSWORD}))["id"]
    return Login(name, FIRST_PASSWORD, company, user, role)


def newcomer(office: Office, rights: list[str], realname: str) -> Login:
    """A user of the back office whose password is still the administrator's."""
    return _account(office.admin, f"new{_mark()}", _branch(office), rights, realname)


def hire(office: Office, rights: list[str], realname: str) -> Login:
    """A user of the back office who works already; no other test meets his drafts or his rights."""
    name = f"staff{_mark()}"
    return _user(office.admin, name, _branch(office), rights, realname=realname)


def reader_without_costs(office: Office) -> Login:
    """A user of the back office who may read every framed report and take its files, of all companies, but sees no costs."""
    rights = [right for report in REPORTS for right in (report.right, report.export_right)]
    sight = {"scope_kind": 1, "sees_cost": False}
    return _user(office.admin, f"reader{_mark()}", _branch(office), rights, realname="彭经理", **sight)


def _branch(office: Office) -> int:
    """The demo users' company."""
    [clerk] = made(office.admin.get("v2/system/User/getList", user_name="clerk"))["data"]
    company: int = clerk["company_id"]
    return company


def _content(admin: Caller, mark: str) -> None:
    """An activity that runs, if none does yet."""
    if made(admin.get("v2/open/SuperStation/getSuperStationConfig")) is None:
        activity = made(
            admin.post(
                "v2/system/SuperStation/add",
                {
                    "super_station_name": f"超级服务站{mark}",
                    "start_date": "2020-01-01",
                    "end_date": "2099-12-31",
                    "rule_desc": "一、按活动期内已审核的采购入库金额累计。\n二、达到档位即可领取对应奖励。",
                },
            )
        )["id"]
        for amount in (50_000, 100_000, 300_000):
            tier = {
                "purchase_amount": str(amount),
                "reward_name": f"{amount // 10_000}万返利",
                "reward_value": "返利 2%",
            }
            made(admin.post("v2/system/SuperStationReward/add", {"super_station_id": activity, **tier}))


def announce(office: Office, station: Login, title: str) -> None:
    """An announcement for a service station."""
    made(
        office.admin.post(
            "v2/system/MessageLog/save",
            {
                "message_title": title,
                "message_content": f"{title}，请各站知悉。",
                "company_id": station.company_id,
                "audience": 4,
                "companies": [station.company_id],
            },
        )
    )


def ask(office: Office, title: str) -> int:
    """The only published questionnaire for service stations, of one question."""
    for other in made(office.admin.get("v2/system/Questionnaire/getList", is_published=1))["data"]:
        withdraw(office, other["questionnaire_id"])
    body = {"questionnaire_title": title, "show_msg": f"邀请您填写{title}", "expire_time": "2099-12-31"}
    key: int = made(
        office.admin.post("v2/system/Questionnaire/add", {**body, "target": 3, "is_published": True})
    )["id"]
    question = {
        "questionnaire_id": key,
        "question": "对服务满意吗",
        "kind": 1,
        "options": "满意\n不满意",
        "sort": 1,
    }
    made(office.admin.post("v2/system/QuestionnaireQuestion/add", question))
    return key


def withdraw(office: Office, key: int) -> None:
    """Nobody is asked a questionnaire any more."""
    made(office.admin.post("v2/system/Questionnaire/edit", {"id": key, "is_published": False}))


def sell(office: Office, station: Login) -> int:
    """A sales outbound of a station that waits to be audited."""
    bill: int = made(office.admin.post("v2/sales/SalesOutstock/add", outbound(office, station)))["id"]
    return bill


def outbound(office: Office, login: Login) -> dict[str, Any]:
    """What a sales outbound of a user's company may be made of."""
    company, name = login.company_id, f"待出库{_mark()}"
    warehouse = {"warehouse_name": name, "company_id": company}
    customer = {"customer_name": name, "company_id": company}
    return {
        "company_id": company,
        "warehouse_id": made(office.admin.post("v2/system/Warehouse/add", warehouse))["id"],
        "customer_id": made(office.admin.post("v2/custom/Customer/add", customer))["id"],
        "business_date": f"{today()}",
        "lines": [{"goods_id": some_goods(office), "quantity": "1", "price": "10"}],
    }


def reprice(office: Office, station: Login) -> None:
    """A guide price of a station that changed."""
    body = {"company_id": station.company_id, "goods_id": some_goods(office), "sale_price": "520"}
    key = made(office.admin.post("v2/system/CompanyGoods/add", body))["id"]
    made(office.admin.post("v2/system/CompanyGoods/edit", {"id": key, "sale_price": "530"}))


def some_goods(office: Office) -> int:
    goods: int = made(office.admin.get("v2/inventory/Goods/getGoodsListPopup", per_page=1))["data"][0][
        "goods_id"
    ]
    return goods
