"""What was picked 拣货: an audited line tells of which batches and from which locations its goods were taken."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest
from python_calamine import CalamineWorkbook

from api import catalogue
from api.kit import registry
from api.kit.document import Bill, Block, Child
from api.shell import export_job
from tests.kit.bills import BILLS
from tests.kit.desk import Desk, Made
from tests.kit.fixtures import Site
from tests.kit.payloads import payload_of
from tests.kit.roles import holding
from tests.kit.rules_of_types import holds_for
from tests.kit.statements import noted

assert catalogue.__all__
BATCH, PLACE = "batch_id", "allocation_id"
EARLY = {"business_date": "2026-01-05"}


def block_of(cls: type[Bill]) -> Block | None:
    """The lines of a bill that say of which batch goods are taken, or leave it open."""
    blocks = cls.bill.blocks if cls.bill else ()
    return next((one for one in blocks if any(item.told_by for item in one.cls.fields())), None)


TAKING = [cls for cls in BILLS if block_of(cls)]
taking = holds_for(TAKING)


class Lying(NamedTuple):
    """Goods of which 2 lie under 0126 at one location and 3 under 0226 at another."""

    goods: int
    places: tuple[str, str]

    def line(self, quantity: str = "5", **more: Any) -> dict[str, Any]:
        return {"goods_id": self.goods, "quantity": quantity, "price": "120", **more}


@pytest.fixture(scope="module")
def places(desk: Desk) -> dict[int, tuple[int, int]]:
    """Two locations of each warehouse, made where asked for."""
    return {}


def lay(desk: Desk, places: dict[int, tuple[int, int]], goods: int, warehouse: int | None = None) -> Lying:
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
        desk.audited(resource, line, warehouse_id=warehouse, **EARLY)
    return Lying(goods, names)


def told(lines: type[Any], row: dict[str, Any]) -> tuple[Any, Any]:
    """What a line says of its batch and its location."""
    return lines.field(BATCH).read(row), lines.field(PLACE).read(row)


def test_every_line_that_takes_goods_tells_which() -> None:
    blocks = [block for cls in BILLS if cls.bill for block in cls.bill.blocks]
    moving = {one.cls for one in blocks if issubclass(one.cls, Child) and one.cls.moves in ("out", "through")}
    telling = {cls for cls in moving if any(item.name == "picked_batches" for item in cls.fields())}
    assert telling == moving
    assert len(TAKING) >= 13


@taking
def test_what_the_audit_picked_is_told_while_it_stands(
    desk: Desk, places: dict[int, tuple[int, int]], cls: type[Bill]
) -> None:
    block = block_of(cls)
    assert block
    body = payload_of(cls, desk.world)
    lying = lay(desk, places, desk.world.spares[TAKING.index(cls)], body["warehouse_id"])
    row = body[block.name][0]
    body[block.name] = [{**row, "goods_id": lying.goods, "quantity": "5", BATCH: None, PLACE: None}]
    answer = desk.caller.post(f"{cls.declaration.api}/add", body)
    assert answer.ok, answer
    bill = Made(cls.name(), answer.data["id"], answer.data["bill_no"])
    both = ("0126×2、0226×3", "{}×2、{}×3".format(*lying.places))
    for action, expected in (("", (None, None)), ("auditorPass", both), ("antiAuditor", (None, None))):
        if action:
            answer = desk.act(action, bill, confirmed=True)
            assert answer.ok, answer
        [row] = desk.info(bill)[block.name]
        assert told(block.cls, row) == expected, action
        assert (row[BATCH], row[PLACE]) == (None, None), "what was typed stays as it was"


class TestText:
    def test_what_was_typed_is_told_before_the_audit_and_after(
        self, desk: Desk, places: dict[int, tuple[int, int]]
    ) -> None:
        lying = lay(desk, places, desk.world.spares[20])
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
        lines = registry.get("sales_outbound").blocks()[0].cls
        assert told(lines, desk.info(bill)["lines"][0]) == ("0226", lying.places[1])
        assert desk.act("auditorPass", bill).ok
        assert told(lines, desk.info(bill)["lines"][0]) == ("0226", lying.places[1])

    def test_one_batch_stands_without_its_quantity(
        self, desk: Desk, places: dict[int, tuple[int, int]]
    ) -> None:
        lying = lay(desk, places, desk.world.spares[21])
        bill = desk.audited("sales_outbound", lying.line("1.5"))
        lines = registry.get("sales_outbound").blocks()[0].cls
        assert told(lines, desk.info(bill)["lines"][0]) == ("0126", lying.places[0])

    def test_goods_without_a_batch_are_told_beside_others(
        self, desk: Desk, places: dict[int, tuple[int, int]]
    ) -> None:
        goods = desk.world.spares[22]
        desk.stock_in(goods, 4, business_date="2026-01-04")
        lying = lay(desk, places, goods)
        # The week of 0126 is older than what has no batch, that of 0226 is younger.
        bill = desk.audited("sales_outbound", *(lying.line("3") for _ in range(3)))
        lines = registry.get("sales_outbound").blocks()[0].cls
        assert [told(lines, row) for row in desk.info(bill)["lines"]] == [
            ("0126×2、无批次×1", f"{lying.places[0]}×2、无库位×1"),
            (None, None),
            ("0226", lying.places[1]),
        ]


class TestReceipt:
    def test_a_transfers_receipt_tells_what_was_sent_and_then_what_came(
        self, desk: Desk, places: dict[int, tuple[int, int]]
    ) -> None:
        lying = lay(desk, places, desk.world.spares[23])
        sent = desk.audited("transfer_out", lying.line(), to_warehouse_id=desk.world.warehouse2_a)
        all_sent, there = "0126×2、0226×3", "{}×2、{}×3".format(*lying.places)
        receipts = []
        for quantity, came in (("3", "0126×2、0226×1"), ("2", "0226")):
            draft = desk.caller.get(desk.path("transfer_in", "getDraft"), id=sent.id).data
            [line] = draft.pop("lines")
            assert (line["picked_batches"], line["picked_places"]) == (all_sent, there)
            bill = desk.draft("transfer_in", {**line, "quantity": quantity}, **draft)
            [row] = desk.info(bill)["lines"]
            assert (row["picked_batches"], row["picked_places"]) == (all_sent, there)
            assert desk.act("auditorPass", bill).ok
            [row] = desk.info(bill)["lines"]
            assert (row["picked_batches"], row["picked_places"]) == (came, there)
            receipts.append(bill)
        assert desk.act("antiAuditor", receipts[1]).ok
        assert desk.info(receipts[1])["lines"][0]["picked_batches"] == all_sent

    def test_a_return_of_consigned_goods_tells_which_come_back(
        self, desk: Desk, places: dict[int, tuple[int, int]]
    ) -> None:
        lying = lay(desk, places, desk.world.spares[24])
        [source] = desk.line_ids(desk.audited("consignment_sale", lying.line()))
        line = {"goods_id": lying.goods, "quantity": "4", "source_line_id": source}
        bill = desk.draft("consignment_return", line)
        assert desk.info(bill)["lines"][0]["picked_batches"] == "0126×2、0226×3"
        assert desk.act("auditorPass", bill).ok
        assert desk.info(bill)["lines"][0]["picked_batches"] == "0126×2、0226×2"


class TestReading:
    @pytest.fixture(scope="class")
    def lying(self, desk: Desk, places: dict[int, tuple[int, int]]) -> Lying:
        return lay(desk, places, desk.world.spares[25])

    @pytest.fixture(scope="class")
    def bill(self, desk: Desk, lying: Lying) -> Made:
        return desk.audited("other_outbound", lying.line(), reason="领用")

    def test_the_details_of_bills_tell_it(self, desk: Desk, lying: Lying, bill: Made) -> None:
        cls: Any = registry.get("other_outbound_detail")
        found = desk.caller.get(f"{cls.declaration.api}/getList", goods_id=lying.goods, bill_no=bill.no)
        [row] = found.data["data"]
        assert told(cls, row) == ("0126×2、0226×3", "{}×2、{}×3".format(*lying.places))

    def test_files_say_what_the_screen_says(
        self, desk: Desk, lying: Lying, bill: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("ERP_DATA_DIR", str(tmp_path))
        cls: Any = registry.get("other_outbound_detail")
        asked = desk.caller.post(f"{cls.declaration.api}/export?bill_no={bill.no}")
        assert asked.ok, asked
        export_job.export(export_id=asked.data["export_id"])
        book = CalamineWorkbook.from_path(str(export_job.file_of(asked.data["export_id"])))
        heading, row, *_ = book.get_sheet_by_index(0).to_python()
        cells = dict(zip(heading, row, strict=True))
        assert (cells["批次"], cells["库位"]) == ("0126×2、0226×3", "{}×2、{}×3".format(*lying.places))

    def test_who_may_not_see_the_batch_is_not_told_it(self, site: Site, desk: Desk, bill: Made) -> None:
        reader = Desk(site, "manager_a")
        [row] = reader.info(bill)["lines"]
        assert row["picked_batches"] == "0126×2、0226×3"
        denied = [{"screen": "other_outbound_line", "field": BATCH}]
        with holding(site.as_("admin"), site.world.role_manager_a, denied=denied):
            [row] = reader.info(bill)["lines"]
            assert {row[name] for name in (BATCH, "batch", "picked_batches")} == {"无权限"}
            assert row["picked_places"].endswith("×3")
            listed = reader.caller.get("v2/inventory/OtherStorageDetail/getList", bill_no=bill.no).data[
                "data"
            ]
            assert [row[BATCH] for row in listed] == ["无权限"]
            assert "0126" not in str(listed)

    def test_many_lines_are_read_as_fast_as_one(self, desk: Desk, bill: Made) -> None:
        tube = desk.world.tube
        desk.stock_in(tube, 40, batch="0126", **EARLY)
        many = desk.audited("other_outbound", *[{"goods_id": tube, "quantity": "1"}] * 30, reason="领用")
        asked = []
        for one in (bill, many):
            desk.info(one)
            with noted() as statements:
                rows = desk.info(one)["lines"]
            assert all("0126" in row["picked_batches"] for row in rows)
            asked.append(len(statements))
        assert asked[0] == asked[1]
