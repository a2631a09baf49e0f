"""Coupons of a demo company (演示优惠券): granted every month, used where a bill gave that much off."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from random import Random
from typing import Any

from sqlalchemy import Row, text

from api.demo.bill_insert import add_months, insert_rows
from api.demo.masters import DemoBranch
from api.kit.context import Context
from api.kit.declaration.flow import AUDITED
from api.sales.sales_coupon import CUSTOM, STANDARD, SalesCoupon, SalesCouponGrant, SalesCouponUse

COUPONS = (
    ("满800减5元", STANDARD, 5, 800),
    ("满2000减10元", STANDARD, 10, 2000),
    ("老客户答谢15元", CUSTOM, 15, 1500),
)
GOOD_FOR = 75
"""Days for which a coupon may be used."""
_DISCOUNTED = text("""
select b.bill_id, b.customer_id, b.business_date, sum(l.discount_amount) as discount, sum(l.amount) as amount
from sales_outbound b join sales_outbound_line l on l.bill_id = b.bill_id
where b.company_id = :company and b.status = :audited and b.business_date >= :since and not l.is_gift
group by b.bill_id having sum(l.discount_amount) > 0
order by b.business_date, b.bill_id
""")


def make_coupons(ctx: Context, branch: DemoBranch, day: date) -> None:
    """Grant coupons to some customers in every month of the last year, and redeem them by discounts that were
    given."""
    chance = Random(f"demo coupons {branch.code}")
    since = add_months(day, -11).replace(day=1)
    mine = {"company_id": branch.company_id}
    coupons = [
        {**mine, "sales_coupon_name": name, "kind": kind, "face_amount": face, "threshold_amount": least}
        for name, kind, face, least in COUPONS
    ]
    keys = insert_rows(ctx, SalesCoupon, coupons)
    grants: list[dict[str, Any]] = []
    for month in range(12):
        on = add_months(since, month)
        for row in branch.customers:
            kind = chance.randrange(len(COUPONS))
            if chance.random() < 0.3:
                grants.append(
                    {
                        **mine,
                        "coupon_no": f"YHQ{branch.code}{on:%y%m}{len(grants) + 1:05d}",
                        "sales_coupon_id": keys[kind],
                        "customer_id": row["customer_id"],
                        "granted_on": on,
                        "expires_on": on + timedelta(days=GOOD_FOR),
                        "face_amount": COUPONS[kind][2],
                    }
                )
    granted = insert_rows(ctx, SalesCouponGrant, grants)
    params = {"company": branch.company_id, "audited": AUDITED, "since": since}
    bills = ctx.conn.execute(_DISCOUNTED, params).all()
    least = dict(zip(keys, (least for *_, least in COUPONS), strict=True))
    usable = [
        (key, grant, least[grant["sales_coupon_id"]]) for key, grant in zip(granted, grants, strict=True)
    ]
    insert_rows(ctx, SalesCouponUse, list(_redeem_coupons(usable, bills)))


def _redeem_coupons(
    grants: Iterable[tuple[int, dict[str, Any], int]], bills: Sequence[Row[Any]]
) -> Iterator[dict[str, Any]]:
    """Yield for each coupon the first bill that it was valid for, one coupon a bill."""
    of_customer: defaultdict[int, list[Row[Any]]] = defaultdict(list)
    for bill in bills:
        of_customer[bill.customer_id].append(bill)
    for key, grant, least in grants:
        mine = of_customer[grant["customer_id"]]
        for bill in mine:
            due = grant["granted_on"] <= bill.business_date <= grant["expires_on"]
            if due and bill.discount >= grant["face_amount"] and bill.amount >= least:
                mine.remove(bill)
                yield {
                    "sales_coupon_grant_id": key,
                    "bill_id": bill.bill_id,
                    "discount_amount": grant["face_amount"],
                }
                break
