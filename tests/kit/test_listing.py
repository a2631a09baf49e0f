"""Lists (列表) of bills: what a keyword finds, in which order, and that few rows and many are paged alike."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import openpyxl
import pytest

from api import catalogue
from api.kit.declaration import registry
from api.kit.declaration.document import Block
from api.kit.declaration.resource import Resource
from api.kit.storage import listing
from api.shell.files import export_job
from tests.support.bill_client import BillClient, SavedBill
from tests.support.fixtures import Site
from tests.support.payloads import payload_of
from tests.support.sql_statements import recorded_statements
from tests.support.type_rules import for_each_type

assert catalogue.__all__
_numbers = itertools.count(1)

DAYS = ("2026-01-10", "2026-01-05", "2026-01-20", "2026-01-05")


@pytest.fixture
def sold(site: Site) -> list[SavedBill]:
    line = {"goods_id": site.world.tube, "quantity": "1", "tax_rate": "0"}
    return [
        BillClient(site).draft(
            "sales_outbound",
            {**line, "price": str(price)},
            business_date=day,
            customer_id=site.world.customer_a,
        )
        for price, day in zip((30, 10, 40, 20), DAYS, strict=True)
    ]


@pytest.fixture(params=[0, listing.FEW_ROWS], ids=["many", "few"])
def either_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A filter's rows, taken once for many and once for few."""
    monkeypatch.setattr(listing, "FEW_ROWS", request.param)
    return


def read_ids(site: Site, **query: object) -> list[int]:
    data = site.as_("admin").get(BillClient(site).path("sales_outbound", "getList"), **query).data
    assert data["total"] >= len(data["data"])
    return [row["bill_id"] for row in data["data"]]


class TestPosted:
    """3-rules.md 7.3: "GET or POST with page, per_page, order_key, order_by"."""

    def test_a_posted_query_answers_like_one_in_the_address(self, site: Site, sold: list[SavedBill]) -> None:
        assert sold
        admin, path = site.as_("admin"), BillClient(site).path("sales_outbound", "getList")
        query = {"page": 1, "per_page": 2, "order_key": "bill_no", "order_by": "desc"}
        asked = {**query, "customer_id": site.world.customer_a, "keyword": None}
        posted, got = admin.post(path, asked), admin.get(path, **{k: v for k, v in asked.items() if v})
        assert posted.ok
        assert len(posted.data["data"]) == 2
        assert posted.data == got.data
        form = {name: str(value) for name, value in query.items()}
        assert len(admin.raw("POST", path, form=form).json()["data"]["data"]) == 2

    def test_a_flag_and_nothing_may_be_posted_as_such(self) -> None:
        model = listing.query_model(registry.get_resource("questionnaire"))
        asked = model.model_validate({"is_published": True, "keyword": None, "page": 2})
        assert asked == model.model_validate({"is_published": "true", "page": "2"})

    def test_what_no_query_takes_is_refused(self, site: Site) -> None:
        answer = site.as_("admin").post("v2/system/Unit/getList", {"per_page": 501})
        assert (answer.status, answer.code) == (400, 400)


@pytest.mark.usefixtures("either_way")
class TestTrees:
    def test_a_type_stands_for_those_below_it(self, site: Site) -> None:
        def found(goods_type: int) -> set[int]:
            asked = {"goods_type_id": goods_type, "per_page": 500}
            rows = site.as_("admin").get("v2/system/Goods/getList", **asked).data["data"]
            return {row["goods_id"] for row in rows}

        below, whole = found(site.world.type2), found(site.world.type1)
        assert below
        assert below <= whole

    def test_the_tree_itself_is_asked_for_what_lies_right_below(self, site: Site) -> None:
        rows = site.as_("admin").get("v2/system/GoodsType/getList", p_id=site.world.type1).data["data"]
        assert [row["goods_type_id"] for row in rows] == [site.world.type2]


class TestEnabled:
    def test_what_is_switched_off_is_found_by_that(self, site: Site) -> None:
        admin, path = site.as_("admin"), "v2/system/Bank"
        body = {"bank_name": f"停用银行{next(_numbers)}", "enabled": False}
        off = admin.post(f"{path}/add", body).data["id"]
        found = {
            flag: {
                row["bank_id"]
                for row in admin.get(f"{path}/getList", enabled=flag, per_page=500).data["data"]
            }
            for flag in (0, 1)
        }
        assert (off in found[0], off in found[1]) == (True, False)
        assert (site.world.bank in found[0], site.world.bank in found[1]) == (False, True)

    @for_each_type(cls for cls in registry.list_resources() if "enabled" in cls.table().columns)
    def test_every_list_with_such_a_flag_finds_by_it(self, cls: type[Resource]) -> None:
        assert cls.field("enabled").search


