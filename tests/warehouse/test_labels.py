"""Labels of records: no two of them are alike, even where names are."""

from __future__ import annotations

from types import SimpleNamespace

import duckdb
from jinja2 import Environment

from api.kit.settings import PROJECT_DIR

MACROS = (PROJECT_DIR / "transforms/macros/names.sql").read_text()
ROWS = [
    (1, "甲", "A公司"),
    (2, "甲", "B公司"),
    (3, "甲（A公司）", "B公司"),
    (4, "乙", "A公司"),
    (5, None, "A公司"),
]


def label_rows(name: str) -> dict[int, str | None]:
    """Return the labels of rows by a chain of macros, by their keys."""
    scope = Environment(autoescape=False).from_string(
        MACROS, globals={"dbt": SimpleNamespace(type_string=lambda: "varchar")}
    )
    apart = scope.module.unique_name("name", "company", "id")  # type: ignore[attr-defined]
    alone = scope.module.unique_name_by_key("name", "id")  # type: ignore[attr-defined]
    steps = {"apart": "name", "alone": alone}
    with duckdb.connect() as conn:
        conn.execute("create table record (id bigint, name varchar, company varchar)")
        conn.executemany("insert into record values (?, ?, ?)", ROWS)
        named = f"select id, {apart} as name from record"
        return dict(conn.execute(f"select id, {steps[name]} from ({named}) as told order by id").fetchall())


def test_a_made_name_that_somebody_has_already_says_the_key() -> None:
    assert label_rows("apart")[1] == label_rows("apart")[3] == "甲（A公司）"
    assert label_rows("alone") == {
        1: "甲（A公司）（编号1）",
        2: "甲（B公司）",
        3: "甲（A公司）（编号3）",
        4: "乙",
        5: None,
    }
