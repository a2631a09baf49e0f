"""Stocktake (盘点单), KCPD: snapshot of planned stock, count, recount, and correction by its audit.

A line's book quantity is the stock of its place at the end of the stocktake's day, as the ledger knew it
when the count was entered. Every line must be answered, with 0 if nothing is there. The audit creates and
audits the difference bills (PYRK, PKCK), less corrections by others since (stock_counts.py); reversal
voids them. A freezing stocktake blocks other bills of its goods in its warehouse until it is audited,
voided or deleted.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import BigInteger, ForeignKey, Row, select
from sqlalchemy.orm import Mapped, mapped_column

from api.inventory import book_quantities, count_locations, stock_counts, stock_differences
from api.inventory.book_quantities import Spot, spot_of
from api.kit.context import Context
from api.kit.declaration.document import (
    MAX_LINES,
    Bill,
    BillType,
    Block,
    Document,
    Rows,
    Values,
    declare_bill,
)
from api.kit.declaration.fields import (
    COST,
    datetime_field,
    derived_field,
    flag_field,
    price_field,
    quantity_field,
    reference_field,
    text_field,
)
from api.kit.declaration.flow import POSTED_SQL, UNAUDITED
from api.kit.declaration.goods_bills import GoodsBillLine
from api.kit.declaration.posting import Postings
from api.kit.declaration.resource import FileCall, Menu
from api.kit.errors import Refusal
from api.kit.storage.database import TIME_ZONE
from api.kit.storage.validation import Problems
from api.ledger import stock_holds
from api.ledger.integrity_checks import Check, register_checks
from api.master.stock import stock_hold_rules
from api.master.stock.stock_lines import InboundPlaceMixin, WarehouseMixin, resolve_batches
from api.master.stock.tyre_numbers import MAX_TEXT

register_checks(
    Check(
        "holds_are_of_stocktakes",
        "盘点冻结的商品正是冻结出入库的未审核盘点单的商品",
        """select coalesce(w.bill_no, h.bill_no) as bill_no, w.goods_id as counted, h.goods_id as held
        from (
            select distinct t.bill_id, t.bill_no, t.company_id, t.warehouse_id, l.goods_id
            from stock_take t
            join stock_take_line l using (bill_id)
            where t.freezes and t.status = 1
        ) w
        full join stock_hold h using (bill_id, bill_no, company_id, warehouse_id, goods_id)
        where w.goods_id is null or h.bill_id is null""",
    )
)

_SNAPSHOT = """
with recursive wanted as (
    select t.goods_type_id from goods_type t where t.goods_type_id = %(goods_type_id)s::bigint
    union all
    select t.goods_type_id from goods_type t join wanted w on t.p_id = w.goods_type_id
)
select b.goods_id, b.allocation_id, b.batch_id, k.batch, k.production_date
from stock_balance b
join goods g using (goods_id)
left join (
    select l.goods_id, l.allocation_id, l.batch_id, sum(l.quantity) as quantity
    from stock_ledger l
    where l.warehouse_id = %(warehouse_id)s and l.business_date > %(business_date)s
    group by l.goods_id, l.allocation_id, l.batch_id
) m using (goods_id, allocation_id, batch_id)
left join goods_batch k on k.batch_id = b.batch_id
where b.warehouse_id = %(warehouse_id)s and b.quantity <> coalesce(m.quantity, 0)
    and (%(allocation_id)s::bigint is null or b.allocation_id = %(allocation_id)s)
    and (%(goods_type_id)s::bigint is null or g.goods_type_id in (select w.goods_type_id from wanted w))
    and (%(brand_id)s::bigint is null or g.brand_id = %(brand_id)s)
