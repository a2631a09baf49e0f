"""Conversions over HTTP: by hand-made figures, their recipes, their calls' names, and what the checks find."""

from __future__ import annotations

import itertools
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import Connection

from api.ledger import integrity_checks
from api.ledger.recalculation import recalculate_costs
from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.client import Answer
from tests.support.database_state import find_broken_checks
from tests.support.fixtures import Site

API = "inventory/Conversions"
ASSEMBLY, DISASSEMBLY, CHANGE = 1, 2, 3
SHOPS = itertools.count(1)


@pytest.fixture(scope="module")
def desk(site: Site) -> BillClient:
    return BillClient(site)


@pytest.fixture
def books(conn: Connection) -> PostingReader:
    return PostingReader(conn)


class ConversionGoods:
    """A desk with goods of its own for each test."""

    def __init__(self, desk: BillClient, mark: str) -> None:
        self.desk = desk
        self.rim, self.tyre, self.wheel = (
            self.create_goods(f"{mark}-{name}") for name in ("rim", "tyre", "wheel")
        )

    def create_goods(self, num: str, **more: Any) -> int:
        world = self.desk.world
        body = {"goods_num": num, "goods_name": num, "goods_type_id": world.type2, "unit_id": world.unit}
        answer = self.desk.caller.post("v2/system/Goods/add", {**body, **more})
        assert answer.ok, answer
        return int(answer.data["id"])

    def add(
        self, kind: int, inputs: list[dict[str, Any]], outputs: list[dict[str, Any]], **header: Any
    ) -> Answer:
        body = self.desk.build_header("stock_conversion", kind=kind, inputs=inputs, outputs=outputs, **header)
        return self.desk.caller.post(f"{API}/addOrder", body)

    def draft(self, *arguments: Any, **header: Any) -> SavedBill:
        answer = self.add(*arguments, **header)
        assert answer.ok, answer
        return SavedBill("stock_conversion", answer.data["id"], answer.data["bill_no"])

    def create_audited(self, *arguments: Any, **header: Any) -> SavedBill:
        made = self.draft(*arguments, **header)
        answer = self.desk.apply_action("auditorPassOrder", made)
        assert answer.ok, answer
        return made


@pytest.fixture
def shop(desk: BillClient) -> ConversionGoods:
    return ConversionGoods(desk, f"CONV{next(SHOPS)}")


def build_line(goods: int, quantity: str | int, **more: Any) -> dict[str, Any]:
    return {"goods_id": goods, "quantity": str(quantity), **more}


class TestAssembly:
    def test_four_wheels_are_worth_four_rims_four_tyres_and_the_labour(
        self, shop: ConversionGoods, books: PostingReader, conn: Connection
    ) -> None:
        desk, world = shop.desk, shop.desk.world
        desk.stock_in(shop.rim, 4, "169.50")
        desk.stock_in(shop.tyre, 6, "282.50")
        made = shop.create_audited(
            ASSEMBLY,
            [build_line(shop.rim, 4), build_line(shop.tyre, 4)],
            [build_line(shop.wheel, 4)],
            labour_amount="80",
        )
        assert made.no.startswith("XTZH")
        # 4 × 150.00 + 4 × 250.00 + 80.00
        assert books.stock(made) == [
            (shop.rim, "-4", "150", "-600.00"),
            (shop.tyre, "-4", "250", "-1000.00"),
            (shop.wheel, "4", "420", "1680.00"),
        ]
        assert books.available(shop.wheel, world.warehouse_a) == ("4", "0", "4")
        info = desk.read_bill(made)
        assert [info[name] for name in ("input_quantity", "output_quantity")] == ["8.000", "4.000"]
        assert [info[name] for name in ("input_amount", "output_amount")] == ["1600.00", "1680.00"]
        assert [row["cost_amount"] for row in info["inputs"]] == ["600.00", "1000.00"]
        assert [row["cost_amount"] for row in info["outputs"]] == ["1680.00"]
        assert find_broken_checks(conn) == {}

    def test_it_makes_one_goods_and_none_that_it_takes(self, shop: ConversionGoods) -> None:
        answer = shop.add(
            ASSEMBLY,
            [build_line(shop.rim, 1)],
            [build_line(shop.rim, 1, share="50"), build_line(shop.wheel, 1, share="50")],
        )
        assert [row["msg"] for row in answer.data["failures"]] == [
            "组装只产出一种商品，产出几种请选择形态转换",
            "组装的产出商品不能同时是投入商品",
        ]

    def test_a_shortage_names_the_goods(self, shop: ConversionGoods) -> None:
        shop.desk.stock_in(shop.rim, 3)
        made = shop.draft(ASSEMBLY, [build_line(shop.rim, 4)], [build_line(shop.wheel, 4)])
        answer = shop.desk.apply_action("auditorPass", made)
        assert answer.code == 400
        assert "库存不足" in answer.msg
        assert "缺 1" in answer.msg


