"""What is said of a bill, in a refusal, a question, a reason or the log, is not said to who may not open it."""

from __future__ import annotations

from api.kit import registry
from api.kit.projection import MASK
from tests.inventory.test_late_moves import counted, receipt
from tests.inventory.test_stock_freeze import freeze, issue
from tests.inventory.test_stock_freeze import told as refused_for
from tests.kit.desk import Books, Desk
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
    assert take.no not in logs["own_a"]
    assert "备件23" not in logs["own_a"]
    assert MASK in logs["own_a"]


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
