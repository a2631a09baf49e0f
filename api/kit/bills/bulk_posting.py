"""Bulk posting (批量过账): many bills through the steps of one, with shared statements.

The code that prices, validates, audits and posts a bill is that of a user's request. Here a step handles a
batch of bills with one statement per bill type, numbers are drawn in blocks, and the ledgers take the
whole batch in one call, in business order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from sqlalchemy import BigInteger, Connection, Row, Table, any_, bindparam, update
from sqlalchemy.dialects.postgresql import ARRAY

from api.kit.bills import drafts, future_dates, numbering, source_links, source_proration, transitions
from api.kit.bills.drafts import Draft
from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import Bill, Block, Document
from api.kit.declaration.flow import TRANSITIONS, UNAUDITED
from api.kit.declaration.posting import BillRef, Postings
from api.kit.errors import TransitionConflict
from api.kit.storage import business_log
from api.kit.storage.child_rows import build_blank_row
from api.kit.storage.validation import Problems


@dataclass(slots=True, eq=False)
class BulkBill:
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
class LineReference:
    """A placeholder in a link column for the line of a bill that may not be saved yet."""

    bill: BulkBill
    place: int


def post_bills(ctx: Context, bills: Sequence[BulkBill]) -> None:
    """Save bills and audit those that are to be; all or nothing, posted by date and then in the given order.

    A link may name a line of the same batch or of an earlier one, a write-off only an existing item.
    Raises what the single steps raise; the caller commits.
    """
    save_bills(ctx, bills)
    audit_bills(ctx, [entry for entry in bills if entry.audited])


def save_bills(ctx: Context, bills: Sequence[BulkBill]) -> None:
    """Price, validate, number and insert unaudited bills.

    Nobody can be asked about a future date, so it is refused.
    """
    problems = Problems()
    for entry in bills:
        _resolve_links(entry)
        drafts.normalize_blocks(entry.cls, entry.draft, problems)
        problems.raise_if_any()
        drafts.price_lines(entry.cls, entry.draft, problems)
        problems.raise_if_any()
        drafts.total_lines(entry.cls, entry.draft)
        entry.cls.validate_record(ctx, entry.draft.header, entry.draft.children, problems)
        if not ctx.confirmed and (days := future_dates.describe_future_dates(entry.cls, entry.draft.header)):
            problems.add(days)
        problems.raise_if_any()
    _assign_numbers(ctx.conn, bills)
    by_class = list(_group_by_type(bills))
    for cls, group in by_class:
        _assign_keys(ctx.conn, cls, group)
    for cls, group in by_class:
        _insert_bills(ctx, cls, group)


def audit_bills(ctx: Context, bills: Sequence[BulkBill]) -> None:
    """Audit bills that were just saved."""
    step = TRANSITIONS["auditorPass"]
    documents: dict[int, Document] = {}
    for cls, group in _group_by_type(bills):
        headers = _set_audited(ctx, cls, [entry.bill_id for entry in group])
        found = _build_documents(cls, group, _apply_source_shares(ctx, cls, group, headers))
        for doc in found.values():
            cls.check_transition(ctx, doc, step.name)
        source_links.consume_source_lines(ctx, cls, [line for doc in found.values() for line in doc.lines])
        ctx.raise_questions()
        documents.update({id(entry): found[entry.bill_id] for entry in group})
        _log_action(ctx, cls, step.name, group, {})
    transitions.get_ledgers().post_all(
        ctx, [_build_posting(entry, documents[id(entry)]) for entry in _sort_by_date(bills)]
    )
    transitions.wake_after_commit(ctx)


def _apply_source_shares(
    ctx: Context, cls: type[Bill], group: list[BulkBill], headers: Sequence[Row[Any]]
) -> Sequence[Row[Any]]:
    """Lock the sources of a group's lines and prorate their money anew; return the headers."""
    lines = {entry.bill_id: entry.lines for entry in group}
    assert cls.bill is not None
    if not cls.bill.links:
        return headers
    source_links.lock_sources(ctx, cls, [(header.business_date, lines[header.bill_id]) for header in headers])
    bills = [source_proration.ExecutingBill(header, lines[header.bill_id]) for header in headers]
    again = drafts.retotal_bills(ctx.conn, cls, source_proration.update_source_shares(ctx, cls, bills))
    for entry in group:
        if entry.bill_id in again:
            entry.draft.header.update(drafts.header_totals(cls, again[entry.bill_id]))
    return [again.get(header.bill_id, header) for header in headers]


def _build_documents(
    cls: type[Bill], group: list[BulkBill], headers: Sequence[Row[Any]]
) -> dict[int, Document]:
    """Build the bills as they were just written, without reading their lines back."""
    stored = {header.bill_id: header for header in headers}
    blanks = {block.name: build_blank_row(block.cls.table()) for block in _list_blocks(cls)}
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


