"""Totals of goods that are not on a bill (spec/3-rules.md 7.4 and 9)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.fixtures import Site

PATH = "v2/open/TotalPrice/checkoutGoodsTotalPrice"


def read_total(site: Site, *goods: dict[str, Any]) -> Any:
    answer = site.as_("nobody").post(PATH, {"goods_json": json.dumps(goods)})
    assert answer.ok, answer
    return answer.data


def test_goods_are_priced_and_added_up(site: Site) -> None:
    found = read_total(
        site,
        {"goods_id": 7, "quantity": "3", "price": "113", "discount_amount": "39", "tax_rate": "13"},
        {"quantity": 2, "price": "0.105"},
    )
    assert found["goods"][0] == {
        "goods_id": 7,
        "amount": "339.00",
        "discount_amount": "39.00",
        "total_price": "300.00",
        "tax_amount": "34.51",
        "no_tax_amount": "265.49",
    }
    assert found["total_price"] == "300.21"
    assert (found["tax_amount"], found["no_tax_amount"]) == ("34.51", "265.70")


def test_a_discount_per_unit_follows_the_quantity(site: Site) -> None:
    for many, discount, left in (("3", "4.50", "25.50"), ("4", "6.00", "34.00")):
        [line] = read_total(site, {"quantity": many, "price": "10", "discount_price": "1.5"})["goods"]
        assert (line["discount_amount"], line["total_price"]) == (discount, left)


def test_a_factor_multiplies_the_total(site: Site) -> None:
    [line] = read_total(site, {"quantity": "2", "price": "100", "discount_amount": "10", "factor": "0.95"})[
        "goods"
    ]
    assert line["total_price"] == "180.50"


def test_a_discount_beyond_the_amount_is_none(site: Site) -> None:
    [line] = read_total(site, {"quantity": "1", "price": "10", "discount_amount": "11"})["goods"]
    assert (line["discount_amount"], line["total_price"]) == ("0.00", "10.00")


@pytest.mark.parametrize(
    "goods", ["[", "{}", '[{"quantity": "x", "price": 1}]', '[{"quantity": 1e9, "price": 1}]']
)
def test_what_is_no_list_of_goods_is_refused(site: Site, goods: str) -> None:
    answer = site.as_("nobody").post(PATH, {"goods_json": goods})
    assert (answer.code, answer.msg) == (400, "goods_json 不正确，应是商品的数量、单价的 JSON 数组")
