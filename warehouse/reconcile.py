"""Reconciliation of the copy (对账): compares row counts and sums of each source table in one snapshot
after extraction."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

import duckdb

from warehouse.engine import query_postgres
from warehouse.sources import Source


@dataclass(frozen=True, slots=True)
class CopyDifference:
    """Figures of one source that disagree: (rows, sum, …) in Postgres and in the copy."""

    source: str
    postgres: tuple[Decimal, ...]
    copy: tuple[Decimal, ...]

    def __str__(self) -> str:
        return f"{self.source} 业务库 {_format_figures(self.postgres)}，数仓 {_format_figures(self.copy)}"


class CopyDifferenceError(RuntimeError):
    """The copy differs from Postgres even after a full load: the snapshot is not published."""

    def __init__(self, difference: CopyDifference) -> None:
        super().__init__(f"数仓对账不平：{difference}")
        self.difference = difference


def compare_source(
    conn: duckdb.DuckDBPyConnection, source: Source, since: int | None
) -> CopyDifference | None:
    """Compare count and sums of rows stamped from transaction `since` on (None = the whole table)."""
    figures = ["count(*)", *(f"coalesce(sum({column}), 0)" for column in source.sums)]
    there = ", ".join(f"({figure})::text as figure{place}" for place, figure in enumerate(figures))
    here = ", ".join(f"cast({figure} as varchar)" for figure in figures)
    newer_there = "" if since is None else f" where row_xid >= '{since}'::xid8"
    newer_here = "" if since is None else f" where row_xid >= {since}"
    postgres = _parse_decimals(query_postgres(conn, f"select {there} from {source.name}{newer_there}")[0])
    copied = conn.execute(f"select {here} from raw.{source.name}{newer_here}").fetchone()
    copy = _parse_decimals(copied or ())
    return None if postgres == copy else CopyDifference(source.name, postgres, copy)


def _parse_decimals(row: tuple[str, ...]) -> tuple[Decimal, ...]:
    return tuple(Decimal(value) for value in row)


def _format_figures(values: tuple[Decimal, ...]) -> str:
    rows, *sums = values
    return "、".join([f"{rows} 行", *(f"合计 {value}" for value in sums)])