order by b.allocation_id, g.goods_num, b.batch_id
limit %(most)s
"""
_MADE = (
    "(select string_agg(d.bill_no, '、' order by d.bill_no) from ("
    "select s.bill_no, s.stock_take_id from stock_surplus s where s.status <> 3"
    " union all select s.bill_no, s.stock_take_id from stock_loss s where s.status <> 3"
    ") d where d.stock_take_id = {table}.bill_id)"
)
_OPEN = (
    "(select count(*) from stock_take_line l where l.bill_id = {table}.bill_id"
    " and l.counted_quantity is null and l.recount_quantity is null)"
)
# What others have done since to an open count, which its audit will take up.
_LATER_COUNT = f"""(
    select t.bill_no
    from stock_take h
    join stock_take t on t.warehouse_id = h.warehouse_id and t.bill_id <> h.bill_id and t.status in {POSTED_SQL}
    join stock_take_line o on o.bill_id = t.bill_id and o.goods_id = {{table}}.goods_id
        and coalesce(o.allocation_id, 0) = coalesce({{table}}.allocation_id, 0)
        and coalesce(o.batch_id, 0) = coalesce({{table}}.batch_id, 0)
    where h.bill_id = {{table}}.bill_id and h.status = {UNAUDITED}
        and (t.business_date, o.counted_at) > (h.business_date, {{table}}.counted_at)
    order by t.business_date desc, o.counted_at desc
    limit 1
)"""
_CORRECTED = f"""(
    select {{what}}
    from stock_take h
    join stock_ledger s on s.company_id = h.company_id and s.warehouse_id = h.warehouse_id
        and s.goods_id = {{table}}.goods_id and s.allocation_id = coalesce({{table}}.allocation_id, 0)
        and s.batch_id = coalesce({{table}}.batch_id, 0) and s.business_date <= h.business_date
    where h.bill_id = {{table}}.bill_id and h.status = {UNAUDITED} and s.ledger_id > {{table}}.counted_upto
        and s.bill_type in {stock_counts.CORRECTIONS} and not exists (
            select from ({stock_counts.LATE_BILLS}) d where d.bill_type = s.bill_type and d.bill_id = s.bill_id
        )
)"""
_CORRECTIONS = _CORRECTED.replace(
    "{what}",
    "case when sum(s.quantity) <> 0 then string_agg(distinct s.bill_no, '、' order by s.bill_no) end",
)
_DIFFERENCE = (
    f"(case when {_LATER_COUNT} is not null then 0.000"
    f" else {stock_counts.DIFFERENCE}"
    f" - coalesce({_CORRECTED.replace('{what}', 'sum(s.quantity)')}, 0) end)"
)
_GAVE_WAY_TO = "(select t.bill_no from stock_take t where t.bill_id = {table}.superseded_by)"
_SUPERSEDED = f"coalesce({_GAVE_WAY_TO}, {_LATER_COUNT})"


class StockTakeLine(InboundPlaceMixin, GoodsBillLine):
    __tablename__ = "stock_take_line"
    bill_table = "stock_take"
    moves_tire_numbers = False
    counts_places = True
    derived = (
        derived_field("difference", "差异数量", "quantity", _DIFFERENCE, width=76, decides=True),
        derived_field("corrected_by", "账面已由更正", "text", _CORRECTIONS, width=190, bill=True),
        derived_field("superseded_by_no", "以后盘为准", "text", _SUPERSEDED, width=190, bill=True),
    )

    snapshot_quantity: Mapped[Decimal] = quantity_field("账面快照", form=False, total=True, width=76, sort=10)
    book_quantity: Mapped[Decimal] = quantity_field(
        "账面数量", form=False, total=True, decides=True, width=76, sort=11
    )
    counted_quantity: Mapped[Decimal | None] = quantity_field(
        "初盘数量", default=None, rule="Positive", total=True, copied=False, width=76, sort=12
    )
    recount_quantity: Mapped[Decimal | None] = quantity_field(
        "复盘数量", default=None, rule="Positive", copied=False, width=76, sort=13
    )
    late_quantity: Mapped[Decimal] = quantity_field(
        "已盘后审数量", form=False, copied=False, width=110, sort=14
    )
    """Movements since the count of bills dated before it, that had been counted already."""
    corrected_quantity: Mapped[Decimal] = quantity_field(
        "他单更正", form=False, copied=False, width=90, sort=15
    )
    """Corrections by others between the count and its audit."""
    uncounted_quantity: Mapped[Decimal] = quantity_field(
        "未盘后审数量", form=False, copied=False, width=110, sort=15
    )
    """Movements since the count of bills dated before it, that had not been counted and come on top."""
    unit_cost: Mapped[Decimal | None] = price_field(
        "盘盈单位成本",
        default=None,
        rule="Positive",
        permission=COST,
        copied=False,
        decides=False,
        width=110,
        sort=16,
    )
    tire_numbers: Mapped[str | None] = text_field(
        "差异胎号", max_length=MAX_TEXT, copied=False, width=160, sort=60
    )
    """Numbers of numbered goods that were found beyond the book, or are missing."""
    counted_at: Mapped[datetime | None] = datetime_field("盘点时间", form=False, copied=False, sort=61)
    counted_upto: Mapped[int | None] = mapped_column(BigInteger, sort_order=62)
    """The last ledger id that the line's book knew when its count was entered."""
    superseded_by: Mapped[int | None] = mapped_column(
        BigInteger, ForeignKey("stock_take.bill_id"), index=True, sort_order=63
    )
    """The stocktake that counted the spot later and was audited before."""


