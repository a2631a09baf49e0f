"""User preferences on the server: their own, by name, and query schemes that they make public."""

from __future__ import annotations

from typing import Any

import pytest

from api.shell.workspace import preferences
from tests.support.client import Answer
from tests.support.fixtures import Site

GET, SAVE, DEL = (f"v2/open/UserPreference/{call}" for call in ("get", "save", "del"))
SCHEME = {
    "kind": "scheme",
    "screen": "sales_outbound",
    "name": "未审核",
    "value": {"filters": {"status": "1"}},
}


def list_preferences(site: Site, user: str, **query: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = site.as_(user).get(GET, **query).data
    return found


def save_scheme(site: Site, user: str, **changes: Any) -> Answer:
    return site.as_(user).post(SAVE, {**SCHEME, **changes})


class TestSchemes:
    """Saved query schemes, private, public and default (users-and-libraries.md 10)."""

    def test_private_ones_are_ones_own_and_public_ones_everybodys(self, site: Site) -> None:
        assert save_scheme(site, "clerk_a").ok
        assert save_scheme(site, "clerk_a", name="大家用", is_public=True).ok
        assert {
            item["name"] for item in list_preferences(site, "clerk_a", kind="scheme", screen="sales_outbound")
        } == {
            "未审核",
            "大家用",
        }
        [other] = list_preferences(site, "manager_b", kind="scheme", screen="sales_outbound")
        assert (other["name"], other["mine"], other["owner_name"]) == ("大家用", False, "clerk_a")
        assert other["value"] == SCHEME["value"]
        assert list_preferences(site, "nobody", kind="scheme", screen="sales_outbound") == []
        assert save_scheme(site, "nobody", is_public=True).code == 403

    def test_only_ones_own_is_overwritten_or_deleted(self, site: Site) -> None:
        assert save_scheme(site, "clerk_a", name="大家用", is_public=True).ok
        assert save_scheme(site, "manager_b", name="大家用", value={"filters": {}}).ok
        assert (
            site.as_("manager_b")
            .post(DEL, {name: SCHEME[name] for name in ("kind", "screen")} | {"name": "大家用"})
            .ok
        )
        [left] = list(
            list_preferences(site, "clerk_a", kind="scheme", screen="sales_outbound", name="大家用")
        )
        assert left["value"] == SCHEME["value"]

    def test_one_default_a_screen(self, site: Site) -> None:
        for name in ("甲", "乙"):
            assert save_scheme(site, "own_a", name=name, is_default=True).ok
        defaults = {
            item["name"]: item["is_default"]
            for item in list_preferences(site, "own_a", kind="scheme", screen="sales_outbound")
            if item["mine"]
        }
        assert defaults == {"甲": False, "乙": True}


class TestDrafts:
    """Park a draft and recall it elsewhere (users-and-libraries.md 6)."""

    def test_a_draft_is_listed_without_its_content_and_read_by_name(self, site: Site) -> None:
        draft = {
            "kind": "draft",
            "screen": "sales_outbound",
            "name": "new",
            "value": {"lines": [{"quantity": "1"}]},
        }
        assert site.as_("clerk_a").post(SAVE, draft).ok
        assert site.as_("clerk_a").post(SAVE, {**draft, "value": {"lines": []}}).ok
        [listed] = list_preferences(site, "clerk_a", kind="draft", screen="sales_outbound")
        assert listed["value"] is None
        [read] = list_preferences(site, "clerk_a", kind="draft", screen="sales_outbound", name="new")
        assert read["value"] == {"lines": []}
        assert list_preferences(site, "manager_a", kind="draft") == []
        assert site.as_("clerk_a").post(DEL, {"kind": "draft", "screen": "sales_outbound", "name": "new"}).ok
        assert list_preferences(site, "clerk_a", kind="draft") == []

    def test_only_schemes_can_be_public(self, site: Site) -> None:
        assert save_scheme(site, "clerk_a", kind="draft", is_public=True).msg == "只有查询方案可以公开"

    def test_what_is_too_big_or_not_text_is_refused(self, site: Site) -> None:
        assert save_scheme(site, "clerk_a", value="x" * 70_000).msg == "内容过大，不能保存"
        assert save_scheme(site, "clerk_a", value="a\x00b").code == 400


class TestDraftsAreBounded:
    """A draft is saved while somebody writes: none is refused for its number, the oldest go; but for their size."""

    def send_draft(self, site: Site, name: str, value: Any = 1) -> Answer:
        return site.as_("keeper_a").post(
            SAVE, {"kind": "draft", "screen": "bounded", "name": name, "value": value}
        )

    def save_draft(self, site: Site, name: str, value: Any = 1) -> None:
        answer = self.send_draft(site, name, value)
        assert answer.ok, answer

    def list_names(self, site: Site) -> list[str]:
        return sorted(
            item["name"] for item in list_preferences(site, "keeper_a", kind="draft", screen="bounded")
        )

    def test_by_number(self, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(preferences, "MOST", 3)
        for name in ("甲", "乙", "丙", "丁", "丙"):
            self.save_draft(site, name)
        assert self.list_names(site) == ["丁", "丙", "乙"]
        refused = [
            site.as_("keeper_a")
            .post(SAVE, {"kind": "seen", "screen": "s", "name": str(number), "value": 1})
            .msg
            for number in range(4)
        ]
        assert refused[3] == "最多保存3个，请先删除不用的"

    def test_by_size(self, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
        """However well it packs: what is there stays, and may be made smaller or larger within what is left."""
        monkeypatch.setattr(preferences, "MOST_STORED", 60_000)
        for name in self.list_names(site):
            assert site.as_("keeper_a").post(DEL, {"kind": "draft", "screen": "bounded", "name": name}).ok
        self.save_draft(site, "子", "x" * 30_000)
        self.save_draft(site, "丑", "x" * 29_000)
        for name in ("寅", "丑"):
            refused = self.send_draft(site, name, "x" * 30_000)
            assert (refused.code, refused.msg) == (400, "草稿合计超过 0.06 MB，请先提交或删除不用的草稿")
        assert self.list_names(site) == ["丑", "子"]
        self.save_draft(site, "丑", "x" * 29_900)
        self.save_draft(site, "子", 1)
        self.save_draft(site, "寅", "x" * 30_000)
        assert self.list_names(site) == ["丑", "子", "寅"]
