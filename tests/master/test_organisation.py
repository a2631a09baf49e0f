"""The group's own record, types of companies, who carries goods, and accounting periods."""

from __future__ import annotations

import pytest

from tests.support.bill_client import BillClient
from tests.support.fixtures import Site


class TestGroupInfo:
    PREFIX = "v2/system/GroupInfo"

    def test_there_is_one_and_it_can_be_changed(self, site: Site) -> None:
        admin = site.as_("admin")
        [row] = admin.get(f"{self.PREFIX}/getList").data["data"]
        given = {"group_name": "华东轮胎集团", "hotline": "400-800-1234", "phone": "0571-88990011"}
        body = {"id": row["group_info_id"], "credit_code": "91330106MA2CFRYT3X", **given}
        assert admin.post(f"{self.PREFIX}/edit", body).ok
        found = admin.get(f"{self.PREFIX}/getInfo", id=row["group_info_id"]).data
        assert {name: found[name] for name in given} == given

    def test_another_cannot_be_added_nor_the_one_deleted(self, site: Site) -> None:
        for call in ("add", "del"):
            assert site.as_("admin").post(f"{self.PREFIX}/{call}", {"group_name": "二"}).status in (404, 405)

    @pytest.mark.parametrize(
        ("name", "value", "said"),
        [
            ("hotline", "4008001234", "“服务热线”请输入正确的服务热线，格式为400-xxx-xxx"),
            ("credit_code", "123", "“统一社会信用代码”应为18位数字和大写字母"),
        ],
    )
    def test_texts_keep_their_rules(self, site: Site, name: str, value: str, said: str) -> None:
        admin = site.as_("admin")
        [row] = admin.get(f"{self.PREFIX}/getList").data["data"]
        assert admin.post(f"{self.PREFIX}/edit", {"id": row["group_info_id"], name: value}).msg == said


class TestCompanyTypes:
    def test_each_says_how_many_companies_one_sees(self, site: Site) -> None:
        def counted(user: str) -> dict[str, int]:
            rows = site.as_(user).get("v2/system/CompanyType/getList").data["data"]
            return {row["company_type_name"]: row["companies"] for row in rows}

        assert counted("manager_a") == {"集团": 0, "分公司": 1, "服务站": 0}
        assert counted("admin")["分公司"] >= 2
        assert list(counted("admin")) == ["集团", "分公司", "服务站"]


class TestLogistics:
    def test_drivers_are_offered_by_their_company(self, site: Site) -> None:
        admin = site.as_("admin")
        other = admin.post("v2/system/Logistics/add", {"logistics_name": "德邦", "type": 3}).data["id"]
        for company, name in ((site.world.logistics, "赵师傅"), (other, "钱师傅")):
            body = {"driver_name": name, "mobile": "13800000000", "logistics_id": company}
            assert admin.post("v2/system/LogisticsDriver/add", body).ok
        rows = site.as_("clerk_a").get("open/LogisticsDriver/getDriverList", logistics_id=other).data
        assert [(row["driver_name"], row["logistics_name"]) for row in rows] == [("钱师傅", "德邦")]

    def test_the_picker_has_its_shape(self, site: Site) -> None:
        """spec/2-routes.md 3: logistics_id, logistics_name, type"""
        rows = site.as_("clerk_a").get("open/Logistics/getLogisticsList", logistics_name="顺达").data
        assert [(row["logistics_id"], row["logistics_name"], row["type"]) for row in rows] == [
            (site.world.logistics, "顺达物流", 2)
        ]

    def test_a_mobile_that_is_none_is_refused(self, site: Site) -> None:
        body = {"driver_name": "孙师傅", "mobile": "1380000", "logistics_id": site.world.logistics}
        answer = site.as_("admin").post("v2/system/LogisticsDriver/add", body)
        assert (answer.code, answer.msg) == (400, "“手机号”目前只支持中国大陆的手机号码")


class TestAccountingPeriods:
    PREFIX = "v2/system/AccountingPeriod/getList"

    def test_a_month_begins_open_and_is_closed(self, site: Site) -> None:
        company, admin = site.world.company_a, site.as_("admin")
        BillClient(site).stock_in(site.world.spares[5], 1, business_date="2025-12-30")

        def state(period: str) -> tuple[int, str | None]:
            query = {"company_id": company, "period": period}
            [row] = admin.get(self.PREFIX, **query).data["data"]
            return row["status"], row["closed_by_name"]

        listed = admin.get(self.PREFIX, company_id=company, per_page=500).data["data"]
        assert listed[-1]["period"] == "2025-12"
        assert listed[-1]["last_day"] == "2025-12-31"
        assert state("2025-12") == (0, None)
        body = {"company_id": company, "period": "2025-12"}
        assert admin.post("v2/system/MonthClose/closePeriod", body).ok
        assert state("2025-12") == (1, "管理员")
        assert admin.get(self.PREFIX, company_id=company, status=1).data["total"] == 1
        assert admin.post("v2/system/MonthClose/openPeriod", {**body, "reason": "补单"}).ok
        assert state("2025-12") == (0, None)

    def test_others_months_are_not_shown(self, site: Site) -> None:
        rows = site.as_("manager_b").get(self.PREFIX, per_page=500).data["data"]
        assert {row["company_id"] for row in rows} == {site.world.company_b}
