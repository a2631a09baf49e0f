"""Master data: names that are taken, records in use, trees, owners, batches, initials and choices."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from sqlalchemy import Connection

from api.kit.declaration import registry
from api.kit.storage.database import today
from api.kit.storage.initials import INITIALS_LENGTH, initials
from api.master.goods.goods import describe_batch_problem, describe_future_batch, is_tyre, parse_dot_week
from api.master.warehouses.warehouses import GOOD, GUARANTEE, WAREHOUSE_TYPES
from tests.support.bill_client import BillClient
from tests.support.database_state import fingerprint_tables
from tests.support.fixtures import Site
from tests.support.payloads import payload_of

UNIQUE = {
    "role": "角色名称",
    "user_account": "登录名",
    "brand": "品牌名称",
    "unit": "单位名称",
    "goods": "商品编码",
    "company_goods": "公司、商品",
    "supplier": "供应商名称",
    "customer": "客户名称、公司",
    "receivables_mode": "结算方式",
    "warehouse": "仓库名称",
}


def call_path(resource: str, call: str) -> str:
    return f"{registry.get_resource(resource).declaration.api}/{call}"


class TestUnique:
    @pytest.mark.parametrize(("resource", "labels"), UNIQUE.items())
    def test_a_name_that_is_taken_is_refused_by_its_label(
        self, site: Site, conn: Connection, resource: str, labels: str
    ) -> None:
        admin, body = site.as_("admin"), payload_of(registry.get_resource(resource), site.world)
        body.pop("barcode", None)  # told by its goods
        assert admin.post(call_path(resource, "add"), body).ok
        before = fingerprint_tables(conn)
        conn.rollback()
        answer = admin.post(call_path(resource, "add"), body)
        assert (answer.code, answer.msg) == (400, f"{labels}已存在，请更换")
        assert fingerprint_tables(conn) == before

    def test_company_name_and_code_are_each_unique(self, site: Site) -> None:
        admin = site.as_("admin")
        for body, label in (
            ({"company_name": "A分公司", "company_code": "Z9"}, "公司名称"),
            ({"company_name": "Z分公司", "company_code": "A01"}, "公司编码"),
        ):
            answer = admin.post(call_path("company", "add"), body)
            assert (answer.code, answer.msg) == (400, f"{label}已存在，请更换")

    def test_an_edit_to_a_taken_name_is_refused(self, site: Site) -> None:
        admin = site.as_("admin")
        key = admin.post(call_path("unit", "add"), {"unit_name": "个"}).data["id"]
        answer = admin.post(call_path("unit", "edit"), {"id": key, "unit_name": "条"})
        assert (answer.code, answer.msg) == (400, "单位名称已存在，请更换")
        assert admin.post(call_path("unit", "edit"), {"id": key, "unit_name": "个"}).ok


class TestInUse:
    @pytest.mark.parametrize(
        ("resource", "name"),
        [
            ("company", "company_a"),
            ("department", "department_a"),
            ("employee", "employee_a"),
            ("role", "role_manager_a"),
            ("goods_type", "type1"),
            ("brand", "brand"),
            ("unit", "unit"),
            ("goods", "tube"),
            ("warehouse", "warehouse_a"),
        ],
    )
    def test_what_others_refer_to_stays(self, site: Site, resource: str, name: str) -> None:
        key, admin = site.world.ids[name], site.as_("admin")
        answer = admin.post(call_path(resource, "del"), {"ids": [key]})
        assert (answer.code, answer.msg) == (400, "已被引用，不能删除")
        assert admin.get(call_path(resource, "getInfo"), id=key).ok

    def test_a_batch_deletes_what_it_can(self, site: Site) -> None:
        admin = site.as_("admin")
        free = admin.post(call_path("unit", "add"), {"unit_name": "可删"}).data["id"]
        answer = admin.post(call_path("unit", "del"), {"ids": [site.world.unit, free]})
        assert answer.data["success"] == [free]
        assert [row["msg"] for row in answer.data["failures"]] == ["已被引用，不能删除"]

    def test_what_a_bill_names_stays(self, site: Site) -> None:
        desk = BillClient(site)
        desk.add_audited("customer_receipt", amount="5")
        for resource, key in (
            ("customer", site.world.customer_a),
            ("receivables_mode", site.world.mode),
            ("user_account", site.world.user_admin),
        ):
            answer = desk.caller.post(call_path(resource, "del"), {"ids": [key]})
            assert (answer.code, answer.msg) == (400, "已被引用，不能删除")


class TestOwner:
    @pytest.mark.parametrize(
        ("resource", "name", "change"),
        [
            ("warehouse", "warehouse_a", {"company_id": "company_b"}),
            ("allocation", "allocation_a", {"warehouse_id": "warehouse2_a"}),
            ("customer", "customer_a", {"company_id": "company_b", "employee_id": "employee_b"}),
        ],
    )
    def test_it_does_not_change(self, site: Site, resource: str, name: str, change: dict[str, str]) -> None:
        body = {"id": site.world.ids[name], **{key: site.world.ids[value] for key, value in change.items()}}
        answer = site.as_("admin").post(call_path(resource, "edit"), body)
        assert answer.code == 400
        assert "不能修改" in answer.msg


class TestGoodsType:
    def add_type(self, site: Site, **values: Any) -> Any:
        return site.as_("admin").post(call_path("goods_type", "add"), {"goods_type_name": "类", **values})

    def test_three_levels_and_no_more(self, site: Site) -> None:
        assert self.add_type(site, level=3, p_id=site.world.type2).ok
        assert self.add_type(site, level=4, p_id=site.world.type2).msg == "商品类型最多3级"

    def test_only_the_first_level_has_no_parent(self, site: Site) -> None:
        said = "一级类型没有上级，其他层级必须选择上级类型"
        assert self.add_type(site, level=2).msg == said
        assert self.add_type(site, level=1, p_id=site.world.type1).msg == said

    def test_a_level_follows_its_parents(self, site: Site) -> None:
        for level in (2, 3):
            parent = site.world.type2 if level == 2 else site.world.type1
            assert self.add_type(site, level=level, p_id=parent).code == 400

    def test_no_type_is_its_own_parent(self, site: Site) -> None:
        body = {"id": site.world.type2, "p_id": site.world.type2}
        assert site.as_("admin").post(call_path("goods_type", "edit"), body).code == 400


class TestPartners:
    @pytest.mark.parametrize("partner", ["customer", "supplier"])
    def test_one_is_found_by_the_initials_of_its_present_name(self, site: Site, partner: str) -> None:
        admin, resource = site.as_("admin"), registry.get_resource(partner)
        name = resource.declaration.title
        body = {**payload_of(resource, site.world), name: "嘉定捷安汽修厂", "enabled": True}
        key = admin.post(call_path(partner, "add"), body).data["id"]

        def found(words: str) -> list[int]:
            rows = admin.get(call_path(partner, "getDropdown"), keyword=words).data["data"]
            return [row[f"{partner}_id"] for row in rows]

        assert found("jdja") == [key]
        assert admin.post(call_path(partner, "edit"), {"id": key, name: "松江捷安汽修厂"}).ok
        assert (found("jdja"), found("SJJA")) == ([], [key])


class TestFound:
    def test_a_warehouse_is_found_by_any_reading_of_its_name(self, site: Site) -> None:
        admin = site.as_("admin")
        body = {
            **payload_of(registry.get_resource("warehouse"), site.world),
            "warehouse_name": "闵行长乐仓",
            "enabled": True,
        }
        key = admin.post(call_path("warehouse", "add"), body).data["id"]
        for words in ("mhcl", "MXCL", "hzlc", "行长"):
            rows = admin.get(call_path("warehouse", "getDropdown"), keyword=words).data["data"]
            assert [row["warehouse_id"] for row in rows] == [key], words

    def test_a_list_is_found_by_the_initials_of_whom_it_is_about(self, desk: BillClient) -> None:
        admin, name = desk.site.as_("admin"), "customer_name"
        body = {
            **payload_of(registry.get_resource("customer"), desk.world),
            name: "闵行乐清汽修",
            "enabled": True,
        }
        key = admin.post(call_path("customer", "add"), body).data["id"]
        line = {"goods_id": desk.world.oil, "quantity": "1", "price": "9"}
        bill = desk.draft("sales_order", line, customer_id=key, company_id=body["company_id"])
        found = admin.get(desk.path("sales_order", "getList"), keyword="mhyq").data["data"]
        assert [row["bill_id"] for row in found] == [bill.id]

    @pytest.mark.parametrize(
        "words",
        [
            "20555R16",
            "2055516",
            "玲珑 205/55",
            "ll lt-77",
            "6901234500017",
            "205/55R16 lt 玲珑",
            "没有的 205/55",
        ],
    )
    def test_what_the_grid_finds_a_filter_finds(self, site: Site, words: str) -> None:
        admin, world = site.as_("admin"), site.world
        body = {
            **payload_of(registry.get_resource("goods"), world),
            "goods_num": "LT-77",
            "enabled": True,
            "goods_name": "玲珑轮胎",
            "specification_type": "205/55R16",
            "logogram": "",
            "barcode": "",
            "units": [{"unit_id": world.carton, "factor": "4", "barcode": "6901234500017"}],
        }
        key = (
            next(
                (
                    row["goods_id"]
                    for row in admin.get(call_path("goods", "getList"), goods_num="LT-77").data["data"]
                ),
                None,
            )
            or admin.post(call_path("goods", "add"), body).data["id"]
        )
        grid = admin.get("v2/inventory/Goods/getGoodsListPopup", keyword=words).data["data"]
        offered = admin.get(call_path("goods", "getDropdown"), keyword=words).data["data"]
        listed = admin.get(call_path("goods", "getList"), keyword=words).data["data"]
        ids = [sorted(row["goods_id"] for row in rows) for rows in (grid, offered, listed)]
        assert ids == [[] if "没有的" in words else [key]] * 3


class TestMenu:
    def test_entries_have_initials(self, site: Site) -> None:
        modules = site.as_("admin").get("v2/Open/RoleAuth/getLeftMenuList").data
        entries = [leaf for module in modules for group in module["sub"] for leaf in group["sub"]]
        found = {leaf["name"]: leaf["initials"].split(" ") for leaf in entries}
        assert "XSCK" in found["销售出库"]
        assert all("".join(spelled) for spelled in found.values())


class TestGoods:
    def test_initials_are_made_from_the_name_and_kept_when_given(self, site: Site) -> None:
        admin, body = site.as_("admin"), payload_of(registry.get_resource("goods"), site.world)
        made = admin.post(
            call_path("goods", "add"), {**body, "goods_name": "米其林 XZE2", "logogram": ""}
        ).data["id"]
        assert admin.get(call_path("goods", "getInfo"), id=made).data["logogram"] == "MQLXZE2 MJLXZE2"

    @pytest.mark.parametrize(
        ("name", "spelled"),
        [
            ("", [""]),
            ("A-1 轮胎", ["A-1LT"]),
            ("é", ["É"]),
            ("闵行", ["MX", "MH"]),
            ("长乐", ["CL", "ZL", "CY", "ZY"]),
            ("重庆", ["CQ", "ZQ", "TQ"]),
            ("𠮷野", ["𠮷Y", "𠮷S"]),
        ],
    )
    def test_initials_are_of_every_reading_the_likeliest_first(self, name: str, spelled: list[str]) -> None:
        assert initials(name).split(" ") == spelled

    def test_initials_of_a_long_name_keep_to_their_room_usual_readings_first(self) -> None:
        found = initials("上海闵行大石车行有限公司长乐路仓")
        assert len(found) <= INITIALS_LENGTH
        for asked in ("SHMHDSCH", "CHYXGS", "ZLLC", "CYLC"):
            assert asked in found

    @pytest.mark.parametrize(
        ("code", "monday"),
        [
            ("0126", date(2025, 12, 29)),
            ("5325", date(2025, 12, 29)),
            ("5320", date(2020, 12, 28)),
            ("0000", None),
            ("5426", None),
            ("126", None),
            ("²²²²", None),
            ("１２３４", None),
        ],
    )
    def test_dot_weeks(self, code: str, monday: date | None) -> None:
        assert parse_dot_week(code) == monday

    @pytest.mark.parametrize(
        ("numbered", "names", "tyre"),
        [
            (False, ("205/55R16", "米其林轮胎"), True),
            (False, (None, "米其林 295/80R22.5"), True),
            (False, ("11R22.5", ""), True),
            (False, ("7.50R16LT", ""), True),
            (False, ("7.50-16", ""), True),
            (False, ("205/55ZR16", ""), True),
            (True, (None, "无规格"), True),
            (False, ("CI-4 15W-40", "机油"), False),
            (False, ("6PK1870", "皮带"), False),
            (False, ("6205", "轴承 6205R16"), False),
            (False, ("12V60AH", "蓄电池"), False),
        ],
    )
    def test_tyres_are_known_by_their_size(
        self, numbered: bool, names: tuple[str | None, ...], tyre: bool
    ) -> None:
        assert is_tyre(numbered, *names) is tyre

    def test_a_tyre_is_of_a_week_that_has_come(self) -> None:
        def code(weeks: int) -> str:
            year, week, _ = (today() + timedelta(weeks=weeks)).isocalendar()
            return f"{week:02d}{year % 100:02d}"

        bad = "批次(DOT)应为周数加年份，如 2326，周数为01到53"
        assert [describe_batch_problem(code(-1), True), describe_batch_problem(code(0), True)] == [None, None]
        assert [describe_batch_problem(one, True) for one in ("A-77", "232", "5426", "")] == [bad] * 4
        assert [describe_batch_problem(one, False) for one in ("A-77", "20260101", "5426")] == [
            None,
            None,
            bad,
        ]
        for tyre in (True, False):
            assert "还没有到" in str(describe_batch_problem(code(1), tyre))

    def test_a_tyre_is_not_made_after_the_day_that_it_comes_on(self) -> None:
        on = date(2026, 1, 7)
        assert [describe_future_batch(code, on) for code in ("0125", "5225", "0226", "A-77", "")] == [
            None
        ] * 5
        told = "批次(DOT) 0326 是 2026-01-12 起的一周，晚于业务日期 2026-01-07，请核对批次或业务日期"
        assert [describe_future_batch("0326", on), describe_future_batch("0326", date(2026, 1, 12))] == [
            told,
            None,
        ]

    @pytest.mark.parametrize(
        "mobile", ["12345", "23800138000", "138001380001", "1380013800x", "１３８００１３８０００"]
    )
    def test_a_mobile_that_is_none_is_refused(self, site: Site, mobile: str) -> None:
        body = {**payload_of(registry.get_resource("customer"), site.world), "customer_mobile": mobile}
        assert site.as_("admin").post(call_path("customer", "add"), body).code == 400


class TestPaymentTerms:
    def test_terms_beyond_reason_are_refused(self, site: Site) -> None:
        for resource in ("customer", "supplier"):
            body = {**payload_of(registry.get_resource(resource), site.world), "payment_days": 99_999_999}
            answer = site.as_("admin").post(call_path(resource, "add"), body)
            assert (answer.code, answer.msg) == (400, "“账期（天）”请输入小于等于3650的数")


class TestDropdown:
    def test_disabled_records_are_not_offered(self, site: Site) -> None:
        admin = site.as_("admin")
        key = admin.post(call_path("supplier", "add"), {"supplier_name": "停用商", "enabled": False}).data[
            "id"
        ]
        assert admin.get(call_path("supplier", "getDropdown"), id=key).data["data"] == []

    def test_a_keyword_narrows(self, site: Site) -> None:
        rows = site.as_("admin").get(call_path("supplier", "getDropdown"), keyword="双钱").data["data"]
        assert [row["supplier_name"] for row in rows] == ["双钱集团"]

    def test_coupons_ask_for_the_whole_list(self, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("api.master.lookups.dropdowns.AT_ONCE", 3)
        admin = site.as_("admin")
        for number in range(4):
            body = {"customer_name": f"到店客户{number}", "company_id": site.world.company_a}
            admin.post(call_path("customer", "add"), body)
        answer = admin.get(call_path("customer", "getDropdown"), is_coupon=1, per_page=1, page=2).data
        assert (len(answer["data"]), answer["current_page"], answer["per_page"]) == (3, 1, 3)
        assert answer["last_page"] > 1

    def test_batches_are_looked_up_by_their_text(self, site: Site) -> None:
        BillClient(site).stock_in(site.world.tyre, 1, batch="2325")
        rows = site.as_("admin").get("open/GoodsBatch/getGoodsBatch", batch="2325").data
        assert {row["batch"] for row in rows} == {"2325"}
        assert site.as_("admin").get("open/GoodsBatch/getGoodsBatch", batch="没有这样的").data == []

    def test_the_specifications_name_narrows_the_lookup(self, site: Site) -> None:
        rows = site.as_("admin").get("open/Supplier/getSupplierList", supplier_name="双钱").data
        assert [row["supplier_name"] for row in rows] == ["双钱集团"]

    def test_a_company_narrows_warehouses(self, site: Site) -> None:
        rows = site.as_("admin").get(call_path("warehouse", "getDropdown"), company_id=site.world.company_b)
        assert {row["company_id"] for row in rows.data["data"]} == {site.world.company_b}

    def test_wildcards_are_plain_signs(self, site: Site) -> None:
        for keyword in ("%", "_", "\\"):
            rows = site.as_("admin").get(call_path("supplier", "getDropdown"), keyword=keyword).data["data"]
            assert rows == []

    def test_company_goods_are_found_by_the_goods_name(self, site: Site) -> None:
        found = site.as_("admin").get(call_path("company_goods", "getList"), keyword="内胎").data
        assert {row["goods_name"] for row in found["data"]} == {"内胎 11.00R20"}


class TestWarehouseTypes:
    """Types, warehouses and locations stand at the service station's places too, cut to one's scope."""

    STATION = (
        "/inventory/service_station_warehouse_type_list",
        "/inventory/service_station_warehosue_list",
        "/inventory/service_station_allocation_list",
    )

    def test_each_type_says_how_many_warehouses_one_sees(self, site: Site) -> None:
        def counted(user: str) -> dict[str, int]:
            rows = site.as_(user).get("v2/system/WarehouseType/getList").data["data"]
            return {row["warehouse_type_name"]: row["warehouses"] for row in rows}

        listed = {kind: self.count_listed(site, kind) for kind in counted("manager_a")}
        assert (
            counted("manager_a") == listed == {**listed, "残次品仓": 1, "三包仓": 1, "在途仓": 1, "寄售仓": 1}
        )
        assert counted("admin")["正品仓"] >= 4
        assert counted("keeper_a") == {**dict.fromkeys(listed, 0), "正品仓": 1}

    def count_listed(self, site: Site, kind: str) -> int:
        """Return how many warehouses of a type the list shows."""
        rows = site.as_("manager_a").get("v2/system/Warehouse/getList", per_page=500).data["data"]
        return sum(WAREHOUSE_TYPES[row["type"]] == kind for row in rows)

    def test_the_station_sees_the_same_screens(self, site: Site) -> None:
        here = [site.as_("manager_a").get("v2/Open/Screen/getScreen", route=route) for route in self.STATION]
        assert [screen.data["name"] for screen in here] == ["warehouse_type", "warehouse", "allocation"]
        assert [screen.data["routes"]["list"] for screen in here] == list(self.STATION)


class TestNarrowedChoice:
    def test_a_three_guarantee_bill_offers_three_guarantee_warehouses(self, site: Site) -> None:
        admin = site.as_("admin")
        screen = admin.get("v2/Open/Screen/getScreen", route="/inventory/threeinstorageAdd").data
        [warehouse] = [field for field in screen["fields"] if field["name"] == "warehouse_id"]
        offered = admin.get("v2/system/Warehouse/getDropdown", **warehouse["ref"]["only"], per_page=500).data[
            "data"
        ]
        assert {row["type"] for row in offered} == {GUARANTEE}

    def test_several_types_or_none_may_fit(self, site: Site) -> None:
        admin = site.as_("admin")

        def offered(kinds: str) -> set[int]:
            rows = admin.get("v2/system/Warehouse/getDropdown", type=kinds, per_page=500).data["data"]
            return {row["type"] for row in rows}

        assert offered(f"{GOOD},{GUARANTEE}") == {GOOD, GUARANTEE}
        assert offered("") > {GOOD, GUARANTEE}
        assert not admin.get("v2/system/Warehouse/getDropdown", type="1;2").ok
