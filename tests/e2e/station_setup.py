"""Setup of the shell's browser tests through the product's API: a service station with a user, notices,
questionnaires, an activity."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, replace
from typing import Any

import httpx

import api.catalogue  # noqa: F401 declares what there are rights to
from api.kit.declaration import menu
from api.kit.storage.database import today
from reports.catalogue import REPORTS
from tests.support.client import Answer, Caller

ADMIN_PASSWORD = os.environ.get("ERP_ADMIN_PASSWORD", "Guanli#2468")
FIRST_PASSWORD = "Shouci#2468"
PASSWORD = "Fuwuzhan#2468"


@dataclass(frozen=True, slots=True)
class StationLogin:
    user_name: str
    password: str
    company_id: int
    user_id: int
    role_id: int


@dataclass(frozen=True, slots=True)
class StationSetup:
    """The administrator's calls, and the station's users."""

    admin: Caller
    station: StationLogin
    plain: StationLogin
    """A user of the station whose role holds no right."""

    def caller(self, login: StationLogin) -> Caller:
        return log_in(self.admin.http, login.user_name, login.password)


def open_client(address: str) -> httpx.Client:
    """Open connections that are closed before the product closes idle ones: a write just then gets no answer."""
    return httpx.Client(base_url=address, timeout=60, limits=httpx.Limits(keepalive_expiry=2))


def log_in(http: Any, user_name: str, password: str) -> Caller:
    answer = require_data(
        Caller(http).post("v2/user/Login/login", {"user_name": user_name, "password": password})
    )
    return Caller(http, answer["token"], answer["sign_key"])


def require_data(answer: Answer) -> Any:
    assert answer.ok, answer
    return answer.data


def create_setup(address: str) -> StationSetup:
    """Create a station of its own for each run, so that runs against one product don't meet."""
    admin = log_in(open_client(address), "admin", ADMIN_PASSWORD)
    mark = _make_mark()
    company = _create_company(admin, mark)
    plain = _create_user(admin, f"plain{mark}", company, [])
    _answer_survey(admin, plain)
    _create_activity(admin, mark)
    return StationSetup(admin, _create_station(admin, mark, company), plain)


def create_station(office: StationSetup) -> StationLogin:
    """Create a user of a new service station: no other test meets its notices, bills or files."""
    mark = _make_mark()
    return _create_station(office.admin, mark, _create_company(office.admin, mark))


