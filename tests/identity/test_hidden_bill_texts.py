"""Texts about a bill (refusals, questions, reasons, logs) are hidden from users who may not open it."""

from __future__ import annotations

import io
import json
from types import SimpleNamespace
from typing import Any

import openpyxl
import orjson
import pytest
from sqlalchemy.exc import TimeoutError as PoolTimeout

from api.exporting import report_job
from api.kit.declaration import registry
from api.kit.storage.projection import MASK
from api.shell.files import export_job
from tests.identity.test_data_scope import export_rows
from tests.inventory.test_late_moves import audit_stock_take, draft_receipt
from tests.inventory.test_stock_freeze import build_message as refused_for
from tests.inventory.test_stock_freeze import draft_freeze, draft_issue
from tests.reporting.report_files import read_cells
from tests.support.bill_client import BillClient, PostingReader, SavedBill
from tests.support.fixtures import Site
from tests.support.payloads import payload_of


def test_a_refusal_names_it_to_who_opens_it(site: Site) -> None:
    goods, desk, own = site.world.spares[20], BillClient(site), BillClient(site, "own_a")
    desk.stock_in(goods, 5)
    take = draft_freeze(desk, goods)
    words = refused_for(take, 20)
    assert desk.apply_action("auditorPass", draft_issue(desk, goods)).msg == words
    answer = own.apply_action("auditorPass", draft_issue(own, goods))
    assert (answer.code, answer.msg) == (400, words.replace(take.no, MASK))
    assert take.no not in str(answer.data)


def test_a_failure_of_a_batch_does_not_either(site: Site) -> None:
    goods, free, desk, own = *site.world.spares[21:23], BillClient(site), BillClient(site, "own_a")
    desk.stock_in(goods, 5)
    desk.stock_in(free, 5)
    take = draft_freeze(desk, goods)
    held, moved = draft_issue(own, goods), draft_issue(own, free)
    answer = own.apply_action("auditorPass", held, moved)
    assert answer.data["success"] == [moved.id]
    [row] = answer.data["failures"]
    assert (row["serial"], row["msg"]) == (held.no, refused_for(take, 21).replace(take.no, MASK))
    assert take.no not in str(answer.data)


def test_a_question_and_the_log_that_it_was_answered(site: Site, books: PostingReader) -> None:
    goods, desk, own = site.world.spares[23], BillClient(site), BillClient(site, "own_a")
    desk.stock_in(goods, 5)
    take, late = audit_stock_take(desk, goods), draft_receipt(own, goods)
    asked = own.apply_action("auditorPass", late)
    assert asked.code == 363
    assert f"盘点单{MASK}（2026-03-10，备件23 +7）" in asked.msg
    assert take.no not in str(asked.data)
    assert own.apply_action("auditorPass", late, counted=True).ok
    path = own.path("other_inbound", "getLog")
    logs = {user: str(site.as_(user).get(path, id=late.id).data) for user in ("manager_a", "own_a")}
    assert take.no in logs["manager_a"]
    entries = {
        user: str(list(site.as_(user).get("v2/system/BusinessLog/getPage", per_page=9).data["data"]))
        for user in ("manager_a", "own_a")
    }
    assert take.no in entries["manager_a"]
    for told in (logs["own_a"], entries["own_a"]):
        assert take.no not in told
        assert "备件23" not in told
        assert MASK in told


def test_reasons_name_no_bill(site: Site, books: PostingReader) -> None:
    goods, other, desk = *site.world.spares[24:26], BillClient(site)
    desk.stock_in(goods, 5)
    desk.stock_in(other, 5)
    audit_stock_take(desk, goods)
    audit_stock_take(desk, other)
    late = draft_receipt(desk, other)
    assert desk.apply_action("auditorPass", late, counted=True).ok
    told = books.rows(
        "select distinct d.reason from stock_surplus d join stock_surplus_line l using (bill_id)"
        " where l.goods_id = any(%s) union select distinct d.reason from stock_loss d"
        " join stock_loss_line l using (bill_id) where l.goods_id = any(%s) order by 1",
        [goods, other],
        [goods, other],
    )
    assert [reason for (reason,) in told] == ["其他入库已盘在盘点单内", "盘点差异"]


