"""What is said of a bill, in a refusal, a question, a reason or the log, is not said to who may not open it."""

from __future__ import annotations

import pytest
from sqlalchemy.exc import TimeoutError as PoolTimeout

from api.kit import registry
from api.kit.projection import MASK
from tests.identity.test_data_scope import exported
from tests.inventory.test_late_moves import counted, receipt
from tests.inventory.test_stock_freeze import freeze, issue
from tests.inventory.test_stock_freeze import told as refused_for
from tests.kit.desk import Books, Desk, Made
from tests.kit.fixtures import Site


def test_a_refusal_names_it_to_who_opens_it(site: Site) -> None:
    goods, desk, own = site.world.spares[20], Desk(site), Desk(site, "own_a")
    desk.stock_in(goods, 5)
    take = freeze(desk, goods)
    words = refused_for(take, 20)
    assert desk.act("auditorPass", issue(desk, goods)).msg == words
    answer = own.act("auditorPass", issue(own, goods))
    assert (answer.code, answer.msg) == (400, words.replace(take.no, MASK))
    assert take.no not in str(answer.data)


def test_a_failure_of_a_batch_does_not_either(site: Site) -> None:
    goods, free, desk, own = *site.world.spares[21:23], Desk(site), Desk(site, "own_a")
    desk.stock_in(goods, 5)
    desk.stock_in(free, 5)
    take = freeze(desk, goods)
    held, moved = issue(own, goods), issue(own, free)
    answer = own.act("auditorPass", held, moved)
    assert answer.data["success"] == [moved.id]
    [row] = answer.data["failures"]
    assert (row["serial"], row["msg"]) == (held.no, refused_for(take, 21).replace(take.no, MASK))
    assert take.no not in str(answer.data)


def test_a_question_and_the_log_that_it_was_answered(site: Site, books: Books) -> None:
    goods, desk, own = site.world.spares[23], Desk(site), Desk(site, "own_a")
    desk.stock_in(goods, 5)
    take, late = counted(desk, goods), receipt(own, goods)
    asked = own.act("auditorPass", late)
    assert asked.code == 363
    assert f"盘点单{MASK}（2026-03-10，备件23 +7）" in asked.msg
    assert take.no not in str(asked.data)
    assert own.act("auditorPass", late, counted=True).ok
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


def test_reasons_name_no_bill(site: Site, books: Books) -> None:
    goods, other, desk = *site.world.spares[24:26], Desk(site)
    desk.stock_in(goods, 5)
    desk.stock_in(other, 5)
    counted(desk, goods)
    counted(desk, other)
    late = receipt(desk, other)
    assert desk.act("auditorPass", late, counted=True).ok
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
        assert registry.get(name).field("purchase_allocation_no").bill


@pytest.fixture
def foreign(site: Site) -> Made:
    """A bill that is not own_a's."""
    return Desk(site).draft("sales_order", {"goods_id": site.world.oil, "quantity": "1", "price": "9"})


def noted(site: Site, remark: str) -> tuple[Desk, Made]:
    """A bill of own_a's that somebody else wrote a remark into."""
    own = Desk(site, "own_a")
    made = own.draft("sales_order", {"goods_id": site.world.oil, "quantity": "1", "price": "9"})
    with site.engine.begin() as conn:
        conn.exec_driver_sql("update sales_order set remark = %s where bill_id = %s", (remark, made.id))
    return own, made


@pytest.mark.parametrize("words", ["见{}", "一\n{}\n二", "（{}）和其他", "{}-{}"])
def test_a_remark_that_names_one_stays_as_it_is(site: Site, foreign: Made, words: str) -> None:
    """It is read as 无权限, and saving what was read writes nothing over it."""
    remark = words.format(foreign.no, foreign.no)
    own, made = noted(site, remark)
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
    theirs = Desk(site).draft("sales_order", {"goods_id": site.world.oil, "quantity": "1", "price": "9"})
    assert theirs.no.startswith("ZQ")
    own, made = noted(site, f"同{theirs.no}")
    assert made.no.startswith("ZQ")
    found = own.caller.get(own.path("sales_order", "getInfo"), id=made.id).data
    assert (found["bill_no"], found["remark"]) == (made.no, MASK)


def test_a_file_says_as_little(site: Site, foreign: Made) -> None:
    cls = registry.get("sales_order")
    _own, made = noted(site, f"随{foreign.no}送")
    heading, *rows = exported(site, "own_a", cls)
    found = {row[heading.index("单据号")]: row[heading.index("备注")] for row in rows}
    assert found[made.no] == MASK


def test_a_refusal_stands_where_it_cannot_be_noted(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    goods, desk, own = site.world.spares[26], Desk(site), Desk(site, "own_a")
    desk.stock_in(goods, 5)
    freeze(desk, goods)
    bill = issue(own, goods)

    def gone(*_args: object) -> None:
        raise PoolTimeout

    monkeypatch.setattr("api.kit.idempotency.spend", gone)
    answer = own.act("auditorPass", bill)
    assert (answer.code, answer.msg) == (400, "操作被拒绝，原因暂时无法给出，请稍后重试")