class TestDisassembly:
    def test_given_shares_and_the_cent_that_is_left(
        self, shop: ConversionGoods, books: PostingReader
    ) -> None:
        shop.desk.stock_in(shop.wheel, 1, "113.01")
        made = shop.create_audited(
            DISASSEMBLY,
            [build_line(shop.wheel, 1)],
            [build_line(shop.rim, 1, share="70"), build_line(shop.tyre, 1, share="30")],
        )
        # 100.01: seventy parts are 70.007.
        assert [row[3] for row in books.stock(made)] == ["-100.01", "70.01", "30.00"]

    @pytest.mark.parametrize(
        ("shares", "msg"),
        [
            (("70", None), "分摊比例%请全部录入，或全部不录入（按价值分摊）"),
            (("70", "20"), "分摊比例%合计应为100，现为90"),
        ],
    )
    def test_shares_are_of_all_and_a_hundred_together(
        self, shop: ConversionGoods, shares: tuple[str | None, ...], msg: str
    ) -> None:
        goods = (shop.rim, shop.tyre)
        outputs = [build_line(one, 1, share=share) for one, share in zip(goods, shares, strict=True)]
        answer = shop.add(DISASSEMBLY, [build_line(shop.wheel, 1)], outputs)
        assert (answer.code, answer.msg) == (400, msg)

    def test_without_shares_the_purchase_price_weighs_what_is_new(
        self, shop: ConversionGoods, books: PostingReader
    ) -> None:
        desk = shop.desk
        for goods, cost in ((shop.rim, "30"), (shop.tyre, "10")):
            body = {"company_id": desk.world.company_a, "goods_id": goods, "purchase_price": cost}
            assert desk.caller.post("v2/system/CompanyGoods/add", body).ok
        desk.stock_in(shop.wheel, 1, "113")
        made = shop.create_audited(
            DISASSEMBLY, [build_line(shop.wheel, 1)], [build_line(shop.rim, 1), build_line(shop.tyre, 1)]
        )
        assert [row[3] for row in books.stock(made)] == ["-100.00", "75.00", "25.00"]

    def test_what_nothing_tells_the_worth_of_asks_for_shares(self, shop: ConversionGoods) -> None:
        shop.desk.stock_in(shop.wheel, 1)
        made = shop.draft(
            DISASSEMBLY, [build_line(shop.wheel, 1)], [build_line(shop.rim, 1), build_line(shop.tyre, 1)]
        )
        answer = shop.desk.apply_action("auditorPass", made)
        assert answer.code == 400
        assert answer.msg.endswith("没有成本可依，无法按价值分摊，请录入分摊比例或参考单价")

    def test_mistakes_name_the_block_that_they_stand_in(self, shop: ConversionGoods) -> None:
        batched = shop.create_goods(f"B{shop.rim}", is_batch=True)
        answer = shop.add(DISASSEMBLY, [build_line(shop.wheel, 1)], [build_line(batched, "0")])
        assert answer.data["failures"][0]["serial"] == "产出明细第1行"
        answer = shop.add(DISASSEMBLY, [build_line(shop.wheel, 1)], [build_line(batched, 1)])
        assert [(row["serial"], row["msg"]) for row in answer.data["failures"]] == [
            ("产出明细第1行", "请录入批次(DOT)")
        ]
        answer = shop.add(DISASSEMBLY, [build_line(shop.wheel, "x")], [build_line(batched, 1)])
        assert answer.data["failures"][0]["serial"] == "第1行"


