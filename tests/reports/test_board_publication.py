"""Publication of boards: by their author to roles that may see what they are drawn of, in versions, checked at a release."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError

from api.figures.dashboard_watch import check_boards
from api.identity.sessions import read_principal
from api.reporting.superset_gateway import dashboard_calls
from api.reporting.superset_gateway.dashboard_validation import describe_problem, list_visible_copies
from api.reporting.superset_gateway.explore import build_explorer_claims
from reports.superset import metadata
from tests.reports.explore_client import BEST_SELLER_DATASET, RECEIVABLE_DATASET, Analyst
from tests.reports.guest_requests import BEST_SELLER, RECEIVABLE
from tests.support.client import Answer, Caller
from tests.support.fixtures import Site, conn, site, world
from tests.support.superset import SupersetClient

__all__ = ["conn", "site", "world"]
PREFIX = "v2/report/Board"


@pytest.fixture(autouse=True)
def nothing_yet(site: Site, superset: SupersetClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERP_REPORT_UPSTREAM", superset.url)
    execute_statement(site, "truncate published_board, popup_log cascade")


def execute_statement(site: Site, statement: str, **values: Any) -> None:
    with site.engine.begin() as conn:
        conn.execute(text(statement), values)


@pytest.fixture
def author(site: Site, superset: SupersetClient) -> Analyst:
    return Analyst(superset, user=site.world.user_manager_a)


@pytest.fixture
def board(author: Analyst) -> int:
    """A board of the author's with a chart of best sellers."""
    number = author.create_dashboard("畅销看板")
    drawn = {"viz_type": "table", "groupby": ["company_name"], "metrics": ["quantity"]}
    author.create_chart(
        "各公司销量", author.datasets[BEST_SELLER_DATASET], dashboards=[number], params=json.dumps(drawn)
    )
    return number


@pytest.fixture
def publish(site: Site) -> Callable[..., Answer]:
    def ask(board: int, *roles: str, user: str = "manager_a", note: str | None = None) -> Answer:
        ids = [getattr(site.world, f"role_{role}") for role in roles]
        return site.as_(user).post(f"{PREFIX}/publish", {"source_id": board, "role_ids": ids, "note": note})

    return ask


def list_boards(caller: Caller) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = caller.get(f"{PREFIX}/getList", per_page=200).data["data"]
    return found


def list_copies(site: Site, role: str) -> list[str]:
    with site.engine.connect() as conn:
        reader = read_principal(conn, site.world.ids[f"user_{role}"])
        return [str(uuid) for uuid in list_visible_copies(conn, reader)]


def list_unplaced_charts(analyst: Analyst) -> set[int]:
    """Return the numbers of his charts that stand on no board."""
    charts = analyst.get("/api/v1/chart/?q=(page_size:100)").json()["result"]
    return {one["id"] for one in charts if not one["dashboards"]}


def lose_newest_board(superset: SupersetClient) -> int:
    """Delete the board with the highest number from Superset's file, as an older file has it.

    Return its number.
    """
    path = Path(superset.environment["ERP_DATA_DIR"]) / "superset" / metadata.NAME
    with closing(sqlite3.connect(path, timeout=20)) as conn, conn:
        [number] = conn.execute("select max(id) from dashboards").fetchone()
        for table, column in (
            ("dashboard_slices", "dashboard_id"),
            ("dashboard_user", "dashboard_id"),
            ("dashboards", "id"),
        ):
            conn.execute(f"delete from {table} where {column} = ?", (number,))
    found: int = number
    return found


