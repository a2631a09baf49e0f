"""Reports that are lists as files: whole, in the list's order, with its totals, under the asker's rights and filters."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pypdf
import pytest
from sqlalchemy import text

from api.exporting import report_file, report_job
from api.exporting.export_request import ExportRequest, ExportRequestBody
from api.exporting.list_export import find_list, validate_list_request
from api.exporting.report_layout import build_sheet
from api.exporting.report_source import open_source
from api.exporting.text_format import format_value
from api.identity.sessions import read_principal
from api.kit.context import Context
from api.kit.declaration import menu
from api.kit.declaration.fields import COST
from api.kit.declaration.view import View
from api.kit.errors import Forbidden
from api.messaging.tables import SENT
from api.shell.files import export_job
from api.shell.files.export_tasks import FAILED
from api.subscribing import delivery_jobs
from tests.reporting.report_files import HEAD, read_cells
from tests.reporting.test_sales_reports import MARCH, SUMMARY, posted
from tests.support.bill_client import BillClient
from tests.support.client import Answer

__all__ = ["posted"]
EXPORT, CHOICES = "v2/report/Frame/export", "v2/report/Frame/getPivotChoices"
SUBSCRIPTION, SCHEMES = "v2/report/Subscription", "v2/open/UserPreference"
LISTS = [entry.code for entry in menu.list_reports() if find_list(entry.code)]
IN_MARCH = {name: [value] for name, value in MARCH.items()}


def test_every_native_report_is_one() -> None:
    assert len(LISTS) >= 24 and {"salesmulrpt", "inventoryoutin", "customerdetrpt"} <= {*LISTS}


@pytest.fixture
def ctx(posted: BillClient) -> Iterator[Context]:
    with posted.site.engine.connect() as conn:
        yield Context(conn, read_principal(conn, posted.world.user_admin))


def parse_list_export(ctx: Context, code: str, form: Any, **params: Any) -> tuple[type[View], ExportRequest]:
    cls = find_list(code)
    assert cls
    return cls, validate_list_request(ctx, cls, ExportRequestBody(code=code, tab="all", form=form, **params))


def write_list(ctx: Context, request: ExportRequest, path: Path) -> int:
    with open_source(ctx, request) as (source, facts):
        return report_file.write_report(path, request, source, facts)


def shown_of(posted: BillClient, cls: type[View], **changes: Any) -> dict[str, Any]:
    """Return the rows that a report's page shows, when it opens or under filters."""
    found: dict[str, Any] = posted.caller.get(
        f"{cls.declaration.api}/getList", per_page=500, **{**cls.default_filters(), **changes}
    ).data
    return found


@pytest.mark.parametrize("code", LISTS)
class TestEveryList:
    def test_its_file_has_the_rows_and_totals_of_the_list(
        self, posted: BillClient, ctx: Context, tmp_path: Path, code: str
    ) -> None:
        path = tmp_path / "a.xlsx"
        cls, asked = parse_list_export(ctx, code, "detail")
        shown = shown_of(posted, cls)
        assert write_list(ctx, asked, path) == shown["total"]
        [found] = read_cells(path)
        assert found[0] == [cls.declaration.label, *[None] * (len(found[0]) - 1)]
        assert "数据时间：2" in found[2][0] and "管理员" in found[1][0]
        assert len(found) == HEAD + 1 + shown["total"] + 1
        heading, total = found[HEAD], found[-1]
        for name, value in shown["totals"].items():
            at = heading.index(cls.field(name).label)
            assert total[at] or pytest.approx(float(value)) == 0, name
            mine = [row[at] or 0 for row in found[HEAD + 1 : -1]]
            assert mine == pytest.approx([float(row[name] or 0) for row in shown["data"]]), name
            if cls.field(name).total:
                assert sum(mine) == pytest.approx(float(value)), name
            else:
                assert total[at] == pytest.approx(float(value)), name

    def test_a_ratio_of_all_is_made_as_that_of_a_row(self, posted: BillClient, code: str) -> None:
        cls = find_list(code)
        assert cls
        for item in cls.fields():
            if not item.ratio:
                continue
            sides = (item.ratio.part, item.ratio.whole)
            assert {*sides} <= {*cls.table().columns.keys()}
            hidden = {each.name for each in cls.fields() if each.permission == COST}
            assert item.permission == COST or not hidden & {*sides}
            for row in shown_of(posted, cls)["data"]:
                if row.keys() >= {*sides} and Decimal(row[item.ratio.whole]) > 0:
                    told = item.ratio.compute({name: Decimal(row[name]) for name in sides})
                    assert told == Decimal(row[item.name]), item.name

    def test_its_pivot_adds_up_to_the_list(
        self, posted: BillClient, ctx: Context, tmp_path: Path, code: str
    ) -> None:
        path = tmp_path / "a.xlsx"
        cls, plain = parse_list_export(ctx, code, "detail")
        offered = plain.board.pivot.offered
        for metrics in (offered[:6], offered[6:12]) if len(offered) > 6 else (offered,):
            _, asked = parse_list_export(ctx, code, "pivot", metrics=list(metrics))
            write_list(ctx, asked, path)
            [found] = read_cells(path)
            wanted = shown_of(posted, cls)["totals"]
            for at, name in enumerate(reversed(metrics), start=1):
                assert (found[-1][-at] or 0) == pytest.approx(float(wanted.get(name, 0))), name

    def test_on_paper_it_is_whole(self, posted: BillClient, ctx: Context, code: str) -> None:
        cls, asked = parse_list_export(ctx, code, "pdf")
        with open_source(ctx, asked) as (source, facts):
            found = build_sheet(asked, source, facts, {})
        [table] = found["tables"]
        shown = shown_of(posted, cls)
        assert len(table["rows"]) == shown["total"]
        if not shown["total"]:
            assert (table["note"], table["totals"]) == ("没有符合条件的数据", [])
            return
        labels = [column["label"] for column in table["columns"]]
        for name, value in shown["totals"].items():
            if not cls.field(name).optional:
                at = labels.index(cls.field(name).label)
                form = asked.board.datasets[0].metric(name).format
                assert Decimal((table["totals"][at] or "0").replace(",", "")) == pytest.approx(
                    Decimal(format_value(Decimal(value), form).replace(",", ""))
                ), name


