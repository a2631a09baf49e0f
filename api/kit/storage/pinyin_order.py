"""Pinyin order (拼音顺序): Chinese texts sorted by pinyin, as ICU does, in Postgres and DuckDB alike.

DuckDB has ICU; the packaged Postgres has not. So Postgres has a function of the same name, whose weights
are those that DuckDB's ICU gives each character (`warehouse.pinyin_weights`): `pinyin_key(text)` sorts in
both, and an index may use it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import event, func

if TYPE_CHECKING:
    # The report platform's SQLAlchemy has them elsewhere.
    from sqlalchemy import ColumnElement, Engine

NAME = "pinyin_key"
MACRO = f"create or replace temp macro {NAME}(value) as icu_sort_key(value, 'zh')"
"""The function in DuckDB, for as long as a connection lasts."""


def pinyin_sort_key(column: Any) -> ColumnElement[Any]:
    """Return the sort key of a text column, in either engine."""
    return func.pinyin_key(column)


def pinyin_key_sql(name: str) -> str:
    """Return the same sort key as SQL text."""
    return f"{NAME}({name})"


def register_macro(engine: Engine) -> None:
    """Register the macro on each connection of a DuckDB engine."""

    @event.listens_for(engine, "connect")
    def _teach(connection: Any, _: Any) -> None:
        connection.cursor().execute(MACRO)