def test_the_allocation_that_made_a_bill(site: Site) -> None:
    """As every number of another bill."""
    for name in ("transfer_out", "sales_transfer"):
        assert registry.get_resource(name).field("purchase_allocation_no").bill


@pytest.fixture
def foreign(site: Site) -> SavedBill:
    """A bill that is not own_a's."""
    return BillClient(site).draft("sales_order", {"goods_id": site.world.oil, "quantity": "1", "price": "9"})


def create_remarked_bill(site: Site, remark: str) -> tuple[BillClient, SavedBill]:
    """Create a bill of own_a and write a remark of somebody else into it."""
    own = BillClient(site, "own_a")
    made = own.draft("sales_order", {"goods_id": site.world.oil, "quantity": "1", "price": "9"})
    with site.engine.begin() as conn:
        conn.exec_driver_sql("update sales_order set remark = %s where bill_id = %s", (remark, made.id))
    return own, made


@pytest.mark.parametrize("words", ["见{}", "一\n{}\n二", "（{}）和其他", "{}-{}"])
def test_a_remark_that_names_one_stays_as_it_is(site: Site, foreign: SavedBill, words: str) -> None:
    """It is read as 无权限, and saving what was read writes nothing over it."""
    remark = words.format(foreign.no, foreign.no)
    own, made = create_remarked_bill(site, remark)
    read = own.caller.get(own.path("sales_order", "getInfo"), id=made.id).data
    assert read["remark"] == MASK
    assert own.caller.post(own.path("sales_order", "edit"), {**read, "id": made.id}).ok
    manager = site.as_("manager_a").get(own.path("sales_order", "getInfo"), id=made.id).data
    assert manager["remark"] == remark


def test_a_number_of_another_make(site: Site) -> None:
    """Whatever prefix the group chose since."""
    template = {
        "bill_type": "XSDD",
        "prefix": "ZQ",
        "with_company": False,
        "date_form": 1,
        "digits": 5,
        "reset": 1,
    }
    assert site.as_("admin").post("v2/system/BillBusinessSnTemplate/save", template).ok
    theirs = BillClient(site).draft(
        "sales_order", {"goods_id": site.world.oil, "quantity": "1", "price": "9"}
    )
    assert theirs.no.startswith("ZQ")
    own, made = create_remarked_bill(site, f"同{theirs.no}")
    assert made.no.startswith("ZQ")
    found = own.caller.get(own.path("sales_order", "getInfo"), id=made.id).data
    assert (found["bill_no"], found["remark"]) == (made.no, MASK)


def test_a_file_says_as_little(site: Site, foreign: SavedBill) -> None:
    cls = registry.get_resource("sales_order")
    _own, made = create_remarked_bill(site, f"随{foreign.no}送")
    heading, *rows = export_rows(site, "own_a", cls)
    found = {row[heading.index("单据号")]: row[heading.index("备注")] for row in rows}
    assert found[made.no] == MASK


@pytest.fixture
def converted(site: Site) -> list[SavedBill]:
    """Two conversions of a keeper's warehouse, whose reasons name bills of another's."""
    desk, world = BillClient(site), site.world
    body = payload_of(registry.get_resource("stock_conversion"), world)  # type: ignore[arg-type]
    for line in body["inputs"]:
        line["allocation_id"] = None
        desk.stock_in(line["goods_id"], 100, warehouse_id=world.warehouse_a, business_date="2026-01-02")
    path = desk.path("stock_conversion", "add")
    added = [desk.caller.post(path, body).data for _ in range(2)]
    made = [SavedBill("stock_conversion", one["id"], one["bill_no"]) for one in added]
    assert desk.apply_action("auditorPass", *made).ok
    order = {"goods_id": world.oil, "quantity": "1", "price": "9"}
    theirs = [desk.draft("sales_order", order, warehouse_id=world.warehouse2_a) for _ in made]
    with site.engine.begin() as conn:
        for bill, other in zip(made, theirs, strict=True):
            words = f"随{other.no}转换"
            conn.exec_driver_sql(
                "update stock_conversion set reason = %s where bill_id = %s", (words, bill.id)
            )
    return theirs


