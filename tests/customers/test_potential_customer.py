"""Potential customers (潜在客户): notes are append-only, and conversion happens once, unless a customer exists
already."""

from __future__ import annotations

import itertools
from typing import Any

from tests.support.client import Answer
from tests.support.fixtures import Site

PREFIX = "v2/custom/PotentialCustomer"
_numbers = itertools.count(1)


def create_potential(site: Site, **given: Any) -> int:
    body = {"customer_name": f"潜客{next(_numbers)}", "company_id": site.world.company_a, **given}
    answer = site.as_("admin").post(f"{PREFIX}/add", body)
    assert answer.ok, answer
    return int(answer.data["id"])


def read_potential(site: Site, key: int) -> dict[str, Any]:
    found: dict[str, Any] = site.as_("admin").get(f"{PREFIX}/getInfo", id=key).data
    return found


def post_action(site: Site, action: str, key: int, user: str = "admin", **more: Any) -> Answer:
    return site.as_(user).post(f"{PREFIX}/{action}", {"ids": [key], **more})


def build_note(note: str) -> dict[str, str]:
    return {"last_note": note, "next_on": "2026-04-01"}


def list_notes(site: Site, key: int) -> list[str]:
    rows = site.as_("admin").get("v2/custom/CustomerFollowUp/getList", potential_customer_id=key).data["data"]
    return [row["note"] for row in rows]


def test_every_talk_is_kept(site: Site) -> None:
    key = create_potential(site)
    assert post_action(site, "followUp", key, **build_note("想要半钢胎报价")).ok
    assert post_action(site, "followUp", key, **build_note("嫌贵")).ok
    assert list_notes(site, key) == ["嫌贵", "想要半钢胎报价"]
    found = read_potential(site, key)
    assert (found["state"], found["last_note"], found["next_on"]) == (2, "嫌贵", "2026-04-01")
    assert post_action(site, "giveUp", key).ok
    assert (read_potential(site, key)["state"], read_potential(site, key)["next_on"]) == (4, None)
    assert post_action(site, "giveUp", key).msg.endswith("已放弃")
    assert post_action(site, "followUp", key, **build_note("主动来电")).ok
    assert read_potential(site, key)["state"] == 2
    answer = site.as_("admin").post(f"{PREFIX}/del", {"ids": [key]})
    assert (answer.code, answer.msg) == (400, "已被引用，不能删除")


def test_one_becomes_a_customer_once(site: Site) -> None:
    key = create_potential(
        site, contact_name="周敏", customer_mobile="13957110001", employee_id=site.world.employee_a
    )
    assert post_action(site, "convert", key).ok
    found = read_potential(site, key)
    customer = site.as_("admin").get("v2/custom/Customer/getInfo", id=found["customer_id"]).data
    same = ("customer_name", "contact_name", "customer_mobile", "employee_id", "company_id")
    assert {name: customer[name] for name in same} == {name: found[name] for name in same}
    told = f"{found['customer_name']}已转为客户"
    for action, more in (("convert", {}), ("giveUp", {}), ("followUp", build_note("再问"))):
        answer = post_action(site, action, key, **more)
        assert (answer.code, answer.msg) == (400, told)
    body = {"id": key, "remark": "改"}
    assert site.as_("admin").post(f"{PREFIX}/edit", body).msg == f"{told}，请在客户资料中修改"


def test_who_may_be_a_customer_already_is_asked_about(site: Site) -> None:
    known = {
        "company_id": site.world.company_a,
        "customer_name": "城西 修理厂",
        "customer_mobile": "13957110002",
    }
    assert site.as_("admin").post("v2/custom/Customer/add", known).ok
    key = create_potential(site, customer_name="城西修理厂（新）", customer_mobile="13957110002")
    answer = post_action(site, "convert", key)
    assert (answer.code, answer.msg) == (
        363,
        "城西修理厂（新）疑似与已有客户重复：城西 修理厂（手机号），是否继续？",
    )
    assert read_potential(site, key)["customer_id"] is None
    assert post_action(site, "convert", key, confirmed=True).ok
    same = create_potential(site, customer_name="城西 修理厂")
    answer = post_action(site, "convert", same, confirmed=True)
    assert (answer.code, answer.msg) == (400, "客户名称、公司已存在，请更换")
    assert read_potential(site, same)["state"] == 1


def test_it_takes_the_right_and_the_company(site: Site) -> None:
    key = create_potential(site, company_id=site.world.company_b)
    assert post_action(site, "convert", key, "nobody").code == 403
    assert post_action(site, "convert", key, "manager_a").msg == "潜在客户不存在或无权访问"
    assert read_potential(site, key)["state"] == 1
