"""Pledges of a demo company (演示质押): goods pledged for loans, enough and too little, in force, released
and overdue."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from sqlalchemy import text

from api.demo.bill_insert import Draft, add_months, insert_bills
from api.demo.masters import DemoBranch
from api.kit.context import Context
from api.risk.pledge_contract import PledgeContract, PledgeContractLine

LENDERS = ("浙商银行供应链金融部", "工商银行科技支行", "平安商业保理", "宁波银行城东支行")
# company: (months since it began, months it runs, whether it was released then, loan as a share of the goods' worth)
CONTRACTS = {
    "SH": ((17, 12, True, "0.92"), (9, 12, False, "0.90"), (3, 12, False, "0.86")),
    "HZ": ((15, 12, True, "0.85"), (7, 12, False, "1.06")),
    "NJ": ((10, 12, False, "0.94"), (2, 6, False, "0.80")),
    "SZ": ((6, 12, False, "0.88"),),
    "HF": ((13, 12, False, "1.12"),),
    "WH": ((8, 12, False, "0.95"),),
    "JN": ((5, 6, False, "0.84"),),
}
GOODS_OF_A_CONTRACT = 6
_PLEDGEABLE_STOCK = text("""
select t.goods_id, floor(sum(t.quantity) / 2) as quantity, round(g.purchase_price / 1.13, 1) as price
from stock_total t
join warehouse w on w.warehouse_id = t.warehouse_id and w.type = 1
join company_goods g on g.goods_id = t.goods_id and g.company_id = w.company_id
where w.company_id = :company
group by t.goods_id, g.purchase_price having sum(t.quantity) >= 2
order by sum(t.quantity) * g.purchase_price desc, t.goods_id limit :goods
""")


def make_pledges(ctx: Context, branch: DemoBranch, day: date) -> None:
    """Pledge half of the stock of a company's dearest goods, for a loan of about their value."""
    terms = CONTRACTS.get(branch.code, ())
    params = {"company": branch.company_id, "goods": GOODS_OF_A_CONTRACT * len(terms)}
    goods = ctx.conn.execute(_PLEDGEABLE_STOCK, params).all()
    drafts: list[Draft] = []
    for at, (since, months, released, share) in enumerate(terms):
        mine = goods[at :: len(terms)]
        haircut = (20, 25, 30)[at]
        worth = sum((row.quantity * row.price for row in mine), Decimal(0)) * (100 - haircut) / 100
        begins, ends = add_months(day, -since), add_months(day, months - since)
        header = {
            "company_id": branch.company_id,
            "business_date": begins,
            "lender": LENDERS[(branch.company_id + at) % len(LENDERS)],
            "loan_amount": max(Decimal(1), (worth * Decimal(share) / 1000).quantize(Decimal(1))) * 1000,
            "haircut": haircut,
            "starts_on": begins,
            "ends_on": ends,
            "released_on": ends if released else None,
        }
        rows = [{"goods_id": row.goods_id, "quantity": row.quantity, "price": row.price} for row in mine]
        drafts.append((header, rows))
    insert_bills(ctx, PledgeContract, PledgeContractLine, "ZYHT", [draft for draft in drafts if draft[1]])
