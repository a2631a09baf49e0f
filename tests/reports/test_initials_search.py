"""Names are found by their initials in the filters of frames."""

from __future__ import annotations

import pytest

from reports.superset import initials_search as spelling
from reports.superset.assets import list_dashboards
from reports.superset.initials_search import NameCache, build_initials, match_initials

NAMES = ["上海轮胎店", "苏州张三汽配", "重庆SH店", "ABC公司"]


def widen_search(value: object, op: str = "ILIKE", column: str = "customer_name") -> dict[str, object]:
    datasets = (one for placed in list_dashboards() for one in placed.board.datasets)
    dataset = next(one for one in datasets if one.has_column(column))
    [condition] = match_initials([{"col": column, "op": op, "val": value}], dataset, lambda column: NAMES)
    return condition


def test_each_character_has_the_letter_of_its_reading() -> None:
    assert build_initials("上海轮胎店") == "SHLTD"
    assert build_initials("安徽八方") == "AHBF"
    assert build_initials("a重庆2号") == "AZQ2H", "by its usual reading alone"
    assert build_initials("昂座坐") == "AZZ"


def test_letters_find_the_names_that_begin_so_or_contain_them() -> None:
    assert widen_search("%sh%") == {"col": "customer_name", "op": "IN", "val": ["上海轮胎店", "重庆SH店"]}
    assert widen_search("%ZSQP%")["val"] == ["苏州张三汽配"]
    assert widen_search("%abc%")["val"] == ["ABC公司"]


def test_other_searches_stay_as_they_are() -> None:
    for value, op in (("%上海%", "ILIKE"), ("%s%", "ILIKE"), ("%xyzw%", "ILIKE"), ("上海轮胎店", "==")):
        assert widen_search(value, op) == {"col": "customer_name", "op": op, "val": value}


def test_names_are_kept_of_the_newest_snapshot_alone() -> None:
    kept = NameCache()
    assert kept.get_or_read("1", "customer", lambda: ["旧名", "乙"]) == ["旧名", "乙"]
    assert kept.get_or_read("1", "customer", lambda: ["没有再读"]) == ["旧名", "乙"]
    assert kept.get_or_read("2", "customer", lambda: ["新名"]) == ["新名"]
    assert kept.get_or_read("2", "supplier", lambda: ["供"]) == ["供"]
    assert len(kept) == 2, "the older names are let go"


def test_not_more_names_are_kept_than_so_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spelling, "MOST_KEPT", 5)
    kept = NameCache()
    for column in ("a", "b", "c"):
        kept.get_or_read("1", column, lambda: ["甲", "乙"])
    assert len(kept) == 4
    assert kept.get_or_read("1", "a", lambda: ["read", "again"]) == ["read", "again"]
    assert kept.get_or_read("1", "c", list) == ["甲", "乙"]
    assert len(kept.get_or_read("1", "long", lambda: ["丙"] * 6)) == 6 and len(kept) == 0
