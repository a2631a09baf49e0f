"""spec/1-shell.md 5, validation rules: a test a paragraph, in a real browser against the running product."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Route, expect

from tests.e2e.conftest import START_SECONDS, DemoUserOpener, UserOpener
from tests.e2e.station_setup import (
    StationSetup,
    create_staff,
    create_station,
    create_unsurveyed_station,
    find_goods,
    require_data,
)

pytestmark = pytest.mark.timeout(START_SECONDS + 300)


class TestSatisfactionSurvey:
    def test_its_seven_answers_follow_their_rules(self, seat: UserOpener, office: StationSetup) -> None:
        """ "Survey form: q1, q3, q4 required single choices (message 请选择); q2 and q5 required multi-choice arrays (请选择); q5
        may add a free-text other entry; q6 required score, and if empty, not numeric or outside 0 to 100 the message is
        请输入0-100; q7 required text (请填写). On submit q2 and q5 are joined by commas."
        """
        page = seat(create_staff(office, ["unit:list"], "答卷的人")).page
        page.get_by_role("button", name=re.compile("^问卷")).click()
        listed = page.get_by_role("dialog", name="问卷")
        row = (
            listed.locator("div", has_text="客户满意度调查")
            .filter(has=page.get_by_role("button", name="去填写"))
            .last
        )
        row.get_by_role("button", name="去填写").click()
        form = page.get_by_role("dialog", name="客户满意度调查")
        form.get_by_role("button", name="提交").click()
        told = form.locator(".ant-form-item-explain-error")
        expect(told).to_have_text(["请选择"] * 5 + ["请输入0-100", "请填写"])
        score = form.get_by_label("您会给我们打多少分")
        for wrong in ("九十", "101", "-1"):
            score.fill(wrong)
            expect(form.get_by_text("请输入0-100")).to_be_visible()
        score.fill("95")
        expect(form.get_by_text("请输入0-100")).to_have_count(0)
        for index in (0, 2, 3):
            form.locator(".ant-radio-group").nth((0, None, 1, 2)[index] or 0).get_by_text(
                "满意", exact=True
            ).click()
        groups = form.locator(".ant-checkbox-group")
        for name in ("采购", "销售"):
            groups.first.get_by_text(name, exact=True).click()
        groups.last.get_by_text("运行速度", exact=True).click()
        form.get_by_label("其他").fill("希望有暗色界面")
        form.get_by_label("您的意见和建议").fill("继续努力")
        with page.expect_request("**/Survey/save?*") as sent:
            form.get_by_role("button", name="提交").click()
        body = sent.value.post_data_json
        assert body is not None
        assert (body["q2"], body["q5"], body["q6"]) == ("采购,销售", "运行速度,希望有暗色界面", "95")
        expect(form).to_have_count(0)

    def test_a_service_station_is_asked_to_fill_it_in(self, seat: UserOpener, office: StationSetup) -> None:
        """ "Type 1: the service station (shop). It gets (…) the customer survey prompt." """
        page = seat(create_unsurveyed_station(office)).page
        page.get_by_role("dialog", name="提示").get_by_role("button", name="去填写").click()
        form = page.get_by_role("dialog", name="客户满意度调查")
        expect(form.locator(".ant-form-item-required")).to_have_count(7)
        form.get_by_role("button", name="提交").click()
        expect(form.get_by_text("请输入0-100")).to_be_visible()


class TestSurveyWithoutId:
    def test_it_is_warned_of(
        self, seat: UserOpener, office: StationSetup, publish: Callable[[str], int]
    ) -> None:
        """ "A survey without questionnaire_id gives the warning questionnaire_id 不能为空!." """
        publish("缺少编号的问卷")
        desk = seat(office.station)
        page = desk.page

        def without_id(route: Route) -> None:
            """Remove the id that the server always sends, so that the page can be shown one without."""
            answer = route.fetch()
            body = answer.json()
            items = [{**item, "id": -item["id"], "questionnaire_id": ""} for item in body["data"]]
            route.fulfill(response=answer, json={**body, "data": items})

        page.route("**/getQuestionnaireList?*", without_id)
        page.reload()
        page.get_by_role("button", name="去填写").click()
        expect(page.get_by_text("questionnaire_id 不能为空!")).to_be_visible()
        page.unroute_all(behavior="ignoreErrors")


class TestInitialisationFiles:
    def test_one_sheet_of_the_right_kind(self, seat: UserOpener, office: StationSetup) -> None:
        """ "Initialisation upload: only xls or xlsx, else 上传文件只能是 xls、xlsx格式!; one file per upload, extra files give
        一次只能上传一个文件！."
        """
        page = seat(create_station(office)).page
        page.get_by_role("button", name="系统初始化").click()
        chooser = page.get_by_label("选择商品文件")
        sheet = {"name": "a.xlsx", "mimeType": "application/octet-stream", "buffer": b"PK"}
        chooser.set_input_files(files=[{**sheet, "name": "a.csv"}])
        expect(page.get_by_text("上传文件只能是 xls、xlsx格式!")).to_be_visible()
        chooser.set_input_files(files=[sheet, {**sheet, "name": "b.xlsx"}])
        expect(page.get_by_text("一次只能上传一个文件！")).to_be_visible()


class TestSelectors:
    def test_nothing_is_chosen_by_zero(self, desks: DemoUserOpener) -> None:
        """ "Selectors treat a value of 0 as empty." """
        desk = desks("分公司经理")
        desk.open("/sales/salesout?customer_id=0")
        customer = desk.page.locator(
            ".filter-bar .ant-select", has=desk.page.get_by_role("combobox", name="客户")
        )
        expect(customer).to_be_visible()
        assert customer.locator(".ant-select-content-has-value, .ant-select-selection-item").count() == 0
        expect(customer).to_contain_text("请选择客户")


class TestShoppingCart:
    def test_it_opens_for_whoever_may_see_it(self, seat: UserOpener, office: StationSetup) -> None:
        """ "The shopping cart opens only if the open-request list (code shoppingCart) is non-empty and is_role is Y, else
        the error 暂无查看权限."
        """
        page = seat(office.plain).page
        page.get_by_role("button", name=re.compile("^购物车")).click()
        expect(page.get_by_text("暂无查看权限")).to_be_visible()
        assert page.url.endswith("/home")

        caller = office.caller(office.station)
        count = require_data(caller.get("v2/open/ShoppingCart/newGetCartTabCount"))["cart_count"]
        if count == 0:
            line = {"company_id": office.station.company_id, "goods_id": find_goods(office), "quantity": "4"}
            require_data(caller.post("service_station/purchase/ShoppingCart/add", line))
        page = seat(office.station).page
        page.get_by_role("button", name="购物车 1").click()
        page.wait_for_url("**/shoppingCart")
        expect(page.get_by_text("共 1 条")).to_be_visible()
