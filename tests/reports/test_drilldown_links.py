"""What a table's links are made to say: the board's filters, the row's names, what a dataset is limited to."""

from __future__ import annotations

import html
import re
from typing import Any
from urllib.parse import parse_qsl, quote

import duckdb

from reports.catalogue import find_report
from reports.semantics.dashboards import PLAIN
from reports.semantics.datasets import Dataset
from reports.superset import drilldown_links
from reports.superset.drilldown_links import add_drilldown_filters

HREF = re.compile(r'<a target="_top" href="([^"?]+)\?([^"]*)">\w+</a>')


def find_dataset(code: str, tab: str = "all") -> Dataset:
    board = find_report(code).tab(tab).board(PLAIN)
    return board.dataset(board.chart("detail").dataset)


def follow_links(
    snapshot: duckdb.DuckDBPyConnection, data: Dataset, row: dict[str, Any], **chosen: list[Any]
) -> dict[str, dict[str, str]]:
    """Return the pages that a row leads to, and their parameters."""
    conditions = [{"col": name, "op": "IN", "val": values} for name, values in chosen.items()]

    def read(sql: str) -> list[dict[str, Any]]:
        answer = snapshot.sql(sql)
        return [dict(zip(answer.columns, values, strict=True)) for values in answer.fetchall()]

    [told] = add_drilldown_filters([row], data, conditions, read)
    found = {
        name: HREF.fullmatch(told[name]) for name in told if told[name] and data.column(name).kind == "link"
    }
    return {
        at[1]: dict(parse_qsl(html.unescape(at[2]), keep_blank_values=True)) for at in found.values() if at
    }


SALES, BOUGHT = "/report/salesdetrpt", "/report/purchasedetrpt"
OF_GOODS = {
    "goods_num": "G001",
    "detail_link": f'<a target="_top" href="{SALES}?goods_id=1&amp;goods_id__label=G001">销售明细</a>',
}


def test_a_list_is_asked_for_what_the_board_is_filtered_by(snapshot):
    data = find_dataset("CommodityProfit")
    row = OF_GOODS | {"brand_name": "米其林"}
    own = {"goods_id": "1", "goods_id__label": "G001"}
    brand = {"brand_id": "1", "brand_id__label": "米其林"}
    assert follow_links(snapshot, data, row) == {SALES: own | brand}
    asked = follow_links(snapshot, data, row, company_name=["苏州公司"], goods_num=["G001", "G002"])
    assert asked == {SALES: own | brand | {"company_id": "2", "company_id__label": "苏州公司"}}
    both = follow_links(snapshot, data, row, company_name=["苏州公司", "上海公司"])[SALES]
    assert (both["company_id"], both["company_id__label"]) == ("1,2", '["上海公司", "苏州公司"]')


def test_an_address_says_no_more_than_it_carries_and_tells_so(snapshot, monkeypatch):
    data, row = find_dataset("CommodityProfit"), OF_GOODS | {"brand_name": "米其林"}
    whole = "goods_id=1&goods_id__label=G001&brand_id=1&brand_id__label=" + quote("米其林")
    chosen = [{"col": "company_name", "op": "IN", "val": ["苏州公司", "上海公司"]}]
    monkeypatch.setattr(drilldown_links, "LONGEST", len(html.escape(whole)))

    def read(sql: str) -> list[dict[str, Any]]:
        answer = snapshot.sql(sql)
        return [dict(zip(answer.columns, values, strict=True)) for values in answer.fetchall()]

    [told] = add_drilldown_filters([row], data, [], read)
    assert told["detail_link"] == f'<a target="_top" href="{SALES}?{html.escape(whole)}">销售明细</a>'
    [told] = add_drilldown_filters(
        [row], data, [*chosen, {"col": "brand_name", "op": "==", "val": "米其林"}], read
    )
    assert f'title="{drilldown_links.TOO_MANY}"' in told["detail_link"]
    assert len(re.search('[?]([^"]*)"', told["detail_link"])[1]) <= drilldown_links.LONGEST


def test_of_a_filter_what_the_row_is_of_counts(snapshot):
    asked = follow_links(
        snapshot,
        find_dataset("CommodityProfit"),
        OF_GOODS | {"brand_name": "玲珑"},
        brand_name=["玲珑", "博世"],
    )
    assert asked[SALES]["brand_id"] == "2"


def test_a_row_of_a_warehouse_leads_to_the_warehouse(snapshot):
    link = f'<a target="_top" href="{BOUGHT}?company_id=1&amp;company_id__label=x">采购明细</a>'
    for name, key in (("上海中心仓", "11"), ("上海残次仓", "12")):
        row = {"company_name": "上海公司", "warehouse_name": name, "detail_link": link}
        assert (
            follow_links(snapshot, find_dataset("inPurchasingAnalysisTable"), row)[BOUGHT]["warehouse_id"]
            == key
        )


def test_kinds_are_asked_for_by_the_highest_that_is_whole(snapshot):
    """Of three kinds called alike below different ones the one below what is chosen too."""
    data = find_dataset("CommodityProfit")

    def kind(**chosen: list[str]) -> str:
        return follow_links(snapshot, data, OF_GOODS, **chosen)[SALES]["goods_type_id"]

    assert kind(type1_name=["轿车胎"]) == "11"
    assert kind(type1_name=["轿车胎", "配件"]) == "11,13"
    assert kind(type2_name=["二级"]) == "21,22,23"
    assert kind(type1_name=["配件"], type2_name=["二级"]) == "23"


def test_who_names_nobody_is_asked_for_as_nobody(snapshot):
    data = find_dataset("CustomerProfit")
    link = f'<a target="_top" href="{SALES}?customer_id=20">销售明细</a>'
    for chosen, keys in ((["未指定"], "-1"), (["张伟"], "1"), (["张伟", "未指定"], "1,-1")):
        assert (
            follow_links(snapshot, data, {"detail_link": link}, employee_name=chosen)[SALES]["employee_id"]
            == keys
        )


def test_what_a_report_is_limited_to_its_lists_are_too(snapshot):
    """Both companies of the snapshot are stations."""
    data = find_dataset("stationProfitAnalysis", "classified")
    link = f'<a target="_top" href="{SALES}?goods_type_id=31">销售明细</a>'
    assert follow_links(snapshot, data, {"detail_link": link})[SALES]["company_id"] == "1,2"
    one = follow_links(snapshot, data, {"detail_link": link}, company_name=["苏州公司"])
    assert one[SALES]["company_id"] == "2"


def test_a_report_is_asked_for_by_its_own_filters(snapshot):
    data = find_dataset("BestSeller")
    page = "/report/BestSellerInfo"
    row = {"goods_num": "G001", "detail_link": f'<a target="_top" href="{page}?goods_num=G001">查看单据</a>'}
    chosen = {"company_name": ["上海公司", "苏州公司"], "period_label": ["近7天"], "type1_name": ["轿车胎"]}
    told = {"company": '["上海公司", "苏州公司"]', "period": "近7天", "type": "轿车胎"}
    assert follow_links(snapshot, data, row, **chosen) == {page: {"goods_num": "G001"} | told}


def test_bills_are_asked_for_by_themselves(snapshot):
    row = {
        "company_name": "上海公司",
        "detail_link": '<a target="_top" href="/sales/salesamend?id=7">单据</a>',
    }
    assert follow_links(snapshot, find_dataset("BestSellerInfo"), row) == {"/sales/salesamend": {"id": "7"}}
