"""Customers (客户资料): one default address, salesmen in bulk, audits of new and changed customers, duplicates."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.bill_client import BillClient
from tests.support.client import Answer
from tests.support.fixtures import Site
from tests.support.payloads import DAY

_numbers = itertools.count(1)


def add_customer(site: Site, user: str = "admin", **given: Any) -> Answer:
    body = {"customer_name": f"客户资料{next(_numbers)}", "company_id": site.world.company_a, **given}
    return site.as_(user).post("v2/custom/Customer/add", body)


def create_customer(site: Site, **given: Any) -> int:
    answer = add_customer(site, **given)
    assert answer.ok, answer
    return int(answer.data["id"])


def read_customer(site: Site, key: int) -> dict[str, Any]:
    found: dict[str, Any] = site.as_("admin").get("v2/custom/Customer/getInfo", id=key).data
    return found


def add_order(site: Site, customer: int, **header: Any) -> Answer:
    line = {"goods_id": site.world.oil, "quantity": "1", "price": "10"}
    return BillClient(site).add("sales_order", line, customer_id=customer, **header)


class TestAddresses:
    def add(self, site: Site, customer: int, address: str, **given: Any) -> Answer:
        body = {"company_id": site.world.company_a, "customer_id": customer, "consignee": "周敏"}
        body |= {"mobile": "13957112233", "address": address, **given}
        return site.as_("admin").post("v2/custom/CustomerAddress/add", body)

    def list_defaults(self, site: Site, customer: int) -> list[str]:
        rows = site.as_("admin").get("v2/custom/CustomerAddress/getList", customer_id=customer)
        return [row["address"] for row in rows.data["data"] if row["is_default"]]

    def test_the_first_is_the_default_until_another_is(self, site: Site) -> None:
        customer = create_customer(site)
        for address, given, default in (
            ("文一路1号", {}, "文一路1号"),
            ("文二路2号", {}, "文一路1号"),
            ("文三路3号", {"is_default": True}, "文三路3号"),
        ):
            assert self.add(site, customer, address, **given).ok
            assert self.list_defaults(site, customer) == [default]

    def test_a_default_is_not_disabled(self, site: Site) -> None:
        key = self.add(site, create_customer(site), "文一路1号").data["id"]
        answer = site.as_("admin").post("v2/custom/CustomerAddress/edit", {"id": key, "enabled": False})
        assert (answer.code, answer.msg) == (400, "默认地址不能停用，请先将其他地址设为默认")

    def test_an_order_is_sent_to_the_default_and_its_outbound_where_it_says(self, site: Site) -> None:
        customer, desk = create_customer(site), BillClient(site)
        desk.stock_in(site.world.oil, 10)
        first, second = (self.add(site, customer, name).data["id"] for name in ("文一路1号", "文二路2号"))
        plain = desk.caller.get("v2/sales/SalesOrder/getInfo", id=add_order(site, customer).data["id"]).data
        assert (plain["customer_address_id"], plain["customer_address_name"]) == (first, "文一路1号")
        key = add_order(site, customer, customer_address_id=second).data["id"]
        assert desk.caller.post("v2/sales/SalesOrder/auditorPass", {"ids": [key]}).ok
        drawn = desk.caller.get("v2/sales/SalesOutstock/getDraft", id=key).data
        assert drawn["customer_address_id"] == second

    def test_another_customers_address_is_refused(self, site: Site) -> None:
        address = self.add(site, create_customer(site), "文一路1号").data["id"]
        answer = add_order(site, site.world.customer2_a, customer_address_id=address)
        assert (answer.code, answer.msg) == (400, "“收货地址”与单据不匹配，请重新选择")


class TestSalesmen:
    def act(self, site: Site, action: str, *keys: int, user: str = "admin", **more: Any) -> Answer:
        return site.as_(user).post(f"v2/custom/BindingSalesman/{action}", {"ids": list(keys), **more})

    def build_colleague(self, site: Site) -> dict[str, Any]:
        world = site.world
        here = {"company_id": world.company_a, "department_id": world.department_a}
        return {"employee_name": f"员工{next(_numbers)}", **here}

    def test_many_are_bound_handed_over_and_released(self, site: Site) -> None:
        world, keys = site.world, [create_customer(site), create_customer(site)]
        other = site.as_("admin").post("v2/system/employee/add", self.build_colleague(site)).data["id"]
        for action, employee, left in (
            ("bind", world.employee_a, world.employee_a),
            ("transfer", other, other),
            ("unbind", None, None),
        ):
            more = {"employee_id": employee} if employee else {}
            assert self.act(site, action, *keys, **more).data["success"] == keys
            assert [read_customer(site, key)["employee_id"] for key in keys] == [left, left]
        log = site.as_("admin").get("v2/custom/Customer/getLog", id=keys[0]).data
        assert [row["action_name"] for row in log] == ["解绑", "转移", "绑定", "新增"]

    def test_what_is_sold_to_a_customer_is_his_salesmans(self, site: Site) -> None:
        desk, salesman = BillClient(site), site.world.employee_a
        customer, line = (
            create_customer(site, employee_id=salesman),
            {"goods_id": site.world.oil, "quantity": "1"},
        )
        for bill in ("sales_quote", "sales_order", "sales_outbound", "sales_return", "consignment_sale"):
            until = {"valid_until": DAY} if bill == "sales_quote" else {}
            saved = desk.draft(bill, line, customer_id=customer, **until)
            assert desk.read_bill(saved)["employee_id"] == salesman, bill

    def test_a_bill_may_name_another_and_one_who_left_sells_nothing(self, site: Site) -> None:
        world, desk = site.world, BillClient(site)
        other = site.as_("admin").post("v2/system/employee/add", self.build_colleague(site)).data["id"]
        customer, line = create_customer(site, employee_id=other), {"goods_id": world.oil, "quantity": "1"}
        saved = desk.draft("sales_order", line, customer_id=customer, employee_id=world.employee_a)
        assert desk.read_bill(saved)["employee_id"] == world.employee_a
        left = {"id": other, "enabled": False}
        assert site.as_("admin").post("v2/system/employee/edit", left).ok
        saved = desk.draft("sales_order", line, customer_id=customer)
        assert desk.read_bill(saved)["employee_id"] is None

    def test_who_is_bound_is_not_bound_again(self, site: Site) -> None:
        world = site.world
        bound, free = world.customer_a, create_customer(site)
        answer = self.act(site, "bind", bound, free, employee_id=world.employee_a)
        assert answer.data["success"] == [free]
        assert [row["msg"] for row in answer.data["failures"]] == ["A客户已绑定业务员，请使用转移"]

    def test_a_salesman_is_of_the_customers_company(self, site: Site) -> None:
        answer = self.act(site, "bind", create_customer(site), employee_id=site.world.employee_b)
        assert answer.code == 400
        assert "不是同一公司" in answer.msg
        answer = self.act(
            site, "bind", create_customer(site), user="manager_a", employee_id=site.world.employee_b
        )
        assert (answer.code, answer.msg) == (400, "业务员不存在或无权使用，请重新选择")

    def test_rights_and_companies_hold(self, site: Site) -> None:
        key = site.world.customer_a
        assert self.act(site, "unbind", key, user="nobody").code == 403
        assert self.act(site, "unbind", key, user="manager_b").code in (400, 404)
        assert read_customer(site, key)["employee_id"] == site.world.employee_a


class TestAlike:
    """Saving asks for confirmation of duplicates where customers need no audit."""

    @pytest.fixture
    def known(self, site: Site) -> int:
        name = f"萧山 {next(_numbers)}顺达"
        return create_customer(site, customer_name=name, customer_mobile="13757112299", confirmed=True)

    def test_a_second_one_is_saved_once_that_is_confirmed(self, site: Site, known: int) -> None:
        body = {"customer_name": read_customer(site, known)["customer_name"].replace(" ", "")}
        answer = add_customer(site, **body)
        assert answer.code == 363
        assert answer.msg.endswith("顺达（名称），是否继续？")
        assert add_customer(site, **body, confirmed=True).ok

    def test_a_mobile_of_another_is_asked_about_when_it_is_told(self, site: Site, known: int) -> None:
        key, edit = create_customer(site), "v2/custom/Customer/edit"
        body = {"id": key, "customer_mobile": "13757112299"}
        answer = site.as_("admin").post(edit, body)
        assert answer.code == 363
        assert "（手机号）" in answer.msg
        assert site.as_("admin").post(edit, {**body, "confirmed": True}).ok
        assert site.as_("admin").post(edit, {"id": key, "payment_days": 9}).ok, "it was confirmed before"

    def test_a_very_name_is_refused_as_before(self, site: Site, known: int) -> None:
        answer = add_customer(site, customer_name=read_customer(site, known)["customer_name"])
        assert (answer.code, answer.msg) == (400, "客户名称、公司已存在，请更换")


class TestAudits:
    @pytest.fixture(autouse=True)
    def require_audits(self, site: Site) -> Iterator[None]:
        """New and changed customers wait."""
        self.set_audit_mode(site, 2)
        yield
        self.set_audit_mode(site, 0)

    def set_audit_mode(self, site: Site, kind: int) -> None:
        admin = site.as_("admin")
        [row] = admin.get("v2/system/Config/getList").data["data"]
        body = {"id": row["erp_config_id"], "customer_audit": kind}
        assert admin.post("v2/system/Config/edit", body).ok

    def act(self, site: Site, action: str, key: int, user: str = "admin", **more: Any) -> Answer:
        return site.as_(user).post(f"v2/custom/CustomerAudit/{action}", {"ids": [key], **more})

    def list_waiting(self, site: Site, key: int) -> list[dict[str, Any]]:
        rows = site.as_("admin").get("v2/custom/CustomerAudit/getList", customer_id=key, audit_state=1)
        found: list[dict[str, Any]] = rows.data["data"]
        return found

    def test_a_new_one_is_used_once_it_is_passed(self, site: Site) -> None:
        key = create_customer(site)
        answer = add_order(site, key)
        assert (answer.code, answer.msg) == (400, "“客户”不存在或无权使用，请重新选择")
        assert [row["customer_id"] for row in self.list_waiting(site, key)] == [key]
        assert self.act(site, "auditorPass", key).ok
        assert add_order(site, key).ok
        assert self.list_waiting(site, key) == []
        assert self.act(site, "auditorPass", key).msg.endswith("已审核，请刷新后重试")

    def test_a_refused_one_waits_again_once_it_is_changed(self, site: Site) -> None:
        key = create_customer(site)
        assert self.act(site, "auditorNoPass", key).msg == "请填写驳回原因"
        assert self.act(site, "auditorNoPass", key, reason="缺少地址").ok
        assert (read_customer(site, key)["audit_state"], read_customer(site, key)["refuse_reason"]) == (
            3,
            "缺少地址",
        )
        body = {"id": key, "address": "文一路1号"}
        assert site.as_("admin").post("v2/custom/Customer/edit", body).ok
        assert read_customer(site, key)["audit_state"] == 1

    def test_a_changed_one_waits_and_a_disabled_one_does_not(self, site: Site) -> None:
        key, admin = create_customer(site), site.as_("admin")
        assert self.act(site, "auditorPass", key).ok
        assert admin.post("v2/custom/Customer/edit", {"id": key, "enabled": False}).ok
        assert read_customer(site, key)["audit_state"] == 2
        assert admin.post("v2/custom/Customer/edit", {"id": key, "payment_days": 90}).ok
        assert read_customer(site, key)["audit_state"] == 1

    def test_one_like_another_is_named_and_asked_about(self, site: Site) -> None:
        known = create_customer(site, customer_name="萧山顺达轮胎", customer_mobile="13857112299")
        assert self.act(site, "auditorPass", known).ok
        key = create_customer(site, customer_name="萧山 顺达轮胎", customer_mobile="13857112299")
        assert self.list_waiting(site, key)[0]["alike"] == "萧山顺达轮胎（名称、手机号）"
        answer = self.act(site, "auditorPass", key)
        assert answer.code == 363
        assert "萧山顺达轮胎（名称、手机号），是否继续？" in answer.msg
        assert self.act(site, "auditorPass", key, confirmed=True).ok

    def test_a_credit_code_is_one_customers(self, site: Site) -> None:
        code = "91330106MA2CFRYT3K"
        assert add_customer(site, credit_code=code).ok
        answer = add_customer(site, credit_code=code)
        assert (answer.code, answer.msg) == (400, "公司、统一社会信用代码已存在，请更换")

    def test_rights_and_companies_hold(self, site: Site) -> None:
        key = create_customer(site)
        assert self.act(site, "auditorPass", key, user="nobody").code == 403
        assert self.act(site, "auditorPass", key, user="manager_b").code in (400, 404)
        assert read_customer(site, key)["audit_state"] == 1