class StockTake(WarehouseMixin, Bill):
    """盘点单"""

    __tablename__ = "stock_take"
    declaration = declare_bill(
        "盘点单",
        "v2/inventory/StockTaking",
        routes={
            "list": "/inventory/takestock",
            "add": "/inventory/takestockAdd",
            "see": "/inventory/takestockSee",
        },
        menu=Menu("库存管理", "盘点调整", 10),
        files=(
            FileCall("getCountSheet", "盘点表", "download", "list"),
            FileCall("getCountSheet", "盲盘表", "download", "list", query=(("blind", "1"),)),
            FileCall("importCountSheet", "导入盘点表", "upload", "edit", status=(UNAUDITED,)),
        ),
    )
    bill = BillType(
        "KCPD",
        (Block("lines", "盘点明细", StockTakeLine, required=False),),
        undoes="所生成的盘盈单、盘亏单随之作废，库存回到盘点前",
    )
    derived = (
        derived_field("open_lines", "未盘行数", "integer", _OPEN, width=90),
        derived_field("difference_bills", "差异单据", "text", _MADE, width=200, bill=True),
    )

    allocation_id: Mapped[int | None] = reference_field(
        "allocation", "库位", within=("warehouse_id",), sort=-50
    )
    goods_type_id: Mapped[int | None] = reference_field("goods_type", "商品类型", sort=-49)
    brand_id: Mapped[int | None] = reference_field("brand", "品牌", sort=-48)
    freezes: Mapped[bool] = flag_field("冻结出入库", sort=-47)
    snapshot_at: Mapped[datetime] = datetime_field("快照时间", required=True, form=False, sort=-46)
    ledger_upto: Mapped[int | None] = mapped_column(BigInteger, sort_order=-45)
    """The last ledger id when its audit had corrected its goods."""

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        lines, key = children["lines"], header.get("bill_id")
        known = _read_stored_lines(ctx, key) if key else {}
        resolve_batches(ctx, lines, problems, header["business_date"], needed=False)
        # Where goods lie is read, and the book, as no posting under way can change it, and as it will be frozen.
        book_quantities.lock_goods(ctx, header["company_id"], lines)
        count_locations.fill_places(ctx, header, known, lines, problems)
        count_locations.validate_range(ctx, header, lines, problems)
        _validate_unique(lines, problems)
        if key:
            _validate_complete(known, lines, problems)
            before = _stored_header(ctx, key)
            if before.warehouse_id != header["warehouse_id"]:
                problems.add("快照后不能更换盘点仓库，请另建盘点单")
            if before.business_date != header["business_date"]:
                # Another day has another book; what was counted stays as it was counted.
                header["snapshot_at"] = datetime.now(TIME_ZONE)
                known = book_quantities.recompute_book_quantities(
                    ctx, header["warehouse_id"], header["business_date"], known
                )
        else:
            header["snapshot_at"] = datetime.now(TIME_ZONE)
            if not lines:
                lines[:] = _plan_lines(ctx, header)
                book_quantities.lock_goods(ctx, header["company_id"], lines)
                if header["freezes"]:
                    # What is written down is what was frozen: nothing may move in between.
                    lines[:] = _plan_lines(ctx, header)
                    book_quantities.lock_goods(ctx, header["company_id"], lines)
            if not lines:
                problems.add("盘点范围内没有库存，请修改范围或自行添加商品")
        problems.raise_if_any()
        _fill_book_quantities(ctx, header, known, lines)

    @classmethod
    def sync_dependents(cls, ctx: Context, key: int, status: int | None) -> None:
        """Freeze its goods while it is unaudited, if it freezes them."""
        head = ctx.conn.execute(select(cls.table()).where(cls.key() == key)).one()
        lines = StockTakeLine.table()
        goods: set[int] = set()
        if head.freezes and status == UNAUDITED:
            query = select(lines.c.goods_id).where(lines.c.bill_id == key)
            goods = set(ctx.conn.execute(query).scalars())
            stock_holds.lock_goods(ctx.conn, head.company_id, goods)
            held = stock_holds.list_active_holds(ctx.conn, {(head.warehouse_id, one) for one in goods})
            stock_hold_rules.forbid_frozen_goods(ctx, [row for row in held if row.bill_id != key])
        stock_holds.sync_stock_holds(ctx.conn, head.company_id, head.warehouse_id, (key, head.bill_no), goods)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        return Postings()

    @classmethod
    def check_transition(cls, ctx: Context, doc: Document, action: str) -> None:
        if action != "auditorPass":
            stock_counts.forbid_reversal_if_relied_on(ctx, doc)
            return
        uncounted = [str(line.line_no) for line in doc.lines if _get_count(line) is None]
        if uncounted:
            more = "等" if len(uncounted) > 10 else ""
            raise Refusal(
                f"第{'、'.join(uncounted[:10])}{more}行未盘点（共{len(uncounted)}行），请录入实盘数量，没有的录入0"
            )
        count_locations.require_known_places(ctx, doc.header, doc.lines)

    @classmethod
    def after_transition(cls, ctx: Context, doc: Document, effect: str) -> None:
        if effect == "reverse":
            stock_differences.void_difference_bills(ctx, doc.header.bill_id)
            stock_counts.clear_corrections(ctx, doc.header.bill_id)
            return
        # Its own hold must not stand in the way of what sets the stock right.
        header = doc.header
        stock_holds.sync_stock_holds(
            ctx.conn, header.company_id, header.warehouse_id, (header.bill_id, header.bill_no), ()
        )
        differences = stock_counts.find_differences(ctx, doc)
        for line, difference in differences:
            if line.tire_numbers and not difference:
                raise Refusal(f"第{line.line_no}行没有差异，请清空差异胎号")
        stock_differences.create_difference_bills(ctx, doc.header, [pair for pair in differences if pair[1]])
        stock_counts.record_ledger_position(ctx, header.bill_id)