def _make_mark() -> str:
    """Return a mark that tells apart what tests make, also in runs that follow each other."""
    return str(time.time_ns() // 1000)


def _create_company(admin: Caller, mark: str) -> int:
    body = {"company_name": f"城北轮胎服务站{mark}", "company_code": f"F{mark[-10:-3]}", "type": 3}
    company: int = require_data(admin.post("v2/system/Company/add", body))["id"]
    return company


def create_unsurveyed_station(office: StationSetup) -> StationLogin:
    """Create a user of a new service station who has yet to answer the survey."""
    mark = _make_mark()
    return _create_user(office.admin, f"station{mark}", _create_company(office.admin, mark), [])


def _create_station(admin: Caller, mark: str, company: int) -> StationLogin:
    login = _create_user(admin, f"station{mark}", company, list(menu.list_rights()))
    _answer_survey(admin, login)
    return login


def _answer_survey(admin: Caller, login: StationLogin) -> None:
    """Answer the satisfaction survey, which would stand before every other page."""
    own = log_in(admin.http, login.user_name, login.password)
    asked = require_data(own.get("v2/open/Survey/getSatisfactionStatus"))["questions"]
    given = {"score": "90", "text": "无"}
    require_data(
        own.post(
            "v2/open/Survey/save", {one["name"]: given.get(one["kind"]) or one["options"][0] for one in asked}
        )
    )


def _create_user(
    admin: Caller, name: str, company: int, rights: list[str], *, realname: str = "马站长", **sight: Any
) -> StationLogin:
    """Create a user in a role of his own, who has set his own password already; `sight` is what the role
    sees."""
    login = _create_account(admin, name, company, rights, realname, **sight)
    own = log_in(admin.http, name, FIRST_PASSWORD)
    require_data(
        own.post("v2/system/User/changePassword", {"old_password": FIRST_PASSWORD, "password": PASSWORD})
    )
    return replace(login, password=PASSWORD)


def _create_account(
    admin: Caller, name: str, company: int, rights: list[str], realname: str, **sight: Any
) -> StationLogin:
    shape = {"role_name": name, "scope_kind": 2, "own_kind": 1, "sees_cost": True, **sight}
    holdings = {"rights": rights, "companies": [company]}
    role = require_data(admin.post("v2/system/Role/save", {**shape, **holdings}))["id"]
    person = {"user_name": name, "realname": realname, "company_id": company, "role_id": role}
    user = require_data(admin.post("v2/system/User/save", {**person, "password": FIRST_PASSWORD}))["id"]
    return StationLogin(name, FIRST_PASSWORD, company, user, role)


def create_newcomer(office: StationSetup, rights: list[str], realname: str) -> StationLogin:
    """Create a user of the back office whose password is still the administrator's."""
    return _create_account(office.admin, f"new{_make_mark()}", _find_branch(office), rights, realname)


def create_staff(office: StationSetup, rights: list[str], realname: str) -> StationLogin:
    """Create a user of the back office who works already; no other test meets his drafts or his rights."""
    name = f"staff{_make_mark()}"
    return _create_user(office.admin, name, _find_branch(office), rights, realname=realname)


def create_reader_without_costs(office: StationSetup) -> StationLogin:
    """Create a user of the back office who may read every embedded report and take its files, of all
    companies, but sees no costs."""
    rights = [right for report in REPORTS for right in (report.right, report.export_right)]
    sight = {"scope_kind": 1, "sees_cost": False}
    return _create_user(
        office.admin, f"reader{_make_mark()}", _find_branch(office), rights, realname="彭经理", **sight
    )


def _find_branch(office: StationSetup) -> int:
    """Return the demo users' company."""
    [clerk] = require_data(office.admin.get("v2/system/User/getList", user_name="clerk"))["data"]
    company: int = clerk["company_id"]
    return company


def _create_activity(admin: Caller, mark: str) -> None:
    """Create an activity that runs, if none does yet."""
    if require_data(admin.get("v2/open/SuperStation/getSuperStationConfig")) is None:
        activity = require_data(
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
            require_data(
                admin.post("v2/system/SuperStationReward/add", {"super_station_id": activity, **tier})
            )


def send_announcement(office: StationSetup, station: StationLogin, title: str) -> None:
    """Send an announcement to a service station."""
    require_data(
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


def publish_questionnaire(office: StationSetup, title: str) -> int:
    """Publish the only questionnaire for service stations, of one question."""
    for other in require_data(office.admin.get("v2/system/Questionnaire/getList", is_published=1))["data"]:
        unpublish_questionnaire(office, other["questionnaire_id"])
    body = {"questionnaire_title": title, "show_msg": f"邀请您填写{title}", "expire_time": "2099-12-31"}
    key: int = require_data(
        office.admin.post("v2/system/Questionnaire/add", {**body, "target": 3, "is_published": True})
    )["id"]
    question = {
        "questionnaire_id": key,
        "question": "对服务满意吗",
        "kind": 1,
        "options": "满意\n不满意",
        "sort": 1,
    }
    require_data(office.admin.post("v2/system/QuestionnaireQuestion/add", question))
    return key


def unpublish_questionnaire(office: StationSetup, key: int) -> None:
    """Unpublish a questionnaire."""
    require_data(office.admin.post("v2/system/Questionnaire/edit", {"id": key, "is_published": False}))


def add_outbound(office: StationSetup, station: StationLogin) -> int:
    """Add a sales outbound of a station that waits to be audited."""
    bill: int = require_data(
        office.admin.post("v2/sales/SalesOutstock/add", build_outbound(office, station))
    )["id"]
    return bill


def build_outbound(office: StationSetup, login: StationLogin) -> dict[str, Any]:
    """Build a sales outbound of a user's company."""
    company, name = login.company_id, f"待出库{_make_mark()}"
    warehouse = {"warehouse_name": name, "company_id": company}
    customer = {"customer_name": name, "company_id": company}
    return {
        "company_id": company,
        "warehouse_id": require_data(office.admin.post("v2/system/Warehouse/add", warehouse))["id"],
        "customer_id": require_data(office.admin.post("v2/custom/Customer/add", customer))["id"],
        "business_date": f"{today()}",
        "lines": [{"goods_id": find_goods(office), "quantity": "1", "price": "10"}],
    }


def change_price(office: StationSetup, station: StationLogin) -> None:
    """Change a guide price of a station."""
    body = {"company_id": station.company_id, "goods_id": find_goods(office), "sale_price": "520"}
    key = require_data(office.admin.post("v2/system/CompanyGoods/add", body))["id"]
    require_data(office.admin.post("v2/system/CompanyGoods/edit", {"id": key, "sale_price": "530"}))


def find_goods(office: StationSetup) -> int:
    goods: int = require_data(office.admin.get("v2/inventory/Goods/getGoodsListPopup", per_page=1))["data"][
        0
    ]["goods_id"]
    return goods
