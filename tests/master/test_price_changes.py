"""Price changes: every one is in the journal, by whichever way it came, and none that is none."""

from __future__ import annotations

from typing import Any

from tests.support.fixtures import Site

EDIT, LOG = "v2/system/CompanyGoods/edit", "v2/system/PriceChangeLog/getList"


def list_changes(site: Site, user: str = "admin", **query: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = site.as_(user).get(LOG, **query).data["data"]
    return rows


def add_price(site: Site, goods: int) -> int:
    body = {
        "company_id": site.world.company_a,
        "goods_id": goods,
        "sale_price": "100",
        "purchase_price": "80",
    }
    key: int = site.as_("admin").post("v2/system/CompanyGoods/add", body).data["id"]
    return key


class TestJournal:
    def test_a_change_says_who_from_and_to(self, site: Site) -> None:
        goods = site.world.spares[10]
        key = add_price(site, goods)
        assert list_changes(site, goods_id=goods) == [], "a first price is no change"
        body = {"id": key, "sale_price": "110.5", "lowest_price": "95", "safety_stock": "3"}
        assert site.as_("manager_a").post(EDIT, body).ok
        [row] = list_changes(site, goods_id=goods)
        assert (row["sale_from"], row["sale_to"]) == ("100.000000", "110.500000")
        assert (row["lowest_from"], row["lowest_to"]) == ("0.000000", "95.000000")
        assert (row["purchase_from"], row["purchase_to"]) == (None, None)
        assert (row["user_name"], row["company_name"], row["goods_name"]) == (
            "manager_a",
            "A分公司",
            "备件10",
        )

    def test_what_changes_no_price_leaves_no_row(self, site: Site) -> None:
        goods = site.world.spares[11]
        key = add_price(site, goods)
        assert site.as_("admin").post(EDIT, {"id": key, "safety_stock": "9", "sale_price": "100"}).ok
        assert list_changes(site, goods_id=goods) == []

    def test_a_change_that_comes_by_no_form_is_there_too(self, site: Site) -> None:
        """Say an import that writes rows itself; who did it is then known only if it says so."""
        goods = site.world.spares[12]
        key = add_price(site, goods)
        with site.engine.begin() as conn:
            conn.exec_driver_sql(
                "update company_goods set sale_price = sale_price * 2 where company_goods_id = %s", (key,)
            )
        [row] = list_changes(site, goods_id=goods)
        assert (row["sale_from"], row["sale_to"], row["user_id"]) == ("100.000000", "200.000000", None)

    def test_purchase_prices_are_hidden_from_who_sees_no_cost(self, site: Site) -> None:
        goods = site.world.spares[13]
        key = add_price(site, goods)
        assert site.as_("admin").post(EDIT, {"id": key, "purchase_price": "85"}).ok
        [seen] = list_changes(site, "manager_a", goods_id=goods)
        [masked] = list_changes(site, "clerk_a", goods_id=goods)
        assert (seen["purchase_from"], seen["purchase_to"]) == ("80.000000", "85.000000")
        assert (masked["purchase_from"], masked["purchase_to"]) == ("无权限", "无权限")
        assert list_changes(site, "manager_b", goods_id=goods) == []

    def test_it_is_not_rewritten(self, site: Site) -> None:
        for call in ("add", "edit", "del"):
            assert site.as_("admin").post(f"v2/system/PriceChangeLog/{call}", {}).status in (404, 405)