class TestKeyword:
    def test_a_piece_of_the_number_finds_the_bill_in_either_case(
        self, site: Site, sold: list[SavedBill]
    ) -> None:
        assert read_ids(site, keyword=sold[1].no) == [sold[1].id]
        assert sold[1].id in read_ids(site, keyword=sold[1].no[2:9].lower())
        assert read_ids(site, keyword=sold[1].no + "9") == []

    def test_the_customer_s_name_finds_his_bills(self, site: Site, sold: list[SavedBill]) -> None:
        found = read_ids(site, keyword="A客户")
        assert {bill.id for bill in sold} <= set(found)
        assert read_ids(site, keyword="B客户") == []

    def test_two_letters_are_looked_for_in_names(self, site: Site, sold: list[SavedBill]) -> None:
        assert {bill.id for bill in sold} <= set(read_ids(site, keyword="客户"))

    def test_the_field_finds_by_a_piece_and_by_less(self, site: Site, sold: list[SavedBill]) -> None:
        assert read_ids(site, bill_no=sold[0].no[-6:], customer_id=site.world.customer_a)[-1:] == [sold[0].id]
        assert {bill.id for bill in sold} <= set(read_ids(site, bill_no="CK"))


@pytest.mark.usefixtures("either_way")
class TestOrder:
    def test_days_asked_for_come_newest_first(self, site: Site, sold: list[SavedBill]) -> None:
        """A day's bills newest first too; the web sends the usual order along."""
        asked = {"business_date_start": "2026-01-05", "business_date_end": "2026-01-20", "per_page": 500}
        wanted = [sold[place].id for place in (2, 0, 3, 1)]
        for order in ({}, {"order_key": "bill_id", "order_by": "desc"}):
            found = read_ids(site, **asked, **order)
            assert [one for one in found if one in wanted] == wanted

    def test_only_what_has_no_index_in_the_order_asked_for_is_found_beforehand(
        self, site: Site, sold: list[SavedBill]
    ) -> None:
        days = {"business_date_start": "2026-01-05", "business_date_end": "2026-01-20"}
        for more, found_before in (
            ({}, 0),
            ({"customer_id": site.world.customer_a}, 1),
            ({"order_key": "total_amount"}, 1),
        ):
            with recorded_statements() as told:
                assert read_ids(site, **days, **more)
            findings = [sql for sql in told if sql.startswith("SELECT sales_outbound.bill_id \n")]
            assert len(findings) == found_before, (more, told)

    def test_an_order_asked_for_stands(self, site: Site, sold: list[SavedBill]) -> None:
        asked = {
            "business_date_start": "2026-01-05",
            "order_key": "total_amount",
            "order_by": "asc",
            "per_page": 500,
        }
        wanted = [sold[place].id for place in (1, 3, 0, 2)]
        assert [one for one in read_ids(site, **asked) if one in wanted] == wanted

    def test_names_sort_rows_too(self, site: Site, sold: list[SavedBill]) -> None:
        whole = read_ids(site, order_key="customer_name", order_by="asc", per_page=500, keyword="A客户")
        pages = [
            one
            for page in range(1, len(whole) + 1)
            for one in read_ids(
                site, order_key="customer_name", order_by="asc", per_page=1, page=page, keyword="A客户"
            )
        ]
        assert pages == whole


INSIDE = [
    (cls, block)
    for cls in registry.list_resources()
    for block in (cls.bill.blocks if cls.bill else ())
    if "goods_id" in block.cls.table().columns
]


