"""Refusals of the ledger (过账拒绝): typed, with their causes as data, and a Chinese message.

The ledger knows no masters: `causes` carry ids, and `describe(names)` formats the message again with the
names that the caller looked up (`{goods_id: name}`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Any, ClassVar, NoReturn

import orjson
from psycopg import Error

from api.kit.errors import Refusal

SQLSTATE = "ERP00"
SHOWN = 5
MASKED = "无权限"
Names = Mapping[int, str]


class LedgerRefusal(Refusal):
    """A posting that the ledger refuses; the transaction has changed nothing and must be rolled back."""

    kinds: ClassVar[dict[str, type[LedgerRefusal]]] = {}
    kind: ClassVar[str]

    def __init_subclass__(cls, *, kind: str) -> None:
        cls.kind = kind
        cls.kinds[kind] = cls

    def __init__(self, causes: Any) -> None:
        self.causes = causes
        super().__init__(self.describe({}), data={"kind": self.kind, "causes": causes})

    def __reduce__(self) -> tuple[type[LedgerRefusal], tuple[Any]]:
        """Support pickling: it crosses from a worker process to the one that waits for it."""
        return type(self), (self.causes,)

    def describe(self, names: Names) -> str:
        """Return the message, with goods named where `names` knows them."""
        raise NotImplementedError

    def goods_ids(self) -> set[int]:
        """Return the goods that the message speaks of."""
        rows = self.causes if isinstance(self.causes, list) else self.causes.get("lines", ())
        return {row["goods_id"] for row in rows if "goods_id" in row}

    def mask_fields(self, fields: Collection[str]) -> None:
        """Mask fields of the causes, in the message and its data."""
        for row in self.causes if isinstance(self.causes, list) else ():
            row.update({name: MASKED for name in fields if row.get(name) is not None})
        self.msg = self.describe({})

    def name_goods(self, names: Names) -> LedgerRefusal:
        """Format the message anew with the names, and return itself."""
        self.msg = self.describe(names)
        return self


class Shortage(LedgerRefusal, kind="shortage"):
    """Lines that find too little stock; causes: [{line_id, warehouse_id, goods_id, allocation_id, batch_id, missing,
    reserved}], `reserved` when the stock is there but claimed by orders or frozen."""

    def describe(self, names: Names) -> str:
        return "库存不足：" + "；".join(
            f"{_name_row_goods(row, names)}缺 {_format_quantity(row['missing'])}"
            f"{'（已被订单占用或冻结）' if row['reserved'] else ''}"
            for row in self.causes
        )


class PastShortage(LedgerRefusal, kind="past_shortage"):
    """Lines that find too little at the end of a day that others come after; causes: {lines: [{line_id, warehouse_id,
    goods_id, allocation_id, batch_id, day, missing}], bills}, `day` the first of those when most is missing."""

    def describe(self, names: Names) -> str:
        return "库存不足：" + _format_short_days(self.causes, names)


class PastStockUsed(LedgerRefusal, kind="past_stock_used"):
    """Without the bill, a day after it would have had too little; causes: as PastShortage, `bills` took the goods."""

    def describe(self, names: Names) -> str:
        short = _format_short_days(self.causes, names)
        return f"该单据的库存已被使用，不能反审核或作废：{short}{_format_bills(self.causes)}"


class ReturnExceeds(LedgerRefusal, kind="return_exceeds"):
    """Linked returns of more than their line delivered; causes: [{line_id, goods_id, missing}]."""

    def describe(self, names: Names) -> str:
        return "退货数量超过原单可退数量：" + "；".join(
            f"{_name_row_goods(row, names)}超出 {_format_quantity(row['missing'])}" for row in self.causes
        )


class ValueUnknown(LedgerRefusal, kind="worth_unknown"):
    """Goods that a conversion makes beside others, of unknown value; causes: [{line_id, goods_id}]."""

    def describe(self, names: Names) -> str:
        goods = list(dict.fromkeys(_name_row_goods(row, names) for row in self.causes))
        listed = "、".join(goods[:SHOWN]) + ("等" if len(goods) > SHOWN else "")
        return f"{listed}没有成本可依，无法按价值分摊，请录入分摊比例或参考单价"


class StockUsed(LedgerRefusal, kind="stock_used"):
    """The stock that the bill brought is gone or claimed; causes: {lines: as Shortage, bills: [...]}."""

    def describe(self, names: Names) -> str:
        goods = "、".join(dict.fromkeys(_name_row_goods(row, names) for row in self.causes["lines"]))
        return f"该单据的库存已被使用，不能反审核或作废：{goods}{_format_bills(self.causes)}"


class CostUsed(LedgerRefusal, kind="cost_used"):
    """Taking the bill's value back would leave a value without stock; causes: [{goods_id, quantity, amount}], both as
    they would be left."""

    def describe(self, names: Names) -> str:
        goods = "、".join(_name_row_goods(row, names) for row in self.causes)
        return f"该单据的成本已结转到后续出库，不能反审核或作废：{goods}。请先反审核后续出库单，或作成本调整"


class BelowZeroValue(LedgerRefusal, kind="below_zero_value"):
    """A cost adjustment of more than the goods are worth; causes: [{goods_id, amount}], the present value."""

    def describe(self, names: Names) -> str:
        return "调整后金额不能为负：" + "；".join(
            f"{_name_row_goods(row, names)}现有金额 {row['amount']}" for row in self.causes
        )


class StockFrozen(LedgerRefusal, kind="stock_held"):
    """Goods that stocktakes freeze while they count them; causes: {lines: [{goods_id}], bills: [...]}."""

    def describe(self, names: Names) -> str:
        numbers = "、".join(bill["bill_no"] for bill in self.causes["bills"])
        goods = [_name_row_goods(row, names) for row in self.causes["lines"]]
        listed = "、".join(goods[:SHOWN]) + ("等" if len(goods) > SHOWN else "")
        return f"盘点单{numbers}正在盘点并冻结出入库：{listed}，请等盘点审核、作废或取消冻结后再操作"


class ReturnedLater(LedgerRefusal, kind="returned_later"):
    """A linked return stands on the bill's lines; causes: {bills: [{bill_type, bill_id, bill_no}]}."""

    def describe(self, names: Names) -> str:
        return f"该单据已有退货，不能反审核或作废{_format_bills(self.causes)}"


