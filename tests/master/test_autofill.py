"""识别与查询: what papers and companies fill into the forms of customers and suppliers, under the written names."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import orjson
import pytest
from sqlalchemy import text

from api.kit.declaration import registry
from api.kit.declaration.resource import Resource
from api.master.recognition import text_reader
from tests.master.test_company_lookup import HEAD, ROWS, table
from tests.support import upload_files
from tests.support.api_document import find_schema_errors
from tests.support.document_pictures import draw_id_card, draw_licence, encode_jpeg
from tests.support.fixtures import Site
from tests.support.role_editor import changed_role

__all__ = ["table"]
CUSTOMER, SUPPLIER = "v2/custom/Customer", "v2/system/SupplierResourceManagement"
FILLED = [cls for cls in registry.list_resources() if cls.declaration.fillings]
PICTURES, SEARCHES = (
    [
        f"{cls.declaration.api}/{name}"
        for cls in FILLED
        for filling in cls.declaration.fillings
        for name in (filling.name, *filling.also)
        if filling.way == way
    ]
    for way in ("picture", "search")
)

NO_PARTIES = {"customer_address": "where goods go", "other_delivery": "a bill"}
"""What has a name, a telephone and an address, and is nobody."""


def send_picture(site: Site, path: str, content: bytes, user: str = "clerk_a", name: str = "a.jpg") -> Any:
    response = site.http.post(
        f"/{path}", files={"file": (name, content)}, headers={"token": site.world.tokens[user]}
    )
    return orjson.loads(response.content)


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine may take its time."""
    monkeypatch.setattr(text_reader, "SECONDS", 600)


