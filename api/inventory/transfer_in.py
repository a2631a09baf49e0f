"""Transfer in (调拨入库), DBRK: receipt of a transfer, in parts if need be, with its value and freight.

It takes the very pieces that its line sent; freight adds to their value by quantity and is owed to its
carrier. Transit losses (途损) are part of a line's quantity: the audit creates and audits their loss (PKCK)
out of the stock in transit, which counts as a stocktake loss and is reversed with the receipt. The liable
party and his compensation are recorded.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from sqlalchemy import CheckConstraint
from sqlalchemy.orm import Mapped, declared_attr

from api.inventory import stock_differences
from api.inventory.transfer_out import TransferOutLine
from api.kit.bills.proration import allocate_by_weight
from api.kit.context import Context
from api.kit.declaration.document import BillType, Block, Document, Rows, SourceLink, Values, declare_bill
from api.kit.declaration.fields import (
    COST,
    derived_field,
    money_field,
    quantity_field,
    reference_field,
    source_line_field,
    text_field,
)
from api.kit.declaration.flow import POSTED_SQL
from api.kit.declaration.goods_bills import QuantityLine
from api.kit.declaration.posting import Landing, Postings, StockMove
from api.kit.storage.validation import Problems
from api.ledger.integrity_checks import Check, register_checks
from api.master.settlements.freight import FreightBill, build_freight_payable, fill_freight
from api.master.stock.picking import sent_batches_column, sent_places_column
from api.master.stock.stock_lines import MoveBill, relocated_cost_column
from api.master.stock.tyre_numbers import MAX_TEXT, TyreNumbersMixin, parse_numbers, split_numbers
from api.master.warehouses.warehouses import TRANSIT, ensure_system_warehouse

_LOST = """
select d.transfer_in_id as bill_id, x.transfer_line_id as source_line_id, -sum(s.quantity) as quantity
from stock_loss d
join stock_loss_line x on x.bill_id = d.bill_id
join stock_ledger s on s.bill_type = 'PKCK' and s.line_id = x.line_id
where d.transfer_in_id is not null
group by d.transfer_in_id, x.transfer_line_id
"""
_LOSS_BILLS = (
    "(select string_agg(d.bill_no, '、' order by d.bill_no) from stock_loss d"
    " where d.transfer_in_id = {table}.bill_id and d.status <> 3)"
)
_LOSS_AMOUNT = (
    "(select coalesce(-sum(s.amount), 0) from stock_loss d"
    " join stock_ledger s on s.bill_type = 'PKCK' and s.bill_id = d.bill_id"
    " where d.transfer_in_id = {table}.bill_id)"
)

register_checks(
    Check(
        "losses_of_transfers_are_posted",
        "调拨入库的途损等于其盘亏出库，未审核与作废的为零",
        f"""select h.bill_no, l.source_line_id, l.lost, coalesce(p.quantity, 0) as posted
        from (
            select bill_id, source_line_id, sum(lost_quantity) as lost
            from transfer_in_line group by bill_id, source_line_id
        ) l
        join transfer_in h using (bill_id)
        left join ({_LOST}) p using (bill_id, source_line_id)
        where coalesce(p.quantity, 0) <> case when h.status in {POSTED_SQL} then l.lost else 0 end""",
    )
)


class TransferInLine(TyreNumbersMixin, QuantityLine):
    __tablename__ = "transfer_in_line"
    bill_table = "transfer_in"
    stock_direction = "through"
    landing_quantity_sql = "l.quantity - l.lost_quantity"
    derived = (relocated_cost_column("DBRK"), sent_batches_column("DBRK", "DBCK"), sent_places_column("DBCK"))

    allocation_id: Mapped[int | None] = reference_field(
        "allocation", "库位", within=("warehouse_id",), sort=-40
    )
    lost_quantity: Mapped[Decimal] = quantity_field(
        "其中途损", rule="Positive", total=True, copied=False, width=90, sort=11
    )
    loss_reason: Mapped[str | None] = text_field("途损原因", free=True, copied=False, width=140, sort=12)
    lost_tire_numbers: Mapped[str | None] = text_field(
        "途损胎号", max_length=MAX_TEXT, copied=False, optional=True, width=160, sort=61
    )
    source_line_id: Mapped[int | None] = source_line_field("transfer_out_line", "调拨明细")

    @declared_attr.directive
    @classmethod
    def __table_args__(cls) -> tuple[Any, ...]:
        within = CheckConstraint("lost_quantity between 0 and quantity", name="lost_quantity")
        return (*super().__table_args__, within)

    @classmethod
    def normalize_rows(cls, rows: list[dict[str, Any]], problems: Problems) -> None:
        """Normalize numbers: a lost number did not arrive, and as many are named as pieces were lost."""
        for row in rows:
            lost = parse_numbers(row.get("lost_tire_numbers"))
            if not lost:
                continue
            row["lost_tire_numbers"] = " ".join(lost)
            arrived = [number for number in parse_numbers(row.get("tire_numbers")) if number not in lost]
            row["tire_numbers"] = " ".join(arrived) or None
            if len(set(lost)) != (row.get("lost_quantity") or 0):
                problems.place = f"第{row['line_no']}行"
                problems.add(f"途损胎号有{len(set(lost))}个，与途损数量不一致")
        problems.place = ""
        super().normalize_rows(rows, problems)

    @classmethod
    def count_named_pieces(cls, row: dict[str, Any]) -> Decimal | None:
        whole: Decimal | None = row.get("quantity")
        return None if whole is None else whole - (row.get("lost_quantity") or 0)


class TransferIn(FreightBill, MoveBill):
    """调拨入库"""

    __tablename__ = "transfer_in"
    declaration = declare_bill(
        "调拨入库",
        "v2/inventory/TransferInStorage",
        routes={
            "list": "/inventory/transferware/receipts",
            "add": "/inventory/transferware/receiptAdd",
            "see": "/inventory/transferware/receiptSee",
        },
    )
    bill = BillType(
        "DBRK",
        (Block("lines", "收货明细", TransferInLine),),
        (
            SourceLink(
                "source_line_id",
                "transfer_out",
                TransferOutLine,
                "executed_quantity",
                ("company_id", ("warehouse_id", "to_warehouse_id")),
                required=True,
            ),
        ),
        moves=True,
        undoes="途损所生成的盘亏单随之作废",
        settles=True,
    )
    derived = (
        derived_field("loss_bills", "途损单", "text", _LOSS_BILLS, width=190, bill=True),
        derived_field("lost_amount", "途损金额", "money", _LOSS_AMOUNT, permission=COST, width=110),
    )

    transit_warehouse_id: Mapped[int] = reference_field(
        "warehouse", "在途仓", target="warehouse_id", required=True, form=False, list=False, sort=-58
    )
    freight_amount: Mapped[Decimal] = money_field("运费（未税）", rule="Positive", total=True, sort=-50)
    liable_logistics_id: Mapped[int | None] = reference_field(
        "logistics", "途损物流公司", target="logistics_id", copied=False, search=True, sort=-41
    )
    liable_employee_id: Mapped[int | None] = reference_field(
        "employee", "途损责任人", target="employee_id", within=("company_id",), copied=False, sort=-40
    )
    compensation_amount: Mapped[Decimal] = money_field(
        "途损赔偿", rule="Positive", total=True, copied=False, width=110, sort=-39
    )

    @classmethod
    def validate_record(cls, ctx: Context, header: Values, children: Rows, problems: Problems) -> None:
        header["transit_warehouse_id"] = ensure_system_warehouse(ctx, header["company_id"], TRANSIT)
        fill_freight(ctx, header, problems)
        lines = children["lines"]
        for row in lines:
            problems.place = f"第{row['line_no']}行"
            lost = row.get("lost_quantity") or Decimal(0)
            if lost > row["quantity"]:
                problems.add("途损数量不能超过数量，数量含途损")
            if lost and not row.get("loss_reason"):
                problems.add("请填写途损原因")
        problems.place = ""
        all_lost = all(row.get("lost_quantity") == row["quantity"] for row in lines)
        if all_lost and header.get("freight_amount"):
            problems.add("全部途损，没有到货可分摊运费，请清空运费")
        _validate_liability(header, lines, problems)

    @classmethod
    def postings(cls, doc: Document) -> Postings:
        header = doc.header
        arrived = [(line, line.quantity - line.lost_quantity) for line in doc.lines]
        arrived = [pair for pair in arrived if pair[1]]
        shares = allocate_by_weight(header.freight_amount, [came for _, came in arrived])
        return Postings(
            stock=tuple(
                StockMove(
                    line_id=line.line_id,
                    warehouse_id=header.transit_warehouse_id,
                    goods_id=line.goods_id,
                    quantity=-came,
                    origin=("DBCK", line.source_line_id),
                    frozen=True,
                    tire_numbers=split_numbers(line),
                    lands=Landing(
                        warehouse_id=header.warehouse_id,
                        allocation_id=line.allocation_id,
                        extra_amount=share,
                    ),
                )
                for (line, came), share in zip(arrived, shares, strict=True)
            ),
            settlements=build_freight_payable(header),
        )

    @classmethod
    def before_posting(cls, ctx: Context, doc: Document) -> None:
        """Post the transit loss first, at its value before freight is added to the arrived goods."""
        lost = [
            {
                "goods_id": line.goods_id,
                "quantity": line.lost_quantity,
                "remark": line.loss_reason,
                "tire_numbers": line.lost_tire_numbers,
                "transfer_line_id": line.source_line_id,
            }
            for line in doc.lines
            if line.lost_quantity
        ]
        if lost:
            stock_differences.audit_transit_loss(ctx, doc.header, lost)

    @classmethod
    def after_transition(cls, ctx: Context, doc: Document, effect: str) -> None:
        """Void the transit loss with the receipt."""
        if effect == "reverse":
            stock_differences.void_transit_loss(ctx, doc.header.bill_id)


def _validate_liability(header: Values, lines: list[dict[str, Any]], problems: Problems) -> None:
    """Add problems unless at most one party is liable, for an actual loss, and only he pays."""
    parties = [header.get("liable_logistics_id"), header.get("liable_employee_id")]
    named = [party for party in parties if party]
    if len(named) > 1:
        problems.add("途损物流公司和途损责任人请只选一个")
    if (named or header.get("compensation_amount")) and not any(row.get("lost_quantity") for row in lines):
        problems.add("没有途损，请清空途损物流公司、途损责任人和途损赔偿")
    if header.get("compensation_amount") and not named:
        problems.add("录入途损赔偿时请选择途损物流公司或途损责任人")
