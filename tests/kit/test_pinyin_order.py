"""拼音顺序: Postgres and DuckDB order texts alike, and so do lists, dropdowns, charts and files."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest
import sqlalchemy as sa
from sqlalchemy import Connection

from api.exporting import cross_table
from api.exporting.cross_table import CrossTable
from api.exporting.dataset_sql import table_statement
from api.exporting.query import RowQuery
from api.kit.declaration import registry
from api.kit.scope import Principal
from api.kit.storage.pinyin_order import MACRO, pinyin_sort_key, register_macro
from reports.semantics.dashboards import Chart, Pivot
from reports.semantics.datasets import Column, Dataset, Metric
from reports.semantics.expressions import sum_of
from reports.semantics.text_order import sort_by_pinyin
from tests.support.bill_client import BillClient
from tests.support.fixtures import Site
from warehouse.pinyin_weights import keep_function

PROJECT = Path(__file__).resolve().parents[2]
SPELLED = ["AA轮胎", "安徽分店", "北京分店", "重庆分店", "上海分店", "张三轮胎", "周口分店"]
"""In pinyin order, as ICU has it: Chinese before Latin letters."""
IN_ORDER = [*SPELLED[1:], SPELLED[0]]


def sort_by_postgres(conn: Connection, texts: list[str]) -> list[str]:
    rows = conn.exec_driver_sql("select t from unnest(%s::text[]) t order by pinyin_key(t), t", (texts,))
    return [text for (text,) in rows]


def sort_by_duckdb(texts: list[str]) -> list[str]:
    with duckdb.connect() as conn:
        conn.execute(MACRO)
        rows = conn.execute("select t from unnest($1) as u(t) order by pinyin_key(t), t", [texts]).fetchall()
    return [text for (text,) in rows]


class TestOneRule:
    def test_chinese_names_stand_by_their_pinyin(self, conn: Connection) -> None:
        assert sort_by_postgres(conn, SPELLED[::-1]) == IN_ORDER
        assert sort_by_duckdb(SPELLED[::-1]) == IN_ORDER

    def test_both_engines_agree_on_names_of_all_kinds(self, conn: Connection) -> None:
        draw = random.Random(41)
        han = [chr(code) for code in range(0x4E00, 0xA000)]
        usual = list("上海北京重庆长沙沈阳汽配轮胎有限公司分店一二三甲乙丙厦门曾朝阳区")
        latin = list("abcXYZ0189-_.()（）/ *×#ＡＢ１２")
        texts = {
            "".join(draw.choices(draw.choice([han, usual, latin, usual + latin]), k=draw.randint(1, 8)))
            for _ in range(4000)
        }
        texts |= {
            "轮胎",
            "轮胎 ",
            "ab",
            "aB",
            "Ab",
            "AB",
            "重庆",
            "重",
            "庆重",
            "𠮷野",
            "吉野",
            "가나",
            "①号",
        }
        # One of each that ICU tells apart by accents or width alone.
        assert sort_by_postgres(conn, sorted(texts)) == sort_by_duckdb(sorted(texts))

    def test_both_processes_order_by_the_same_duckdb(self) -> None:
        pins = [
            re.findall(r'"(duckdb==[^"]+)"', (PROJECT / path).read_text("utf-8"))
            for path in ("pyproject.toml", "reports/pyproject.toml")
        ]
        assert pins[0] == pins[1] == [f"duckdb=={duckdb.__version__}"]

    def test_another_duckdb_has_the_function_and_what_stands_on_it_made_anew(self, conn: Connection) -> None:
        described = "select obj_description('pinyin_key(text)'::regprocedure)"
        files = "select array_agg(pg_relation_filenode(indexrelid) order by indexrelid) from pg_index"
        files += " where indexrelid::regclass::text like 'ix_%%_pinyin'"

        def state() -> tuple[Any, Any]:
            return conn.exec_driver_sql(described).scalar(), conn.exec_driver_sql(files).scalar()

        keep_function(conn)
        version, now = state()
        assert version == duckdb.__version__ and len(now) == 3
        conn.exec_driver_sql("comment on function pinyin_key(text) is 'older'")
        keep_function(conn)
        assert state() == (version, now), "it orders as before: nothing is to be sorted again"
        conn.exec_driver_sql("""
            create or replace function pinyin_key(value text) returns bytea language sql immutable strict
            as $$ select convert_to(value, 'UTF8') $$
        """)
        conn.exec_driver_sql("comment on function pinyin_key(text) is 'older'")
        assert sort_by_postgres(conn, SPELLED[::-1]) != IN_ORDER
        keep_function(conn)
        assert sort_by_postgres(conn, SPELLED[::-1]) == IN_ORDER
        version, then = state()
        assert version == duckdb.__version__ and not {*now} & {*then}

    def test_an_index_may_stand_on_it(self, conn: Connection) -> None:
        conn.exec_driver_sql("set local enable_seqscan = off")
        plan = conn.exec_driver_sql(
            "explain select customer_id from customer order by pinyin_key(customer_name), customer_id limit 5"
        )
        assert any("ix_customer_pinyin" in line for (line,) in plan)


BY_CODE_POINT = re.compile(
    r"order by (?:(?!pinyin_key\()[^()\"]|\bpinyin_key\([^()]*\))*?(?<![\w(.])(?:\w+\.)?\w+_name\b"
    r"|order_by\((?:\w+\.)*\w+_name\b"
)
"""A statement of ours that orders by a name as it is."""


def test_no_statement_orders_names_by_code_point() -> None:
    assert BY_CODE_POINT.search("order by a.line_no, b.role_name") and BY_CODE_POINT.search(
        "x.order_by(c.role_name)"
    )
    assert not BY_CODE_POINT.search("order by p.line_no, pinyin_key(b.role_name), g.goods_num")
    texts = {path: path.read_text("utf-8") for path in (PROJECT / "api").rglob("*.py")}
    found = [
        f"{path.relative_to(PROJECT)}: {one[0]}"
        for path, told in texts.items()
        if "migrations" not in path.parts
        for one in BY_CODE_POINT.finditer(told)
    ]
    assert len(texts) > 300 and found == []


@pytest.fixture(scope="module")
def named(site: Site) -> list[int]:
    """Customers by those names, made in another order, each with a bill."""
    admin, made = site.as_("admin"), []
    for name in ("张三轮胎", "AA轮胎", "重庆分店", "安徽分店", "周口分店", "北京分店", "上海分店"):
        body = {"customer_name": name, "company_id": site.world.company_a}
        made.append(admin.post("v2/custom/Customer/add", body).data["id"])
    line = {"goods_id": site.world.tube, "quantity": "1", "price": "1"}
    for key in made:
        BillClient(site).draft("sales_outbound", line, customer_id=key)
    return made


class TestLists:
    def read_rows(self, site: Site, path: str, **asked: Any) -> list[dict[str, Any]]:
        found = site.as_("admin").get(path, **asked).data
        return list(found["data"])

    def read_names(self, rows: list[dict[str, Any]]) -> list[str]:
        return [row["customer_name"] for row in rows if row["customer_name"] in SPELLED]

    @pytest.mark.parametrize("direction", ["asc", "desc"])
    def test_a_list_stands_by_its_own_names(self, site: Site, named: list[int], direction: str) -> None:
        rows = self.read_rows(
            site, "v2/custom/Customer/getList", order_key="customer_name", order_by=direction, per_page=500
        )
        assert self.read_names(rows) == (IN_ORDER if direction == "asc" else IN_ORDER[::-1])

    @pytest.mark.parametrize("direction", ["asc", "desc"])
    def test_and_by_those_that_its_rows_refer_to(self, site: Site, named: list[int], direction: str) -> None:
        path = BillClient(site).path("sales_outbound", "getList")
        rows = self.read_rows(site, path, order_key="customer_name", order_by=direction, per_page=500)
        assert self.read_names(rows) == (IN_ORDER if direction == "asc" else IN_ORDER[::-1])

    def test_every_row_is_on_one_page(self, site: Site, named: list[int]) -> None:
        path, asked = "v2/custom/Customer/getList", {"order_key": "customer_name", "order_by": "asc"}
        whole = [row["customer_id"] for row in self.read_rows(site, path, per_page=500, **asked)]
        pages = [
            row["customer_id"]
            for page in range(1, len(whole) + 1)
            for row in self.read_rows(site, path, per_page=1, page=page, **asked)
        ]
        assert pages == whole

    def test_a_dropdown_stands_as_its_records_were_made(self, site: Site, named: list[int]) -> None:
        """The first choice is the one that has been there longest, as the hand knows it."""
        rows = self.read_rows(site, "v2/custom/Customer/getDropdown", per_page=500)
        keys = [row["customer_id"] for row in rows]
        assert set(named) <= set(keys)
        assert keys == sorted(keys)

    def test_every_bill_stands_by_each_kind_of_record_that_one_refers_to(
        self, site: Site, named: list[int]
    ) -> None:
        """Not one of them is refused, or reads its rows more than once."""
        admin, asked, wrong = site.as_("admin"), set(), []
        for cls in registry.list_resources():
            for item in cls.fields() if cls.bill else ():
                if not (item.list and item.ref and item.label_field) or item.ref.resource in asked:
                    continue
                asked.add(item.ref.resource)
                path, key = BillClient(site).path(cls.name(), "getList"), item.label_field
                answer = admin.get(path, order_key=key, order_by="asc")
                if answer.code != 200 or len(answer.data["data"]) > answer.data["total"]:
                    wrong.append((cls.name(), key, answer.msg))
        assert wrong == []
        assert {"customer", "supplier", "warehouse"} <= asked


DATASET = Dataset(
    "d",
    "数据集",
    source="",
    grain="company",
    columns=(Column("name", "名称"), Column("place", "地点"), Column("day", "日期", "date")),
    measures=("sold",),
    metrics=(Metric("sold", "销售额", sum_of("sold")),),
)


def test_charts_order_texts_alike() -> None:
    class Found:
        def __init__(self, query: Any) -> None:
            self.sqla_query = query

        def _replace(self, sqla_query: Any) -> Found:
            return Found(sqla_query)

    engine = sa.create_engine("duckdb:///:memory:")
    register_macro(engine)
    rows = sa.values(sa.column("name", sa.Text), sa.column("sold", sa.Integer), name="t")
    rows = rows.data([(name, place) for place, name in enumerate(SPELLED)])
    name, sold = rows.c.name.label("name"), sa.func.sum(rows.c.sold).label("sold")
    with engine.connect() as conn:
        for order, wanted in (
            ([name.asc()], IN_ORDER),
            ([name.desc()], IN_ORDER[::-1]),
            ([sold.desc(), name.asc()], SPELLED[::-1]),
        ):
            query = sa.select(name, sold).group_by(rows.c.name).order_by(*order)
            found = conn.execute(sort_by_pinyin(Found(query), DATASET).sqla_query)
            assert [row.name for row in found] == wanted
        assert [row.name for row in conn.execute(sa.select(name).order_by(pinyin_sort_key(name)))] == IN_ORDER


def test_files_order_texts_alike() -> None:
    engine = sa.create_engine("duckdb:///:memory:")
    register_macro(engine)
    told = ", ".join(f"('{name}', '{name}', {place})" for place, name in enumerate(SPELLED))
    rows = RowQuery(f"(select * from (values {told}) as v(name, place, sold)) as b", ())
    pivot = Pivot("d", rows=("name",), columns=("place",), metrics=("sold",))
    table = Chart("t", "表", "table", "d", ("sold",), by=("name",))
    with engine.connect() as conn:
        shown, lines = CrossTable(DATASET, pivot, rows, [], frozenset()).read(conn)
        assert [line[0] for style, line in lines if style == "row"] == IN_ORDER
        assert [one.heading[0] for one in shown][1:-1] == IN_ORDER
        assert [row[0] for row in rows.read(conn, table_statement(DATASET, table))] == IN_ORDER


def test_files_order_hidden_numbers_as_they_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither down nor across does the place of a bill tell its number."""
    engine = sa.create_engine("duckdb:///:memory:")
    register_macro(engine)
    numbers = [f"XSCK{number:03}" for number in range(1, 21)]
    told = ", ".join(f"('{name}', '{name}', {at})" for at, name in enumerate(numbers))
    rows = RowQuery(f"(select * from (values {told}) as v(name, place, sold)) as b", ())
    own, narrowed = {"XSCK003", "XSCK018"}, Principal(1, "", "", 1, 1, warehouses=frozenset({1}))
    monkeypatch.setattr(
        cross_table, "hide_numbers", lambda _, texts: [text if text in own else "无权限" for text in texts]
    )
    pivot = Pivot("d", rows=("name",), columns=("place",), metrics=("sold",))
    with engine.connect() as conn:
        table = CrossTable(DATASET, pivot, rows, [], frozenset())
        assert table.as_seen(replace(narrowed, warehouses=None), conn) is table
        shown, lines = table.as_seen(narrowed, conn).read(conn)
        down = [line[0] for style, line in lines if style == "row"]
        for order in (down, [one.heading[0] for one in shown][1:-1]):
            hidden = [number for number in order if number not in own]
            assert sorted(order) == numbers and hidden != sorted(hidden)
            assert [number for number in order if number in own] == sorted(own)
            assert {*order[: len(hidden)]} == {*hidden} or {*order[-len(hidden) :]} == {*hidden}
