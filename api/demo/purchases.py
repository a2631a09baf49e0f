"""Purchases of a demo company (演示采购): opening stock, orders by forecast, deliveries with DOT batches,
returns."""

from __future__ import annotations

from collections import defaultdict
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from api.demo.company_simulator import CompanySimulator
from api.demo.goods import DemoGoods
from api.demo.names import find_supplier
from api.demo.settlements import Cashier
from api.inventory.opening_stock import OpeningStock
from api.inventory.other_inbound import OtherInbound
from api.inventory.other_outbound import OtherOutbound
from api.kit.bills.bulk_posting import BulkBill, LineReference
from api.master.settlements.invoices import DIGITAL_SPECIAL
from api.purchase.purchase_inbound import PurchaseInbound
from api.purchase.purchase_invoice import PurchaseInvoice
from api.purchase.purchase_order import PurchaseOrder
from api.purchase.purchase_plan import PurchasePlan
from api.purchase.purchase_return import PurchaseReturn

OPENING_LINES = 60
MONTH = 30
INVOICED = 0.88
"""The share of inbounds that the supplier has invoiced a month later."""
SHARED_GOODS = 2


def format_dot(day: date) -> str:
    """Return the DOT code of a production day: week, then year."""
    year, week, _ = day.isocalendar()
    return f"{week:02d}{year % 100:02d}"