class TestFile:
    def test_rows_stand_in_the_lists_order_under_its_filters(
        self, posted: BillClient, ctx: Context, tmp_path: Path
    ) -> None:
        world, path = posted.world, tmp_path / "a.xlsx"
        for direction in ("desc", "asc"):
            order = {"order_key": "revenue", "order_by": direction}
            filters = {**IN_MARCH, "grouping": ["4"], "company_id": [str(world.company_a)]}
            given = {**filters, **{name: [value] for name, value in order.items()}}
            _, asked = parse_list_export(ctx, "salesmulrpt", "detail", filters=given)
            write_list(ctx, asked, path)
            [found] = read_cells(path)
            company = ctx.conn.execute(
                text("select company_name from company where company_id = :key"), {"key": world.company_a}
            ).scalar_one()
            words = f"筛选条件：日期＝2026-03-01 至 2026-03-31；汇总方式＝客户；公司＝{company}"
            assert found[3][0] == words
            heading, *rows, total = found[HEAD:]
            assert heading[:2] == ["公司", "客户"] and "部门" not in heading and "商品" not in heading
            customers = ["A客户", "A客户2"]
            assert [row[1] for row in rows] == (customers if direction == "desc" else customers[::-1])
            assert total[0] == "合计" and total[heading.index("未税收入")] == 900
            assert total[heading.index("毛利率%")] == 33.33
            assert rows[0][heading.index("毛利率%")] is not None

    def test_a_pivot_stands_on_what_is_chosen(self, posted: BillClient, ctx: Context, tmp_path: Path) -> None:
        path = tmp_path / "a.xlsx"
        goods = {"goods_id": [str(posted.world.spares[0])]}
        day = {"business_date_start": ["2025-01-01"], "business_date_end": ["2026-03-31"], **goods}
        _, asked = parse_list_export(
            ctx,
            "salesdetrpt",
            "pivot",
            filters=day,
            rows=["company_name"],
            columns=["business_date_month"],
            metrics=["revenue"],
        )
        write_list(ctx, asked, path)
        [found] = read_cells(path)
        heading, *rows = found[HEAD:]
        assert heading[1:] == ["2025-03", "2026-02", "2026-03", "合计"]
        assert rows[0][1:] == [300, 600, 900, 1800]
        assert rows[-1][1:] == [300, 600, 1010, 1910]

    def test_on_paper_rows_totals_and_the_chart(
        self, posted: BillClient, ctx: Context, tmp_path: Path
    ) -> None:
        path = tmp_path / "a.pdf"
        _, asked = parse_list_export(ctx, "salesmulrpt", "pdf", filters={**IN_MARCH, "grouping": ["4"]})
        assert write_list(ctx, asked, path) == 3
        printed = "".join(pypdf.PdfReader(path).pages[0].extract_text().split())
        for words in ("销售综合报表", "未税收入居前的客户", "共3行", "A客户2", "300.00", "1,010.00"):
            assert words in printed, words

    def test_a_filter_on_what_is_hidden_is_refused(self, posted: BillClient, ctx: Context) -> None:
        with posted.site.engine.connect() as conn:
            clerk = Context(conn, read_principal(conn, posted.world.user_clerk_a))
            for code in LISTS:
                cls = find_list(code)
                assert cls
                for item in cls.fields():
                    if item.search and item.permission == "cost":
                        with pytest.raises(Forbidden):
                            parse_list_export(clerk, code, "detail", filters={f"{item.name}_start": ["1"]})


