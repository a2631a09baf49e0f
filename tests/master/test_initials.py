"""Initials: whatever is chosen by a name is found by every reading of it, in pickers and in lists."""

from __future__ import annotations

import pytest

import api.main
from api.kit.declaration import registry
from api.kit.storage.initials import initials
from api.master.lookups.lookup_rights import list_lookup_resources
from tests.support.fixtures import Site
from tests.support.payloads import payload_of

assert api.main  # declares all

CHOSEN = {item.ref.resource for cls in registry.list_resources() for item in cls.fields() if item.ref}
NAMED = sorted(
    name
    for name in CHOSEN
    if (cls := registry.get_resource(name)).bill is None
    and "add" in cls.declaration.actions
    and cls.declaration.title.endswith("name")
)


def test_those_that_bills_name_are_among_them() -> None:
    assert {"company", "department", "employee", "receivables_mode", "brand", "warehouse", "goods"} <= set(
        NAMED
    )


@pytest.mark.parametrize("name", NAMED)
def test_a_record_is_found_by_any_reading_of_its_name(site: Site, name: str) -> None:
    admin, cls = site.as_("admin"), registry.get_resource(name)
    title, at = cls.declaration.title, cls.declaration.api
    body = payload_of(cls, site.world) | {title: "闵行乐清"}
    if "enabled" in cls.table().c:
        body["enabled"] = True
    if name == "goods":
        body |= {"logogram": "", "goods_num": "MHYQ-1"}
    made = admin.post(f"{at}/add", body)
    assert made.ok, made.msg
    for words in ("mhyq", "MXLQ", "行乐"):
        for call in ("getDropdown", "getList") if name in list_lookup_resources() else ("getList",):
            rows = admin.get(f"{at}/{call}", keyword=words).data["data"]
            found = [row[cls.key().key] for row in rows]
            assert made.data["id"] in found, (call, words)


def test_what_setup_makes_has_them_too(site: Site) -> None:
    admin = site.as_("admin")
    for name, words in (("company", "jtzb"), ("role", "xtgly"), ("user_account", "gly")):
        cls = registry.get_resource(name)
        rows = admin.get(f"{cls.declaration.api}/getList", keyword=words).data["data"]
        assert [row[cls.declaration.title] for row in rows] in (["集团总部"], ["系统管理员"], ["管理员"])


def test_what_is_chosen_in_the_browser_brings_its_initials_along(site: Site) -> None:
    rows = site.as_("admin").get("open/unit/getUnitList", is_coupon=1).data
    assert all(row["logogram"] == initials(row["unit_name"]) for row in rows)
    assert rows
