"""Names are found by their initials in the filters of frames."""

from __future__ import annotations

import pytest

from reports import spelled as spelling
from reports.assets import boards
from reports.spelled import KeptNames, found_by_letters, spelled

NAMES = ["上海轮胎店", "苏州张三汽配", "重庆SH店", "ABC公司"]


def found(value: object, op: str = "ILIKE", column: str = "customer_name") -> dict[str, object]:
    datasets = (one for placed in boards() for one in placed.board.datasets)
    dataset = next(one for one in datasets if one.has_column(column))
    [condition] = found_by_letters([{"col": column, "op": op, "val": value}], dataset, lambda column: NAMES)
    return condition


def test_each_character_has_the_letter_of_its_reading() -> None:
    assert spelled("上海轮胎店") == "SHLTD"
    assert spelled("安徽八方") == "AHBF"
    assert spelled("a重庆2号") == "AZQ2H", "by its usual reading alone"
    assert spelled("昂座坐") == "AZZ"


def test_letters_find_the_names_that_begin_so_or_contain_them() -> None:
    assert found("%sh%") == {"col": "customer_name", "op": "IN", "val": ["上海轮胎店", "重庆SH店"]}
    assert found("%ZSQP%")["val"] == ["苏州张三汽配"]
    assert found("%abc%")["val"] == ["ABC公司"]


def test_other_searches_stay_as_they_are() -> None:
    for value, op in (("%上海%", "ILIKE"), ("%s%", "ILIKE"), ("%xyzw%", "ILIKE"), ("上海轮胎店", "==")):
        assert found(value, op) == {"col": "customer_name", "op": op, "val": value}


def test_names_are_kept_of_the_newest_snapshot_alone() -> None:
    kept = KeptNames()
    assert kept.of("1", "customer", lambda: ["旧名", "乙"]) == ["旧名", "乙"]
    assert kept.of("1", "customer", lambda: ["没有再读"]) == ["旧名", "乙"]
    assert kept.of("2", "customer", lambda: ["新名"]) == ["新名"]
    assert kept.of("2", "supplier", lambda: ["供"]) == ["供"]
    assert len(kept) == 2, "the older names are let go"


def test_not_more_names_are_kept_than_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spelling, "MOST_KEPT", 5)
    kept = KeptNames()
    for column in ("a", "b", "c"):
        kept.of("1", column, lambda: ["甲", "乙"])
    assert len(kept) == 4
    assert kept.of("1", "a", lambda: ["read", "again"]) == ["read", "again"]
    assert kept.of("1", "c", list) == ["甲", "乙"]
    assert len(kept.of("1", "long", lambda: ["丙"] * 6)) == 6 and len(kept) == 0