class TestCalls:
    def ask(self, posted: BillClient, user: str = "manager_a", **body: Any) -> Answer:
        asked = {"code": "salesmulrpt", "tab": "all", "form": "detail", "filters": IN_MARCH, **body}
        return posted.site.as_(user).post(EXPORT, asked)

    def written(self, posted: BillClient, user: str, **body: Any) -> list[list[Any]]:
        answer = self.ask(posted, user, **body)
        assert answer.ok, answer
        report_job.export_report(export_id=answer.data["export_id"])
        [found] = read_cells(export_job.export_path(answer.data["export_id"]))
        return found

    def test_a_role_has_its_companies_and_no_cost_without_the_right(self, posted: BillClient) -> None:
        found = {user: self.written(posted, user) for user in ("admin", "manager_a", "manager_b", "clerk_a")}
        revenue = {user: rows[-1][rows[HEAD].index("未税收入")] for user, rows in found.items()}
        assert revenue == {"admin": 1010, "manager_a": 900, "manager_b": 110, "clerk_a": 900}
        hidden = {"销售成本", "毛利", "毛利率%"}
        assert {user: hidden & {*rows[HEAD]} for user, rows in found.items()} == {
            "admin": hidden,
            "manager_a": hidden,
            "manager_b": hidden,
            "clerk_a": set(),
        }
        refused = self.ask(posted, "clerk_a", form="pivot", metrics=["profit"])
        assert (refused.code, refused.msg) == (400, "此报表的透视没有维度或指标“profit”，请重新选择")

    def test_what_a_pivot_may_be_of(self, posted: BillClient) -> None:
        by = {"code": "salesmulrpt", "tab": "all"}
        found = posted.site.as_("clerk_a").get(CHOICES, **by, grouping="4").data
        assert [item["label"] for item in found["dimensions"]] == ["公司", "客户"]
        assert (found["rows"], found["columns"], found["metrics"]) == (["customer_name"], [], ["revenue"])
        measures = {item["name"] for item in found["measures"]}
        assert "revenue" in measures and not {"profit", "cost", "margin"} & measures
        found = posted.site.as_("admin").get(CHOICES, **by).data
        assert [item["label"] for item in found["dimensions"]] == ["公司"]

    @pytest.mark.parametrize(
        ("form", "name", "suffix"),
        [("detail", "_明细_2", ".xlsx"), ("pivot", "_透视_2", ".xlsx"), ("pdf", "_2", ".pdf")],
    )
    def test_files_are_called_by_the_report(
        self, posted: BillClient, form: str, name: str, suffix: str
    ) -> None:
        called = self.ask(posted, form=form).data["file_name"]
        assert called.startswith(f"销售综合报表{name}") and called.endswith(suffix)

    @pytest.mark.parametrize(
        ("body", "told_"),
        [
            ({"filters": {"price": ["1"]}}, "此报表没有筛选项“price”，请在报表上重新选择筛选后再导出"),
            ({"filters": {"per_page": ["1"]}}, "此报表没有筛选项“per_page”，请在报表上重新选择筛选后再导出"),
            ({"filters": {"order_by": ["up"]}}, "筛选条件不正确，请在报表上重新选择筛选后再导出"),
            ({"filters": {"order_key": ["nothing"]}}, "不能按该字段排序"),
            (
                {"form": "pivot", "rows": ["customer_name"]},
                "此报表的透视没有维度或指标“customer_name”，请重新选择",
            ),
            ({"form": "pivot", "metrics": ["day"]}, "此报表的透视没有维度或指标“day”，请重新选择"),
            ({"tab": "nowhere"}, "报表页签不存在或无权访问"),
            ({"code": "ReportHome"}, "报表不存在或无权访问"),
        ],
    )
    def test_what_the_list_does_not_have_is_refused(
        self, posted: BillClient, body: dict[str, Any], told_: str
    ) -> None:
        answer = self.ask(posted, **body)
        assert (answer.code, answer.msg) == (400, told_)

    def test_looking_is_not_exporting(self, posted: BillClient) -> None:
        """Whoever may only look is refused when he asks, and when the work begins."""
        key = self.ask(posted).data["export_id"]
        with RevokedRight(posted):
            assert self.ask(posted).code == 403
            assert posted.site.as_("manager_a").get(CHOICES, code="salesmulrpt", tab="all").code == 403
            assert posted.site.as_("manager_a").get(f"{SUMMARY}/getList", **MARCH).ok
            report_job.export_report(export_id=key)
        row = posted.site.as_("manager_a").get("v2/open/ExportLog/getExportLogList").data["data"][0]
        assert row["export_status"] == FAILED

    def test_the_page_knows_that_it_is_filed(self, posted: BillClient) -> None:
        def filed(route: str) -> bool:
            found: bool = posted.caller.get("v2/Open/Screen/getScreen", route=route).data["filed"]
            return found

        assert filed("/report/salesmulrpt") and filed("/report/costdetail")
        assert not filed("/report/ReportHome")