class TestPictures:
    @pytest.mark.slow
    def test_a_shops_licence_fills_in_a_customer(self, site: Site) -> None:
        shop = draw_licence(name="西湖区顺达轮胎店", person="经营者", place="经营场所", term="", capital="")
        answer = send_picture(site, f"{CUSTOMER}/chainLicenseOcr", encode_jpeg(shop))
        assert answer["code"] == 200, answer
        assert answer["data"]["values"] == {
            "customer_name": "西湖区顺达轮胎店",
            "credit_code": "91350100M000100Y43",
            "legal_person": "周建国",
            "address": "浙江省杭州市西湖区文三路199号创业中心2幢301室",
        }
        assert (answer["data"]["doubts"], answer["data"]["notes"]) == ({}, {})

    @pytest.mark.slow
    def test_a_licence_with_a_wrong_code_fills_in_a_supplier_and_is_doubted(self, site: Site) -> None:
        answer = send_picture(
            site, f"{SUPPLIER}/licenseOcr", encode_jpeg(draw_licence(code="91350100M000100Y44"))
        )
        assert answer["data"]["values"] == {
            "supplier_resource_name": "杭州顺达汽车配件有限公司",
            "credit_code": "91350100M000100Y44",
            "legal_person": "周建国",
            "licence_until": "2068-03-14",
            "address": "浙江省杭州市西湖区文三路199号创业中心2幢301室",
        }
        assert answer["data"]["doubts"] == {"credit_code": "校验码不符，请对照证件核对"}
        assert {"注册资本", "成立日期"} <= {item["label"] for item in answer["data"]["found"]}

    @pytest.mark.slow
    def test_an_identity_card_leaves_nothing_behind(
        self, site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        """The picture isn't kept, and its number is in no log."""
        monkeypatch.setenv("ERP_DATA_DIR", str(tmp_path))
        count = text("select (select count(*) from upload_file) + (select count(*) from upload_log)")
        with site.engine.connect() as conn:
            before = conn.execute(count).scalar()
        with caplog.at_level(logging.DEBUG):
            answer = send_picture(site, f"{CUSTOMER}/idCardOcr", encode_jpeg(draw_id_card()))
        assert answer["data"]["values"] == {
            "legal_person": "韦小宝",
            "contact_name": "韦小宝",
            "address": "浙江省杭州市西湖区文三路199号2幢301室",
        }
        assert "11010519491231002X" in [item["value"] for item in answer["data"]["found"]]
        assert "11010519491231002X" not in caplog.text
        assert list(tmp_path.rglob("*")) == []
        with site.engine.connect() as conn:
            assert conn.execute(count).scalar() == before

    @pytest.mark.parametrize("path", PICTURES)
    def test_who_may_not_add_one_reads_none(self, site: Site, path: str) -> None:
        answer = send_picture(site, path, upload_files.build_png(), user="nobody")
        assert (answer["code"], answer["msg"]) == (403, "您没有此操作的权限")

    @pytest.mark.parametrize("path", PICTURES)
    def test_what_is_no_picture_is_refused(self, site: Site, path: str) -> None:
        answer = send_picture(site, path, "统一社会信用代码".encode())
        assert (answer["code"], answer["msg"]) == (400, "请选择jpg或png格式的图片")
        answer = send_picture(site, path, upload_files.build_png(60000, 60000))
        assert (answer["code"], answer["msg"]) == (400, "图片尺寸过大（60000×60000），请缩小后上传")


class TestSearches:
    def test_a_company_fills_in_a_customer(self, site: Site, table: Path) -> None:
        answer = site.as_("clerk_a").get(f"{CUSTOMER}/eyeLookup", keyword="顺达")
        assert find_schema_errors("get", f"{CUSTOMER}/eyeLookup", answer) == []
        assert [one["values"] for one in answer.data] == [
            {
                "customer_name": "顺达（杭州）轮胎有限公司",
                "credit_code": "91330100799655058B",
                "legal_person": "吴强",
                "customer_mobile": "13957112233",
            },
            {
                "customer_name": "杭州顺达汽车配件有限公司",
                "credit_code": "91350100M000100Y43",
                "legal_person": "周建国",
                "address": "杭州市文三路199号",
            },
        ]

    def test_a_telephone_goes_where_it_fits(self, site: Site, table: Path) -> None:
        answer = site.as_("clerk_a").get(f"{SUPPLIER}/eyeLookup", keyword="顺达")
        told = [{name: one["values"].get(name) for name in ("mobile", "landline")} for one in answer.data]
        assert told == [
            {"mobile": "13957112233", "landline": None},
            {"mobile": None, "landline": "0571-88886666"},
        ]
        phones = [item["value"] for one in answer.data for item in one["found"] if item["name"] == "phone"]
        assert phones == ["13957112233", "0571-88886666"]

    def test_a_code_that_fails_its_check_is_doubted(self, site: Site, table: Path) -> None:
        table.write_text(HEAD + ROWS.replace("91350100M000100Y43", "91350100M000100Y44"), "utf-8")
        (one,) = site.as_("clerk_a").get(f"{CUSTOMER}/eyeLookup", keyword="汽车配件").data
        assert one["doubts"] == {"credit_code": "校验码不符，请核对"}

    @pytest.mark.parametrize("path", SEARCHES)
    def test_without_a_table_it_says_what_to_do(self, site: Site, table: Path, path: str) -> None:
        table.unlink()
        answer = site.as_("clerk_a").get(path, keyword="顺达")
        assert (answer.code, answer.msg[:12]) == (400, "没有可查询的企业资料，请")

    @pytest.mark.parametrize("path", SEARCHES)
    def test_who_may_not_add_one_finds_none(self, site: Site, table: Path, path: str) -> None:
        answer = site.as_("nobody").get(path, keyword="顺达")
        assert (answer.code, answer.msg) == (403, "您没有此操作的权限")


class TestForms:
    @pytest.mark.parametrize(
        ("route", "ways"),
        [
            ("/custom/customerinfo_add", ["licenseOcr picture", "eyeLookup search", "idCardOcr picture"]),
            ("/system/newsupplier", ["licenseOcr picture", "eyeLookup search"]),
            ("/system/supplier", ["licenseOcr picture", "eyeLookup search"]),
            ("/system/logisticsdriver", ["idCardOcr picture"]),
            ("/system/supplieraccount", []),
        ],
    )
    def test_the_screen_offers_what_fills_it_in(self, site: Site, route: str, ways: list[str]) -> None:
        found = site.as_("clerk_a").get("v2/Open/Screen/getScreen", route=route).data["fillings"]
        assert [f"{one['name']} {one['way']}" for one in found] == ways

    @pytest.mark.parametrize("step", ["add", "edit"])
    def test_who_may_write_a_form_has_it_filled_in(self, site: Site, table: Path, step: str) -> None:
        rights = ["customer:list", f"customer:{step}", "supplier:list", f"supplier:{step}"]
        with changed_role(site.as_("admin"), site.world.role_keeper_a, rights=rights):
            keeper = site.as_("keeper_a")
            for route, offered in (("/custom/customerinfo", 3), ("/system/supplier", 2)):
                screen = keeper.get("v2/Open/Screen/getScreen", route=route).data
                assert len(screen["fillings"]) == offered, route
            for path in (CUSTOMER, "v2/system/Supplier"):
                assert keeper.get(f"{path}/eyeLookup", keyword="顺达").ok, path
            read = send_picture(site, f"{CUSTOMER}/licenseOcr", b"no picture", user="keeper_a")
            assert (read["code"], read["msg"]) == (400, "请选择jpg或png格式的图片")

    def test_every_form_of_a_party_is_filled_in(self) -> None:
        """Whoever has a code, a legal person or an identity number, or a name with a telephone and an address."""
        told = {"creditCode": "eyeLookup licenseOcr", "idCard": "idCardOcr"}
        lacking = []
        for cls in registry.list_resources():
            written = [item for item in cls.fields() if item.writable]
            if (
                cls.name() in NO_PARTIES
                or not cls.form_rights()
                or not any(i.name == cls.declaration.title for i in written)
            ):
                continue
            rules = {item.rule for item in written}
            wanted = {name for rule, names in told.items() if rule in rules for name in names.split()}
            reached = rules & {"phone", "mobile", "landline"} and any(
                item.name == "address" for item in written
            )
            if reached or any(item.name == "legal_person" for item in written):
                wanted |= {"eyeLookup", "licenseOcr"}
            if not wanted <= {filling.name for filling in cls.declaration.fillings}:
                lacking.append(cls.declaration.label)
        assert lacking == []

    @pytest.mark.parametrize("cls", FILLED, ids=[cls.name() for cls in FILLED])
    def test_what_is_filled_in_is_written_there(self, cls: type[Resource]) -> None:
        written = {item.name for item in cls.fields() if item.writable}
        assert {name for filling in cls.declaration.fillings for name, _ in filling.fills} <= written

    def test_a_customer_keeps_what_was_filled_in(self, site: Site) -> None:
        body = {"customer_name": "识别留存", "company_id": site.world.company_a, "legal_person": "周建国"}
        key = site.as_("admin").post(f"{CUSTOMER}/add", body).data["id"]
        assert site.as_("admin").get(f"{CUSTOMER}/getInfo", id=key).data["legal_person"] == "周建国"