class TestPublishing:
    def test_is_seen_by_the_roles_it_is_for(
        self, site: Site, board: int, publish: Callable[..., Answer]
    ) -> None:
        assert publish(board, "clerk_a", note="第一版").ok
        [row] = list_boards(site.as_("clerk_a"))
        assert (row["board_title"], row["board_version"], row["publish_note"], row["is_own"]) == (
            "畅销看板",
            1,
            "第一版",
            "否",
        )
        assert list_boards(site.as_("manager_b")) == []
        assert list_boards(site.as_("manager_a"))[0]["is_own"] == "是"
        opened = site.as_("clerk_a").post(f"{PREFIX}/open", {"board_id": row["board_id"]})
        assert opened.ok and "/open?ticket=" in opened.data["address"]
        assert (
            site.as_("manager_b").post(f"{PREFIX}/open", {"board_id": row["board_id"]}).msg
            == "看板不存在或无权访问"
        )

    def test_shows_what_was_published_not_what_is_drawn_since(
        self,
        site: Site,
        author: Analyst,
        board: int,
        publish: Callable[..., Answer],
        superset: SupersetClient,
    ) -> None:
        assert publish(board, "clerk_a").ok
        author.create_chart("后来的图", author.datasets[BEST_SELLER_DATASET], dashboards=[board])
        [copy] = list_copies(site, "clerk_a")
        reader = Analyst(superset, user=site.world.user_clerk_a, boards=[copy], frozen=[copy], draws=False)
        told = reader.get(f"/api/v1/dashboard/{copy}/charts").json()["result"]
        assert [one["slice_name"] for one in told] == ["各公司销量"]

    def test_each_is_a_version_that_may_be_put_back(
        self, site: Site, board: int, publish: Callable[..., Answer]
    ) -> None:
        first = publish(board, "clerk_a").data["id"]
        one = list_copies(site, "clerk_a")
        assert publish(board, "clerk_a").data["id"] == first
        two = list_copies(site, "clerk_a")
        assert one != two and list_boards(site.as_("clerk_a"))[0]["board_version"] == 2
        mine = site.as_("manager_a")
        assert mine.post(f"{PREFIX}/showVersion", {"board_id": first, "version": 1}).ok
        assert list_copies(site, "clerk_a") == one
        versions = mine.get(f"{PREFIX}/getVersions", board_id=first).data["versions"]
        assert [(row["version"], row["shown"], row["problem"]) for row in versions] == [
            (2, False, None),
            (1, True, None),
        ]
        assert (
            mine.post(f"{PREFIX}/showVersion", {"board_id": first, "version": 3}).msg
            == "看板版本不存在或无权访问"
        )

    def test_is_withdrawn_and_comes_back(
        self, site: Site, board: int, publish: Callable[..., Answer]
    ) -> None:
        key = publish(board, "clerk_a").data["id"]
        assert site.as_("manager_a").post(f"{PREFIX}/withdraw", {"board_id": key}).ok
        assert (list_copies(site, "clerk_a"), list_boards(site.as_("clerk_a"))) == ([], [])
        assert site.as_("manager_a").post(f"{PREFIX}/showVersion", {"board_id": key, "version": 1}).ok
        assert len(list_copies(site, "clerk_a")) == 1


class TestLost:
    """Superset's file came back older than what was published since: it gives the numbers of lost boards again."""

    def test_nobody_sees_what_has_the_number_of_a_lost_copy(
        self, site: Site, superset: SupersetClient, board: int, publish: Callable[..., Answer]
    ) -> None:
        key = publish(board, "clerk_a").data["id"]
        number = lose_newest_board(superset)
        other = Analyst(superset, user=site.world.user_manager_b)
        assert other.create_dashboard("尚未发布的草稿") == number
        reader = site.world.user_clerk_a
        with site.engine.connect() as conn:
            said = build_explorer_claims(conn, read_principal(conn, reader))
            kept = build_explorer_claims(conn, read_principal(conn, site.world.user_manager_a))["frozen"]
        looking = Analyst(superset, user=reader, boards=said["boards"], frozen=said["frozen"], draws=False)
        assert looking.get(f"/api/v1/dashboard/{number}").status_code == 404
        assert looking.list_names("dashboard") == set()
        refused = site.as_("clerk_a").post(f"{PREFIX}/open", {"board_id": key})
        assert (refused.code, refused.msg) == (400, "报表平台里没有这张看板了，请作者重新发布")
        drawing = Analyst(superset, user=site.world.user_manager_b, frozen=kept)
        renamed = drawing.ask("PUT", f"/api/v1/dashboard/{number}", {"dashboard_title": "改了名的草稿"})
        assert renamed.status_code == 200, "who draws it goes on"

    def test_it_is_published_again(
        self, site: Site, superset: SupersetClient, board: int, publish: Callable[..., Answer]
    ) -> None:
        key = publish(board, "clerk_a").data["id"]
        lost = lose_newest_board(superset)
        assert publish(board, "clerk_a").ok
        [copy] = list_copies(site, "clerk_a")
        reader = Analyst(superset, user=site.world.user_clerk_a, boards=[copy], frozen=[copy], draws=False)
        assert reader.get(f"/api/v1/dashboard/{copy}").json()["result"]["id"] == lost
        assert site.as_("clerk_a").post(f"{PREFIX}/open", {"board_id": key}).ok


