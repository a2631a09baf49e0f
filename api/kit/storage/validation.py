"""Validation (校验): input becomes typed values of declared fields, or every mistake is reported at once."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import cache
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection, UniqueConstraint, select

from api.kit.declaration import registry
from api.kit.declaration.fields import Field, Ref
from api.kit.declaration.resource import Declared
from api.kit.declaration.validation_rules import describe_number_problem, describe_text_problem, prefix_label
from api.kit.errors import InvalidInput, RowFailure
from api.kit.scope import Principal, scope_condition
from api.kit.storage.projection import MASK
from api.kit.storage.text_normalization import half_width, strip_invisible

FILE_NAME = re.compile(r"[A-Za-z0-9_-]{1,60}\.[a-z]{1,5}")
NUMBER = re.compile(r"[+-]?([0-9]+|[0-9]{1,3}(,[0-9]{3})+)?(\.[0-9]*)?([eE][+-]?[0-9]{1,3})?")
HALF_WIDTH = str.maketrans({chr(wide): chr(wide - 0xFEE0) for wide in range(0xFF01, 0xFF5F)} | {"。": "."})
"""Half-width characters for what a Chinese input method in full-width mode types."""
FIRST_DAY, LAST_DAY = date(1990, 1, 1), date(2100, 12, 31)


@dataclass(slots=True)
class Problems:
    """The mistakes found so far; `place` names their row, `block` the table where there are several."""

    place: str = ""
    block: str = ""
    failures: list[RowFailure] = field(default_factory=list)

    def add(self, msg: str) -> None:
        self.failures.append(RowFailure(len(self.failures) + 1, f"{self.block}{self.place}", msg))

    @contextmanager
    def in_block(self, block: str) -> Iterator[None]:
        """Attribute the problems added meanwhile to rows of a block."""
        before, self.block = self.block, block
        yield
        self.block = before

    def raise_if_any(self) -> None:
        """Raise InvalidInput if any problem was added."""
        if self.failures:
            first = self.failures[0]
            head = f"{first.serial}：{first.msg}" if first.serial else first.msg
            more = f"（共{len(self.failures)}处错误）" if len(self.failures) > 1 else ""
            raise InvalidInput(head + more, self.failures)


def clean_payload(
    cls: type[Declared],
    payload: Mapping[str, Any],
    principal: Principal,
    screen: str,
    problems: Problems,
    *,
    partial: bool,
    kept: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Any]:
    """Parse the payload's writable fields into typed values.

    A field that is not sent gets its default, or is left out if `partial`; one that the principal may not
    see, or that is sent as 无权限, counts as not sent, but keeps the value that `kept` has for it.
    """
    values: dict[str, Any] = {}
    distinct = _distinct_names(cls)
    for item in cls.fields():
        if not item.writable:
            continue
        sent = payload.get(item.name)
        if isinstance(sent, str):
            sent = half_width(sent) if item.name in distinct else strip_invisible(sent)
        if sent == MASK or not principal.can_see(screen, item.name, item.permission):
            if item.name in kept:
                values[item.name] = kept[item.name]
            if partial or item.name in kept:
                continue
            sent = None
        elif partial and item.name not in payload:
            continue
        found = len(problems.failures)
        value = parse_value(item, sent, problems)
        if value is None and item.default is not None and sent in (None, ""):
            value = parse_value(item, item.default, problems)
        if value is None and item.required and len(problems.failures) == found:
            problems.add(
                f"{'请选择' if item.kind in ('ref', 'enum', 'date', 'image') else '请输入'}{item.label}"
            )
        values[item.name] = value
    return values


@cache
def _distinct_names(cls: type[Declared]) -> frozenset[str]:
    """Return the unique columns, in which full-width letters and digits are the same as half-width ones."""
    table = cls.table()
    unique = [index.columns for index in table.indexes if index.unique]
    unique += [one.columns for one in table.constraints if isinstance(one, UniqueConstraint)]
    return frozenset(column.name for columns in unique for column in columns)


def parse_value(item: Field, sent: Any, problems: Problems) -> Any:
    """Parse what is sent for one field into its typed value; a mistake is reported and gives None."""
    if sent is None or sent == "":
        return None
    if item.is_number:
        return _parse_number(item, sent, problems)
    reader = {
        "ref": _parse_reference,
        "enum": _parse_choice,
        "date": _parse_date,
        "bool": _parse_flag,
        "image": _parse_file_names,
    }.get(item.kind, _parse_text)
    return reader(item, sent, problems)


def _parse_number(item: Field, sent: Any, problems: Problems) -> Decimal | int | None:
    value = _parse_decimal(sent)
    if value is None or not value.is_finite():
        problems.add(f"“{item.label}”请输入数字")
        return None
    problem = describe_number_problem(value, item.kind, item.rule, item.bounds, cell=bool(problems.place))
    if problem:
        problems.add(prefix_label(item.label, problem))
        return None
    return int(value) if item.kind == "integer" else value


def _parse_decimal(sent: Any) -> Decimal | None:
    """Parse a number as people and workbooks write it: with commas, in full width, or with exponent."""
    written = str(sent).translate(HALF_WIDTH).strip()
    try:
        return Decimal(written.replace(",", "")) if NUMBER.fullmatch(written) else None
    except InvalidOperation:
        return None


def _parse_reference(item: Field, sent: Any, problems: Problems) -> int | None:
    if item.ref and item.ref.none is not None and str(sent) == str(item.ref.none):
        return None
    key = parse_key(sent)
    if key is None:
        problems.add(f"“{item.label}”不正确，请重新选择")
    return key or None


def parse_key(sent: Any) -> int | None:
    """Parse a record's key as sent, number or text; None for what is no key."""
    text = str(sent)
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 18 else None


