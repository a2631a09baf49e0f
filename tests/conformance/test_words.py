"""Enumerations and messages of the specification, word for word."""

from __future__ import annotations

from api.kit.bills.orders import RECEIVING
from api.master.settings.business_types import CREDITED, DELIVERY_METHODS, PREPAID
from tests.support.fixtures import Site


def test_receiving_status() -> None:
    assert RECEIVING == {1: "待收货", 2: "全部收货", 3: "部分收货"}


def test_delivery_method() -> None:
    """1 goods first then payment; 2 payment first then goods."""
    assert (CREDITED, PREPAID) == (1, 2)
    assert DELIVERY_METHODS == {1: "先货后款", 2: "先款后货"}


def test_each_required_field_has_its_own_message(site: Site) -> None:
    answer = site.as_("admin").post("v2/sales/SalesOutstock/add", {"lines": []})
    told = {failure["msg"] for failure in answer.data["failures"]} if answer.data else {answer.msg}
    assert answer.code == 400
    assert {"请选择公司", "请选择客户", "请选择仓库", "请选择业务日期"} <= told


def test_library_goods_are_found_by_inventory_goods(site: Site) -> None:
    admin, world = site.as_("admin"), site.world
    body = {"company_id": world.company_a, "goods_id": world.spares[3]}
    key = admin.post("v2/system/CompanyGoods/add", body).data["id"]
    found = admin.get("open/Goods/getLibraryGoods", inventory_goods_id=key).data
    assert (found["goods_id"], found["goods_num"]) == (world.spares[3], "SPARE3")
    answer = admin.get("open/Goods/getLibraryGoods", inventory_goods_id=999_999_999)
    assert answer.code == 400
