"""Pinyin order (拼音顺序): Chinese texts stand by their pinyin, as ICU orders them, in Postgres and DuckDB alike.

DuckDB has ICU; the Postgres that comes in a package has not. So Postgres has a function of the same name, whose weights
are those that DuckDB's ICU gives each character (`warehouse.pinyin_weights`): `pinyin_key(text)` orders in both, and an
index may stand on it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import event, func

if TYPE_CHECKING:
    # The report platform's SQLAlchemy has them elsewhere.
    from sqlalchemy import ColumnElement, Engine

NAME = "pinyin_key"
MACRO = f"create or replace temp macro {NAME}(value) as icu_sort_key(value, 'zh')"
"""What the function is in DuckDB, for as long as a connection lasts."""


def in_pinyin(column: Any) -> ColumnElement[Any]:
    """What a text is ordered by, in either engine."""
    return func.pinyin_key(column)


def key_of(name: str) -> str:
    """The same in SQL that is written out."""
    return f"{NAME}({name})"


def teach(engine: Engine) -> None:
    """Give each connection of a DuckDB engine the function."""

    @event.listens_for(engine, "connect")
    def _teach(connection: Any, _: Any) -> None:
        connection.cursor().execute(MACRO)
