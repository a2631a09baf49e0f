"""Sales of a demo company (演示销售): outbounds and orders by season, linked returns, a few voided bills."""

from __future__ import annotations

from decimal import Decimal
from itertools import accumulate
from typing import Any

from api.demo.company_simulator import CompanySimulator
from api.demo.goods import CURVES, DemoGoods
from api.demo.purchases import Purchaser
from api.demo.settlements import Cashier
from api.demo.warranty import WarrantyHandler
from api.kit.bills.bulk_posting import BulkBill, LineReference
from api.sales.sales_order import SalesOrder
from api.sales.sales_outbound import SalesOutbound
from api.sales.sales_return import SalesReturn

WEEKDAYS = (1.15, 1.1, 1.1, 1.05, 1.1, 0.95, 0.45)


class Seller:
    """Seller of what is in stock."""

    def __init__(
        self, desk: CompanySimulator, buyer: Purchaser, cashier: Cashier, warrantor: WarrantyHandler
    ) -> None:
        self.desk, self.buyer, self.cashier, self.warrantor = desk, buyer, cashier, warrantor
        self._weights = {
            (warehouse, month): list(accumulate(i.popularity * CURVES[i.season][month - 1] for i in goods))
            for warehouse, goods in desk.range.items()
            for month in range(1, 13)
        }
        self._loyalty = [desk.chance.paretovariate(1.3) for _ in desk.branch.customers]
        self._goods = {item.goods_id: item for item in desk.group.goods}
        self._generosity = {
            row["customer_id"]: Decimal(str(round(desk.chance.uniform(0.955, 1.02), 3)))
            for row in desk.branch.customers
        }

    def make_sales(self) -> None:
        """Make the sales of a day."""
        desk = self.desk
        growth = 1 - 0.00022 * (desk.today - desk.day).days
        mean = desk.size.sales_a_day * desk.branch.share * WEEKDAYS[desk.day.weekday()] * growth
        for _ in range(self._draw_count(mean)):
            self._make_sale()

    def _draw_count(self, mean: float) -> int:
        spread = self.desk.chance.gauss(mean, mean**0.5 * 0.8)
        whole = int(max(spread, 0))
        return whole + self.desk.has_chance(max(spread, 0) - whole)

    def _make_sale(self) -> None:
        desk = self.desk
        first, *others = desk.branch.warehouses
        warehouse = first if not others or desk.has_chance(0.6) else desk.chance.choice(others)
        [customer] = desk.chance.choices(desk.branch.customers, weights=self._loyalty)
        rows = self._choose_lines(warehouse, self._generosity[customer["customer_id"]])
        if not rows:
            return
        header = {
            "warehouse_id": warehouse,
            "customer_id": customer["customer_id"],
            "sales_type_id": desk.group.sales_types[customer["customer_id"] % len(desk.group.sales_types)],
            "department_id": desk.branch.department_of[customer["employee_id"]],
        }
        if desk.is_pending():
            desk.enter_bill(SalesOutbound, header, rows, audited=False)
        elif desk.has_chance(0.22):
            self._take_order(header, rows)
        else:
            self._take_stock(warehouse, rows)
            self._enter_outbound(header, rows)

    def _choose_lines(self, warehouse: int, factor: Decimal) -> list[dict[str, Any]]:
        desk, size = self.desk, self.desk.size
        count = max(1, min(60, round(desk.chance.expovariate(1 / size.lines_a_sale))))
        weights = self._weights[warehouse, desk.day.month]
        picked = desk.chance.choices(desk.range[warehouse], cum_weights=weights, k=count)
        rows = []
        for item in {item.goods_id: item for item in picked}.values():
            quantity = min(desk.chance.choice(item.pack), desk.stock[warehouse, item.goods_id])
            if quantity > 0:
                rows.append(self._build_line(item, quantity, factor))
        if rows and all(row.get("is_gift") for row in rows):
            del rows[0]["is_gift"]
        return rows

    def _build_line(self, item: DemoGoods, quantity: int, factor: Decimal) -> dict[str, Any]:
        desk = self.desk
        price = (item.price * desk.price_factor() * factor).quantize(Decimal("0.5"))
        row = desk.build_line(
            item, quantity, max(price, (item.cost * Decimal("1.02")).quantize(Decimal("0.1")))
        )
        if quantity >= 4 and desk.has_chance(0.2):
            row["discount_amount"] = Decimal(desk.chance.choice((2, 5, 10)))
        elif item.type_name == "玻璃水" and desk.has_chance(0.2):
            row["is_gift"] = True
        return row

    def _take_stock(self, warehouse: int, rows: list[dict[str, Any]], sign: int = 1) -> None:
        for row in rows:
            self.desk.stock[warehouse, row["goods_id"]] -= sign * int(row["quantity"])

    def _enter_outbound(self, header: dict[str, Any], rows: list[dict[str, Any]]) -> None:
        """Enter an outbound; its goods are out of the simulated stock already."""
        desk = self.desk
        outbound = desk.enter_bill(SalesOutbound, dict(header), rows)
        if desk.has_chance(0.006) and "order_line_id" not in rows[0]:
            desk.portion.voided.append(outbound)
            desk.schedule(desk.next_month(), lambda: self._take_stock(header["warehouse_id"], rows, -1))
            return
        self.cashier.expect_receipt(outbound)
        for row in rows:
            self.warrantor.expect_failure(outbound, self._goods[row["goods_id"]])
        if desk.has_chance(0.05):
            desk.schedule(desk.in_days(3, 25), lambda: self._take_back(outbound))

    def _take_order(self, header: dict[str, Any], rows: list[dict[str, Any]]) -> None:
        desk = self.desk
        self._take_stock(header["warehouse_id"], rows)
        delivery = desk.in_days(1, 6)
        order = desk.enter_bill(SalesOrder, header | {"delivery_date": delivery}, rows)
        desk.schedule(delivery, lambda: self._execute_order(order, header))

    def _execute_order(self, order: BulkBill, header: dict[str, Any]) -> None:
        """Ship an order, at times not all of it; what is left over is closed later."""
        desk = self.desk
        partly = desk.has_chance(0.12)
        paid = [int(line["quantity"]) for line in order.lines if not line.get("is_gift")]
        ordered, half = sum(paid), sum((quantity + 1) // 2 for quantity in paid)
        rows = []
        for place, line in enumerate(order.lines):
            item, quantity = self._goods[line["goods_id"]], int(line["quantity"])
            # Gifts come along as their paid goods do.
            part = -(-quantity * half // ordered) if line.get("is_gift") else (quantity + 1) // 2
            shipped = part if partly else quantity
            names = ("is_gift",) if partly else ("discount_amount", "is_gift")
            kept = {name: line[name] for name in names if name in line}
            rows.append(
                desk.build_line(item, shipped, line["price"], order_line_id=LineReference(order, place))
                | kept
            )
        self._enter_outbound(header, rows)
        if partly:
            desk.schedule(desk.in_days(10, 20), lambda: self._close_order(order, header, rows))

    def _close_order(self, order: BulkBill, header: dict[str, Any], shipped: list[dict[str, Any]]) -> None:
        desk = self.desk
        desk.portion.closed.append(order)
        left = [
            {**line, "quantity": int(line["quantity"]) - int(row["quantity"])}
            for line, row in zip(order.lines, shipped, strict=True)
        ]
        desk.schedule(desk.next_month(), lambda: self._take_stock(header["warehouse_id"], left, -1))

    def _take_back(self, outbound: BulkBill) -> None:
        desk, header = self.desk, outbound.draft.header
        place = desk.chance.randrange(len(outbound.lines))
        line = outbound.lines[place]
        if any(other.get("is_gift") for other in outbound.lines if other is not line):
            # Who was given something along with it keeps what he bought.
            return
        item = self._goods[line["goods_id"]]
        quantity = min(int(line["quantity"]), desk.chance.choice((1, 1, 2)))
        kept = {name: header[name] for name in ("warehouse_id", "customer_id", "department_id")}
        row = desk.build_line(
            item,
            quantity,
            line["price"],
            source_line_id=LineReference(outbound, place),
            allocation_id=desk.location_of(header["warehouse_id"], item.goods_id),
            batch=self.buyer.code_of(item) if item.is_tyre else None,
        )
        desk.stock[header["warehouse_id"], item.goods_id] += quantity
        back = desk.enter_bill(SalesReturn, kept | {"remark": "客户退货"}, [row])
        self.cashier.expect_receipt(back, sign=-1)