def _build_posting(entry: BulkBill, doc: Document) -> tuple[BillRef, Postings]:
    return entry.cls.reference(doc.header), entry.cls.require_postings(doc)


def _sort_by_date(entries: Iterable[BulkBill]) -> list[BulkBill]:
    return sorted(entries, key=lambda entry: entry.draft.header["business_date"])


def _group_by_type(entries: Iterable[BulkBill]) -> Iterator[tuple[type[Bill], list[BulkBill]]]:
    """Group bills by type, in order of declaration: sources of links come first."""
    groups: dict[type[Bill], list[BulkBill]] = {}
    for entry in entries:
        groups.setdefault(entry.cls, []).append(entry)
    for cls in registry.list_resources():
        if cls in groups:
            yield cls, groups[cls]  # type: ignore[index, misc]


def _assign_numbers(conn: Connection, entries: Sequence[BulkBill]) -> None:
    wanted = []
    for entry in entries:
        assert entry.cls.bill is not None
        header = entry.draft.header
        wanted.append((entry.cls.bill.prefix, header["company_id"], header["business_date"]))
    for entry, number in zip(entries, numbering.draw_numbers(conn, wanted), strict=True):
        entry.bill_no = number


def _assign_keys(conn: Connection, cls: type[Bill], group: list[BulkBill]) -> None:
    """Assign the keys of headers and lines, so that bills of one batch can refer to each other's lines."""
    for entry, key in zip(group, _draw_keys(conn, cls.table(), len(group)), strict=True):
        entry.bill_id = key
    for block in _list_blocks(cls):
        keys = iter(
            _draw_keys(conn, block.cls.table(), sum(len(entry.draft.children[block.name]) for entry in group))
        )
        for entry in group:
            rows = entry.draft.children[block.name]
            ids = [next(keys) for _ in rows]
            for row, key in zip(rows, ids, strict=True):
                row.update(line_id=key, bill_id=entry.bill_id)
            if block.name == "lines":
                entry.line_ids = ids


def _draw_keys(conn: Connection, table: Table, count: int) -> list[int]:
    (key,) = table.primary_key.columns
    statement = "select nextval(pg_get_serial_sequence(%s, %s)) from generate_series(1, %s)"
    return list(conn.exec_driver_sql(statement, (table.name, key.name, count)).scalars()) if count else []


def _insert_bills(ctx: Context, cls: type[Bill], group: list[BulkBill]) -> None:
    maker = ctx.principal.user_id
    copy_rows(
        ctx.conn,
        cls.table(),
        [
            {**entry.draft.header, "bill_id": entry.bill_id, "bill_no": entry.bill_no, "maker_id": maker}
            for entry in group
        ],
    )
    for entry in group:
        _resolve_links(entry)
    for block in _list_blocks(cls):
        rows = [row for entry in group for row in entry.draft.children[block.name]]
        if rows:
            copy_rows(ctx.conn, block.cls.table(), rows)
    _log_action(ctx, cls, "add", group, {"source": "批量"})


def _resolve_links(entry: BulkBill) -> None:
    """Replace placeholders in link columns by the keys of lines that have them."""
    assert entry.cls.bill is not None
    for link in entry.cls.bill.links:
        for row in entry.lines:
            source = row.get(link.column)
            if isinstance(source, LineReference) and source.bill.line_ids:
                row[link.column] = source.bill.line_ids[source.place]


def copy_rows(conn: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    """Insert rows by COPY; a column that no row has gets the database's default."""
    given = {name for row in rows for name in row}
    columns = [column for column in table.columns if column.key in given]
    blank = build_blank_row(table)
    names = [column.key for column in columns]
    driver = conn.connection.driver_connection
    assert driver is not None
    with driver.cursor() as cursor:
        with cursor.copy(f"copy {table.name} ({', '.join(names)}) from stdin") as target:
            for row in rows:
                target.write_row([row.get(name, blank[name]) for name in names])


def _set_audited(ctx: Context, cls: type[Bill], keys: list[int]) -> Sequence[Row[Any]]:
    table, step = cls.table(), TRANSITIONS["auditorPass"]
    wanted = bindparam("keys", keys, ARRAY(BigInteger))
    statement = update(table).where(table.c.bill_id == any_(wanted), table.c.status == UNAUDITED)
    values = transitions.transition_values(ctx, cls, step)
    headers = ctx.conn.execute(statement.values(values).returning(*table.columns)).all()
    if len(headers) != len(keys):
        raise TransitionConflict()
    return headers


def _list_blocks(cls: type[Bill]) -> tuple[Block, ...]:
    assert cls.bill is not None
    return cls.bill.blocks


def _log_action(
    ctx: Context, cls: type[Bill], action: str, group: list[BulkBill], after: dict[str, Any]
) -> None:
    records = [
        (entry.bill_id, entry.bill_no, entry.draft.header["company_id"], after or None) for entry in group
    ]
    business_log.log_actions(ctx.conn, ctx.principal, cls.name(), action, records)
