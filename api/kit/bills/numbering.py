"""Numbering (单据编号): prefix + company code + date + sequence by the bill type's template; unique, never reused.

Numbers are drawn beside the transaction that wants them, so that a clerk who saves slowly holds no other clerk's
counter. A type without a template has prefix + company code + yyyyMMdd + four digits, from 1 each day. There may be
gaps.

A counter is known by what stands before the sequence; where it runs on over several days, the changing digits of the
date are `?` in its name. So any number tells which counters can have made it, and whatever templates there have been,
a number that one of them has made is not made again.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, NamedTuple

from sqlalchemy import BigInteger, Boolean, CheckConstraint, Connection, SmallInteger, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.errors import Refusal
from api.kit.storage.database import Base, side_engine

DATE_FORMS = {1: "yyyyMMdd", 2: "yyMMdd", 3: "yyyyMM", 4: "不含日期"}
RESETS = {1: "按日", 2: "按月", 3: "按年", 4: "不重置"}
LEAST_DIGITS, MOST_DIGITS = 3, 8
_WRITTEN = {1: "%Y%m%d", 2: "%y%m%d", 3: "%Y%m", 4: ""}
_ROUNDS = 20


class BillCounter(Base):
    """The last sequence drawn for what stands before it."""

    __tablename__ = "bill_counter"

    stem: Mapped[str] = mapped_column(Text, primary_key=True)
    last: Mapped[int] = mapped_column(BigInteger)


class BillNumberTemplate(Base):
    """The number template of a bill type, where it is not the default.

    `bill_type` is the type's own prefix.
    """

    __tablename__ = "bill_number_template"
    __table_args__ = (
        UniqueConstraint("prefix"),
        CheckConstraint(f"digits between {LEAST_DIGITS} and {MOST_DIGITS}", name="digits"),
        CheckConstraint("date_form between 1 and 4 and reset between 1 and 4", name="forms"),
    )

    bill_type: Mapped[str] = mapped_column(Text, primary_key=True)
    prefix: Mapped[str] = mapped_column(Text)
    with_company: Mapped[bool] = mapped_column(Boolean)
    date_form: Mapped[int] = mapped_column(SmallInteger)
    digits: Mapped[int] = mapped_column(SmallInteger)
    reset: Mapped[int] = mapped_column(SmallInteger)


@dataclass(frozen=True, slots=True)
class NumberTemplate:
    """The components of a bill number."""

    prefix: str
    with_company: bool = True
    date_form: int = 1
    digits: int = 4
    reset: int = 1

    def sequence_for(self, company_code: str, on: date) -> NumberSequence:
        """Return the sequence from which a bill of a date takes its number."""
        written = f"{on:{_WRITTEN[self.date_form]}}" if _WRITTEN[self.date_form] else ""
        head = self.prefix + (company_code if self.with_company else "")
        shared = self._shared(written)
        return NumberSequence(
            head + written, head + written[: len(written) - shared] + "?" * shared, self.digits
        )

    def _shared(self, written: str) -> int:
        """Return how many of the date's last digits change while the sequence runs on."""
        if self.reset == 4:
            return len(written)
        day, month = (2, 2) if self.date_form in (1, 2) else (0, 2)
        return {1: 0, 2: day, 3: day + month}[self.reset] if written else 0

    def describe_problem(self) -> str | None:
        """Describe why numbers would repeat: a sequence may restart only where the date before it changes."""
        finest = {1: 1, 2: 1, 3: 2, 4: 4}[self.date_form]
        if self.reset >= finest:
            return None
        return f"{RESETS[self.reset]}重新编号时，日期格式不能是{DATE_FORMS[self.date_form]}"


class NumberSequence(NamedTuple):
    """A number's head, the counter of its sequence, and the least number of its digits."""

    head: str
    stem: str
    digits: int


_FACTS = """
select
    (select jsonb_object_agg(company_id, company_code) from company where company_id = any(%s)) as codes,
    (select jsonb_object_agg(bill_type, to_jsonb(t)) from bill_number_template t) as templates
"""
_DRAW = """
insert into bill_counter as c (stem, last)
select * from unnest(%s::text[], %s::bigint[])
on conflict (stem) do update set last = c.last + excluded.last
returning stem, last
"""
_MADE = "select stem, last from bill_counter where stem = any(%s)"


def draw_number(conn: Connection, bill_type: str, company_id: int, on: date) -> str:
    """Draw the next number of a bill type in a company on a date."""
    return draw_numbers(conn, [(bill_type, company_id, on)])[0]