class TestBatches:
    def test_what_is_made_carries_its_week_and_is_picked_by_it(
        self, shop: ConversionGoods, books: PostingReader, conn: Connection
    ) -> None:
        shop.desk.stock_in(shop.wheel, 2)
        shop.create_audited(
            CHANGE,
            [build_line(shop.wheel, 2)],
            [build_line(shop.tyre, 1, batch="2025"), build_line(shop.tyre, 1, batch="0124")],
        )
        assert books.rows(
            "select b.batch, s.production_date::text from stock_balance s join goods_batch b using (batch_id)"
            " where s.goods_id = %s order by s.production_date",
            shop.tyre,
        ) == [("0124", "2024-01-01"), ("2025", "2025-05-12")]

    def test_numbers_leave_and_come(self, shop: ConversionGoods, conn: Connection) -> None:
        numbered = shop.create_goods(f"N{shop.rim}", is_numbered=True)
        desk = shop.desk
        desk.add_audited(
            "other_inbound", build_line(numbered, 2, price="113", tire_numbers=f"A{numbered} B{numbered}")
        )
        whole = [build_line(numbered, 2, tire_numbers=f"A{numbered} B{numbered}")]
        built = shop.create_audited(ASSEMBLY, whole, [build_line(shop.wheel, 1)])
        again = shop.draft(
            DISASSEMBLY,
            [build_line(shop.wheel, 1)],
            [build_line(numbered, 2, tire_numbers=f"A{numbered} C{numbered}", share="100")],
        )
        assert desk.apply_action("auditorPass", again).ok
        places = "select number, place from tire_number where goods_id = %s order by number"
        assert [row.place for row in conn.exec_driver_sql(places, (numbered,))] == [1, 6, 1]
        conn.rollback()
        assert find_broken_checks(conn) == {}
        answer = desk.apply_action("antiAuditor", built)
        assert answer.code == 400
        assert desk.apply_action("antiAuditor", again).ok
        assert desk.apply_action("antiAuditor", built).ok
        assert find_broken_checks(conn) == {}


class TestTakingBack:
    def test_it_is_exact_and_refused_once_what_was_made_has_left(
        self, shop: ConversionGoods, books: PostingReader, conn: Connection
    ) -> None:
        desk, company = shop.desk, shop.desk.world.company_a
        desk.stock_in(shop.rim, 3, "37.66")
        before = books.cost(shop.rim, company)
        made = shop.create_audited(
            ASSEMBLY, [build_line(shop.rim, 2)], [build_line(shop.wheel, 1)], labour_amount="5.55"
        )
        sold = desk.add_audited("other_outbound", build_line(shop.wheel, 1))
        answer = desk.apply_action("antiAuditorOrder", made)
        assert answer.code == 400
        assert answer.msg.endswith(f"（相关单据：{sold.no}）")
        assert desk.apply_action("antiAuditor", sold).ok
        assert desk.apply_action("antiAuditorOrder", made).ok
        assert (books.cost(shop.rim, company), books.cost(shop.wheel, company)) == (before, ("0", "0.00"))
        assert desk.apply_action("auditorPassOrder", made).ok
        assert desk.apply_action("invalidOrder", made).ok
        assert books.cost(shop.rim, company) == before
        assert find_broken_checks(conn) == {}


class TestCalls:
    def test_the_specifications_names_do_what_the_usual_ones_do(self, shop: ConversionGoods) -> None:
        desk = shop.desk
        desk.stock_in(shop.rim, 2)
        made = shop.draft(ASSEMBLY, [build_line(shop.rim, 1)], [build_line(shop.wheel, 1)])
        edited = desk.caller.post(
            f"{API}/editOrder", {**desk.read_bill(made), "id": made.id, "labour_amount": "9"}
        )
        assert edited.ok, edited
        assert desk.read_bill(made)["labour_amount"] == "9.00"
        for call, status in (("auditorPassOrder", 2), ("antiAuditorOrder", 1), ("invalidOrder", 3)):
            assert desk.apply_action(call, made).ok
            assert desk.read_bill(made)["status"] == status
        gone = shop.draft(ASSEMBLY, [build_line(shop.rim, 1)], [build_line(shop.wheel, 1)])
        assert desk.apply_action("delOrder", gone).ok
        answer = desk.caller.get(f"{API}/getInfo", id=gone.id)
        assert answer.code == 400

    def test_they_ask_for_the_same_rights(self, site: Site) -> None:
        for call in (
            "addOrder",
            "editOrder",
            "delOrder",
            "auditorPassOrder",
            "antiAuditorOrder",
            "invalidOrder",
        ):
            assert site.as_("nobody").post(f"{API}/{call}", {"ids": [1]}).code == 403


