"""Trial data (试用数据): bills and ledgers of a company in initialisation, deleted for a fresh start.

The ledgers refuse deletes; for this transaction their triggers are disabled, which also blocks
other postings. Tombstones mark the rows that the warehouse has copied.
"""

from __future__ import annotations

from sqlalchemy import Connection, text, update
from sqlalchemy.exc import IntegrityError

from api.kit.declaration import registry
from api.kit.errors import Refusal
from api.kit.storage.database import Base
from api.shell.operations.initialisation import DONE_STATE, Initialisation, read_state

LEDGERS = {
    "stock_ledger": "ledger_id",
    "reservation_ledger": "entry_id",
    "settlement_ledger": "entry_id",
    "money_ledger": "entry_id",
    "tire_step": "entry_id",
}
"""Append-only journals with their keys."""
BALANCES = (
    "settlement_item",
    "tire_number",
    "stock_hold",
    "stock_balance",
    "stock_total",
    "cost_balance",
    "money_balance",
    "accounting_period",
    "month_close",
    "year_close",
    "cost_recalculation",
)
_SHARED_TIRES = text("""
select from tire_step
where :id in (company_id, from_company_id) and company_id <> from_company_id and from_company_id <> 0 limit 1
""")


def count_trial_bills(conn: Connection, company_id: int) -> int:
    """Return the number of bills that would be deleted; 0 for a company whose initialisation is done."""
    if not is_trial(conn, company_id):
        return 0
    return sum(
        conn.execute(
            text(f"select count(*) from {name} where company_id = :id"), {"id": company_id}
        ).scalar_one()
        for name in _header_tables()
    )


def is_trial(conn: Connection, company_id: int) -> bool:
    """Return whether a company is still being initialised."""
    return company_id > 0 and read_state(conn, company_id) < DONE_STATE


def wipe_trial_data(conn: Connection, company_id: int) -> int:
    """Delete a trial company's bills and ledgers, and return the number of bills.

    The company is back at its first upload. Raises: Refusal once the company is initialised, while a
    file is processed, and where another company's bills or tyres refer to it.
    """
    row = {"id": company_id}
    table = Initialisation.__table__
    conn.execute(table.select().where(table.c.company_id == company_id).with_for_update())
    if not is_trial(conn, company_id):
        raise Refusal("该公司已完成初始化，单据和账簿不能清理")
    if read_state(conn, company_id) % 2:
        raise Refusal("正在处理初始化文件，请等待完成")
    for name in LEDGERS:
        conn.execute(text(f"alter table {name} disable trigger {name}_append_only"))
    if conn.execute(_SHARED_TIRES, row).first() is not None:
        raise Refusal("有胎号在本公司与其他公司之间转移过，不能清理")
    found = count_trial_bills(conn, company_id)
    try:
        _delete_rows(conn, row)
    except IntegrityError:
        raise Refusal("其他公司的单据引用了本公司的单据，不能清理，请先作废并删除那些单据") from None
    for name in LEDGERS:
        conn.execute(text(f"alter table {name} enable trigger {name}_append_only"))
    conn.execute(update(Initialisation).where(table.c.company_id == company_id).values(state=0))
    return found


def _delete_rows(conn: Connection, row: dict[str, int]) -> None:
    for name, key in LEDGERS.items():
        mine = "company_id = :id" if name != "tire_step" else ":id in (company_id, from_company_id)"
        tombstones = (
            f"insert into tombstone (table_name, row_key) select '{name}', {key} from {name} where {mine}"
        )
        conn.execute(text(tombstones), row)
        conn.execute(text(f"delete from {name} where {mine}"), row)
    for name in BALANCES:
        conn.execute(text(f"delete from {name} where company_id = :id"), row)
    # Their sums hold rows of this company; the job makes them anew.
    for name in ("stock_checkpoint_row", "stock_checkpoint"):
        conn.execute(text(f"delete from {name}"))
    for name, header in _line_tables():
        mine = f"bill_id in (select bill_id from {header} where company_id = :id)"
        conn.execute(text(f"delete from {name} where {mine}"), row)
    for name in reversed(_header_tables()):
        conn.execute(text(f"delete from {name} where company_id = :id"), row)


def _header_tables() -> list[str]:
    """Return the tables of bills, those that others refer to first."""
    names = {cls.name() for cls in registry.list_resources() if cls.bill}
    return [table.name for table in Base.metadata.sorted_tables if table.name in names]


def _line_tables() -> list[tuple[str, str]]:
    """Return the tables of lines with their headers', those that others refer to last."""
    owners = {
        block.cls.name(): cls.name()
        for cls in registry.list_resources()
        if cls.bill
        for block in cls.bill.blocks
    }
    ordered = [table.name for table in Base.metadata.sorted_tables if table.name in owners]
    return [(name, owners[name]) for name in reversed(ordered)]
