"""Consignment of a demo company (演示寄售): a customer pays for the goods he sold, and returns the rest."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

from sqlalchemy import text

from api.customers.customer_receipt import CustomerReceipt
from api.demo.company_simulator import CompanySimulator
from api.demo.goods import DemoGoods
from api.demo.masters import DemoBranch, DemoGroup
from api.kit.bills import drafts, pack_units, source_links, transitions
from api.kit.bills.bulk_posting import BulkBill, LineReference
from api.kit.context import Context
from api.sales.consignment_return import ConsignmentReturn
from api.sales.consignment_sale import ConsignmentSale
from api.sales.consignment_settlement import ConsignmentSettlement

UNPAID_DAYS = 40
"""Days before the running month whose settlements are not paid yet."""
PIECES, SOLD = 4, (1, 2, 3, 4)
"""Pieces of a goods that are put at a customer's place, and how many of them he may sell."""
_OPEN_ITEMS = text("""
select i.settlement_id, i.open_amount, o.customer_id, least(i.due_date, :day) as business_date
from settlement_item i join sales_outbound o on o.bill_id = i.bill_id and i.bill_type = 'XSCK'
where o.company_id = :company and o.settlement_id is not null and i.open_amount > 0 and i.business_date < :since
order by o.bill_id
""")


class Consignor:
    """Sender of goods on consignment, every other month."""

    def __init__(self, desk: CompanySimulator) -> None:
        self.desk = desk

    def send_goods(self) -> None:
        desk = self.desk
        warehouse = desk.branch.warehouses[0]
        goods = [i for i in desk.range[warehouse] if desk.stock[warehouse, i.goods_id] >= 3 * PIECES]
        chosen = desk.chance.sample(goods, min(3, len(goods)))
        if not chosen:
            return
        customer = desk.chance.choice(desk.branch.customers)
        header = {
            "warehouse_id": warehouse,
            "customer_id": customer["customer_id"],
            "department_id": desk.branch.department_of[customer["employee_id"]],
        }
        sale = desk.enter_bill(
            ConsignmentSale, header, [desk.build_line(item, PIECES, item.price) for item in chosen]
        )
        for item in chosen:
            desk.stock[warehouse, item.goods_id] -= PIECES
        sold = [desk.chance.choice(SOLD) for _ in chosen]
        desk.schedule(
            desk.next_month(),
            lambda: desk.schedule(desk.month_end(), lambda: self._enter_settlement(sale, sold)),
        )
        back = [
            (place, item, PIECES - sold[place]) for place, item in enumerate(chosen) if sold[place] < PIECES
        ]
        if back:
            desk.schedule(desk.next_month(2), lambda: self._take_back(sale, back))

    def _enter_settlement(self, sale: BulkBill, sold: list[int]) -> None:
        day = self.desk.day

        def enter(ctx: Context) -> None:
            draft = source_links.draft_from_source(
                ctx, ConsignmentSettlement, ConsignmentSettlement.bill.links[0], sale.bill_id
            )
            lines = [{**line, "quantity": Decimal(n)} for line, n in zip(draft["lines"], sold, strict=True)]
            pack_units.copy_packs(ctx.conn, lines)
            bill = {**draft, "business_date": day, "lines": lines}
            key: int = drafts.add_draft(ctx, ConsignmentSettlement, bill)["id"]
            transitions.apply_transition(ctx, ConsignmentSettlement, "auditorPass", key)

        self.desk.portion.last_steps.append(enter)

    def _take_back(self, sale: BulkBill, back: list[tuple[int, DemoGoods, int]]) -> None:
        desk, header = self.desk, sale.draft.header
        kept = {name: header[name] for name in ("warehouse_id", "customer_id", "department_id")}
        rows = []
        for place, item, quantity in back:
            rows.append(
                {
                    "goods_id": item.goods_id,
                    "quantity": Decimal(quantity),
                    "source_line_id": LineReference(sale, place),
                    "allocation_id": desk.location_of(header["warehouse_id"], item.goods_id),
                }
            )
            desk.stock[header["warehouse_id"], item.goods_id] += quantity
        desk.enter_bill(ConsignmentReturn, kept, rows)


def collect_receipts(ctx: Context, group: DemoGroup, branch: DemoBranch, day: date) -> None:
    """Enter the receipts of settlements that are due; the latest stay open."""
    since = day.replace(day=1) - timedelta(days=UNPAID_DAYS)
    params = {"company": branch.company_id, "day": day, "since": since}
    for item in ctx.conn.execute(_OPEN_ITEMS, params).all():
        paid = {
            "company_id": branch.company_id,
            "customer_id": item.customer_id,
            "business_date": item.business_date,
            "receivables_mode_id": group.modes[0],
            "amount": item.open_amount,
            "write_offs": [{"settlement_id": item.settlement_id, "amount": item.open_amount}],
        }
        key: int = drafts.add_draft(ctx, CustomerReceipt, paid)["id"]
        transitions.apply_transition(ctx, CustomerReceipt, "auditorPass", key)
