"""Picking (拣货): batches and locations that a line's goods were taken from, read from the stock ledger.

Read with the bill in SQL and never stored: a bill that is not audited has none.
"""

from __future__ import annotations

from api.kit.declaration.fields import DerivedField, derived_field

BATCHES, PLACES = "picked_batches", "picked_places"

_PICKED = (
    "(select case when count(*) > 0 then case"
    " when max(p.name) is null then ''"
    " when count(*) = 1 then max(p.name)"
    " else string_agg("
    "coalesce(p.name, '{none}') || '×' || trim_scale(p.quantity), '、' order by p.born, p.name)"
    " end end from ("
    "select n.{title} as name, {born} as born, -sum(s.quantity) as quantity"
    " from stock_ledger s left join {named} n on n.{key} = s.{key}"
    " where s.bill_type = '{prefix}' and s.line_id = {line} and s.quantity < 0 and s.reverses is null"
    " and not exists (select from stock_ledger r where r.reverses = s.ledger_id)"
    " group by s.{key}, n.{key}"
    ") p)"
)


def _picked_batches_sql(prefix: str, line: str) -> str:
    """Return the SQL text of a line's batches, oldest week first, with quantities unless there is only one.

    Empty where the goods had no batch, null where nothing was taken.
    """
    return _PICKED.format(
        prefix=prefix,
        line=line,
        key="batch_id",
        named="goods_batch",
        title="batch",
        born="n.production_date",
        none="无批次",
    )


def _picked_places_sql(prefix: str, line: str) -> str:
    """Return the SQL text of a line's locations likewise, by name."""
    return _PICKED.format(
        prefix=prefix,
        line=line,
        key="allocation_id",
        named="allocation",
        title="allocation_name",
        born="null::date",
        none="无库位",
    )


def picked_columns(prefix: str) -> tuple[DerivedField, DerivedField]:
    """Declare the columns that label a line's batch and location once its bill was audited."""
    own, marks = "{table}.line_id", {"list": False, "hidden": True, "copied": False}
    return (
        derived_field(
            BATCHES, "批次(DOT)", "text", f"nullif({_picked_batches_sql(prefix, own)}, '')", **marks
        ),
        derived_field(PLACES, "库位", "text", f"nullif({_picked_places_sql(prefix, own)}, '')", **marks),
    )


def sent_batches_column(prefix: str, source: str) -> DerivedField:
    """Declare the column of the batches that another bill's line sent; before the audit all batches that were
    sent."""
    own, theirs = (
        _picked_batches_sql(prefix, "{table}.line_id"),
        _picked_batches_sql(source, "{table}.source_line_id"),
    )
    sql = f"nullif(coalesce({own}, {theirs}), '')"
    return derived_field(BATCHES, "批次(DOT)", "text", sql, width=150, copied=False)


def sent_places_column(source: str) -> DerivedField:
    """Declare the column of the locations from which another bill's line sent a line's goods."""
    sql = f"nullif({_picked_places_sql(source, '{table}.source_line_id')}, '')"
    return derived_field(PLACES, "调出库位", "text", sql, width=150, copied=False)