class ReservationUsed(LedgerRefusal, kind="reservation_used"):
    """Later bills have used the order's reservation; causes: {bills: [...]}."""

    def describe(self, names: Names) -> str:
        return f"该订单的占用已被后续单据使用，不能反审核或作废{_format_bills(self.causes)}"


class AlreadyWrittenOff(LedgerRefusal, kind="already_settled"):
    """The bill's receivable or payable is written off by others; causes: {bills: [...]}."""

    def describe(self, names: Names) -> str:
        return f"该单据已核销，不能反审核或作废{_format_bills(self.causes)}"


class OverWriteOff(LedgerRefusal, kind="over_write_off"):
    """Write-offs past the open amount, of the wrong sign, or of an unknown item; causes: [{settlement_id, bill_no,
    open_amount, amount}], the texts None where the company has no such item."""

    def describe(self, names: Names) -> str:
        return "核销金额超过未核销金额：" + "；".join(
            f"{row['bill_no'] or '单据不存在'} 未核销 {row['open_amount'] or 0}，本次 {row['amount']}"
            for row in self.causes
        )


class WriteOffTooEarly(LedgerRefusal, kind="settled_early"):
    """Items that a bill settles before their own day; causes: [{bill_no, business_date}]."""

    def describe(self, names: Names) -> str:
        listed = "、".join(f"{row['bill_no']}（{row['business_date']}）" for row in self.causes)
        return f"核销日期不能早于被核销单据的日期：{listed}"


class PeriodClosed(LedgerRefusal, kind="period_closed"):
    """The business date lies in a closed period; causes: {period}."""

    def describe(self, names: Names) -> str:
        return f"会计期间 {self.causes['period']} 已结账，请修改单据日期或先反结账"


class PeriodClosing(LedgerRefusal, kind="period_closing"):
    """The period is being closed at this moment; causes: {period}."""

    def describe(self, names: Names) -> str:
        return f"会计期间 {self.causes['period']} 正在结账，请稍后重试"


def raise_refusal(error: Error) -> NoReturn:
    """Raise the refusal that a ledger function signaled, or the error itself when it is something else."""
    if error.sqlstate != SQLSTATE:
        raise error
    kind = LedgerRefusal.kinds[error.diag.message_primary or ""]
    raise kind(orjson.loads(error.diag.message_detail or "null")) from None


def _name_row_goods(row: Mapping[str, Any], names: Names) -> str:
    return names.get(row["goods_id"], f"商品 {row['goods_id']}")


def _format_short_days(causes: Mapping[str, Any], names: Names) -> str:
    return "；".join(
        f"{_name_row_goods(row, names)} 在 {row['day']} 结存不足，缺 {_format_quantity(row['missing'])}"
        for row in causes["lines"]
    )


def _format_quantity(number: str) -> str:
    return f"{Decimal(number).normalize():f}"


def _format_bills(causes: Mapping[str, Any]) -> str:
    bills = "、".join(bill["bill_no"] for bill in causes.get("bills") or ())
    return f"（相关单据：{bills}）" if bills else ""
