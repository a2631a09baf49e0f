"""Data dictionary (数据字典): meaning, type and reports of each column of the published tables, and dbt
docs' lineage page.

It holds no figures; the page of dbt docs shows the whole calculation.
"""

from __future__ import annotations

from typing import Any

from fastapi.responses import FileResponse
from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.declaration.fields import key_field, text_field, textarea_field
from api.kit.declaration.resource import Declaration, Menu
from api.kit.declaration.view import READ_ONLY, Sql, Values, View
from api.kit.errors import Refusal
from api.kit.http.routing import build_router, call
from api.kit.http.sandbox_pages import sandbox_headers
from api.kit.scope import Principal
from api.kit.settings import read_settings
from api.kit.storage.database import dump_json
from warehouse import dictionary
from warehouse.files import Files

api = build_router()

_COLUMNS = """
select
    c.number as data_dictionary_id, c.table_name, c.table_label, c.column_name, c.column_label, c.data_type,
    array_to_string(c.reports, '、') as report_names
from rows from (
    jsonb_to_recordset(cast(:entries as jsonb)) as (
        table_name text, table_label text, column_name text, column_label text, data_type text, reports text[]
    )
) with ordinality as c (table_name, table_label, column_name, column_label, data_type, reports, number)
"""


class DataDictionary(View):
    """Data dictionary (数据字典): the columns of the published tables."""

    __tablename__ = "data_dictionary"
    declaration = Declaration(
        "数据字典",
        "v2/report/DataDictionary",
        "column_name",
        routes={"list": "/system/datadictionary"},
        menu=Menu("系统管理", "数据维护", 31),
        actions=READ_ONLY,
        order_by=("data_dictionary_id", "asc"),
    )

    data_dictionary_id: Mapped[int] = key_field()
    table_name: Mapped[str] = text_field("表", search=True, width=230)
    column_name: Mapped[str] = text_field("列", search=True, width=190)
    column_label: Mapped[str] = text_field("含义", max_length=500, search=True, width=380)
    data_type: Mapped[str] = text_field("类型", width=120)
    report_names: Mapped[str] = textarea_field("用于报表", max_length=2000, search=True, width=320)
    table_label: Mapped[str] = textarea_field("表的说明", max_length=2000, width=380)

    @classmethod
    def source(cls, principal: Principal, params: Values) -> Sql:
        entries = dictionary.read_dictionary(Files(read_settings().warehouse_dir).dictionary)["entries"]
        return _COLUMNS, {"entries": dump_json(entries).decode()}


@call(api, "GET", "v2/report/DataDictionary/getLineage", right=DataDictionary.right("list"))
def get_lineage(ctx: Context) -> Any:
    """血缘与 SQL: dbt docs in one page."""
    page = Files(read_settings().warehouse_dir).lineage
    if not page.is_file():
        raise Refusal("数据字典还没有生成，数据第一次发布之后再打开")
    return FileResponse(page, media_type="text/html", headers=sandbox_headers(dictionary.POLICY))