class RevokedRight:
    """Context without the export right of the report, for the roles of company A's manager."""

    def __init__(self, posted: BillClient) -> None:
        self._posted = posted
        self._role = {"role": posted.world.role_manager_a, "code": "sales_summary:export"}

    def _change(self, statement: str) -> None:
        with self._posted.site.engine.begin() as conn:
            conn.execute(text(statement), self._role)
            conn.execute(text("update role set version = version + 1 where role_id = :role"), self._role)

    def __enter__(self) -> None:
        self._change("delete from role_right where role_id = :role and code = :code")

    def __exit__(self, *_: object) -> None:
        self._change("insert into role_right (role_id, code) values (:role, :code)")


class TestSubscription:
    def subscribe(self, posted: BillClient, user: str, **changes: Any) -> Answer:
        wish = {"code": "salesmulrpt", "tab": "all", "rhythm": "day", "hour": 8, "way": "message"}
        return posted.site.as_(user).post(f"{SUBSCRIPTION}/add", {**wish, **changes})

    def delivered(self, posted: BillClient, user: str, **changes: Any) -> tuple[Any, list[list[Any]]]:
        """A run of a new subscription, and its file."""
        answer = self.subscribe(posted, user, **changes)
        assert answer.ok, answer
        with posted.site.engine.begin() as conn:
            conn.execute(text("update report_subscription set next_at = now()"))
        delivery_jobs.run_subscription(subscription_id=answer.data["id"])
        query = text("select * from report_delivery where subscription_id = :key")
        key = {"key": answer.data["id"]}
        with posted.site.engine.connect() as conn:
            export_id = conn.execute(query, key).one().export_id
        report_job.export_report(export_id=export_id)
        with posted.site.engine.connect() as conn:
            delivery = conn.execute(query, key).one()
        delivery_jobs.deliver_report(delivery_id=delivery.delivery_id)
        with posted.site.engine.connect() as conn:
            delivery = conn.execute(query, key).one()
        [found] = read_cells(export_job.export_path(export_id))
        return delivery, found

    def test_each_gets_it_under_his_own_rights(self, posted: BillClient) -> None:
        for user in ("manager_a", "clerk_a", "manager_b"):
            kept = {
                "keyword": "",
                "filters": {"grouping": "4", "grouping__label": "客户"},
                "orderKey": "quantity",
                "orderBy": "asc",
            }
            body = {"kind": "scheme", "screen": "sales_summary", "name": "客户", "value": kept}
            assert posted.site.as_(user).post(f"{SCHEMES}/save", body).ok
            delivery, found = self.delivered(posted, user, scheme="客户")
            assert delivery.state == SENT, delivery.failure
            heading = found[HEAD]
            assert heading[:2] == ["公司", "客户"]
            assert ("毛利" in heading) == (user != "clerk_a")
            assert "汇总方式＝客户" in found[3][0]
            [mine] = posted.site.as_(user).get(f"{SUBSCRIPTION}/getMine").data["data"]
            assert (mine["title"], mine["route"]) == ("销售综合报表", "/report/salesmulrpt")

    def test_days_that_it_opens_with_move_on(self, posted: BillClient) -> None:
        """Kept with March, it is of the present month all the same; what was taken away stays away."""
        cls = find_list("salesmulrpt")
        assert cls
        kept = {"filters": {**MARCH, "grouping": "1"}}
        body = {"kind": "scheme", "screen": "sales_summary", "name": "三月", "value": kept}
        assert posted.site.as_("admin").post(f"{SCHEMES}/save", body).ok
        _, found = self.delivered(posted, "admin", scheme="三月")
        days = cls.default_filters()
        assert f"日期＝{days['day_start']} 至 {days['day_end']}" in found[3][0]

    def test_it_is_refused_without_the_right(self, posted: BillClient) -> None:
        with RevokedRight(posted):
            refused = self.subscribe(posted, "manager_a")
        assert (refused.code, refused.msg) == (403, "您没有查看或导出此报表的权限")
