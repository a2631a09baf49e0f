"""系统初始化: three uploads in order (spec/1-shell.md 4, 5), worked off by the job; nothing is entered twice."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import Any

import openpyxl
import orjson
import pytest
import xlwt
from sqlalchemy import text

from api.importing import initialisation_job as job
from api.importing import opening_goods
from api.kit.declaration import registry
from api.shell.operations import initialisation as states
from tests.support.database_state import find_broken_checks
from tests.support.fixtures import Site, conn, site, world
from tests.support.workbooks import build_workbook as book_of

__all__ = ["conn", "site", "world"]
PATHS = {
    "goods": "/open/Initialization/initializationInventoryGoods",
    "stock": "/open/Initialization/initializationStocks",
    "customer": "/open/Initialization/initializationCustomer",
}
GOODS = ["商品编码", "商品名称", "商品类型", "品牌", "单位", "按批次管理", "税率%", "销售价"]
STOCK = ["仓库", "商品编码", "批次(DOT)", "数量", "单价"]
CUSTOMERS = ["客户名称", "手机号", "账期（天）", "期初余额", "到期日", "原单据号"]


def build_xls(*rows: list[Any]) -> bytes:
    book, content = xlwt.Workbook(), io.BytesIO()
    sheet = book.add_sheet("a")
    for at, row in enumerate(rows):
        for place, value in enumerate(row):
            sheet.write(at, place, value)
    book.save(content)
    return content.getvalue()


class InitialisationClient:
    """A company that is being initialised by the administrator."""

    def __init__(self, site: Site, company: int) -> None:
        self.site, self.company = site, company

    def send(self, path: str, *files: tuple[str, bytes], user: str = "admin", **form: Any) -> dict[str, Any]:
        response = self.site.http.post(
            path,
            data={"company_id": str(self.company), **form},
            files=[("excel", file) for file in files],
            headers={"token": self.site.world.tokens[user]},
        )
        found: dict[str, Any] = orjson.loads(response.content)
        return found

    def upload(self, step: str, *rows: list[Any], name: str = "a.xlsx") -> int:
        answer = self.send(PATHS[step], (name, book_of(*rows)))
        assert answer["code"] == 200, answer
        key: int = answer["data"]["id"]
        return key

    def enter_file(self, step: str, *rows: list[Any]) -> dict[str, Any]:
        """Upload a file, and have the worker process it."""
        job.initialise(self.upload(step, *rows))
        return self.read_info()

    def read_info(self) -> dict[str, Any]:
        answer = self.site.as_("admin").get("v2/open/Company/getSon2CompanyInfo", company_id=self.company)
        assert answer.ok, answer
        found: dict[str, Any] = answer.data
        return found

    def read_failures(self) -> list[list[Any]]:
        url = self.read_info()["task"]["failures_url"]
        response = self.site.as_("admin").raw("GET", url)
        assert response.status_code == 200
        sheet = openpyxl.load_workbook(io.BytesIO(response.content)).active
        assert sheet is not None
        return [[cell.value for cell in row] for row in sheet.iter_rows()]

    def set_state(self, state: int) -> None:
        with self.site.engine.begin() as conn:
            conn.execute(
                text(
                    "insert into initialisation (company_id, state) values (:id, :state)"
                    " on conflict (company_id) do update set state = excluded.state"
                ),
                {"id": self.company, "state": state},
            )

    def query_rows(self, sql: str) -> list[tuple[Any, ...]]:
        with self.site.engine.connect() as conn:
            return [tuple(row) for row in conn.execute(text(sql), {"id": self.company})]


@pytest.fixture
def office(site: Site, request: pytest.FixtureRequest) -> Iterator[InitialisationClient]:
    """A new company with one warehouse."""
    admin, name = site.as_("admin"), f"新{abs(hash(request.node.name)) % 10**6}"
    company = admin.post("v2/system/Company/add", {"company_name": name, "company_code": name[1:][:7]}).data[
        "id"
    ]
    answer = admin.post("v2/system/Warehouse/add", {"warehouse_name": f"{name}仓", "company_id": company})
    assert answer.ok, answer
    found = InitialisationClient(site, company)
    found.warehouse = f"{name}仓"  # type: ignore[attr-defined]
    yield found


class TestStates:
    def test_a_company_that_keeps_books_is_initialised(self, site: Site) -> None:
        assert InitialisationClient(site, site.world.company_a).read_info()["is_initialization"] == 6

    def test_a_new_company_waits_for_goods(self, office: InitialisationClient) -> None:
        info = office.read_info()
        assert (info["is_initialization"], info["state_name"], info["task"]) == (0, "待上传商品", None)

    def test_three_uploads_take_it_from_0_to_6(self, office: InitialisationClient) -> None:
        office.upload("goods", GOODS, ["Z001", "甲", "轮胎", "", "条", "", "", ""])
        assert office.read_info()["is_initialization"] == 1
        job.initialise(office.read_info()["task"]["id"])
        assert office.read_info()["is_initialization"] == 2
        assert (
            office.enter_file("stock", STOCK, [office.warehouse, "Z001", "", 3, 113])["is_initialization"]
            == 4
        )  # type: ignore[attr-defined]
        info = office.enter_file(
            "customer", CUSTOMERS, ["客户甲", "13800000000", 30, 120.5, "2026-12-31", ""]
        )
        assert (info["is_initialization"], info["task"]["message"]) == (6, "新增1行，已存在0行，失败0行")
        assert office.query_rows("select quantity, amount from stock_ledger where company_id = :id") == [
            (3, 300)
        ]
        assert office.query_rows("select open_amount, kind from settlement_item where company_id = :id") == [
            (pytest.approx(120.5), "opening")
        ]
        with office.site.engine.connect() as conn:
            assert find_broken_checks(conn) == {}

    @pytest.mark.parametrize(("step", "state"), [("goods", 2), ("goods", 1), ("stock", 0), ("customer", 3)])
    def test_an_upload_is_taken_at_its_step_only(
        self, office: InitialisationClient, step: str, state: int
    ) -> None:
        office.set_state(state)
        heading = {"goods": GOODS, "stock": STOCK, "customer": CUSTOMERS}[step]
        answer = office.send(PATHS[step], ("a.xlsx", book_of(heading, ["x"] * len(heading))))
        assert (answer["code"], answer["msg"]) == (400, f"当前步骤是“{states.STATES[state]}”，请刷新后再试")
        assert office.read_info()["is_initialization"] == state

    def test_a_step_may_be_skipped(self, office: InitialisationClient) -> None:
        office.set_state(2)
        admin = office.site.as_("admin")
        body = {"company_id": office.company, "step": "stock"}
        assert admin.post("open/Initialization/skip", body).data["is_initialization"] == 4
        assert admin.post("open/Initialization/skip", body).code == 400

    # docs/specification.md#84
    def test_it_takes_the_right_and_the_company(self, office: InitialisationClient) -> None:
        file = ("a.xlsx", book_of(GOODS, ["Z1", "甲", "轮胎", "", "条", "", "", ""]))
        assert office.send(PATHS["goods"], file, user="nobody")["code"] == 403
        answer = office.site.as_("manager_a").get(
            "v2/open/Company/getSon2CompanyInfo", company_id=office.company
        )
        assert (answer.code, answer.msg) == (400, "公司不存在或无权访问")


class TestFiles:
    """spec/1-shell.md 5: only xls or xlsx; one file per upload."""

    @pytest.mark.parametrize("step", PATHS)
    def test_messages_of_section_5(self, office: InitialisationClient, step: str) -> None:
        office.set_state(states.STEPS[step])
        told = office.send(PATHS[step], ("a.csv", b"x"))
        assert (told["code"], told["msg"]) == (400, "上传文件只能是 xls、xlsx格式!")
        told = office.send(PATHS[step], ("a.xlsx", b"x"), ("b.xlsx", b"x"))
        assert (told["code"], told["msg"]) == (400, "一次只能上传一个文件！")
        assert office.read_info()["is_initialization"] == states.STEPS[step]
        logged = office.query_rows(
            "select message from upload_log where company_id = :id order by upload_log_id"
        )
        assert logged == [("上传文件只能是 xls、xlsx格式!",), ("一次只能上传一个文件！",)]

    def test_an_old_xls_is_taken(self, office: InitialisationClient) -> None:
        content = build_xls(GOODS, ["000X1", "甲", "轮胎", "", "条", "是", 13, 5.5])
        answer = office.send(PATHS["goods"], ("旧.XLS", content))
        job.initialise(answer["data"]["id"])
        assert office.read_info()["is_initialization"] == 2
        [row] = office.query_rows(
            "select g.goods_num, g.is_batch, c.sale_price from company_goods c join goods g using (goods_id)"
            " where c.company_id = :id"
        )
        assert row == ("000X1", True, 5.5)

    @pytest.mark.parametrize("step", PATHS)
    def test_the_template_is_read_back(self, office: InitialisationClient, step: str) -> None:
        response = office.site.as_("admin").raw(
            "GET", "open/Initialization/getTemplate", query={"step": step}
        )
        office.set_state(states.STEPS[step])
        answer = office.send(PATHS[step], ("a.xlsx", response.content))
        assert (answer["code"], answer["msg"]) == (400, "文件里只有表头，没有数据")


class TestPreview:
    def test_rows_are_shown_as_they_would_be_read(self, office: InitialisationClient) -> None:
        rows = [
            ["00012", " 甲 ", "轮胎/全钢胎", "", "条", "是", "13", 12.5],
            ["", "乙", "轮胎", "", "条", "", "x", ""],
        ]
        answer = office.send(
            "/open/Initialization/preview", ("a.xlsx", book_of([*GOODS, "别的"], *rows)), step="goods"
        )
        data = answer["data"]
        assert data["rows"][0] == {
            "row": 2,
            "cells": ["00012", "甲", "轮胎/全钢胎", "", "条", "是", "13", "12.5"],
        }
        assert (data["total"], data["checked"], data["refused"]) == (2, 2, 1)
        assert data["ignored"] == ["别的"]
        assert data["problems"] == [
            {"row": 3, "field": "商品编码、税率%", "msg": "商品编码：不能为空；税率%：请输入数字"}
        ]
        assert office.read_info()["is_initialization"] == 0

    def test_who_may_not_upload_is_told_so_before_he_previews(self, office: InitialisationClient) -> None:
        clerk = {"user": "clerk_a", "company_id": str(office.site.world.company_a)}
        file = ("a.xlsx", book_of(STOCK, ["A仓", "OIL", "", 1, 1]))
        told = [
            office.send(path, file, **clerk, **form)
            for path, form in ((PATHS["stock"], {}), ("/open/Initialization/preview", {"step": "stock"}))
        ]
        refusal = (403, "库存初始化要录入成本，您没有查看成本的权限")
        assert [(one["code"], one["msg"]) for one in told] == [refusal] * 2
        other = office.send("/open/Initialization/preview", file, user="clerk_a", step="goods")
        assert (other["code"], other["msg"]) == (400, "公司不存在或无权访问")


class TestGoods:
    def test_types_brands_and_units_are_made_where_missing(self, office: InitialisationClient) -> None:
        rows = [
            ["N001", "甲", "新类/二级/三级", "新牌", "新单位", "", "9", 10],
            ["N002", "乙", "三级", "新牌", "新单位", "", "", ""],
        ]
        info = office.enter_file("goods", GOODS, *rows)
        assert info["task"]["rows_taken"] == 2
        found = office.query_rows(
            "select g.goods_num, t.goods_type_name, t.level, b.brand_name, u.unit_name, g.tax_rate, g.logogram"
            " from company_goods c join goods g using (goods_id) join goods_type t using (goods_type_id)"
            " left join brand b using (brand_id) join unit u using (unit_id)"
            " where c.company_id = :id order by 1"
        )
        assert found == [
            ("N001", "三级", 3, "新牌", "新单位", 9, "J"),
            ("N002", "三级", 3, "新牌", "新单位", 13, "Y J"),
        ]

    def test_sound_rows_are_taken_and_bad_ones_come_back(self, office: InitialisationClient) -> None:
        rows = [
            ["0007", "甲", "轮胎", "", "条", "", "", ""],
            ["0008", "", "轮胎", "", "条", "", "", ""],
            ["0007", "丙", "轮胎", "", "条", "", "", ""],
            ["=1+1", "丁", "a/b/c/d", "", "条", "也许", "", -1],
        ]
        info = office.enter_file("goods", GOODS, *rows)
        assert (info["is_initialization"], info["task"]["status_name"]) == (0, "部分成功")
        assert info["task"]["message"] == "新增1行，已存在0行，失败3行，请下载失败明细，修改后重新上传"
        heading, *failed = office.read_failures()
        assert heading == ["行号", "字段", "原因", *GOODS]
        assert [(row[0], row[1]) for row in failed[:2]] == [("3", "商品名称"), ("4", "商品编码")]
        assert failed[1][2] == "商品编码：与第2行重复"
        assert failed[1][3] == "0007", "leading zeros stay"

    def test_the_mended_file_adds_only_what_is_missing(self, office: InitialisationClient) -> None:
        first = ["0107", "甲", "轮胎", "", "条", "", "", ""]
        office.enter_file("goods", GOODS, first, ["0108", "", "轮胎", "", "条", "", "", ""])
        heading, *failed = office.read_failures()
        failed[0][heading.index("商品名称")] = "乙"
        info = office.enter_file("goods", heading, *failed, ["", "", "", *first])
        assert info["is_initialization"] == 2
        assert (info["task"]["rows_taken"], info["task"]["rows_known"]) == (1, 1)
        assert office.query_rows("select count(*) from company_goods where company_id = :id") == [(2,)]

    def test_goods_that_somebody_keys_in_meanwhile_are_taken_over(
        self, office: InitialisationClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        find, asked = opening_goods._goods_by_code, []

        def late(*arguments: Any) -> dict[str, int]:
            asked.append(1)
            return {} if len(asked) == 1 else find(*arguments)

        monkeypatch.setattr(opening_goods, "_goods_by_code", late)
        rows = [["TUBE", "内胎", "轮胎", "", "条", "", "", ""], ["NEW1", "新", "轮胎", "", "条", "", "", ""]]
        info = office.enter_file("goods", GOODS, *rows)
        assert (info["is_initialization"], info["task"]["rows_taken"]) == (2, 2)
        assert office.query_rows("select count(*) from company_goods where company_id = :id") == [(2,)]

    def test_a_type_of_several_is_refused_by_its_name_alone(self, office: InitialisationClient) -> None:
        rows = [
            ["T001", "甲", "甲类/同名", "", "条", "", "", ""],
            ["T002", "乙", "乙类/同名", "", "条", "", "", ""],
        ]
        office.enter_file("goods", GOODS, *rows)
        office.set_state(0)
        office.enter_file("goods", GOODS, ["T003", "丙", "同名", "", "条", "", "", ""])
        assert "请写全路径" in office.read_failures()[1][2]


class TestStock:
    def ready(self, office: InitialisationClient) -> str:
        office.enter_file(
            "goods",
            GOODS,
            ["S001", "甲", "轮胎", "", "条", "是", "13", ""],
            ["S002", "乙", "轮胎", "", "条", "", "13", ""],
        )
        warehouse: str = office.warehouse  # type: ignore[attr-defined]
        return warehouse

    def test_it_becomes_audited_opening_bills(self, office: InitialisationClient) -> None:
        warehouse = self.ready(office)
        info = office.enter_file(
            "stock", STOCK, [warehouse, "S001", "2325", 4, 113], [warehouse, "S002", "", 2, 226]
        )
        assert info["is_initialization"] == 4
        assert office.query_rows(
            "select status, total_quantity, remark from opening_stock where company_id = :id"
        ) == [(2, 6, "系统初始化")]
        assert office.query_rows(
            "select quantity, amount from cost_balance where company_id = :id order by amount"
        ) == [(4, 400), (2, 400)]

    def test_nothing_is_entered_twice(self, office: InitialisationClient) -> None:
        warehouse = self.ready(office)
        rows = [[warehouse, "S002", "", 2, 226], ["没有的仓", "S002", "", 1, 1]]
        assert office.enter_file("stock", STOCK, *rows)["is_initialization"] == 2
        changed = [warehouse, "S002", "", 9, 226]
        info = office.enter_file("stock", STOCK, rows[0], changed)
        assert info["task"]["rows_refused"] == 1, "the same place twice in one file"
        info = office.enter_file("stock", STOCK, changed)
        assert "已录入 2 × 226" in office.read_failures()[1][2]
        info = office.enter_file("stock", STOCK, rows[0])
        assert (info["is_initialization"], info["task"]["rows_known"]) == (4, 1)
        assert office.query_rows("select sum(quantity) from stock_ledger where company_id = :id") == [(2,)]

    def test_stock_without_a_price_says_so(self, office: InitialisationClient) -> None:
        warehouse = self.ready(office)
        rows = [
            [warehouse, "S002", "", 2, None, None],
            [warehouse, "S002", "", 2, 0, None],
            [warehouse, "S002", "", 2, "=D2*3", None],
        ]
        office.enter_file("stock", [*STOCK, "赠品"], *rows)
        assert [row[2] for row in office.read_failures()[1:]] == [
            "单价：不能为空；赠品请在“赠品”列填“是”",
            "单价：不能为 0；赠品请在“赠品”列填“是”",
            "单价：是公式而没有结果，请用 Excel 打开并保存，或改为数值或普通文字",
        ]
        info = office.enter_file("stock", [*STOCK, "赠品"], [warehouse, "S002", "", 2, None, "是"])
        assert (info["is_initialization"], info["task"]["rows_refused"]) == (4, 0)
        assert office.query_rows(
            "select price, is_gift from opening_stock_line join opening_stock using (bill_id) where company_id = :id"
        ) == [(0, True)]

    def test_bad_rows_say_why(self, office: InitialisationClient) -> None:
        warehouse = self.ready(office)
        rows = [
            [warehouse, "S001", "", 1, 1],
            [warehouse, "S001", "9925", 1, 1],
            [warehouse, "TYRE", "批号七", 1, 1],
            [warehouse, "S001", "5299", 1, 1],
            [warehouse, "NUMBERED", "", 1, 1],
            [warehouse, "S002", "", 0, 1],
            ["A仓", "S002", "", 1, 1],
        ]
        office.enter_file("stock", STOCK, *rows)
        reasons = [row[2] for row in office.read_failures()[1:]]
        for reason, said in zip(
            reasons,
            [
                "请录入批次(DOT)",
                "周数为01到53",
                "周数为01到53",
                "还没有到",
                "按胎号管理",
                "请输入大于",
                "没有找到“A仓”",
            ],
            strict=True,
        ):
            assert said in reason
        assert reasons[1] == "批次(DOT)：应为周数加年份，如 2326，周数为01到53"


class TestCustomers:
    def test_balances_open_once(self, office: InitialisationClient) -> None:
        office.set_state(4)
        rows = [
            ["老张", "13800000000", 30, 100, "2026-12-31", "D1"],
            ["老张", "", "", 50, "", "D2"],
            ["老李", "123", "", "", "", ""],
            ["老王", "", "", "", "", ""],
        ]
        info = office.enter_file("customer", CUSTOMERS, *rows)
        assert (info["is_initialization"], info["task"]["rows_taken"]) == (4, 3)
        rows[2][1] = ""
        info = office.enter_file("customer", CUSTOMERS, *rows)
        assert (info["is_initialization"], info["task"]["rows_taken"], info["task"]["rows_known"]) == (
            6,
            1,
            3,
        )
        assert office.query_rows("select sum(amount) from settlement_item where company_id = :id") == [(150,)]
        assert office.query_rows("select count(*) from customer where company_id = :id") == [(3,)]


class TestKilled:
    def test_a_killed_run_goes_on_and_doubles_nothing(
        self, office: InitialisationClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(job.OpeningGoods, "portion", 2)
        rows = [[f"K{n}", f"名{n}", "轮胎", "", "条", "", "", ""] for n in range(5)]
        key = office.upload("goods", GOODS, *rows)
        take, calls = job.OpeningGoods.import_rows, []

        def dies(self: Any, ctx: Any, lines: Any) -> Any:
            calls.append(1)
            if len(calls) == 2:
                raise KeyboardInterrupt
            return take(self, ctx, lines)

        monkeypatch.setattr(job.OpeningGoods, "import_rows", dies)
        with pytest.raises(KeyboardInterrupt):
            job.initialise(key)
        assert office.read_info()["task"]["rows_done"] == 2
        assert office.read_info()["is_initialization"] == 1
        job.initialise_unattended(0)
        info = office.read_info()
        assert (info["is_initialization"], info["task"]["rows_known"], info["task"]["rows_taken"]) == (
            2,
            2,
            3,
        )
        assert office.query_rows("select count(*) from company_goods where company_id = :id") == [(5,)]

    def test_a_file_that_kills_its_worker_falls_back(self, office: InitialisationClient) -> None:
        key = office.upload("goods", GOODS, ["K9", "甲", "轮胎", "", "条", "", "", ""])
        with office.site.engine.begin() as conn:
            conn.execute(
                text("update initialisation_task set attempts = 3, status = 1 where company_id = :id"),
                {"id": office.company},
            )
        job.initialise_unattended(0)
        info = office.read_info()
        assert (info["is_initialization"], info["task"]["message"]) == (0, "处理多次中断，请重新上传")
        job.initialise(key)
        assert office.read_info()["is_initialization"] == 0

    def test_an_accident_falls_back_with_a_message(
        self, office: InitialisationClient, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        key = office.upload("goods", GOODS, ["K8", "甲", "轮胎", "", "条", "", "", ""])

        def breaks(*_: Any) -> Any:
            raise RuntimeError("broken")

        monkeypatch.setattr(job.OpeningGoods, "import_rows", breaks)
        with pytest.raises(RuntimeError):
            job.initialise(key)
        info = office.read_info()
        assert (info["is_initialization"], info["task"]["message"]) == (0, "处理出错，请重新上传或联系管理员")

    def test_two_workers_enter_a_file_once(self, office: InitialisationClient) -> None:
        key = office.upload("goods", GOODS, ["K7", "甲", "轮胎", "", "条", "", "", ""])
        with job.lock_task(job.KIND, key) as mine:
            assert mine
            job.initialise(key)
            assert office.read_info()["is_initialization"] == 1
        job.initialise(key)
        assert office.read_info()["is_initialization"] == 2

    def test_the_job_is_queued_with_the_upload(self, office: InitialisationClient) -> None:
        key = office.upload("goods", GOODS, ["K6", "甲", "轮胎", "", "条", "", "", ""])
        assert registry.get_resource("initialisation_task")
        queued = office.query_rows("select args from procrastinate_jobs where task_name = 'initialise'")
        assert ({"task_id": key},) in queued


class TestDoubts:
    """What may be there already is asked about in the preview; sent on, it is entered."""

    def _preview(self, office: InitialisationClient, step: str, *rows: list[Any]) -> dict[str, Any]:
        answer = office.send("/open/Initialization/preview", ("a.xlsx", book_of(*rows)), step=step)
        assert answer["code"] == 200, answer
        found: dict[str, Any] = answer["data"]
        return found

    def test_customers_that_may_be_the_same_are_asked_about(self, office: InitialisationClient) -> None:
        body = {
            "customer_name": "顺达轮胎（浦东）",
            "customer_mobile": "13811112222",
            "company_id": office.company,
        }
        assert office.site.as_("admin").post("v2/custom/Customer/add", body).ok
        rows = [
            ["顺达轮胎 浦东", "13811112222", "", "", "", ""],
            ["老李", "13911112222", "", "", "", ""],
            ["李记", "13911112222", "", "", "", ""],
            ["顺达轮胎（浦东）", "13811112222", "", "", "", ""],
            ["独一家", "", "", "", "", ""],
        ]
        told = self._preview(office, "customer", CUSTOMERS, *rows)
        assert (told["refused"], told["doubted"]) == (0, 3)
        assert told["doubts"] == [
            {"row": 2, "msg": "疑似与顺达轮胎（浦东）（名称、手机号）重复"},
            {"row": 3, "msg": "疑似与第4行 李记（手机号）重复"},
            {"row": 4, "msg": "疑似与第3行 老李（手机号）重复"},
        ]
        office.set_state(4)
        assert office.enter_file("customer", CUSTOMERS, *rows)["task"]["rows_taken"] == 4

    def test_a_credit_code_that_another_has_is_refused_with_its_row(
        self, office: InitialisationClient
    ) -> None:
        code = "91310000MA1FL0000A"
        body = {"customer_name": "有证", "credit_code": code, "company_id": office.company}
        assert office.site.as_("admin").post("v2/custom/Customer/add", body).ok
        office.set_state(4)
        heading = ["客户名称", "统一社会信用代码"]
        info = office.enter_file("customer", heading, ["冒名", code], ["另外", ""])
        assert (info["task"]["rows_taken"], info["task"]["rows_refused"]) == (1, 1)
        assert office.read_failures()[1][2] == "统一社会信用代码：已是客户“有证”的信用代码"

    def test_goods_that_may_be_the_same_are_asked_about(self, office: InitialisationClient) -> None:
        assert office.enter_file("goods", GOODS, ["DBT1", "疑似 轮胎-A", "轮胎", "", "条", "", "", ""])
        rows = [
            ["DBT2", "疑似轮胎A", "轮胎", "", "条", "", "", ""],
            ["DBT3", "疑似轮胎A", "轮胎", "别的牌", "条", "", "", ""],
            ["DBT1", "疑似轮胎A", "轮胎", "", "条", "", "", ""],
        ]
        told = self._preview(office, "goods", GOODS, *rows)
        assert told["doubts"] == [{"row": 2, "msg": "疑似与DBT1 疑似 轮胎-A（名称规格）重复"}]


class TestPacks:
    HEADING = ("商品编码", "商品名称", "商品类型", "单位", "条形码", "辅单位", "换算率", "箱码")

    def test_a_goods_comes_with_its_pack(self, office: InitialisationClient) -> None:
        rows = [
            ["PK1", "机油", "油品", "桶", "PKB1", "整箱", "12", "PKX1"],
            ["PK2", "滤芯", "油品", "只", "", "", "", ""],
        ]
        assert office.enter_file("goods", list(self.HEADING), *rows)["task"]["rows_taken"] == 2
        found = office.query_rows(
            "select g.goods_num, u.unit_name, n.factor, n.barcode from goods_unit n join goods g using (goods_id)"
            " join unit u on u.unit_id = n.unit_id join company_goods c using (goods_id) where c.company_id = :id"
        )
        assert found == [("PK1", "整箱", 12, "PKX1")]
        again = office.query_rows("select state from initialisation where company_id = :id")
        assert again == [(2,)]

    def test_packs_and_codes_that_are_wrong_are_refused_by_row(self, office: InitialisationClient) -> None:
        taken = ["PQ0", "甲", "油品", "桶", "PQB0", "整箱", "12", "PQX0"]
        assert office.enter_file("goods", list(self.HEADING), taken)["task"]["rows_taken"] == 1
        office.set_state(0)
        rows = [
            ["PQ1", "乙", "油品", "桶", "", "整箱", "", ""],
            ["PQ2", "丙", "油品", "桶", "", "", "", "PQX2"],
            ["PQ3", "丁", "油品", "桶", "", "桶", "12", ""],
            ["PQ4", "戊", "油品", "桶", "pqx0", "", "", ""],
            ["PQ5", "己", "油品", "桶", "PQB5", "整箱", "12", "pqb5"],
            ["PQ6", "庚", "油品", "桶", "", "整箱", "0", ""],
            ["PQ7", "辛", "油品", "桶", "PQB7", "整箱", "6", ""],
        ]
        info = office.enter_file("goods", list(self.HEADING), *rows)
        assert (info["task"]["rows_taken"], info["task"]["rows_refused"]) == (1, 6)
        assert [row[2] for row in office.read_failures()[1:]] == [
            "辅单位：辅单位和换算率请一起填写",
            "箱码：有箱码的请填写辅单位和换算率",
            "辅单位：不能是商品自己的单位",
            "条形码：“pqx0”已是商品 PQ0 的编码或条形码",
            "箱码：“pqb5”与第6行的编码或条形码重复",
            "换算率：请输入大于零的数",
        ]