class TestGoodsInside:
    """users-and-libraries.md 10: find bills by the goods inside them."""

    @pytest.mark.parametrize(
        ("cls", "block"), INSIDE, ids=[f"{cls.name()}-{block.name}" for cls, block in INSIDE]
    )
    def test_goods_find_the_bills_that_have_them(self, site: Site, cls: type[Resource], block: Block) -> None:
        admin, api = site.as_("admin"), cls.declaration.api
        made = admin.post(f"{api}/add", payload_of(cls, site.world)).data["id"]
        lines = admin.get(f"{api}/getInfo", id=made).data[block.name]
        inside = {line["goods_id"] for line in lines if line["goods_id"]}
        for goods, here in {**dict.fromkeys(inside, True), site.world.spares[-1]: False}.items():
            data = admin.get(f"{api}/getList", goods_id=goods, per_page=500).data
            found = {row["bill_id"] for row in data["data"]}
            assert (made in found, len(found)) == (here, data["total"])
        shown = admin.get("v2/Open/Screen/getScreen", route=cls.declaration.routes["list"]).data
        assert "goods_id" in {field["name"] for field in shown["line_filters"]}

    def test_a_filter_adds_up_and_exports_what_it_finds(self, site: Site, sold: list[SavedBill]) -> None:
        query = {"goods_id": site.world.tube, "customer_id": site.world.customer_a}
        admin, path = site.as_("admin"), BillClient(site).path("sales_outbound", "getTotals")
        found = admin.get(path, **query).data
        assert found["total"] >= len(sold)
        path = BillClient(site).path("sales_outbound", "export")
        export = admin.post(path, query=query).data["export_id"]
        export_job.export_list(export_id=export)
        book = openpyxl.load_workbook(export_job.export_path(export), read_only=True)
        told = {label.value: value.value for label, value in book["导出说明"].iter_rows()}
        assert (int(told["行数"]), told["商品"]) == (found["total"], "内胎 11.00R20")


class TestAll:
    """Choices that stand for all of them (spec/2-routes.md 3 and 4)."""

    @pytest.mark.parametrize(
        ("resource", "name", "choice"),
        [
            ("sales_outbound", "status", 0),
            ("purchase_order", "order_source", 4),
            ("sales_outbound", "customer_id", 0),
        ],
    )
    def test_it_narrows_nothing(self, site: Site, resource: str, name: str, choice: int) -> None:
        desk = BillClient(site)
        desk.draft(resource, {"goods_id": site.world.spares[0], "quantity": "1", "price": "10"})
        path = desk.path(resource, "getList")
        every = desk.caller.get(path).data["total"]
        assert every > 0
        assert desk.caller.get(path, **{name: choice}).data["total"] == every

    def test_a_choice_of_0_is_one_where_it_is_offered(self, site: Site) -> None:
        path = BillClient(site).path("purchase_order", "getList")
        admin = site.as_("admin")
        assert admin.get(path, order_source=0).data["total"] == admin.get(path).data["total"]
        assert admin.get(path, order_source=1).data["total"] == 0


class TestBalances:
    """Balance lists add this_page and total_balance (spec/2-routes.md 3)."""

    def test_the_page_and_the_whole_come_to(self, site: Site) -> None:
        desk, path = BillClient(site), "v2/custom/CustomerAccount/getList"
        for name, price in (("余额甲", "30"), ("余额乙", "12.5")):
            line = {"goods_id": site.world.spares[1], "quantity": "1", "price": price}
            desk.stock_in(site.world.spares[1], 1)
            desk.add_audited("sales_outbound", line, customer_id=desk.partner("customer", name))
        whole = desk.caller.get(path, keyword="余额").data
        assert (whole["this_page"], whole["total_balance"]) == ("42.50", "42.50")
        first = desk.caller.get(path, keyword="余额", per_page=1).data
        assert (first["this_page"], first["total_balance"]) == ("30.00", "42.50")

    def test_every_list_of_what_remains_tells_both(self) -> None:
        named = {cls.name() for cls in registry.list_resources() if cls.declaration.balance}
        assert named == {
            *("customer_account", "customer_advance", "supplier_advance", "partner_balance"),
            *("customer_summary", "supplier_summary", "account_days", "money_home"),
        }


class TestKeywordHint:
    def read_keyword_words(self, site: Site, name: str) -> list[str]:
        route = registry.get_resource(name).declaration.routes["list"]
        found: list[str] = site.as_("admin").get("v2/Open/Screen/getScreen", route=route).data["keyword"]
        return found

    def test_bills_are_found_by_number_and_by_names_and_initials_of_partners(self, site: Site) -> None:
        words = self.read_keyword_words(site, "sales_outbound")
        assert words[0] == "单据号"
        assert "客户名称、拼音首字母" in words

    def test_what_is_found_by_its_goods_says_by_what_of_them(self, site: Site) -> None:
        goods = self.read_keyword_words(site, "goods")
        assert {"商品编码", "商品名称"} <= set(goods)
        assert {word for word in goods if word.startswith("商品")} <= set(
            self.read_keyword_words(site, "area_stock")
        )
