"""What was picked (拣货): of which batches and from which locations a line's goods were taken, as the ledger says.

Read with the bill in SQL and never stored: until it is audited, and once its audit is taken back, there is nothing.
"""

from __future__ import annotations

from api.kit.fields import Derived, derived

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


def _batches(prefix: str, line: str) -> str:
    """Batches with their quantities, the oldest week first; a lone one has the whole line's.

    Empty where goods were taken that have none, null where nothing was taken.
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


def _places(prefix: str, line: str) -> str:
    """Locations likewise, by their names."""
    return _PICKED.format(
        prefix=prefix,
        line=line,
        key="allocation_id",
        named="allocation",
        title="allocation_name",
        born="null::date",
        none="无库位",
    )


def picked(prefix: str) -> tuple[Derived, Derived]:
    """What a line's references to its batch and location are told by, once its bill was audited."""
    own, marks = "{table}.line_id", {"list": False, "hidden": True, "copied": False}
    return (
        derived(BATCHES, "批次(DOT)", "text", f"nullif({_batches(prefix, own)}, '')", **marks),
        derived(PLACES, "库位", "text", f"nullif({_places(prefix, own)}, '')", **marks),
    )


def sent_batches(prefix: str, source: str) -> Derived:
    """Of which batches a line has what another bill's line sent: before its audit those of all that was sent."""
    own, theirs = _batches(prefix, "{table}.line_id"), _batches(source, "{table}.source_line_id")
    sql = f"nullif(coalesce({own}, {theirs}), '')"
    return derived(BATCHES, "批次(DOT)", "text", sql, width=150, copied=False)


def sent_from(source: str) -> Derived:
    """From which locations another bill's line sent what a line has."""
    sql = f"nullif({_places(source, '{table}.source_line_id')}, '')"
    return derived(PLACES, "调出库位", "text", sql, width=150, copied=False)
