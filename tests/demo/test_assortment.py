"""Demo goods: always the same, codes unique, barcodes with a valid check digit."""

from __future__ import annotations

from api.demo.goods import CURVES, build_goods, format_ean13


def test_the_same_goods_every_time() -> None:
    first, second = build_goods(50), build_goods(50)
    assert [item.row for item in first] == [item.row for item in second]


def test_a_known_barcode() -> None:
    assert format_ean13(123456789) == "6901234567892"


def test_codes_are_unique_and_barcodes_valid() -> None:
    found = build_goods(10**6)
    for column in ("goods_num", "barcode"):
        assert len({item.row[column] for item in found}) == len(found) > 1500
    for item in found:
        digits = [int(digit) for digit in str(item.row["barcode"])]
        assert sum(digit * (1, 3)[place % 2] for place, digit in enumerate(digits)) % 10 == 0


def test_every_goods_has_a_season_and_a_margin() -> None:
    for item in build_goods(10**6):
        assert item.season in CURVES
        assert item.price > item.cost > 0