def _get_count(line: Any) -> Decimal | None:
    found: Decimal | None = line.counted_quantity if line.recount_quantity is None else line.recount_quantity
    return found


def _read_stored_lines(ctx: Context, key: int) -> dict[Spot, Any]:
    table = StockTakeLine.table()
    rows = ctx.conn.execute(select(table).where(table.c.bill_id == key)).mappings()
    return {spot_of(row): row for row in rows}


def _stored_header(ctx: Context, key: int) -> Row[Any]:
    table = StockTake.table()
    query = select(table.c.warehouse_id, table.c.business_date).where(table.c.bill_id == key)
    return ctx.conn.execute(query).one()


def _plan_lines(ctx: Context, header: Values) -> list[dict[str, Any]]:
    """Read the lines that the plan's filters cover, as of the end of its day."""
    names = ("warehouse_id", "business_date", "allocation_id", "goods_type_id", "brand_id")
    filters = {name: header.get(name) for name in names}
    rows = ctx.conn.exec_driver_sql(_SNAPSHOT, {**filters, "most": MAX_LINES + 1}).all()
    if len(rows) > MAX_LINES:
        raise Refusal(f"盘点范围超过{MAX_LINES}行，请按库位、类型或品牌分开盘点")
    return [
        {
            "line_no": number,
            "goods_id": row.goods_id,
            "allocation_id": row.allocation_id or None,
            "batch_id": row.batch_id or None,
            "batch": row.batch,
            "production_date": row.production_date,
            "counted_quantity": None,
            "recount_quantity": None,
            "remark": None,
        }
        for number, row in enumerate(rows, 1)
    ]


def _fill_book_quantities(
    ctx: Context, header: Values, known: dict[Spot, Any], lines: list[dict[str, Any]]
) -> None:
    """Fill snapshot and book quantity of each line; an unchanged count keeps the book of its moment."""
    goods = (line["goods_id"] for line in lines)
    now = book_quantities.read_book_quantities(ctx, header["warehouse_id"], header["business_date"], goods)
    moment, upto = book_quantities.read_ledger_position(ctx)
    for line in lines:
        spot = spot_of(line)
        before, current = known.get(spot), now.get(spot, Decimal(0))
        counts = ("counted_quantity", "recount_quantity")
        line["snapshot_quantity"] = before["snapshot_quantity"] if before is not None else current
        if before is not None and all(line.get(name) == before[name] for name in counts):
            line.update({name: before[name] for name in ("book_quantity", "counted_at", "counted_upto")})
        else:
            counted = any(line.get(name) is not None for name in counts)
            line["book_quantity"] = current
            line["counted_at"], line["counted_upto"] = (moment, upto) if counted else (None, None)


def _validate_unique(lines: Iterable[dict[str, Any]], problems: Problems) -> None:
    seen: set[Spot] = set()
    for line in lines:
        if spot_of(line) in seen:
            problems.place = f"第{line['line_no']}行"
            problems.add("同一商品、库位、批次重复")
        seen.add(spot_of(line))
    problems.place = ""


def _validate_complete(known: dict[Spot, Any], lines: Iterable[dict[str, Any]], problems: Problems) -> None:
    """Add problems for lines of the snapshot that were dropped instead of answered."""
    answered = {spot_of(line) for line in lines}
    for spot, row in known.items():
        if spot not in answered and row["snapshot_quantity"]:
            problems.place = f"第{row['line_no']}行"
            problems.add("盘点范围内的行不能删除，没有实物请录入0")
    problems.place = ""