def _parse_choice(item: Field, sent: Any, problems: Problems) -> int | str | None:
    for value, _ in item.options:
        if str(value) == str(sent):
            return value
    problems.add(f"“{item.label}”不正确，请重新选择")
    return None


def _parse_date(item: Field, sent: Any, problems: Problems) -> date | None:
    try:
        found = sent if isinstance(sent, date) else date.fromisoformat(str(sent)[:10])
    except ValueError:
        problems.add(f"“{item.label}”日期格式应为 YYYY-MM-DD")
        return None
    if not FIRST_DAY <= found <= LAST_DAY:
        problems.add(f"“{item.label}”应在 {FIRST_DAY.year} 到 {LAST_DAY.year} 年之间")
        return None
    return found


def _parse_flag(item: Field, sent: Any, problems: Problems) -> bool | None:
    text = str(sent).lower()
    if text in ("1", "true", "是"):
        return True
    if text in ("0", "false", "否"):
        return False
    problems.add(f"“{item.label}”请选择是或否")
    return None


def _parse_file_names(item: Field, sent: Any, problems: Problems) -> str | None:
    """Parse names of uploaded files, each once; `attachments` checks whether there are such files."""
    names = list(dict.fromkeys(name for part in str(sent).split(",") if (name := part.strip())))
    if all(FILE_NAME.fullmatch(name) for name in names):
        return ",".join(names) or None
    problems.add(f"“{item.label}”不正确，请重新上传")
    return None


def _parse_text(item: Field, sent: Any, problems: Problems) -> str | None:
    text = str(sent)
    if "\x00" in text:
        problems.add(f"“{item.label}”含有无效字符")
        return None
    if item.max_length and len(text) > item.max_length:
        problems.add(f"“{item.label}”不能超过{item.max_length}个字")
        return None
    problem = describe_text_problem(text, item.rule)
    if problem:
        problems.add(f"“{item.label}”{problem}")
        return None
    return text


def validate_dates(cls: type[Declared], row: Mapping[str, Any], problems: Problems) -> None:
    """Add a problem for each date before the one that it counts from."""
    for item in cls.fields():
        if item.since and row.get(item.since) and row.get(item.name) and row[item.name] < row[item.since]:
            problems.add(f"{item.label}不能早于{cls.field(item.since).label}")


def validate_references(
    conn: Connection,
    cls: type[Declared],
    rows: list[dict[str, Any]],
    principal: Principal,
    problems: Problems,
    places: list[str],
    begins: Callable[[Mapping[str, Any], str], bool] = lambda row, name: False,
    stays: Collection[str] = (),
) -> None:
    """Validate that references exist, lie in scope, and share their `within` columns with the row.

    A target may be disabled, unless the row `begins` something with it. References that `stays` names are
    not checked. One statement per reference field, whatever the number of rows.
    """
    for item in cls.fields():
        if not item.ref or not item.writable or item.name in stays:
            continue
        wanted = {row[item.name] for row in rows if row.get(item.name)}
        if not wanted:
            continue
        found = _read_targets(conn, item, wanted, principal)
        for row, place in zip(rows, places, strict=True):
            key = row.get(item.name)
            if not key:
                continue
            target = found.get(key)
            if target is None:
                problems.place = place
                problems.add(f"“{item.label}”不存在或无权使用，请重新选择")
            elif any(target.get(name) not in (None, row.get(name)) for name in item.ref.within):
                problems.place = place
                problems.add(f"“{item.label}”与单据不匹配，请重新选择")
            elif not _is_of_kind(item.ref, target):
                problems.place = place
                problems.add(f"请选择{_describe_fitting(item.ref)}")
            elif target.get("enabled") is False and begins(row, item.name):
                problems.place = place
                problems.add(f"“{item.label}”已停用，请重新选择")


def is_fitting(conn: Connection, item: Field, key: int, principal: Principal) -> bool:
    """Return whether a reference may have one target, by the principal's scope and the target's kind."""
    assert item.ref
    target = _read_targets(conn, item, {key}, principal).get(key)
    return target is not None and _is_of_kind(item.ref, target)


def _is_of_kind(ref: Ref, target: Mapping[str, Any]) -> bool:
    return not ref.only or target[ref.only[0]] in ref.only[1]


def _describe_fitting(ref: Ref) -> str:
    """Describe the kinds of target that a reference may have, in the words of the target's own field."""
    assert ref.only
    name, values = ref.only
    return "或".join(
        label for value, label in registry.get_resource(ref.resource).field(name).options if value in values
    )


def _read_targets(
    conn: Connection, item: Field, keys: set[int], principal: Principal
) -> dict[int, dict[str, Any]]:
    assert item.ref
    target = registry.get_resource(item.ref.resource)
    table, key = target.table(), target.key()
    names = (*item.ref.within, *(item.ref.only or ())[:1], "enabled")
    shared = [table.columns[name] for name in names if name in table.columns]
    principal = principal.without_warehouse_limit if item.ref.beyond else principal
    statement = select(key.label("key"), *shared).where(
        key.in_(sorted(keys)), scope_condition(table, principal), target.selectable_condition()
    )
    return {row.key: dict(row._mapping) for row in conn.execute(statement)}
