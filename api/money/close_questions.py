"""What stands in the way of a month close (结账检查) beyond the ledgers' own ties: bills that are not decided."""

from __future__ import annotations

from api.kit import registry
from api.kit.document import Bill
from api.ledger.closing import Question, register

_UNDECIDED = """
select '{resource}' as resource, bill_id as record_id, bill_no as serial, '{label}未审核' as msg
from {resource}
where company_id = :company_id and status = 1 and business_date between :first and :last
"""
_NEGATIVE = """
select w.warehouse_name as serial, concat(g.goods_name, ' ', b.quantity) as msg
from stock_balance b
join warehouse w using (warehouse_id)
join goods g using (goods_id)
where b.company_id = :company_id and b.quantity < 0
order by b.quantity
"""


def register_all() -> None:
    """Register the questions about every declared bill; called once, when all are declared."""
    bills = [cls for cls in registry.declared() if issubclass(cls, Bill)]
    undecided = " union all ".join(
        _UNDECIDED.format(resource=cls.name(), label=cls.declaration.label) for cls in bills
    )
    register(
        Question("bills_decided", "本期单据都已审核或作废", "请审核、作废或删除以下单据", undecided),
        Question(
            "stock_not_negative", "没有负库存", "建议补录入库单据，或盘点调整", _NEGATIVE, blocking=False
        ),
    )
