"""The lists of every registered type: pages, filters, keyword and totals."""

from __future__ import annotations

from decimal import Decimal

import pytest

from api.kit.declaration.fields import Field
from api.kit.declaration.flow import VOIDED
from api.kit.declaration.resource import Resource
from api.kit.declaration.view import View
from api.kit.storage.list_charts import find_chart_options
from tests.support.declared_types import DECLARED, add_record, find_or_add_record, named
from tests.support.fixtures import Site

pytestmark = pytest.mark.usefixtures("figures")  # declared reports answer from what is published
_KINDS = {
    (cls if issubclass(cls, View) else None, item.kind, bool(item.ref), bool(item.options)): (cls, item)
    for cls in DECLARED
    for item in cls.fields()
    if item.search
}
ODD = [pytest.param(cls, item, id=f"{cls.name()}-{item.name}") for cls, item in _KINDS.values()]
"""A filter of each kind: one table's stands for all, a view reads in its own way what it is asked."""


def has_voided_rows(cls: type[Resource]) -> bool:
    """Return whether rows of a class have a status of bills, by what users read."""
    return any(item.name == "status" and (VOIDED, "已作废") in item.options for item in cls.fields())


class TestList:
    @named
    def test_pages_follow_each_other(self, site: Site, cls: type[Resource]) -> None:
        caller, api, key = site.as_("admin"), cls.declaration.api, cls.key().key
        if "add" in cls.declaration.actions:
            for _ in range(caller.get(f"{api}/getList", per_page=1).data["total"], 3):
                add_record(site, cls)
        whole = caller.get(f"{api}/getList", per_page=500, order_key=key, order_by="asc").data
        total, size = whole["total"], min(500, max(2, whole["total"] // 5))
        pages = [
            row
            for page in range(1, -(-total // size) + 1)
            for row in caller.get(
                f"{api}/getList", page=page, per_page=size, order_key=key, order_by="asc"
            ).data["data"]
        ]
        assert [row[key] for row in pages][:500] == [row[key] for row in whole["data"]]
        assert len({row[key] for row in pages}) == len(pages) == total
        assert [row[key] for row in pages] == sorted(row[key] for row in pages)

    @named
    def test_every_search_field_takes_a_value(self, site: Site, cls: type[Resource]) -> None:
        """A filter that no row fits empties the list: no declared filter is ignored."""
        find_or_add_record(site, cls)
        caller, ignored = site.as_("admin"), []
        for item in cls.fields():
            if not item.search:
                continue
            name, value = item.name, "987654321"
            if item.span == "until":
                name, value = f"{item.name}_end", "1901-01-01"
            elif item.kind in ("date", "datetime"):
                name, value = f"{item.name}_start", "2999-01-01"
            elif item.is_number:
                name = f"{item.name}_start"
            answer = caller.get(f"{cls.declaration.api}/getList", **{name: value})
            if not answer.ok or answer.data["total"]:
                ignored.append((name, answer.msg))
        assert not ignored

    @named
    def test_a_keyword_that_fits_nothing_finds_nothing(self, site: Site, cls: type[Resource]) -> None:
        """Signs that stand for any others in a pattern stand for themselves in a keyword."""
        find_or_add_record(site, cls)
        for keyword in ("查无此物%_\\", "%", "\\"):
            answer = site.as_("admin").get(f"{cls.declaration.api}/getList", keyword=keyword)
            assert answer.ok
            assert answer.data["total"] == 0, keyword

    @named
    def test_totals_cover_the_whole_filter(self, site: Site, cls: type[Resource]) -> None:
        find_or_add_record(site, cls)
        caller, api = site.as_("admin"), cls.declaration.api
        page = caller.get(f"{api}/getList", per_page=1).data
        pages = range(1, page["total"] // 500 + 2)
        whole = [
            row for at in pages for row in caller.get(f"{api}/getList", page=at, per_page=500).data["data"]
        ]
        left = [row for row in whole if has_voided_rows(cls) and row["status"] == VOIDED]
        totalled = {item.name for item in cls.fields() if item.total and item.list}
        ratios = {item.name for item in cls.fields() if item.ratio}
        assert totalled == page["totals"].keys() - ratios
        for name in totalled:
            total = Decimal(page["totals"][name])
            assert total == sum((Decimal(row[name] or 0) for row in whole if row not in left), Decimal(0))
        asked = caller.get(f"{api}/getTotals").data
        assert asked == {name: page[name] for name in ("total", "totals", "uncounted")}
        assert page["uncounted"] == len(left)
        for axis in find_chart_options(cls, (item for item in cls.fields() if item.list)).axes:
            chart = caller.get(f"{api}/getChart", axis=axis.name).data
            assert Decimal(chart["total"]) == Decimal(page["totals"][chart["measure"]])

    @named
    def test_a_voided_bill_is_listed_and_adds_to_no_total(self, site: Site, cls: type[Resource]) -> None:
        if "invalid" not in cls.declaration.actions or "add" not in cls.declaration.actions:
            return
        caller, api = site.as_("admin"), cls.declaration.api
        lists = [one for one in DECLARED if one is cls or one.name() == f"{cls.name()}_detail"]
        before = {one: caller.get(f"{one.declaration.api}/getTotals").data for one in lists}
        voided = add_record(site, cls)
        lines = len(caller.get(f"{api}/getInfo", id=voided).data.get("lines", ()))
        caller.post(f"{api}/invalid", {"ids": [voided]})
        for one, was in before.items():
            now = caller.get(f"{one.declaration.api}/getTotals").data
            assert now["totals"] == was["totals"]
            assert (
                now["uncounted"] - was["uncounted"]
                == now["total"] - was["total"]
                == (1 if one is cls else lines)
            )

    @named
    def test_a_query_beyond_its_bounds_is_refused(self, site: Site, cls: type[Resource]) -> None:
        for query in (
            {"page": "0"},
            {"page": "x"},
            {"per_page": "501"},
            {"order_by": "sideways"},
            {"order_key": "no_such_field"},
            {"order_key": "row_xid"},
            {"keyword": "x" * 101},
        ):
            answer = site.as_("admin").get(f"{cls.declaration.api}/getList", **query)
            assert (answer.status, answer.code) == (400, 400), query

    @pytest.mark.parametrize(("cls", "item"), ODD)
    def test_odd_filter_values_are_refused_or_find_nothing(
        self, site: Site, cls: type[Resource], item: Field
    ) -> None:
        """Nothing a client can write into a filter of any kind is an accident."""
        ranged = item.is_number or item.kind in ("date", "datetime")
        for name in (f"{item.name}_start", f"{item.name}_end") if ranged else (item.name,):
            for value in ("²", "9" * 400, "9999-12-31", "NaN", "a\x00b"):
                answer = site.as_("admin").get(f"{cls.declaration.api}/getList", **{name: value})
                assert answer.code in (200, 400), (name, value, answer)