def draw_numbers(conn: Connection, wanted: Sequence[tuple[str, int, date]]) -> list[str]:
    """Draw a number for each (bill type, company, date), in their order, with two statements."""
    facts = conn.exec_driver_sql(_FACTS, (sorted({company for _, company, _ in wanted}),)).one()
    templates = parse_templates(facts.templates or {})
    codes: dict[str, str] = facts.codes or {}
    runs = [
        (templates.get(kind) or NumberTemplate(kind)).sequence_for(codes[str(company)], on)
        for kind, company, on in wanted
    ]
    drawn = {
        run: iter(numbers)
        for run, numbers in _draw_free_numbers(Counter(runs), checked=bool(templates)).items()
    }
    return [next(drawn[run]) for run in runs]


def parse_templates(rows: Mapping[str, Mapping[str, Any]]) -> dict[str, NumberTemplate]:
    """Return templates by bill type."""
    return {
        kind: NumberTemplate(
            row["prefix"], row["with_company"], row["date_form"], row["digits"], row["reset"]
        )
        for kind, row in rows.items()
    }


def _draw_free_numbers(
    wanted: Mapping[NumberSequence, int], *, checked: bool
) -> dict[NumberSequence, list[str]]:
    """Draw as many numbers of each sequence as it wants.

    `checked` skips those that other counters have made.
    """
    found: dict[NumberSequence, list[str]] = defaultdict(list)
    missing, passed = Counter(wanted), Counter[str]()
    # Statement by statement: what is drawn must be there for all to see before it is compared with theirs.
    with side_engine().connect().execution_options(isolation_level="AUTOCOMMIT") as conn:
        for _ in range(_ROUNDS):
            fresh = _next_numbers(conn, missing, passed)
            made = _find_used_numbers(conn, fresh) if checked else {}
            passed.clear()
            for run, numbers in fresh.items():
                free = [number for number in numbers if number not in made]
                found[run] += free
                missing[run] -= len(free)
                passed[run.stem] = min((made[number] for number in numbers if number in made), default=0)
            missing = +missing
            if not missing:
                return found
    raise Refusal("单据编号与以前的格式重复过多，请在单据编号设置中更换前缀或增加流水号位数")


def _next_numbers(
    conn: Connection, wanted: Mapping[NumberSequence, int], passed: Mapping[str, int]
) -> dict[NumberSequence, list[str]]:
    """Return the next numbers, after as many as are `passed`.

    Counters by their names, so that nobody deadlocks.
    """
    counts: Counter[str] = Counter()
    for run, count in wanted.items():
        counts[run.stem] += count
    stems = sorted(counts)
    rows = conn.exec_driver_sql(_DRAW, (stems, [counts[stem] + passed.get(stem, 0) for stem in stems]))
    sequences = {row.stem: iter(range(row.last - counts[row.stem] + 1, row.last + 1)) for row in rows}
    return {
        run: [f"{run.head}{next(sequences[run.stem]):0{run.digits}d}" for _ in range(count)]
        for run, count in wanted.items()
    }


def _find_used_numbers(conn: Connection, fresh: Mapping[NumberSequence, Iterable[str]]) -> dict[str, int]:
    """Find numbers that another counter may have made before, and how far that one is ahead of each."""
    origins = {
        number: dict(_possible_counters(number, run)) for run, numbers in fresh.items() for number in numbers
    }
    stems = sorted({stem for found in origins.values() for stem in found})
    lasts = {row.stem: row.last for row in conn.exec_driver_sql(_MADE, (stems,))}
    ahead = {
        number: max((lasts[stem] - sequence for stem, sequence in found.items() if stem in lasts), default=-1)
        for number, found in origins.items()
    }
    return {number: by for number, by in ahead.items() if by >= 0}


def _possible_counters(number: str, run: NumberSequence) -> Iterator[tuple[str, int]]:
    """Return the counters that can have made a number, each with the sequence it then had."""
    for end in range(len(number) - LEAST_DIGITS, 0, -1):
        sequence = number[end:]
        if not sequence.isdigit():
            return
        if not int(sequence) or (len(sequence) > MOST_DIGITS and sequence.startswith("0")):
            continue
        for shared, forms in _SHARED.items():
            stem = number[: end - shared] + "?" * shared
            if shared < end and stem != run.stem and _is_date(number[end - shared : end], forms):
                yield stem, int(sequence)


_SHARED = {0: (), 2: ("%d", "%m"), 4: ("%m%d",), 6: ("%y%m%d", "%Y%m"), 8: ("%Y%m%d",)}
"""Date formats by the number of their digits that may change while a sequence runs on."""


def _is_date(digits: str, forms: tuple[str, ...]) -> bool:
    if not forms:
        return True
    for form in forms:
        try:
            # A leap year, so that the 29th of February is a day.
            whole = (digits, form) if form[1] in "yY" else (f"2024{digits}", f"%Y{form}")
            found = datetime.strptime(*whole)
        except ValueError:
            continue
        if 2000 <= found.year < 2100:
            return True
    return False
