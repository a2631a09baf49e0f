"""Transfer out (调拨出库), DBCK: goods leave for another warehouse of the company, in transit until received.

Stock in transit is available to nobody; batches, value and first receipt dates travel with it.
"""

from __future__ import annotations

from decimal import Decimal

from sqlalchemy.orm import Mapped

from api.kit.bills import orders
from api.kit.context import Context
from api.kit.declaration.document import (
    BillType,
    Block,
    DetailPlacement,
    Document,
    Rows,
    Values,
    declare_bill,
)
from api.kit.declaration.fields import quantity_field, reference_field, text_field
from api.kit.declaration.flow import POSTED_SQL
from api.kit.declaration.posting import Landing, Postings
from api.kit.declaration.resource import Menu
from api.kit.errors import Refusal
from api.kit.storage.validation import Problems
from api.ledger import close_checks
from api.ledger.integrity_checks import Check, register_checks
from api.master.settings.business_types import code_list_field
from api.master.stock.picking import picked_columns
from api.master.stock.stock_lines import (
    ALLOCATION_NUMBER,
    AllocatedMixin,
    MoveBill,
    RelocatedLine,
    build_outbound_moves,
    relocated_cost_column,
)
from api.master.warehouses.warehouses import GOOD, TRANSIT, ensure_system_warehouse, warehouse_field

register_checks(
    Check(
        "in_transit_is_sent_less_received",
        "在途数量 = 已发数量 − 已收数量",
        f"""select h.bill_no, l.line_no, l.quantity, l.executed_quantity, coalesce(s.quantity, 0) as in_transit
        from transfer_out_line l
        join transfer_out h using (bill_id)
        left join lateral (
            select sum(m.quantity) as quantity
            from (
                select s.quantity, s.warehouse_id from stock_ledger s
                where s.bill_type = 'DBCK' and s.line_id = l.line_id
                union all
                select s.quantity, s.warehouse_id from stock_ledger s
                where s.origin_type = 'DBCK' and s.origin_line_id = l.line_id
            ) m
            where m.warehouse_id = h.transit_warehouse_id
        ) s on true
        where coalesce(s.quantity, 0)
            <> case when h.status in {POSTED_SQL} then l.quantity - l.executed_quantity else 0 end""",
    ),
    Check(
        "in_transit_is_frozen",
        "在途仓的库存全部冻结，且都有调拨单",
        f"""select t.warehouse_id, t.goods_id, t.quantity, t.frozen, coalesce(o.quantity, 0) as on_the_way
        from stock_total t
        join warehouse w on w.warehouse_id = t.warehouse_id and w.type = 4
        left join (
            select h.transit_warehouse_id as warehouse_id, l.goods_id, sum(l.quantity - l.executed_quantity) as quantity
            from transfer_out_line l
            join transfer_out h using (bill_id)
            where h.status in {POSTED_SQL}
            group by 1, 2
        ) o on o.warehouse_id = t.warehouse_id and o.goods_id = t.goods_id
        where t.quantity <> t.frozen or t.quantity <> coalesce(o.quantity, 0)""",
    ),
)
close_checks.register_close_checks(
    close_checks.CloseCheck(
        "transfers_received",
        "没有在途的调拨",
        "请收货，途中损失的在收货时录入途损，或反审核调拨单",
        f"""select 'transfer_out' as resource, h.bill_id as record_id, h.bill_no as serial,
            concat('在途 ', sum(l.quantity - l.executed_quantity)) as msg
        from transfer_out h
        join transfer_out_line l using (bill_id)
        where h.company_id = :company_id and h.status in {POSTED_SQL} and h.business_date <= :last
        group by h.bill_id
        having sum(l.quantity - l.executed_quantity) > 0""",
    )
)


class TransferOutLine(RelocatedLine):
    __tablename__ = "transfer_out_line"
    bill_table = "transfer_out"
    derived = (relocated_cost_column("DBCK"), *picked_columns("DBCK"))

    executed_quantity: Mapped[Decimal] = quantity_field(
        "已收数量", form=False, total=True, copied=False, width=100, sort=30
    )


class TransferOut(AllocatedMixin, MoveBill):
    """调拨出库"""

    __tablename__ = "transfer_out"
    declaration = declare_bill(
        "仓库调拨",
        "v2/inventory/TransferWarehouse",
        routes={
            "list": "/inventory/transferware",
            "add": "/inventory/transferwareAdd",
            "see": "/inventory/transferwareSee",
        },
        menu=Menu("库存管理", "调拨移库", 10),
    )
    bill = BillType(
        "DBCK",
        (Block("lines", "调拨明细", TransferOutLine),),
        detail=DetailPlacement(
            "仓库调拨明细", "/inventory/transferwareDetail", Menu("库存管理", "明细查询", 40)
        ),
        moves=True,
    )
    derived = (orders.receiving_status, ALLOCATION_NUMBER)

    warehouse_id: Mapped[int] = warehouse_field(GOOD, required=True)
    to_warehouse_id: Mapped[int] = warehouse_field(
        GOOD, label="调入仓库", target="warehouse_id", beyond=True, required=True, sort=-59
    )
    transit_warehouse_id: Mapped[int] = reference_field(
        "warehouse", "在途仓", target="warehouse_id", required=True, form=False, list=False, sort=-58
    )
    handover_type_id: Mapped[int | None] = code_list_field("handover_type", "交接方式", sort=-51)
    reason: Mapped[str | None] = text_field("调拨原因", free=True, search=True, sort=-50)

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        if header["warehouse_id"] == header["to_warehouse_id"]:
            problems.add("调入仓库与调出仓库相同，库位之间移动请用库位分配")
        header["transit_warehouse_id"] = ensure_system_warehouse(ctx, header["company_id"], TRANSIT)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        on_the_way = Landing(warehouse_id=doc.header.transit_warehouse_id, frozen=True)
        return Postings(stock=build_outbound_moves(doc, lands=lambda line: on_the_way))

    @classmethod
    def check_transition(cls, ctx: Context, doc: Document, action: str) -> None:
        if action in ("antiAuditor", "invalid") and any(line.executed_quantity for line in doc.lines):
            raise Refusal("该调拨单已有收货，不能反审核或作废，请先处理调拨入库单")
