"""Bulk posting (批量过账): many bills through the steps of one, with shared statements and numbers drawn in blocks.

What prices, inspects, transitions and posts a bill is the code that serves a clerk's request. Here a step handles a
batch of bills with one statement a bill type, and the ledgers take the whole batch in one call, in business order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from sqlalchemy import BigInteger, Connection, Row, Table, any_, bindparam, update
from sqlalchemy.dialects.postgresql import ARRAY

from api.kit import ahead, business_log, drafts, links, numbering, registry, source_shares, transitions
from api.kit.blocks import blank_row
from api.kit.context import Context
from api.kit.document import Bill, Block, Document
from api.kit.drafts import Draft
from api.kit.errors import Stale
from api.kit.flow import TRANSITIONS, UNAUDITED
from api.kit.posting import BillRef, Postings
from api.kit.validation import Problems


@dataclass(slots=True, eq=False)
class Entry:
    """A checked bill on its way into the database; once saved it knows its number and keys.

    `due_date` of the header and `batch_id` of inbound lines may be filled beforehand, which spares their look-up.
    """

    cls: type[Bill]
    draft: Draft
    audited: bool = True
    bill_id: int = 0
    bill_no: str = ""
    line_ids: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        for rows in self.draft.children.values():
            for number, row in enumerate(rows, 1):
                row["line_no"] = number

    @property
    def lines(self) -> list[dict[str, Any]]:
        return self.draft.children.get("lines", [])


@dataclass(frozen=True, slots=True)
class LineOf:
    """Stands in a link column for the line of an entry that may not be saved yet."""

    entry: Entry
    place: int


def post(ctx: Context, entries: Sequence[Entry]) -> None:
    """Save entries and audit those that are to be; all or nothing, posted by date and then in the given order.

    A link may name a line of the same batch or of an earlier one, a write-off only an item that stands already. Raises
    what the single steps raise; the caller commits.
    """
    save(ctx, entries)
    audit(ctx, [entry for entry in entries if entry.audited])


def save(ctx: Context, entries: Sequence[Entry]) -> None:
    """Price, inspect, number and insert unaudited bills; nobody can be asked about a day ahead, so it is refused."""
    problems = Problems()
    for entry in entries:
        _name_lines(entry)
        drafts.settle(entry.cls, entry.draft, problems)
        problems.settle()
        drafts.price(entry.cls, entry.draft, problems)
        problems.settle()
        drafts.total(entry.cls, entry.draft)
        entry.cls.inspect(ctx, entry.draft.header, entry.draft.children, problems)
        if not ctx.confirmed and (days := ahead.describe_ahead(entry.cls, entry.draft.header)):
            problems.add(days)
        problems.settle()
    _number(ctx.conn, entries)
    by_class = list(_by_class(entries))
    for cls, group in by_class:
        _identify(ctx.conn, cls, group)
    for cls, group in by_class:
        _insert(ctx, cls, group)


def audit(ctx: Context, entries: Sequence[Entry]) -> None:
    """Take bills that were just saved through their audit."""
    step = TRANSITIONS["auditorPass"]
    documents: dict[int, Document] = {}
    for cls, group in _by_class(entries):
        headers = _guarded_update(ctx, cls, [entry.bill_id for entry in group])
        found = _documents(cls, group, _held_to_sources(ctx, cls, group, headers))
        for doc in found.values():
            cls.guard(ctx, doc, step.name)
        links.execute(ctx, cls, [line for doc in found.values() for line in doc.lines])
        ctx.settle_questions()
        documents.update({id(entry): found[entry.bill_id] for entry in group})
        _log(ctx, cls, step.name, group, {})
    transitions.ledgers().post_all(
        ctx, [_posting(entry, documents[id(entry)]) for entry in _in_order(entries)]
    )
    transitions.wake_after_commit(ctx)


def _held_to_sources(
    ctx: Context, cls: type[Bill], group: list[Entry], headers: Sequence[Row[Any]]
) -> Sequence[Row[Any]]:
    """The headers of a group once its lines have what falls to them of what they execute."""
    lines = {entry.bill_id: entry.lines for entry in group}
    assert cls.bill is not None
    if not cls.bill.links:
        return headers
    links.lock_sources(ctx, cls, [(header.business_date, lines[header.bill_id]) for header in headers])
    bills = [source_shares.ExecutingBill(header, lines[header.bill_id]) for header in headers]
    again = drafts.total_again(ctx.conn, cls, source_shares.apply_shares(ctx, cls, bills))
    for entry in group:
        if entry.bill_id in again:
            entry.draft.header.update(drafts.totals_in(cls, again[entry.bill_id]))
    return [again.get(header.bill_id, header) for header in headers]


def _documents(cls: type[Bill], group: list[Entry], headers: Sequence[Row[Any]]) -> dict[int, Document]:
    """The bills as they were just written, without reading their lines back."""
    stored = {header.bill_id: header for header in headers}
    blanks = {block.name: blank_row(block.cls.table()) for block in _blocks(cls)}
    return {
        entry.bill_id: Document(
            stored[entry.bill_id],
            {
                name: [SimpleNamespace(**(blank | row)) for row in entry.draft.children[name]]  # type: ignore[misc]
                for name, blank in blanks.items()
            },
        )
        for entry in group
    }


def _posting(entry: Entry, doc: Document) -> tuple[BillRef, Postings]:
    return entry.cls.reference(doc.header), entry.cls.require_postings(doc)


def _in_order(entries: Iterable[Entry]) -> list[Entry]:
    return sorted(entries, key=lambda entry: entry.draft.header["business_date"])


def _by_class(entries: Iterable[Entry]) -> Iterator[tuple[type[Bill], list[Entry]]]:
    """Entries by bill type; what others link to comes first, as it is declared first."""
    groups: dict[type[Bill], list[Entry]] = {}
    for entry in entries:
        groups.setdefault(entry.cls, []).append(entry)
    for cls in registry.declared():
        if cls in groups:
            yield cls, groups[cls]  # type: ignore[index, misc]


def _number(conn: Connection, entries: Sequence[Entry]) -> None:
    wanted = []
    for entry in entries:
        assert entry.cls.bill is not None
        header = entry.draft.header
        wanted.append((entry.cls.bill.prefix, header["company_id"], header["business_date"]))
    for entry, number in zip(entries, numbering.draw_all(conn, wanted), strict=True):
        entry.bill_no = number


def _identify(conn: Connection, cls: type[Bill], group: list[Entry]) -> None:
    """Draw the keys of headers and lines, so that bills of one batch can name each other's lines."""
    for entry, key in zip(group, _keys(conn, cls.table(), len(group)), strict=True):
        entry.bill_id = key
    for block in _blocks(cls):
        keys = iter(
            _keys(conn, block.cls.table(), sum(len(entry.draft.children[block.name]) for entry in group))
        )
        for entry in group:
            rows = entry.draft.children[block.name]
            ids = [next(keys) for _ in rows]
            for row, key in zip(rows, ids, strict=True):
                row.update(line_id=key, bill_id=entry.bill_id)
            if block.name == "lines":
                entry.line_ids = ids