class Purchaser:
    """Purchaser who keeps the warehouses supplied."""

    def __init__(self, desk: CompanySimulator, cashier: Cashier) -> None:
        self.desk, self.cashier = desk, cashier
        self.ordered: defaultdict[tuple[int, int], int] = defaultdict(int)
        self._codes: dict[int, str] = {}

    def code_of(self, item: DemoGoods) -> str:
        """Return a DOT code under which the tyre was received last."""
        return self._codes[item.goods_id]

    def forecast_demand(self, warehouse: int, item: DemoGoods, ahead: int) -> float:
        """Return the units a month that are expected to be sold, `ahead` months from now."""
        desk = self.desk
        first = warehouse == desk.branch.warehouses[0]
        share = 0.6 if first else 0.4 / max(1, len(desk.branch.warehouses) - 1)
        goods = desk.range[warehouse]
        weight = item.popularity * desk.demand_factor(item, ahead) / sum(other.popularity for other in goods)
        lines = desk.size.sales_a_day * desk.size.lines_a_sale * desk.branch.share * MONTH
        return lines * share * weight * sum(item.pack) / len(item.pack)

    def enter_opening_stock(self) -> None:
        """Enter the opening stock of the first day, some of it too much."""
        desk = self.desk
        for warehouse, goods in desk.range.items():
            rows = []
            for item in goods:
                slow = item.popularity < 0.01
                quantity = (
                    desk.chance.randint(4, 14)
                    if slow
                    else round(self.forecast_demand(warehouse, item, 0) * 1.3) + 2
                )
                rows.append(self._build_arrival(warehouse, item, quantity, desk.chance.randint(8, 40)))
                desk.stock[warehouse, item.goods_id] += quantity
            for start in range(0, len(rows), OPENING_LINES):
                header = {"warehouse_id": warehouse, **desk.choose_worker(desk.branch.keepers)}
                desk.enter_bill(OpeningStock, header, rows[start : start + OPENING_LINES])

    def order_goods(self, *, planned: bool) -> None:
        """Order what won't last the next weeks, a bill for each warehouse and supplier; for the first
        warehouse by a purchase plan if `planned`; some is bought without an order all the same."""
        first = self.desk.branch.warehouses[0]
        for warehouse, goods in self.desk.range.items():
            wanted: defaultdict[str, list[tuple[DemoGoods, int]]] = defaultdict(list)
            for item in goods:
                ahead = 1 if self.desk.day.day > 10 else 0
                need = (
                    self.forecast_demand(warehouse, item, ahead)
                    + self.forecast_demand(warehouse, item, ahead + 1)
                ) / 2
                there = self.desk.stock[warehouse, item.goods_id] + self.ordered[warehouse, item.goods_id]
                if item.popularity >= 0.01 and there < need * 0.8:
                    wanted[find_supplier(item.brand_name)].append(
                        (item, self._round_lot(item, need * 1.4 - there))
                    )
            bought = sorted(wanted.items())
            plan = {}
            if planned and bought and warehouse == first:
                with self.desk.separate_chance():
                    plan = self._plan(warehouse, bought)
            for name, lots in bought:
                self._order(warehouse, name, lots, plan)

    def _plan(
        self, warehouse: int, bought: list[tuple[str, list[tuple[DemoGoods, int]]]]
    ) -> dict[int, LineReference]:
        """Enter a purchase plan and return its lines, by their goods."""
        desk = self.desk
        rows = [
            desk.build_line(item, quantity, self._price(item), supplier_id=self._supplier(name))
            for name, lots in bought
            for item, quantity in lots
        ]
        header = {
            "warehouse_id": warehouse,
            "delivery_date": desk.day + timedelta(days=10),
            "sales_days": MONTH,
            "cover_days": MONTH,
            **desk.choose_worker(desk.branch.buyers),
        }
        plan = desk.enter_bill(PurchasePlan, header, rows)
        return {row["goods_id"]: LineReference(plan, place) for place, row in enumerate(rows)}

    def _supplier(self, name: str) -> int:
        key: int = self.desk.group.suppliers[name]["supplier_id"]
        return key

    def _round_lot(self, item: DemoGoods, need: float) -> int:
        lot = 4 if item.is_tyre else 6
        return max(lot, round(need / lot) * lot)

    def _order(
        self, warehouse: int, name: str, lots: list[tuple[DemoGoods, int]], plan: dict[int, LineReference]
    ) -> None:
        desk = self.desk
        for item, quantity in lots:
            self.ordered[warehouse, item.goods_id] += quantity
        header = {
            "warehouse_id": warehouse,
            "supplier_id": self._supplier(name),
            **desk.choose_worker(desk.branch.buyers),
        }
        order = None
        if desk.has_chance(0.6):
            rows = [
                desk.build_line(item, quantity, self._price(item), plan_line_id=plan.get(item.goods_id))
                for item, quantity in lots
            ]
            order = desk.enter_bill(
                PurchaseOrder,
                header | {"delivery_date": desk.day + timedelta(days=8)},
                rows,
                audited=not desk.is_pending(),
            )
            if not order.audited:
                return
        parts = 2 if order and len(lots) > 1 and desk.has_chance(0.15) else 1
        for part in range(parts):
            share = [(place, *lot) for place, lot in enumerate(lots) if place % parts == part]
            day = desk.in_days(3, 9) + timedelta(days=7 * part)
            desk.schedule(day, lambda share=share: self._receive(header, order, share))  # type: ignore[misc]

    def _receive(
        self, header: dict[str, Any], order: BulkBill | None, lots: list[tuple[int, DemoGoods, int]]
    ) -> None:
        desk, warehouse = self.desk, header["warehouse_id"]
        rows = []
        for place, item, quantity in lots:
            row = self._build_arrival(warehouse, item, quantity, desk.chance.randint(3, 16))
            if order:
                row |= {"order_line_id": LineReference(order, place), "price": order.lines[place]["price"]}
            rows.append(row)
        audited = not desk.is_pending()
        inbound = desk.enter_bill(PurchaseInbound, header, rows, audited=audited)
        if not audited:
            return
        for _, item, quantity in lots:
            self.ordered[warehouse, item.goods_id] -= quantity
            desk.stock[warehouse, item.goods_id] += quantity
        self.cashier.expect_payment(inbound)
        with desk.separate_chance():
            if desk.has_chance(INVOICED):
                # In another month, by which the inbound is posted.
                desk.schedule(max(desk.in_days(25, 40), desk.next_month()), lambda: self._invoice(inbound))
        if desk.has_chance(0.04):
            place = desk.chance.randrange(len(lots))
            self._send_back(inbound, place, lots[place][1])

    def _invoice(self, inbound: BulkBill) -> None:
        """Enter the supplier's invoice of all that an inbound came to."""
        desk, header = self.desk, inbound.draft.header
        rows = [
            {
                "inbound_line_id": LineReference(inbound, place),
                "goods_id": line["goods_id"],
                "amount": line["amount"],
            }
            for place, line in enumerate(inbound.lines)
        ]
        kept = {name: header[name] for name in ("supplier_id", "employee_id", "department_id")}
        with desk.separate_chance():
            number = f"{desk.day:%y}{desk.branch.company_id:04}{desk.chance.randrange(10**14):014}"
            document = {"invoice_kind": DIGITAL_SPECIAL, "invoice_no": number, "invoice_date": desk.day}
            desk.enter_bill(PurchaseInvoice, kept | document, rows)

    def buy_for_sisters(self) -> None:
        """Buy some goods of one supplier for another company: they are not sold here."""
        desk, warehouse = self.desk, self.desk.branch.warehouses[0]
        own = {item.goods_id for item in desk.range[warehouse]}
        goods = [i for i in desk.group.goods if not i.is_tyre and i.goods_id not in own]
        name = find_supplier(desk.chance.choice(goods).brand_name)
        mine = [item for item in goods if find_supplier(item.brand_name) == name][:SHARED_GOODS]
        rows = [
            self._build_arrival(
                warehouse, item, self._round_lot(item, self.forecast_demand(warehouse, item, 0) / 4), 0
            )
            for item in mine
        ]
        header = {
            "warehouse_id": warehouse,
            "supplier_id": self._supplier(name),
            **desk.choose_worker(desk.branch.buyers),
        }
        self.cashier.expect_payment(desk.enter_bill(PurchaseInbound, header | {"remark": "集中采购"}, rows))

    def _build_arrival(
        self, warehouse: int, item: DemoGoods, quantity: int, weeks_old: int
    ) -> dict[str, Any]:
        code = None
        if item.is_tyre:
            code = self._codes[item.goods_id] = format_dot(self.desk.day - timedelta(weeks=weeks_old))
        place = self.desk.location_of(warehouse, item.goods_id)
        return self.desk.build_line(item, quantity, self._price(item), allocation_id=place, batch=code)

    def _price(self, item: DemoGoods) -> Decimal:
        noise = Decimal(str(round(self.desk.chance.uniform(0.975, 1.02), 3)))
        return (item.cost * self.desk.price_factor() * noise).quantize(Decimal("0.1"))

    def _send_back(self, inbound: BulkBill, place: int, item: DemoGoods) -> None:
        """Return some of what has just come, on its day: nobody knows how long its batch lasts."""
        desk, header, line = self.desk, inbound.draft.header, inbound.lines[place]
        quantity = min(desk.chance.randint(1, 3), int(line["quantity"]))
        desk.stock[header["warehouse_id"], item.goods_id] -= quantity
        kept = {
            name: header[name] for name in ("warehouse_id", "supplier_id", "employee_id", "department_id")
        }
        row = desk.build_line(item, quantity, line["price"], source_line_id=LineReference(inbound, place))
        self.cashier.expect_payment(
            desk.enter_bill(PurchaseReturn, kept | {"remark": "质量问题退货"}, [row]), sign=-1
        )

    def enter_corrections(self) -> None:
        """Enter a piece that nobody ordered, and some used up or thrown away, once a month."""
        desk = self.desk
        for warehouse, goods in desk.range.items():
            chosen = desk.chance.sample(goods, min(3, len(goods)))
            header = {"warehouse_id": warehouse, **desk.choose_worker(desk.branch.keepers)}
            gains = [
                desk.build_line(
                    item, 1, Decimal(0), allocation_id=desk.location_of(warehouse, item.goods_id), batch=None
                )
                for item in chosen[:1]
                if not item.is_tyre
            ]
            if gains:
                desk.enter_bill(OtherInbound, header | {"reason": "供应商赠送"}, gains)
                desk.stock[warehouse, gains[0]["goods_id"]] += 1
            lost = [item for item in chosen[1:] if desk.stock[warehouse, item.goods_id] > 4]
            if lost:
                for item in lost:
                    desk.stock[warehouse, item.goods_id] -= 1
                reason = desk.chance.choice(("样品领用", "促销赠品", "报废"))
                desk.enter_bill(
                    OtherOutbound,
                    header | {"reason": reason},
                    [desk.build_line(i, 1, Decimal(0)) for i in lost],
                )
