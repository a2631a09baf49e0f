"""Records of one name: figures are grouped and filtered by record, and labels tell the records apart."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from api.reporting.snapshot.snapshot_connection import open_snapshot
from tests.reporting.frame_client import FrameClient
from tests.reporting.namesakes import KIND, NAME, SHOP, TEAM, TYRE, Namesakes
from tests.reporting.report_client import fetch_rows
from tests.support.bill_client import BillClient


def key_by_label(namesakes: Namesakes) -> Mapping[str, dict[str, int]]:
    """Return the keys of records by their labels."""
    people, goods = namesakes.people, namesakes.goods
    return {
        "employee": {
            f"{NAME}（{mark}分公司，编号{key}）": key
            for mark, keys in (("A", people[:2]), ("B", people[2:]))
            for key in keys
        },
        "department": _of_companies(TEAM, namesakes.teams),
        "customer": _of_companies(SHOP, namesakes.shops),
        "goods_type": {
            f"{KIND}（{above}）": key for above, key in zip(("轮胎", "配件"), namesakes.kinds, strict=True)
        },
        "goods": {f"{TYRE}（NS{number}）": goods[number] for number in (0, 1)},
    }


def _of_companies(name: str, keys: list[int]) -> dict[str, int]:
    return {f"{name}（{mark}分公司）": key for mark, key in zip("AB", keys, strict=True)}


def query_sales(namesakes: Namesakes, key: str, figure: str = "revenue") -> dict[int, float]:
    """Return the revenue or profit of this month by a key, from the lines of bills."""
    sql = f"""
        select {key}, cast(sum({"revenue - cost" if figure == "profit" else figure}) as double)
        from facts.fct_sales_line join dim_goods using (goods_id)
        where business_date >= ? and business_date <= (select as_of from refreshed_at) group by 1
    """
    with open_snapshot() as source:
        found = source.exec_driver_sql(sql, (namesakes.now.replace(day=1),)).all()
    return dict(found)  # type: ignore[arg-type]


CHARTS = (
    ("OperatingRevenue", "employees", "employee_name", "revenue", "employee"),
    ("OperatingRevenue", "departments", "department_name", "revenue", "department"),
    ("CustomerProfit", "customers", "customer_name", "profit", "customer"),
    ("CustomerProfit", "employees", "employee_name", "revenue", "employee"),
    ("ClassifiedProfit", "second", "type2_name", "revenue", "goods_type"),
)


@pytest.mark.parametrize(("code", "chart", "name", "figure", "of"), CHARTS)
def test_bars_are_of_one_each(
    frames: FrameClient, namesakes: Namesakes, code: str, chart: str, name: str, figure: str, of: str
) -> None:
    drawn = frames.fetch_rows(code, chart, "days", this_month(namesakes))
    assert len({row[name] for row in drawn}) == len(drawn)
    found = {row[name]: row[figure] for row in drawn}
    right = query_sales(namesakes, f"{of}_id", figure)
    assert {name: found.get(name, 0) for name in key_by_label(namesakes)[of]} == {
        name: pytest.approx(right.get(key, 0)) for name, key in key_by_label(namesakes)[of].items()
    }
    assert len({*found} & {*key_by_label(namesakes)[of]}) >= 2


def this_month(namesakes: Namesakes) -> str:
    """Its days in the words of filters."""
    return f"{namesakes.now.replace(day=1)} : {namesakes.now + timedelta(days=1)}"


def test_a_filter_is_of_one(frames: FrameClient, namesakes: Namesakes) -> None:
    month, right = f"{namesakes.now:%Y-%m}", query_sales(namesakes, "employee_id")
    for name, key in key_by_label(namesakes)["employee"].items():
        found = frames.fetch_rows("OperatingRevenue", month_label=month, employee_name=name)
        assert {row["employee_name"] for row in found} <= {name}
        assert sum(row["revenue"] for row in found) == pytest.approx(right.get(key, 0))


def test_goods_say_their_number_where_the_name_is_shared(frames: FrameClient, namesakes: Namesakes) -> None:
    found = frames.fetch_rows("CommodityProfit", month_label=f"{namesakes.now:%Y-%m}")
    names = {row["goods_num"]: row["goods_name"] for row in found}
    assert names["NS0"] == f"{TYRE}（NS0）" and names["NS2"] == "滤芯"
    bars = frames.fetch_rows("CommodityProfit", "goods", month_label=f"{namesakes.now:%Y-%m}")
    assert f"NS0 {TYRE}" in {row["goods_label"] for row in bars}


@pytest.mark.parametrize(("grouping", "of"), [("3", "employee"), ("2", "department"), ("4", "customer")])
def test_lists_say_which_it_is(desk: BillClient, namesakes: Namesakes, grouping: str, of: str) -> None:
    month = {"day_start": f"{namesakes.now:%Y-%m}-01", "day_end": str(namesakes.now)}
    found = fetch_rows(desk, "v2/report/SalesSummary", grouping=grouping, **month)
    right = query_sales(namesakes, f"{of}_id")
    names: dict[str, Any] = {row[f"{of}_name"]: float(row["revenue"]) for row in found}
    for name, key in key_by_label(namesakes)[of].items():
        assert names.get(name, 0) == pytest.approx(right.get(key, 0)), name


def test_the_console_says_which_it_is(desk: BillClient, namesakes: Namesakes) -> None:
    people = desk.caller.get("v2/system/Console/getSalesmanCharts").data["people"]
    right = query_sales(namesakes, "employee_id")
    found = {one["employee_name"]: float(one["revenue"]) for one in people}
    known = key_by_label(namesakes)["employee"]
    assert {name: found[name] for name in known if name in found} == {
        name: pytest.approx(right[key]) for name, key in known.items() if name in found
    }
    assert len({*found} & {*known}) >= 3
    for kind, of in (("customer", "customer"), ("goods", "goods")):
        ranked = desk.caller.get("v2/system/Console/getRankingList", type=kind, number=50).data
        assert {*key_by_label(namesakes)[of]} <= {one["name"] for one in ranked}
