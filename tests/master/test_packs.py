"""Packs: lines counted by cartons come to the quantity that everything else is about, or they say nothing of packs."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from api import catalogue
from api.kit.bills import pack_units
from api.kit.declaration import registry
from api.kit.declaration.goods_bills import QuantityLine
from api.kit.declaration.resource import Resource
from api.kit.storage.projection import MASK
from tests.identity.test_matrix import create_member
from tests.support.bill_client import BillClient
from tests.support.client import Answer
from tests.support.database_state import fingerprint_tables
from tests.support.fixtures import Site
from tests.support.payloads import payload_of

assert catalogue.__all__
VECTORS = json.loads((Path(__file__).parents[1] / "golden" / "packs.json").read_text("utf-8"))
BILLS = [
    cls
    for cls in registry.list_resources()
    if "add" in cls.declaration.actions and any(issubclass(block.cls, QuantityLine) for block in cls.blocks())
]
GOODS = registry.get_resource("goods").declaration.api


def add_packed_goods(desk: BillClient, number: int, factor: str = "12") -> int:
    """Add a goods of which `factor` fill a carton."""
    goods = desk.world.spares[number]
    units = [{"unit_id": desk.world.carton, "factor": factor}]
    answer = desk.caller.post(f"{GOODS}/edit", {"id": goods, "units": units})
    assert answer.ok, answer
    return goods


def build_line(desk: BillClient, goods: int, **told: Any) -> dict[str, Any]:
    return {"goods_id": goods, "price": "10", "pack_unit_id": desk.world.carton, **told}


def require_refusal(desk: BillClient, line: dict[str, Any]) -> Answer:
    answer = desk.add("sales_order", line)
    assert not answer.ok
    return answer


def read_pack_columns(line: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(line[name] for name in ("quantity", "pack_unit_name", "pack_quantity", "pack_factor"))


class TestVectors:
    @pytest.mark.parametrize("vector", VECTORS["quantity_of"], ids=lambda vector: vector["name"])
    def test_packs_make_a_quantity(self, vector: dict[str, str]) -> None:
        found = pack_units.quantity_of(Decimal(vector["packs"]), Decimal(vector["factor"]))
        assert found == Decimal(vector["quantity"])

    @pytest.mark.parametrize("vector", VECTORS["packs_of"], ids=lambda vector: vector["name"])
    def test_a_quantity_is_told_in_packs_or_not(self, vector: dict[str, str | None]) -> None:
        found = pack_units.packs_of(Decimal(str(vector["quantity"])), Decimal(str(vector["factor"])))
        assert found == (Decimal(vector["packs"]) if vector["packs"] else None)


class TestEntry:
    @pytest.mark.parametrize("cls", BILLS, ids=lambda cls: cls.name())
    def test_every_line_of_goods_takes_them(self, site: Site, cls: type[Resource]) -> None:
        caller, body = site.as_("admin"), payload_of(cls, site.world)
        blocks = [one.name for one in cls.blocks() if issubclass(one.cls, QuantityLine)]
        for name in blocks:
            for row in body[name]:
                row |= {"pack_unit_id": site.world.carton, "pack_quantity": "1.75"}
        added = caller.post(f"{cls.declaration.api}/add", body)
        assert added.ok, added
        stored = caller.get(f"{cls.declaration.api}/getInfo", id=added.data["id"]).data
        assert {read_pack_columns(row) for name in blocks for row in stored[name]} == {
            ("3.500", "箱", "1.750", "2.000")
        }

    def test_packs_alone_tell_the_quantity_and_the_amount(self, desk: BillClient) -> None:
        goods = add_packed_goods(desk, 40)
        [line] = desk.read_bill(desk.draft("sales_order", build_line(desk, goods, pack_quantity="3")))[
            "lines"
        ]
        assert read_pack_columns(line) == ("36.000", "箱", "3.000", "12.000")
        assert line["amount"] == "360.00"

    def test_a_quantity_alone_tells_the_packs(self, desk: BillClient) -> None:
        goods = add_packed_goods(desk, 40)
        [line] = desk.read_bill(desk.draft("sales_order", build_line(desk, goods, quantity="18")))["lines"]
        assert read_pack_columns(line) == ("18.000", "箱", "1.500", "12.000")

    def test_the_rate_is_kept_as_it_was(self, desk: BillClient) -> None:
        goods = add_packed_goods(desk, 40)
        bill = desk.draft("sales_order", build_line(desk, goods, pack_quantity="3"))
        add_packed_goods(desk, 40, "10")
        assert read_pack_columns(desk.read_bill(bill)["lines"][0]) == ("36.000", "箱", "3.000", "12.000")

    def test_what_does_not_agree_is_refused_by_line_and_field(
        self, desk: BillClient, conn: Connection
    ) -> None:
        goods = add_packed_goods(desk, 40)
        before = fingerprint_tables(conn)
        conn.rollback()
        for line, msg in (
            (
                build_line(desk, goods, pack_quantity="3", quantity="30"),
                "“数量”应等于件数×换算率：3×12=36",
            ),
            (build_line(desk, goods, quantity="13"), "请输入件数"),
            (build_line(desk, goods, quantity="12", pack_unit_id=None, pack_quantity="1"), "请选择辅单位"),
            (
                build_line(desk, goods, quantity="12", pack_unit_id=desk.world.unit, pack_quantity="1"),
                "“辅单位”不是该商品的辅助单位，请重新选择",
            ),
            (
                build_line(desk, desk.world.spares[41], quantity="12", pack_quantity="1"),
                "“辅单位”不是该商品的辅助单位，请重新选择",
            ),
        ):
            assert require_refusal(desk, line).msg == f"第1行：{msg}"
        assert fingerprint_tables(conn) == before

    def test_a_quantity_of_a_hundred_million_is_refused(self, desk: BillClient) -> None:
        goods = add_packed_goods(desk, 40)
        answer = require_refusal(desk, build_line(desk, goods, pack_quantity="9999999"))
        assert answer.msg == "第1行：“数量”数值不能超过一亿"


class TestCarriedOn:
    def test_a_bill_drawn_from_another_counts_what_is_left(self, desk: BillClient) -> None:
        goods = add_packed_goods(desk, 42)
        order = desk.add_audited("sales_order", build_line(desk, goods, pack_quantity="3"))
        desk.stock_in(goods, 100)
        path = desk.path("sales_outbound", "getDraft")
        [line] = desk.caller.get(path, id=order.id).data["lines"]
        assert read_pack_columns(line) == ("36.000", "箱", "3.000", "12.000")
        desk.add_audited("sales_outbound", {**line, "pack_quantity": "1", "quantity": "12"})
        [line] = desk.caller.get(path, id=order.id).data["lines"]
        assert read_pack_columns(line)[:3] == ("24.000", "箱", "2.000")
        desk.add_audited(
            "sales_outbound", {**line, "quantity": "5", "pack_unit_id": None, "pack_quantity": None}
        )
        [line] = desk.caller.get(path, id=order.id).data["lines"]
        assert read_pack_columns(line) == ("19.000", None, None, None)
        assert desk.add("sales_outbound", line).ok

    def test_it_counts_at_the_present_rate(self, desk: BillClient) -> None:
        goods = add_packed_goods(desk, 43)
        order = desk.add_audited("sales_order", build_line(desk, goods, pack_quantity="5"))
        path = desk.path("sales_outbound", "getDraft")
        for factor, expected in (("20", ("60.000", "箱", "3.000", "20.000")), ("7", ("60.000", *[None] * 3))):
            add_packed_goods(desk, 43, factor)
            [line] = desk.caller.get(path, id=order.id).data["lines"]
            assert read_pack_columns(line) == expected


class TestHidden:
    def test_who_may_not_see_them_changes_the_quantity_and_they_follow_or_go(self, site: Site) -> None:
        desk = BillClient(site)
        goods = add_packed_goods(desk, 44)
        bill = desk.draft("sales_order", build_line(desk, goods, pack_quantity="3"))
        denied = [("sales_order_line", name) for name in pack_units.COLUMNS]
        rights = ["sales_order:list", "sales_order:edit"]
        _, clerk = create_member(site, "packless", rights, denied)
        for quantity, expected in (("24", ("箱", "2.000", "12.000")), ("25", (None, None, None))):
            seen = clerk.get(desk.path("sales_order", "getInfo"), id=bill.id).data
            [line] = seen["lines"]
            assert read_pack_columns(line)[1:] == (MASK, MASK, MASK)
            line["quantity"] = quantity
            edited = clerk.post(desk.path("sales_order", "edit"), {**seen, "id": bill.id})
            assert edited.ok, edited
            assert read_pack_columns(desk.read_bill(bill)["lines"][0])[1:] == expected


class TestUnitsOfGoods:
    def test_they_are_read_with_the_goods_and_found_by_their_barcode(self, desk: BillClient) -> None:
        goods = desk.world.spares[45]
        units = [
            {"unit_id": desk.world.carton, "factor": "12", "barcode": "6901234500017"},
            {"unit_id": desk.world.pallet, "factor": "480.5"},
        ]
        assert desk.caller.post(f"{GOODS}/edit", {"id": goods, "units": units}).ok
        info = desk.caller.get(f"{GOODS}/getInfo", id=goods).data
        assert [(row["unit_name"], row["factor"], row["barcode"]) for row in info["units"]] == [
            ("箱", "12.000", "6901234500017"),
            ("托", "480.500", None),
        ]
        assert info["packs"] == "箱=12、托=480.5"
        for asked in ({"codes": "6901234500017"}, {"keyword": "6901234500017"}):
            answer = desk.caller.get("v2/inventory/Goods/getGoodsListPopup", **asked).data
            [found] = answer["data"]
            assert (found["goods_id"], found["packs"]) == (goods, "箱=12、托=480.5")
            assert found["units"][0] == {
                "unit_id": desk.world.carton,
                "unit_name": "箱",
                "factor": "12",
                "barcode": "6901234500017",
            }

    def test_wrong_ones_are_refused(self, desk: BillClient, conn: Connection) -> None:
        carton = {"unit_id": desk.world.carton, "factor": "12"}
        goods = desk.world.spares[46]
        taken = {"id": desk.world.spares[47], "units": [{**carton, "barcode": "6901234500024"}]}
        assert desk.caller.post(f"{GOODS}/edit", taken).ok
        before = fingerprint_tables(conn)
        conn.rollback()
        for units, msg in (
            ([carton, carton], "第2行：“辅单位”与第1行重复"),
            ([{**carton, "unit_id": desk.world.unit}], "第1行：“辅单位”不能是商品自己的单位"),
            ([{**carton, "factor": "0"}], "第1行：“换算率”请输入大于0的数"),
            ([{"factor": "12"}], "第1行：请选择辅单位"),
            (
                [{**carton, "barcode": "6901234500024"}],
                "“6901234500024”已是商品 SPARE47 备件47 的编码或条形码，请更换",
            ),
        ):
            answer = desk.caller.post(f"{GOODS}/edit", {"id": goods, "units": units})
            assert (answer.code, answer.msg) == (400, msg)
        assert fingerprint_tables(conn) == before

    def test_a_pack_does_not_become_the_goods_own_unit(self, desk: BillClient) -> None:
        goods = add_packed_goods(desk, 48)
        answer = desk.caller.post(f"{GOODS}/edit", {"id": goods, "unit_id": desk.world.carton})
        assert (answer.code, answer.msg) == (400, "第1行：“辅单位”不能是商品自己的单位")

    def test_an_edit_without_them_leaves_them(self, desk: BillClient) -> None:
        goods = add_packed_goods(desk, 49)
        assert desk.caller.post(f"{GOODS}/edit", {"id": goods, "pattern": "雪地"}).ok
        assert desk.caller.get(f"{GOODS}/getInfo", id=goods).data["packs"] == "箱=12"

    def test_the_log_tells_what_they_were(self, desk: BillClient) -> None:
        goods = add_packed_goods(desk, 51)
        add_packed_goods(desk, 51, "24")
        assert desk.caller.post(f"{GOODS}/edit", {"id": goods, "units": []}).ok
        logged = desk.caller.get("v2/system/BusinessLog/getPage", resource="goods", record_id=goods).data[
            "data"
        ]
        changes = [(one["label"], one["before"], one["after"]) for row in logged for one in row["changes"]]
        assert changes == [
            ("辅助单位", "箱 24.000", None),
            ("辅助单位", "箱 12.000", "箱 24.000"),
            ("辅助单位", None, "箱 12.000"),
        ]


class TestCodes:
    """What a scanner reads stands for one goods of the group."""

    def _goods(self, desk: BillClient, number: int, **values: Any) -> Answer:
        return desk.caller.post(f"{GOODS}/edit", {"id": desk.world.spares[number], **values})

    def test_a_packs_barcode_is_no_other_goods_code_or_barcode(self, desk: BillClient) -> None:
        assert self._goods(desk, 11, barcode="Ab690011").ok
        for code, bearer in (("aB690011", "SPARE11 备件11"), ("SPARE11", "SPARE11 备件11")):
            units = [{"unit_id": desk.world.carton, "factor": "12", "barcode": code}]
            answer = self._goods(desk, 12, units=units)
            assert (answer.code, answer.msg) == (
                400,
                f"“{code}”已是商品 {bearer} 的编码或条形码，请更换",
            )

    def test_a_goods_barcode_is_no_other_goods_packs(self, desk: BillClient) -> None:
        units = [{"unit_id": desk.world.carton, "factor": "12", "barcode": "690013"}]
        assert self._goods(desk, 13, units=units).ok
        assert "SPARE13 备件13" in self._goods(desk, 14, barcode="690013").msg
        body = {"goods_num": "690013", "goods_name": "新件", "unit_id": desk.world.unit}
        answer = desk.caller.post(f"{GOODS}/add", {**body, "goods_type_id": desk.world.type2})
        assert "SPARE13 备件13" in answer.msg

    def test_goods_and_pack_have_codes_of_their_own(self, desk: BillClient) -> None:
        units = [{"unit_id": desk.world.carton, "factor": "12", "barcode": "690015"}]
        answer = self._goods(desk, 15, barcode="690015", units=units)
        assert answer.msg == "条形码“690015”在商品和辅助单位中重复"

    def test_codes_that_were_alike_before_hinder_no_other_edit(self, desk: BillClient, site: Site) -> None:
        keys = [desk.world.spares[number] for number in (16, 17)]
        with site.engine.begin() as conn:
            conn.exec_driver_sql("update goods set barcode = '690016' where goods_id = any(%s)", (keys,))
        assert self._goods(desk, 16, pattern="HN08").ok
        assert not self._goods(desk, 18, barcode="690016").ok

    def test_of_eight_that_bring_one_code_at_once_one_has_it(self, desk: BillClient) -> None:
        with ThreadPoolExecutor(8) as pool:
            saved = list(pool.map(lambda number: self._goods(desk, number, barcode="690020"), range(20, 28)))
        assert sum(answer.ok for answer in saved) == 1


class TestStaleEdits:
    def test_of_two_who_edit_packs_at_once_the_second_is_refused(self, desk: BillClient) -> None:
        goods, caller = add_packed_goods(desk, 28), desk.caller
        read = [caller.get(f"{GOODS}/getInfo", id=goods).data["revision"] for _ in range(2)]
        units = [[{"unit_id": desk.world.carton, "factor": factor}] for factor in ("6", "24")]
        first, second = (
            caller.post(f"{GOODS}/edit", {"id": goods, "revision": revision, "units": rows})
            for revision, rows in zip(read, units, strict=True)
        )
        assert first.ok
        assert (second.code, second.msg) == (400, "数据已被他人修改，请刷新后重试")
        info = caller.get(f"{GOODS}/getInfo", id=goods).data
        assert [unit["factor"] for unit in info["units"]] == ["6.000"]
        again = {"id": goods, "revision": info["revision"], "units": units[1]}
        assert caller.post(f"{GOODS}/edit", again).ok

    def test_saving_the_same_again_makes_nobody_elses_edit_stale(self, desk: BillClient) -> None:
        goods, caller = add_packed_goods(desk, 29), desk.caller
        info = caller.get(f"{GOODS}/getInfo", id=goods).data
        assert caller.post(f"{GOODS}/edit", {"id": goods, "units": info["units"]}).ok
        body = {"id": goods, "revision": info["revision"], "pattern": "AT"}
        assert caller.post(f"{GOODS}/edit", body).ok

    def test_a_plain_record_without_rows_below_is_guarded_alike(self, desk: BillClient) -> None:
        caller, key = desk.caller, desk.world.customer_a
        info = caller.get("v2/custom/Customer/getInfo", id=key).data
        assert caller.post("v2/custom/Customer/edit", {"id": key, "address": "甲"}).ok
        body = {"id": key, "revision": info["revision"], "address": "乙"}
        assert caller.post("v2/custom/Customer/edit", body).msg == "数据已被他人修改，请刷新后重试"
        assert caller.post("v2/custom/Customer/edit", {"id": key, "address": None}).ok

    def test_an_edit_that_tells_no_revision_is_refused(self, desk: BillClient) -> None:
        bill = desk.draft("other_inbound", {"goods_id": desk.world.tube, "quantity": "1", "price": "1"})
        for path, key in (
            ("v2/custom/Customer", desk.world.customer_a),
            (desk.path(bill.resource, "")[:-1], bill.id),
        ):
            seen = desk.caller.get(f"{path}/getInfo", id=key).data
            for told in (None, ""):
                body = {"id": key, "revision": told, "remark": "没有读过"}
                answer = desk.caller.post(f"{path}/edit", body)
                assert (answer.code, answer.msg) == (400, "请先读取数据，带上读取时的版本（revision）再修改")
            assert desk.caller.get(f"{path}/getInfo", id=key).data == seen
