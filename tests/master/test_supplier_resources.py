"""Supplier resources: their file, their accounts, and the way to being a supplier and back."""

from __future__ import annotations

from typing import Any

import pytest

from api.kit.declaration import registry
from tests.support.fixtures import Site
from tests.support.payloads import payload_of

PREFIX = "v2/system/SupplierResourceManagement"


def resource(site: Site, **given: Any) -> dict[str, Any]:
    """A saved resource, read by the specification's names of the calls."""
    sent = {
        **payload_of(registry.get_resource("supplier_resource"), site.world),
        "licence_until": "2099-12-31",
        **given,
    }
    key = site.as_("admin").post(f"{PREFIX}/addSupplier", sent).data["id"]
    return read_info(site, key)


def read_info(site: Site, key: int) -> dict[str, Any]:
    found: dict[str, Any] = site.as_("admin").get(f"{PREFIX}/getSupplierInfo", id=key).data
    return found


class TestFile:
    def test_it_is_kept_changed_and_deleted_by_the_specified_calls(self, site: Site) -> None:
        admin, made = site.as_("admin"), resource(site, contact_name="周敏")
        key = made["supplier_resource_id"]
        assert (made["contact_name"], made["state"], made["city_name"]) == ("周敏", 1, "杭州市")
        assert admin.post(
            f"{PREFIX}/editSupplier", {"id": key, "revision": made["revision"], "contact_name": "吴强"}
        ).ok
        assert read_info(site, key)["contact_name"] == "吴强"
        assert admin.post(f"{PREFIX}/delSupplier", {"ids": [key]}).ok
        assert admin.get(f"{PREFIX}/getSupplierInfo", id=key).code == 400

    @pytest.mark.parametrize(
        ("name", "value", "said"),
        [
            ("mobile", "1380013800", "“手机号”目前只支持中国大陆的手机号码"),
            ("landline", "12", "“座机”请输入正确的座机号码，格式为区号-号码"),
            ("email", "zhou@", "“邮箱”请输入正确的邮箱地址"),
            ("credit_code", "91330106MA2CFRYT3", "“统一社会信用代码”应为18位数字和大写字母"),
            ("credit_code", "91330106MA2CFRYT3I", "“统一社会信用代码”应为18位数字和大写字母"),
        ],
    )
    def test_texts_keep_their_rules(self, site: Site, name: str, value: str, said: str) -> None:
        """spec/3-rules.md 5.3"""
        sent = {**payload_of(registry.get_resource("supplier_resource"), site.world), name: value}
        answer = site.as_("admin").post(f"{PREFIX}/addSupplier", sent)
        assert (answer.code, answer.msg) == (400, said)

    def test_he_has_several_accounts(self, site: Site) -> None:
        key, admin = resource(site)["supplier_resource_id"], site.as_("admin")
        for number in ("6222020200112233445", "6228480402564890018"):
            body = {
                "supplier_resource_id": key,
                "account_name": "远东",
                "bank_id": site.world.bank,
                "account_no": number,
            }
            assert admin.post("v2/system/SupplierAccount/add", body).ok
        answer = admin.post("v2/system/SupplierAccount/add", {**body, "account_no": "6222 0202"})
        assert (answer.code, answer.msg) == (400, "“银行账号”请正确输入银行卡号")
        assert admin.post("v2/system/SupplierAccount/add", body).msg == "供应商、银行账号已存在，请更换"
        rows = admin.get("v2/system/SupplierAccount/getList", supplier_resource_id=key).data["data"]
        assert {row["account_no"] for row in rows} == {"6222020200112233445", "6228480402564890018"}
        assert {row["bank_name"] for row in rows} == {"工商银行"}


class TestCooperation:
    def test_one_becomes_a_supplier(self, site: Site) -> None:
        made, admin = resource(site, payment_days=45, mobile="13957112233"), site.as_("admin")
        key = made["supplier_resource_id"]
        assert admin.post(f"{PREFIX}/cooperate", {"ids": [key]}).ok
        found = read_info(site, key)
        assert (found["state"], found["supplier_name"]) == (2, made["supplier_resource_name"])
        supplier = admin.get("v2/system/Supplier/getInfo", id=found["supplier_id"]).data
        assert (supplier["payment_days"], supplier["supplier_mobile"]) == (45, "13957112233")
        assert supplier["area_name"] == "西湖区"
        answer = admin.post(f"{PREFIX}/cooperate", {"ids": [key]})
        assert (answer.code, "合作中" in answer.msg) == (400, True)

    def test_who_is_a_supplier_already_is_joined_to_him(self, site: Site) -> None:
        key = resource(site, supplier_resource_name="正新橡胶")["supplier_resource_id"]
        assert site.as_("admin").post(f"{PREFIX}/cooperate", {"ids": [key]}).ok
        assert read_info(site, key)["supplier_id"] == site.world.supplier

    def test_an_expired_licence_is_refused(self, site: Site) -> None:
        key = resource(site, licence_until="2020-01-01")["supplier_resource_id"]
        answer = site.as_("admin").post(f"{PREFIX}/cooperate", {"ids": [key]})
        assert "营业执照已过期" in answer.msg
        assert read_info(site, key)["supplier_id"] is None

    def test_a_suspended_one_is_offered_no_more(self, site: Site) -> None:
        admin, key = site.as_("admin"), resource(site)["supplier_resource_id"]
        admin.post(f"{PREFIX}/cooperate", {"ids": [key]})
        supplier = read_info(site, key)["supplier_id"]

        def offered() -> int:
            total: int = admin.get("v2/system/Supplier/getDropdown", id=supplier).data["total"]
            return total

        assert offered() == 1
        assert admin.post(f"{PREFIX}/suspend", {"ids": [key]}).ok
        assert (read_info(site, key)["state"], offered()) == (3, 0)
        assert admin.post(f"{PREFIX}/suspend", {"ids": [key]}).code == 400
        assert admin.post(f"{PREFIX}/resume", {"ids": [key]}).ok
        assert (read_info(site, key)["state"], offered()) == (2, 1)

    def test_it_takes_the_right(self, site: Site) -> None:
        key = resource(site)["supplier_resource_id"]
        assert site.as_("nobody").post(f"{PREFIX}/cooperate", {"ids": [key]}).code == 403
        assert read_info(site, key)["state"] == 1
