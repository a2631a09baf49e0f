"""Consignment of a demo company (演示寄售): a customer pays for what he sold of the goods, and returns the rest."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

from sqlalchemy import text

from api.customers.customer_receipt import CustomerReceipt
from api.demo.assortment import Item
from api.demo.desk import Desk
from api.demo.group import Branch, Group
from api.kit import drafts, links, packs, transitions
from api.kit.bulk import Entry, LineOf
from api.kit.context import Context
from api.sales.consignment_return import ConsignmentReturn
from api.sales.consignment_sale import ConsignmentSale
from api.sales.consignment_settlement import ConsignmentSettlement

LATELY = 40
"""Days before the running month whose settlements are not paid yet."""
EACH, SOLD = 4, (1, 2, 3, 4)
"""Pieces of a goods that are put at a customer's place, and how many of them he may sell."""
_OWED = text("""
select i.settlement_id, i.open_amount, o.customer_id, least(i.due_date, :day) as business_date
from settlement_item i join sales_outbound o on o.bill_id = i.bill_id and i.bill_type = 'XSCK'
where o.company_id = :company and o.settlement_id is not null and i.open_amount > 0 and i.business_date < :since
order by o.bill_id
""")


class Consignor:
    """Sends goods on consignment every other month."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk

    def send(self) -> None:
        desk = self.desk
        warehouse = desk.branch.warehouses[0]
        goods = [i for i in desk.range[warehouse] if desk.stock[warehouse, i.goods_id] >= 3 * EACH]
        chosen = desk.chance.sample(goods, min(3, len(goods)))
        if not chosen:
            return
        customer = desk.chance.choice(desk.branch.customers)
        header = {
            "warehouse_id": warehouse,
            "customer_id": customer["customer_id"],
            "department_id": desk.branch.department_of[customer["employee_id"]],
        }
        sale = desk.enter(ConsignmentSale, header, [desk.line(item, EACH, item.price) for item in chosen])
        for item in chosen:
            desk.stock[warehouse, item.goods_id] -= EACH
        sold = [desk.chance.choice(SOLD) for _ in chosen]
        desk.at(desk.next_month(), lambda: desk.at(desk.month_end(), lambda: self._settle(sale, sold)))
        back = [(place, item, EACH - sold[place]) for place, item in enumerate(chosen) if sold[place] < EACH]
        if back:
            desk.at(desk.next_month(2), lambda: self._take_back(sale, back))

    def _settle(self, sale: Entry, sold: list[int]) -> None:
        day = self.desk.day

        def settle(ctx: Context) -> None:
            draft = links.draft(ctx, ConsignmentSettlement, ConsignmentSettlement.bill.links[0], sale.bill_id)
            lines = [{**line, "quantity": Decimal(n)} for line, n in zip(draft["lines"], sold, strict=True)]
            packs.carry(ctx.conn, lines)
            bill = {**draft, "business_date": day, "lines": lines}
            key: int = drafts.add(ctx, ConsignmentSettlement, bill)["id"]
            transitions.move(ctx, ConsignmentSettlement, "auditorPass", key)

        self.desk.portion.finally_.append(settle)

    def _take_back(self, sale: Entry, back: list[tuple[int, Item, int]]) -> None:
        desk, header = self.desk, sale.draft.header
        kept = {name: header[name] for name in ("warehouse_id", "customer_id", "department_id")}
        rows = []
        for place, item, quantity in back:
            rows.append(
                {
                    "goods_id": item.goods_id,
                    "quantity": Decimal(quantity),
                    "source_line_id": LineOf(sale, place),
                    "allocation_id": desk.shelf(header["warehouse_id"], item.goods_id),
                }
            )
            desk.stock[header["warehouse_id"], item.goods_id] += quantity
        desk.enter(ConsignmentReturn, kept, rows)


def collect(ctx: Context, group: Group, branch: Branch, day: date) -> None:
    """Customers pay for what they sold of it when it is due; what they sold lately is open."""
    since = day.replace(day=1) - timedelta(days=LATELY)
    asked = {"company": branch.company_id, "day": day, "since": since}
    for owed in ctx.conn.execute(_OWED, asked).all():
        paid = {
            "company_id": branch.company_id,
            "customer_id": owed.customer_id,
            "business_date": owed.business_date,
            "receivables_mode_id": group.modes[0],
            "amount": owed.open_amount,
            "write_offs": [{"settlement_id": owed.settlement_id, "amount": owed.open_amount}],
        }
        key: int = drafts.add(ctx, CustomerReceipt, paid)["id"]
        transitions.move(ctx, CustomerReceipt, "auditorPass", key)