def _keys(conn: Connection, table: Table, count: int) -> list[int]:
    (key,) = table.primary_key.columns
    statement = "select nextval(pg_get_serial_sequence(%s, %s)) from generate_series(1, %s)"
    return list(conn.exec_driver_sql(statement, (table.name, key.name, count)).scalars()) if count else []


def _insert(ctx: Context, cls: type[Bill], group: list[Entry]) -> None:
    maker = ctx.principal.user_id
    copy(
        ctx.conn,
        cls.table(),
        [
            {**entry.draft.header, "bill_id": entry.bill_id, "bill_no": entry.bill_no, "maker_id": maker}
            for entry in group
        ],
    )
    for entry in group:
        _name_lines(entry)
    for block in _blocks(cls):
        rows = [row for entry in group for row in entry.draft.children[block.name]]
        if rows:
            copy(ctx.conn, block.cls.table(), rows)
    _log(ctx, cls, "add", group, {"source": "批量"})


def _name_lines(entry: Entry) -> None:
    """Put the keys of lines that have them into the links that name them."""
    assert entry.cls.bill is not None
    for link in entry.cls.bill.links:
        for row in entry.lines:
            source = row.get(link.column)
            if isinstance(source, LineOf) and source.entry.line_ids:
                row[link.column] = source.entry.line_ids[source.place]


def copy(conn: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    """Insert rows by COPY; a column that no row names takes the database's default, one that some name its own."""
    given = {name for row in rows for name in row}
    columns = [column for column in table.columns if column.key in given]
    blank = blank_row(table)
    names = [column.key for column in columns]
    driver = conn.connection.driver_connection
    assert driver is not None
    with driver.cursor() as cursor:
        with cursor.copy(f"copy {table.name} ({', '.join(names)}) from stdin") as target:
            for row in rows:
                target.write_row([row.get(name, blank[name]) for name in names])


def _guarded_update(ctx: Context, cls: type[Bill], keys: list[int]) -> Sequence[Row[Any]]:
    table, step = cls.table(), TRANSITIONS["auditorPass"]
    wanted = bindparam("keys", keys, ARRAY(BigInteger))
    statement = update(table).where(table.c.bill_id == any_(wanted), table.c.status == UNAUDITED)
    values = transitions.changes(ctx, cls, step)
    headers = ctx.conn.execute(statement.values(values).returning(*table.columns)).all()
    if len(headers) != len(keys):
        raise Stale()
    return headers


def _blocks(cls: type[Bill]) -> tuple[Block, ...]:
    assert cls.bill is not None
    return cls.bill.blocks


def _log(ctx: Context, cls: type[Bill], action: str, group: list[Entry], after: dict[str, Any]) -> None:
    records = [
        (entry.bill_id, entry.bill_no, entry.draft.header["company_id"], after or None) for entry in group
    ]
    business_log.write_all(ctx.conn, ctx.principal, cls.name(), action, records)