class TestRecipes:
    @pytest.fixture
    def recipe(self, shop: ConversionGoods) -> int:
        body = {
            "recipe_name": f"R{shop.wheel}",
            "kind": DISASSEMBLY,
            "inputs": [build_line(shop.wheel, 1)],
            "outputs": [build_line(shop.rim, 1, share="62.5"), build_line(shop.tyre, "1.5", share="37.5")],
        }
        answer = shop.desk.caller.post("inventory/ConversionRecipe/add", body)
        assert answer.ok, answer
        return int(answer.data["id"])

    def test_one_fills_what_the_bill_lacks(
        self, shop: ConversionGoods, recipe: int, books: PostingReader
    ) -> None:
        caller = shop.desk.caller
        wanted = {"recipe_id": recipe, "recipe_quantity": "2", "lines": []}
        inputs = caller.post(f"{API}/getRecipeInputs", wanted).data
        assert [(row["goods_id"], Decimal(row["quantity"])) for row in inputs] == [(shop.wheel, 2)]
        held = [{"goods_id": shop.rim, "quantity": "2"}, {"goods_id": shop.tyre, "quantity": "0.5"}]
        outputs = caller.post(f"{API}/getRecipeOutputs", {**wanted, "lines": held}).data
        told = [(row["goods_id"], Decimal(row["quantity"]), row["share"]) for row in outputs]
        assert told == [(shop.tyre, Decimal("2.5"), "37.5000")]
        outputs = caller.post(f"{API}/getRecipeOutputs", wanted).data
        shop.desk.stock_in(shop.wheel, 2, "113")
        made = shop.create_audited(DISASSEMBLY, inputs, outputs, recipe_id=recipe, recipe_quantity="2")
        assert [(row[1], row[3]) for row in books.stock(made)] == [
            ("-2", "-200.00"),
            ("2", "125.00"),
            ("3", "75.00"),
        ]

    def test_its_shares_are_held_to_the_bills_rule(self, shop: ConversionGoods, recipe: int) -> None:
        caller = shop.desk.caller
        info = caller.get("inventory/ConversionRecipe/getInfo", id=recipe).data
        info["outputs"][0]["share"] = "60"
        answer = caller.post("inventory/ConversionRecipe/edit", {**info, "id": recipe})
        assert (answer.code, answer.msg) == (400, "分摊比例%合计应为100，现为97.5")

    def test_a_named_one_stays(self, shop: ConversionGoods, recipe: int) -> None:
        shop.draft(DISASSEMBLY, [build_line(shop.wheel, 1)], [build_line(shop.rim, 1)], recipe_id=recipe)
        answer = shop.desk.caller.post("inventory/ConversionRecipe/del", {"ids": [recipe]})
        assert answer.code == 400

    def test_an_unknown_one_is_refused(self, shop: ConversionGoods) -> None:
        wanted = {"recipe_id": 999_999, "recipe_quantity": "1", "lines": []}
        answer = shop.desk.caller.post(f"{API}/getRecipeInputs", wanted)
        assert (answer.code, answer.msg) == (400, "配方不存在或无权访问")

    def test_who_may_not_write_conversions_is_not_told(self, site: Site) -> None:
        wanted = {"recipe_id": 1, "recipe_quantity": "1", "lines": []}
        assert site.as_("nobody").post(f"{API}/getRecipeInputs", wanted).code == 403


