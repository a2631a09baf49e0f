"""Weights of pinyin order (拼音权重): creates Postgres's `pinyin_key` from the weights of DuckDB's ICU, so
that both sort alike."""

from __future__ import annotations

import base64
from bisect import bisect_left
from collections.abc import Iterable, Mapping

import duckdb
from sqlalchemy import Connection

from api.kit.storage.pinyin_order import NAME

READ_TOGETHER = {0xFFF0: "重庆", 0xFFF1: "沈阳", 0xFFF2: "藏文"}
"""Characters that together are read otherwise than apart; of Postgres's function each stands for an unused one."""
GAP, BEHIND = (0xA000, 0xF900), 0x10000
"""Letters without weights of their own: Korean and private ones, then those beyond two bytes; by their numbers."""
STAND_INS = {"korean": 0xAC00, "symbol": 0x1F600, "rare": 0x20000}
"""Where those stand: each where this one of them does."""
LONGEST = 60
"""Letters by which texts are told apart; further ones only where these are the same."""

_FUNCTION = """
create or replace function {name}(value text) returns bytea language plpgsql immutable strict parallel safe as $$
declare
    letters text := {letters};
    found bytea := '';
    code int;
    weight bytea;
begin
    for place in 1 .. least(char_length(letters), {longest}) loop
        code := ascii(substr(letters, place, 1));
        if code < {gap_start} then
            weight := substring(decode('{weights}', 'base64') from 2 * code + 1 for 2);
        elsif code < {gap_end} then
            weight := '\\x{korean}'::bytea || int4send(code);
        elsif code < {behind} then
            weight := substring(decode('{weights_behind}', 'base64') from 2 * (code - {gap_end}) + 1 for 2);
        elsif code < 131072 then
            weight := '\\x{symbol}'::bytea || int4send(code);
        else
            weight := '\\x{rare}'::bytea || int4send(code);
        end if;
        if weight <> '\\x0000' then
            found := found || weight;
        end if;
    end loop;
    -- Small letters come before capital ones.
    return found || '\\x0000' || convert_to(translate(value, '{small}{capital}', '{capital}{small}'), 'UTF8');
end
$$
"""

_DEPENDENT_INDEXES = f"""
select d.objid::regclass from pg_depend d
where d.classid = 'pg_class'::regclass and d.refobjid = '{NAME}(text)'::regprocedure
"""


def create_function(conn: Connection) -> None:
    """Create the function in Postgres from the weights of DuckDB's ICU."""
    letters = "value"
    for code, together in READ_TOGETHER.items():
        letters = f"replace({letters}, '{together}', chr({code}))"
    keys = _read_sort_keys({**{one: chr(one) for one in _list_codes()}, **READ_TOGETHER})
    others = _read_sort_keys({one: chr(one) for one in STAND_INS.values()})
    order = sorted({*keys.values(), *others.values()} - {b""})
    ranks = {one: 0 if not key else bisect_left(order, key) + 1 for one, key in (keys | others).items()}
    small = "abcdefghijklmnopqrstuvwxyz"
    conn.exec_driver_sql(
        _FUNCTION.format(
            name=NAME,
            letters=letters,
            longest=LONGEST,
            gap_start=GAP[0],
            gap_end=GAP[1],
            behind=BEHIND,
            weights=_encode_ranks(ranks[one] for one in range(GAP[0])),
            weights_behind=_encode_ranks(ranks[one] for one in range(GAP[1], BEHIND)),
            small=small,
            capital=small.upper(),
            **{name: f"{ranks[one]:04x}" for name, one in STAND_INS.items()},
        )
    )


def keep_function(conn: Connection) -> None:
    """Create the function anew after an upgrade of DuckDB, whose ICU may sort otherwise, and rebuild the
    indexes on it."""
    described = (
        f"select obj_description(oid), md5(prosrc) from pg_proc where oid = '{NAME}(text)'::regprocedure"
    )
    made_by, before = conn.exec_driver_sql(described).one()
    if made_by == duckdb.__version__:
        return
    create_function(conn)
    conn.exec_driver_sql(f"comment on function {NAME}(text) is '{duckdb.__version__}'")
    if conn.exec_driver_sql(described).one()[1] != before:
        for (index,) in conn.exec_driver_sql(_DEPENDENT_INDEXES).all():
            conn.exec_driver_sql(f"reindex index {index}")


def _list_codes() -> list[int]:
    return [*range(GAP[0]), *range(GAP[1], BEHIND)]


def _read_sort_keys(texts: Mapping[int, str]) -> dict[int, bytes]:
    """Return the primary sort keys of texts by ICU, before accents and case; empty for those that it ignores."""
    with duckdb.connect() as conn:
        rows = conn.execute(
            "select icu_sort_key(told, 'zh') from unnest($1) with ordinality as t(told, place) order by place",
            [[text if text != "\0" else "" for text in texts.values()]],
        ).fetchall()
    return {one: _cut_primary_weights(bytes.fromhex(key)) for one, (key,) in zip(texts, rows, strict=True)}


def _cut_primary_weights(key: bytes) -> bytes:
    return key[: key.index(1)]


def _encode_ranks(ranks: Iterable[int]) -> str:
    return base64.b64encode(b"".join(rank.to_bytes(2, "big") for rank in ranks)).decode()