class TestRefused:
    def test_a_role_that_may_not_see_a_dataset(
        self, site: Site, board: int, publish: Callable[..., Answer]
    ) -> None:
        refused = publish(board, "nobody")
        assert refused.msg == f"角色“nobody”看不到数据集“{BEST_SELLER_DATASET}”，请先授权，或不发布给它"
        assert list_boards(site.as_("manager_a")) == []

    def test_anothers_board(self, site: Site, board: int, publish: Callable[..., Answer]) -> None:
        assert publish(board, "clerk_a", user="manager_b").msg == "没有这张看板，或者它不是您的"
        key = publish(board, "clerk_a").data["id"]
        for call, body in (("withdraw", {}), ("showVersion", {"version": 1})):
            assert (
                site.as_("manager_b").post(f"{PREFIX}/{call}", {"board_id": key, **body}).msg
                == "看板不存在或无权访问"
            )

    def test_a_board_without_charts(self, author: Analyst, publish: Callable[..., Answer]) -> None:
        empty = author.create_dashboard("空看板")
        assert publish(empty, "clerk_a").msg == "看板上还没有图表，请先在自助分析中加上图表并保存"

    def test_without_the_right(self, site: Site, board: int) -> None:
        body = {"source_id": board, "role_ids": [site.world.role_clerk_a]}
        assert not site.as_("nobody").post(f"{PREFIX}/publish", body).ok

    def test_a_role_that_is_gone_or_disabled(
        self, site: Site, board: int, publish: Callable[..., Answer]
    ) -> None:
        told = "所选的角色已删除或停用，请重新选择"
        body = {"source_id": board, "role_ids": [999_999_999]}
        assert site.as_("manager_a").post(f"{PREFIX}/publish", body).msg == told
        change = "update role set enabled = :enabled where role_id = :role"
        execute_statement(site, change, enabled=False, role=site.world.role_clerk_a)
        try:
            assert publish(board, "clerk_a").msg == told
        finally:
            execute_statement(site, change, enabled=True, role=site.world.role_clerk_a)

    def test_a_copy(
        self, site: Site, superset: SupersetClient, board: int, publish: Callable[..., Answer]
    ) -> None:
        assert publish(board, "clerk_a", "manager_b").ok
        for role, user in (("clerk_a", "manager_a"), ("manager_b", "manager_b")):
            [copy] = list_copies(site, role)
            finder = Analyst(superset, user=getattr(site.world, f"user_{user}"), boards=[copy])
            number = finder.get(f"/api/v1/dashboard/{copy}").json()["result"]["id"]
            assert publish(number, "clerk_a", user=user).msg == "没有这张看板，或者它不是您的"
            offered = site.as_(user).get(f"{PREFIX}/getChoices").data["boards"]
            assert number not in {one["source_id"] for one in offered}

    def test_leaves_no_copy(
        self,
        site: Site,
        author: Analyst,
        board: int,
        publish: Callable[..., Answer],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        before = author.list_names("dashboard"), author.list_names("chart")
        assert not publish(board, "nobody").ok
        assert (author.list_names("dashboard"), author.list_names("chart")) == before
        problems = iter([None, "已经改了"])
        monkeypatch.setattr(dashboard_calls, "describe_problem", lambda charts: next(problems))
        assert publish(board, "clerk_a").msg == "已经改了", "between the look and the copy"
        assert (author.list_names("dashboard"), author.list_names("chart")) == before


class TestVersions:
    def test_a_new_one_is_offered_to_whom_the_last_is_for(
        self, site: Site, author: Analyst, board: int, publish: Callable[..., Answer]
    ) -> None:
        other = author.create_dashboard("没有发布的")
        assert publish(board, "clerk_a", "manager_b").ok
        offered = site.as_("manager_a").get(f"{PREFIX}/getChoices").data["boards"]
        to = {one["source_id"]: {*one["role_ids"]} for one in offered}
        assert (to[board], to[other]) == ({site.world.role_clerk_a, site.world.role_manager_b}, set())

    def test_only_the_newest_are_kept(
        self,
        site: Site,
        author: Analyst,
        board: int,
        publish: Callable[..., Answer],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(dashboard_calls, "MAX_VERSIONS", 2)
        before = list_unplaced_charts(author)
        made = []
        for _ in range(3):
            key = publish(board, "clerk_a").data["id"]
            made += list_copies(site, "clerk_a")
        versions = site.as_("manager_a").get(f"{PREFIX}/getVersions", board_id=key).data["versions"]
        assert [row["version"] for row in versions] == [3, 2]
        found = [author.get(f"/api/v1/dashboard/{copy}").status_code for copy in made]
        assert found == [404, 200, 200]
        assert list_unplaced_charts(author) == before, "their charts go with them"

    def test_an_explorer_is_told_of_his_own_copies_alone(
        self, site: Site, board: int, publish: Callable[..., Answer]
    ) -> None:
        """What is told goes with each request, and is bounded."""
        assert publish(board, "clerk_a").ok
        with site.engine.connect() as conn:
            told = {
                name: build_explorer_claims(conn, read_principal(conn, site.world.ids[f"user_{name}"]))
                for name in ("manager_a", "manager_b", "clerk_a")
            }
        [copy] = list_copies(site, "clerk_a")
        assert [(one["frozen"], one["boards"]) for one in told.values()] == [
            ([copy], []),
            ([], []),
            ([], [copy]),
        ]

    def test_the_same_board_is_published_once(
        self, site: Site, board: int, publish: Callable[..., Answer]
    ) -> None:
        assert publish(board, "clerk_a").ok
        again = "insert into published_board (user_id, title, source_id) select user_id, title, source_id from published_board"
        with pytest.raises(IntegrityError, match="duplicate key"):
            execute_statement(site, again)


FILTER = {"id": "NATIVE_FILTER-1", "name": "品牌", "filterType": "filter_select"}


def set_board_filter(author: Analyst, board: int, dataset: int, column: str, **more: Any) -> None:
    """Give a board one filter."""
    targets = [{"datasetId": dataset, "column": {"name": column}}]
    told = {"native_filter_configuration": [{**FILTER, "targets": targets, **more}]}
    changed = author.ask("PUT", f"/api/v1/dashboard/{board}", {"json_metadata": json.dumps(told)})
    assert changed.status_code == 200, changed.text


class TestFilters:
    """They are checked as charts are."""

    def test_a_column_that_the_dataset_does_not_have(
        self, author: Analyst, board: int, publish: Callable[..., Answer]
    ) -> None:
        told = f"筛选“品牌”的数据集“{BEST_SELLER_DATASET}”没有"
        set_board_filter(author, board, author.datasets[BEST_SELLER_DATASET], "vanished")
        assert publish(board, "clerk_a").msg == f"{told}vanished"
        set_board_filter(
            author,
            board,
            author.datasets[BEST_SELLER_DATASET],
            "brand_name",
            controlValues={"sortMetric": "gone"},
        )
        assert publish(board, "clerk_a").msg == f"{told}gone"
        set_board_filter(author, board, author.datasets[BEST_SELLER_DATASET], "brand_name")
        assert publish(board, "clerk_a").ok

    def test_a_dataset_that_no_chart_is_drawn_of_and_the_role_may_not_see(
        self, site: Site, author: Analyst, board: int, publish: Callable[..., Answer]
    ) -> None:
        set_board_filter(author, board, author.datasets[RECEIVABLE_DATASET], "company_name")
        with without_right(site, "clerk_a", RECEIVABLE.report.right):
            assert publish(board, "clerk_a").msg == build_refusal(site, "clerk_a", RECEIVABLE_DATASET)
        assert publish(board, "clerk_a").ok

    def test_a_column_that_is_gone_with_a_release(
        self, site: Site, author: Analyst, board: int, publish: Callable[..., Answer]
    ) -> None:
        set_board_filter(author, board, author.datasets[BEST_SELLER_DATASET], "brand_name")
        assert publish(board, "clerk_a").ok
        gone = (
            """update published_board_version set charts = jsonb_set(charts, '{1,columns}', '["vanished"]')"""
        )
        execute_statement(site, gone)
        execute_statement(site, "update published_board set checked_release = 'older'")
        check_boards(timestamp=0)
        assert list_copies(site, "clerk_a") == []
        assert (
            list_boards(site.as_("manager_a"))[0]["board_state"]
            == f"筛选“品牌”的数据集“{BEST_SELLER_DATASET}”没有vanished"
        )


class TestRolesThatLoseRights:
    def test_do_not_find_it_from_that_moment_while_others_do(
        self, site: Site, board: int, publish: Callable[..., Answer]
    ) -> None:
        key = publish(board, "clerk_a", "manager_b").data["id"]
        with without_right(site, "clerk_a", BEST_SELLER.report.right):
            assert list_copies(site, "clerk_a") == [] and len(list_copies(site, "manager_b")) == 1
            reader = site.as_("clerk_a")
            assert list_boards(reader) == []
            assert reader.post(f"{PREFIX}/open", {"board_id": key}).msg == "看板不存在或无权访问"
            for _ in range(2):
                check_boards(timestamp=0)
            problem = build_refusal(site, "clerk_a", BEST_SELLER_DATASET)
            told = [
                row["content"] for row in site.as_("manager_a").get("v2/open/Message/getPopUplogList").data
            ]
            assert told == [f"您发布的看板“畅销看板”有角色打不开了：{problem}。请在自助分析中修改后重新发布"]
            assert [row["board_state"] for row in list_boards(site.as_("manager_a"))] == [problem]
            assert len(list_copies(site, "manager_b")) == 1
            assert [row["board_state"] for row in list_boards(site.as_("manager_b"))] == ["已发布"]
        assert len(list_copies(site, "clerk_a")) == 1
        check_boards(timestamp=0)
        assert [row["board_state"] for row in list_boards(site.as_("manager_a"))] == ["已发布"]


@contextmanager
def without_right(site: Site, role: str, right: str) -> Iterator[None]:
    """Take one right from a role for a while."""
    number = getattr(site.world, f"role_{role}")
    moved = "update role set version = version + 1 where role_id = :role"
    execute_statement(
        site, "delete from role_right where role_id = :role and code = :right", role=number, right=right
    )
    execute_statement(site, moved, role=number)
    try:
        yield
    finally:
        again = "insert into role_right (role_id, code) values (:role, :right)"
        execute_statement(site, again, role=number, right=right)
        execute_statement(site, moved, role=number)


def build_refusal(site: Site, role: str, dataset: str) -> str:
    """Return the refusal that names a role without the dataset."""
    with site.engine.connect() as conn:
        values = {"role": getattr(site.world, f"role_{role}")}
        name = conn.execute(text("select role_name from role where role_id = :role"), values).scalar_one()
    return f"角色“{name}”看不到数据集“{dataset}”，请先授权，或不发布给它"


class TestRelease:
    def test_a_board_whose_figure_is_gone_is_closed_and_its_author_told(
        self, site: Site, board: int, publish: Callable[..., Answer]
    ) -> None:
        key = publish(board, "clerk_a").data["id"]
        check_boards(timestamp=0)
        assert len(list_copies(site, "clerk_a")) == 1
        gone = (
            """update published_board_version set charts = jsonb_set(charts, '{0,figures}', '["vanished"]')"""
        )
        execute_statement(site, gone)
        execute_statement(site, "update published_board set checked_release = 'older'")
        for _ in range(2):
            check_boards(timestamp=0)
        problem = f"图表“各公司销量”的数据集“{BEST_SELLER_DATASET}”没有vanished"
        assert list_copies(site, "clerk_a") == []
        assert [row["board_state"] for row in list_boards(site.as_("manager_a"))] == [problem]
        told = [row["content"] for row in site.as_("manager_a").get("v2/open/Message/getPopUplogList").data]
        assert told == [f"您发布的看板“畅销看板”打不开了：{problem}。请在自助分析中修改后重新发布"]
        assert site.as_("clerk_a").post(f"{PREFIX}/open", {"board_id": key}).msg == "看板不存在或无权访问"

    def test_what_the_catalogue_has_is_found_in_it(self) -> None:
        metric = BEST_SELLER.board.datasets[0].metrics[0].name
        chart = {
            "title": "图表“图”",
            "dataset": BEST_SELLER_DATASET,
            "columns": ["company_name"],
            "figures": [metric],
        }
        assert describe_problem([chart]) is None
        assert describe_problem([{**chart, "dataset": "没有的"}]) == "图表“图”的数据集“没有的”不在报表目录中"
        assert (
            describe_problem([{**chart, "dataset": RECEIVABLE_DATASET}])
            == f"图表“图”的数据集“{RECEIVABLE_DATASET}”没有{metric}"
        )