class TestChecks:
    @pytest.fixture
    def assembled(self, shop: ConversionGoods) -> SavedBill:
        shop.desk.stock_in(shop.rim, 4)
        return shop.create_audited(
            ASSEMBLY, [build_line(shop.rim, 2)], [build_line(shop.wheel, 2)], labour_amount="10"
        )

    def find(self, conn: Connection, name: str) -> int:
        [check] = [one for one in integrity_checks.list_checks() if one.name == name]
        return check.find(conn).count

    @pytest.mark.parametrize(
        ("check", "statement"),
        [
            (
                "conversions_keep_value",
                "update stock_conversion set labour_amount = 10.01 where bill_id = {bill}",
            ),
            ("conversion_output_moves", "update conversion_output set quantity = 3 where bill_id = {bill}"),
            ("conversion_input_moves", "update conversion_input set quantity = 1 where bill_id = {bill}"),
            ("stock_conversion_stray", "delete from conversion_output where bill_id = {bill}"),
        ],
    )
    def test_each_finds_what_was_planted(
        self, assembled: SavedBill, conn: Connection, check: str, statement: str
    ) -> None:
        assert self.find(conn, check) == 0
        conn.exec_driver_sql(statement.format(bill=assembled.id))
        assert self.find(conn, check) == 1
        conn.rollback()

    def test_one_that_stands_without_moves_is_found(self, assembled: SavedBill, conn: Connection) -> None:
        conn.exec_driver_sql(
            "insert into stock_conversion (bill_no, business_date, status, company_id, warehouse_id, maker_id)"
            " select 'XTZH-none', business_date, 2, company_id, warehouse_id, maker_id from stock_conversion"
            f" where bill_id = {assembled.id}"
        )
        assert self.find(conn, "conversions_keep_value") == 1
        conn.rollback()

    def test_a_recalculation_keeps_it(
        self, shop: ConversionGoods, assembled: SavedBill, conn: Connection
    ) -> None:
        shop.desk.stock_in(shop.rim, 4, "339", business_date="2026-03-01")
        conn.rollback()
        company = shop.desk.world.company_a
        found = recalculate_costs(conn, company, date(2026, 3, 1), [shop.wheel])
        # 4 × 100 + 4 × 300 over eight: 200 a piece.
        assert (found.differences, found.cents) == (2, 40000)
        assert self.find(conn, "conversions_keep_value") == 0
        amounts = "select sum(amount) from stock_ledger where bill_no = %s and goods_id = %s"
        assert conn.exec_driver_sql(amounts, (assembled.no, shop.wheel)).scalar() == Decimal("410.00")
        conn.rollback()


class TestReport:
    def test_each_line_stands_with_its_cost_and_reversed_bills_are_left_out(
        self, shop: ConversionGoods, site: Site
    ) -> None:
        desk = shop.desk
        desk.stock_in(shop.wheel, 3, "113.01")
        outputs = [build_line(shop.rim, 2, share="70"), build_line(shop.tyre, 1, share="30")]
        made = shop.create_audited(DISASSEMBLY, [build_line(shop.wheel, 1)], outputs, labour_amount="10")
        undone = shop.create_audited(DISASSEMBLY, [build_line(shop.wheel, 1)], outputs)
        assert desk.apply_action("antiAuditor", undone).ok
        found = desk.caller.get(
            "inventory/ConversionDetail/getList",
            bill_no=made.no[:4],
            business_date_start="2026-03-05",
            order_key="conversion_detail_id",
            order_by="asc",
            per_page=200,
        ).data
        names = (
            "side",
            "goods_id",
            "input_quantity",
            "output_quantity",
            "unit_cost",
            "input_amount",
            "output_amount",
        )
        own = [tuple(row[name] for name in names) for row in found["data"] if row["bill_no"] == made.no]
        assert own == [
            (1, shop.wheel, "1.000", None, "100.010000", "100.01", None),
            (2, shop.rim, None, "2.000", "38.505000", None, "77.01"),
            (2, shop.tyre, None, "1.000", "33.000000", None, "33.00"),
        ]
        assert undone.no not in {row["bill_no"] for row in found["data"]}
        hidden = site.as_("clerk_a").get("inventory/ConversionDetail/getList").data["data"][0]
        assert hidden["input_amount"] == hidden["unit_cost"] == "无权限"
