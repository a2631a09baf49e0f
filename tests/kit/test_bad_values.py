"""Bad values for every field of every registered type: refused in Chinese, and nothing is written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import ascii_letters, digits
from typing import Any

import pytest
from sqlalchemy import Connection, UniqueConstraint

from api import catalogue
from api.kit.declaration import registry
from api.kit.declaration.fields import Field
from api.kit.declaration.resource import Declared, Resource
from tests.support.database_state import fingerprint_writers
from tests.support.fixtures import Site
from tests.support.payloads import payload_of
from tests.support.type_rules import for_each_type

assert catalogue.__all__
ADDABLE = [cls for cls in registry.list_resources() if "add" in cls.declaration.actions]
named = for_each_type(ADDABLE)
CHINESE = re.compile(r"[一-鿿]")
HUGE = "9" * 40
FULL_WIDTH = {ord(one): ord(one) + 0xFEE0 for one in ascii_letters + digits}


def list_bad_values(item: Field) -> list[Any]:
    """Return values that the field must refuse, by its kind."""
    found: list[Any] = [["a"], {"a": 1}]
    if item.required:
        found += [None, ""] if item.default is None else []
    if item.is_number:
        found += ["abc", "NaN", "Infinity", "1e400", HUGE, "100000000", "-100000000", "1" + "0" * 5000, "²"]
        if item.rule:
            found += ["-1", -1]
        if item.rule in ("positive", "PositiveInt"):
            found.append("0")
        found.append("1.5" if item.kind == "integer" else "1.12345678")
    elif item.ref:
        found += ["abc", HUGE, "²", "999999999"] + ([-1] if item.ref.none is None else [])
    elif item.kind == "enum":
        found += ["x", 99]
    elif item.kind == "date":
        found += ["2026-13-01", "yesterday", "²", "0"]
    elif item.kind == "bool":
        found += ["maybe"]
    elif item.kind == "image":
        found += ["a\x00b.png", "../../secrets.json", "http://example.com/a.png", "no-such-file.png"]
    elif item.kind in ("text", "textarea"):
        found += ["a\x00b", "\ud800", *(["wrong"] if item.rule else [])]
        found.append("字" * ((item.max_length or 0) + 1))
    return found


def list_mistakes(cls: type[Declared]) -> Iterator[tuple[str, Any]]:
    """Return writable fields with the values each must refuse: all for the first of a sort only."""
    seen: set[tuple[Any, ...]] = set()
    for item in cls.fields():
        if item.writable:
            sort, values = (item.kind, item.rule, bool(item.ref)), list_bad_values(item)
            own = [value for value in values[:-1] if value in (None, "")] + values[-1:]
            yield from ((item.name, value) for value in (own if sort in seen else values))
            seen.add(sort)


class TestAdd:
    @named
    def test_each_bad_header_value_is_refused(
        self, site: Site, conn: Connection, cls: type[Resource]
    ) -> None:
        caller, good = site.as_("admin"), payload_of(cls, site.world)
        before, passed = fingerprint_writers(conn), []
        for name, value in list_mistakes(cls):
            if not _assert_refused(caller, cls, {**good, name: value}):
                passed.append((name, str(value)[:30]))
        conn.rollback()
        assert not passed
        assert fingerprint_writers(conn) == before

    @named
    def test_each_bad_line_value_is_refused(self, site: Site, conn: Connection, cls: type[Resource]) -> None:
        caller, good = site.as_("admin"), payload_of(cls, site.world)
        before, passed = fingerprint_writers(conn), []
        for block in cls.blocks():
            rows = good[block.name] or [{"settlement_id": 1, "amount": "1"}]
            for name, value in list_mistakes(block.cls):
                broken = [*rows[:-1], {**rows[-1], name: value}]
                if not _assert_refused(caller, cls, {**good, block.name: broken}):
                    passed.append((name, str(value)[:30]))
        conn.rollback()
        assert not passed
        assert fingerprint_writers(conn) == before

    @named
    def test_full_width_letters_tell_no_records_apart(self, site: Site, cls: type[Resource]) -> None:
        """Of a record that another one has all that tells it apart, in another width."""
        table, caller, first = cls.table(), site.as_("admin"), payload_of(cls, site.world)
        writable = {item.name for item in cls.fields() if item.writable and item.kind == "text"}
        unique = [index for index in table.indexes if index.unique] + [
            one for one in table.constraints if isinstance(one, UniqueConstraint)
        ]
        told = [{column.name for column in one.columns} for one in unique]
        told = [names for names in told if names & writable and names <= first.keys()]
        if not told:
            pytest.skip("nothing that is typed tells its records apart")
        assert caller.post(f"{cls.declaration.api}/add", first).ok
        wide = {name: str(first[name]).translate(FULL_WIDTH) for name in told[0] & writable}
        second = payload_of(cls, site.world) | {name: first[name] for name in told[0]} | wide
        answer = caller.post(f"{cls.declaration.api}/add", second)
        assert answer.code == 400, answer

    @named
    def test_a_body_that_is_no_object_is_refused(self, site: Site, cls: type[Resource]) -> None:
        for body in (b"", b"[]", b"nonsense", b"null", b'{"a":', b"\xff\xfe", b"[" * 20000):
            answer = site.as_("admin").post(f"{cls.declaration.api}/add", body)
            assert (answer.status, answer.code) == (400, 400), body[:20]
            assert CHINESE.search(answer.msg)

    @named
    def test_all_mistakes_are_told_at_once(self, site: Site, cls: type[Resource]) -> None:
        answer = site.as_("admin").post(f"{cls.declaration.api}/add", {})
        required = [item for item in cls.fields() if item.writable and item.required and item.default is None]
        told = " ".join(failure["msg"] for failure in answer.data["failures"])
        assert [item.label for item in required if item.label not in told] == []


def _assert_refused(caller: Any, cls: type[Resource], payload: dict[str, Any]) -> bool:
    import json

    body = json.dumps(payload, ensure_ascii=True).encode()
    answer = caller.post(f"{cls.declaration.api}/add", body)
    return (answer.status, answer.code) == (400, 400) and bool(CHINESE.search(answer.msg))