@pytest.mark.parametrize("form", ["detail", "pivot", "pdf"])
def test_a_reports_file_says_as_little(
    site: Site, converted: list[SavedBill], form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor does it add up to one what are two."""
    printed: list[Any] = []
    monkeypatch.setattr(
        "api.printing.typst_renderer.render_pdf", lambda _, sheets: printed.append(sheets) or b""
    )

    def take_file(user: str) -> str:
        asked = {"code": "conversiondetail", "tab": "all", "form": form}
        if form == "pivot":
            asked |= {"rows": ["reason"], "metrics": ["output_quantity"]}
        answer = site.as_(user).post("v2/report/Frame/export", asked)
        assert answer.ok, answer
        report_job.export_report(export_id=answer.data["export_id"])
        if form == "pdf":
            return json.dumps(printed.pop()[0]["tables"], ensure_ascii=False)
        file = export_job.export_path(answer.data["export_id"])
        return json.dumps(read_cells(file), ensure_ascii=False, default=str)

    manager, keeper = take_file("manager_a"), take_file("keeper_a")
    assert all(f"随{one.no}转换" in manager for one in converted)
    assert MASK not in manager
    assert not any(one.no in keeper for one in converted)
    assert keeper.count(MASK) == manager.count("随") >= 2


def test_a_count_sheet_says_as_little(site: Site) -> None:
    desk, world = BillClient(site), site.world
    desk.stock_in(world.spares[30], 4, warehouse_id=world.warehouse_a)
    order = {"goods_id": world.oil, "quantity": "1", "price": "9"}
    theirs = desk.draft("sales_order", order, warehouse_id=world.warehouse2_a)
    take = desk.draft("stock_take", {"goods_id": world.spares[30]}, warehouse_id=world.warehouse_a)
    with site.engine.begin() as conn:
        words = f"随{theirs.no}点", take.id
        conn.exec_driver_sql("update stock_take_line set remark = %s where bill_id = %s", words)

    def remark(user: str) -> Any:
        sheet = site.as_(user).raw("GET", "v2/inventory/StockTaking/getCountSheet", query={"id": take.id})
        heading, row = openpyxl.load_workbook(io.BytesIO(sheet.content)).worksheets[0].values
        return row[heading.index("备注")]

    assert (remark("manager_a"), remark("keeper_a")) == (f"随{theirs.no}点", MASK)


def test_an_answer_that_hides_nothing_is_written_once(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """And read again where it hides something."""
    _own, made = create_remarked_bill(site, "急")
    path, read = BillClient(site).path("sales_order", "getInfo"), list[bytes]()

    def loads(written: bytes) -> Any:
        read.append(written)
        return json.loads(written)

    monkeypatch.setattr("api.kit.http.routing.orjson", SimpleNamespace(loads=loads, Fragment=orjson.Fragment))
    told = site.as_("own_a").get(path, id=made.id)
    assert (told.data["remark"], told.data["bill_no"], read) == ("急", made.no, [])
    theirs = BillClient(site).draft(
        "sales_order", {"goods_id": site.world.oil, "quantity": "1", "price": "9"}
    )
    _own, made = create_remarked_bill(site, f"见{theirs.no}")
    read.clear()
    assert site.as_("own_a").get(path, id=made.id).data["remark"] == MASK
    assert len(read) == 1


def test_a_refusal_stands_where_it_cannot_be_noted(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    goods, desk, own = site.world.spares[26], BillClient(site), BillClient(site, "own_a")
    desk.stock_in(goods, 5)
    draft_freeze(desk, goods)
    bill = draft_issue(own, goods)

    def gone(*_args: object) -> None:
        raise PoolTimeout

    monkeypatch.setattr("api.kit.storage.idempotency.spend_signature", gone)
    answer = own.apply_action("auditorPass", bill)
    assert (answer.code, answer.msg) == (400, "操作被拒绝，原因暂时无法给出，请稍后重试")
