"""Picked batches and locations (拣货): an audited line names those that its goods were taken from."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest
from python_calamine import CalamineWorkbook

from api import catalogue
from api.kit.declaration import registry
from api.kit.declaration.document import Bill, BillLine, Block
from api.shell.files import export_job
from tests.support.bill_client import BillClient, SavedBill
from tests.support.bills import BILLS
from tests.support.fixtures import Site
from tests.support.payloads import payload_of
from tests.support.role_editor import changed_role
from tests.support.sql_statements import recorded_statements
from tests.support.type_rules import for_each_type

assert catalogue.__all__
BATCH, PLACE = "batch_id", "allocation_id"
EARLY = {"business_date": "2026-01-05"}


def find_block(cls: type[Bill]) -> Block | None:
    """Find the block of a bill whose lines name the batch that goods are taken from, or leave it open."""
    blocks = cls.bill.blocks if cls.bill else ()
    return next((one for one in blocks if any(item.told_by for item in one.cls.fields())), None)


TAKING = [cls for cls in BILLS if find_block(cls)]
taking = for_each_type(TAKING)


class TwoBatchGoods(NamedTuple):
    """Goods of which 2 lie under 0126 at one location and 3 under 0226 at another."""

    goods: int
    places: tuple[str, str]

    def line(self, quantity: str = "5", **more: Any) -> dict[str, Any]:
        return {"goods_id": self.goods, "quantity": quantity, "price": "120", **more}


@pytest.fixture(scope="module")
def places(desk: BillClient) -> dict[int, tuple[int, int]]:
    """Two locations of each warehouse, made where asked for."""
    return {}


def stock_two_batches(
    desk: BillClient, places: dict[int, tuple[int, int]], goods: int, warehouse: int | None = None
) -> TwoBatchGoods:
    warehouse = warehouse or desk.world.warehouse_a
    names = (f"A-{warehouse:02}", f"B-{warehouse:02}")
    if warehouse not in places:
        bodies = [{"allocation_name": name, "warehouse_id": warehouse} for name in names]
        first, second = (desk.caller.post("v2/system/Allocation/add", body).data["id"] for body in bodies)
        places[warehouse] = (first, second)
    claimed = warehouse == desk.world.warehouse3_a
    for quantity, batch, place in zip(("2", "3"), ("0126", "0226"), places[warehouse], strict=True):
        line = {"goods_id": goods, "quantity": quantity, "price": "113", "batch": batch, PLACE: place}
        resource = "three_inbound" if claimed else "other_inbound"
        desk.add_audited(resource, line, warehouse_id=warehouse, **EARLY)
    return TwoBatchGoods(goods, names)


def read_pick(lines: type[Any], row: dict[str, Any]) -> tuple[Any, Any]:
    """Return batch and location of a line."""
    return lines.field(BATCH).read(row), lines.field(PLACE).read(row)


def test_every_line_that_takes_goods_tells_which() -> None:
    blocks = [block for cls in BILLS if cls.bill for block in cls.bill.blocks]
    moving = {
        one.cls
        for one in blocks
        if issubclass(one.cls, BillLine) and one.cls.stock_direction in ("out", "through")
    }
    telling = {cls for cls in moving if any(item.name == "picked_batches" for item in cls.fields())}
    assert telling == moving
    assert len(TAKING) >= 13


@taking
def test_what_the_audit_picked_is_told_while_it_stands(
    desk: BillClient, places: dict[int, tuple[int, int]], cls: type[Bill]
) -> None:
    block = find_block(cls)
    assert block
    body = payload_of(cls, desk.world)
    lying = stock_two_batches(desk, places, desk.world.spares[TAKING.index(cls)], body["warehouse_id"])
    row = body[block.name][0]
    body[block.name] = [{**row, "goods_id": lying.goods, "quantity": "5", BATCH: None, PLACE: None}]
    answer = desk.caller.post(f"{cls.declaration.api}/add", body)
    assert answer.ok, answer
    bill = SavedBill(cls.name(), answer.data["id"], answer.data["bill_no"])
    both = ("0126×2、0226×3", "{}×2、{}×3".format(*lying.places))
    for action, expected in (("", (None, None)), ("auditorPass", both), ("antiAuditor", (None, None))):
        if action:
            answer = desk.apply_action(action, bill, confirmed=True)
            assert answer.ok, answer
        [row] = desk.read_bill(bill)[block.name]
        assert read_pick(block.cls, row) == expected, action
        assert (row[BATCH], row[PLACE]) == (None, None), "what was typed stays as it was"


class TestText:
    def test_what_was_typed_is_told_before_the_audit_and_after(
        self, desk: BillClient, places: dict[int, tuple[int, int]]
    ) -> None:
        lying = stock_two_batches(desk, places, desk.world.spares[20])
        [key] = {
            row["batch_id"]
            for row in desk.caller.get(
                "v2/inventory/GoodsBatch/getBatchlist",
                goods_id=lying.goods,
                warehouse_id=desk.world.warehouse_a,
            ).data
            if row["batch"] == "0226"
        }
        second = places[desk.world.warehouse_a][1]
        bill = desk.draft("sales_outbound", lying.line("1", batch_id=key, allocation_id=second))
        lines = registry.get_resource("sales_outbound").blocks()[0].cls
        assert read_pick(lines, desk.read_bill(bill)["lines"][0]) == ("0226", lying.places[1])
        assert desk.apply_action("auditorPass", bill).ok
        assert read_pick(lines, desk.read_bill(bill)["lines"][0]) == ("0226", lying.places[1])

    def test_one_batch_stands_without_its_quantity(
        self, desk: BillClient, places: dict[int, tuple[int, int]]
    ) -> None:
        lying = stock_two_batches(desk, places, desk.world.spares[21])
        bill = desk.add_audited("sales_outbound", lying.line("1.5"))
        lines = registry.get_resource("sales_outbound").blocks()[0].cls
        assert read_pick(lines, desk.read_bill(bill)["lines"][0]) == ("0126", lying.places[0])

    def test_goods_without_a_batch_are_told_beside_others(
        self, desk: BillClient, places: dict[int, tuple[int, int]]
    ) -> None:
        goods = desk.world.spares[22]
        desk.stock_in(goods, 4, business_date="2026-01-04")
        lying = stock_two_batches(desk, places, goods)
        # The week of 0126 is older than what has no batch, that of 0226 is younger.
        bill = desk.add_audited("sales_outbound", *(lying.line("3") for _ in range(3)))
        lines = registry.get_resource("sales_outbound").blocks()[0].cls
        assert [read_pick(lines, row) for row in desk.read_bill(bill)["lines"]] == [
            ("0126×2、无批次×1", f"{lying.places[0]}×2、无库位×1"),
            (None, None),
            ("0226", lying.places[1]),
        ]


class TestReceipt:
    def test_a_transfers_receipt_tells_what_was_sent_and_then_what_came(
        self, desk: BillClient, places: dict[int, tuple[int, int]]
    ) -> None:
        lying = stock_two_batches(desk, places, desk.world.spares[23])
        sent = desk.add_audited("transfer_out", lying.line(), to_warehouse_id=desk.world.warehouse2_a)
        all_sent, there = "0126×2、0226×3", "{}×2、{}×3".format(*lying.places)
        receipts = []
        for quantity, came in (("3", "0126×2、0226×1"), ("2", "0226")):
            draft = desk.caller.get(desk.path("transfer_in", "getDraft"), id=sent.id).data
            [line] = draft.pop("lines")
            assert (line["picked_batches"], line["picked_places"]) == (all_sent, there)
            bill = desk.draft("transfer_in", {**line, "quantity": quantity}, **draft)
            [row] = desk.read_bill(bill)["lines"]
            assert (row["picked_batches"], row["picked_places"]) == (all_sent, there)
            assert desk.apply_action("auditorPass", bill).ok
            [row] = desk.read_bill(bill)["lines"]
            assert (row["picked_batches"], row["picked_places"]) == (came, there)
            receipts.append(bill)
        assert desk.apply_action("antiAuditor", receipts[1]).ok
        assert desk.read_bill(receipts[1])["lines"][0]["picked_batches"] == all_sent

    def test_a_return_of_consigned_goods_tells_which_come_back(
        self, desk: BillClient, places: dict[int, tuple[int, int]]
    ) -> None:
        lying = stock_two_batches(desk, places, desk.world.spares[24])
        [source] = desk.line_ids(desk.add_audited("consignment_sale", lying.line()))
        line = {"goods_id": lying.goods, "quantity": "4", "source_line_id": source}
        bill = desk.draft("consignment_return", line)
        assert desk.read_bill(bill)["lines"][0]["picked_batches"] == "0126×2、0226×3"
        assert desk.apply_action("auditorPass", bill).ok
        assert desk.read_bill(bill)["lines"][0]["picked_batches"] == "0126×2、0226×2"


class TestReading:
    @pytest.fixture(scope="class")
    def lying(self, desk: BillClient, places: dict[int, tuple[int, int]]) -> TwoBatchGoods:
        return stock_two_batches(desk, places, desk.world.spares[25])

    @pytest.fixture(scope="class")
    def bill(self, desk: BillClient, lying: TwoBatchGoods) -> SavedBill:
        return desk.add_audited("other_outbound", lying.line(), reason="领用")

    def test_the_details_of_bills_tell_it(
        self, desk: BillClient, lying: TwoBatchGoods, bill: SavedBill
    ) -> None:
        cls: Any = registry.get_resource("other_outbound_detail")
        found = desk.caller.get(f"{cls.declaration.api}/getList", goods_id=lying.goods, bill_no=bill.no)
        [row] = found.data["data"]
        assert read_pick(cls, row) == ("0126×2、0226×3", "{}×2、{}×3".format(*lying.places))

    def test_files_say_what_the_screen_says(
        self,
        desk: BillClient,
        lying: TwoBatchGoods,
        bill: SavedBill,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setenv("ERP_DATA_DIR", str(tmp_path))
        cls: Any = registry.get_resource("other_outbound_detail")
        asked = desk.caller.post(f"{cls.declaration.api}/export?bill_no={bill.no}")
        assert asked.ok, asked
        export_job.export_list(export_id=asked.data["export_id"])
        book = CalamineWorkbook.from_path(str(export_job.export_path(asked.data["export_id"])))
        heading, row, *_ = book.get_sheet_by_index(0).to_python()
        cells = dict(zip(heading, row, strict=True))
        assert (cells["批次"], cells["库位"]) == ("0126×2、0226×3", "{}×2、{}×3".format(*lying.places))

    def test_who_may_not_see_the_batch_is_not_told_it(
        self, site: Site, desk: BillClient, bill: SavedBill
    ) -> None:
        reader = BillClient(site, "manager_a")
        [row] = reader.read_bill(bill)["lines"]
        assert row["picked_batches"] == "0126×2、0226×3"
        denied = [{"screen": "other_outbound_line", "field": BATCH}]
        with changed_role(site.as_("admin"), site.world.role_manager_a, denied=denied):
            [row] = reader.read_bill(bill)["lines"]
            assert {row[name] for name in (BATCH, "batch", "picked_batches")} == {"无权限"}
            assert row["picked_places"].endswith("×3")
            listed = reader.caller.get("v2/inventory/OtherStorageDetail/getList", bill_no=bill.no).data[
                "data"
            ]
            assert [row[BATCH] for row in listed] == ["无权限"]
            assert "0126" not in str(listed)

    def test_many_lines_are_read_as_fast_as_one(self, desk: BillClient, bill: SavedBill) -> None:
        tube = desk.world.tube
        desk.stock_in(tube, 40, batch="0126", **EARLY)
        many = desk.add_audited("other_outbound", *[{"goods_id": tube, "quantity": "1"}] * 30, reason="领用")
        asked = []
        for one in (bill, many):
            desk.read_bill(one)
            with recorded_statements() as statements:
                rows = desk.read_bill(one)["lines"]
            assert all("0126" in row["picked_batches"] for row in rows)
            asked.append(len(statements))
        assert asked[0] == asked[1]
