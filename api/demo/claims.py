"""Claims of a demo company (演示三包理赔): pieces registered as they came in, paid for, and settled by their
suppliers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from decimal import Decimal
from random import Random
from typing import Any

from sqlalchemy import Row, select, text

from api.aftersale.claims import (
    CompanyClaim,
    CompanyClaimLine,
    FactoryClaim,
    FactoryClaimLine,
    GuaranteeRegister,
    GuaranteeRegisterLine,
)
from api.aftersale.symptom import Symptom
from api.demo.bill_insert import Draft, insert_bills
from api.demo.masters import DemoBranch, DemoGroup
from api.demo.names import find_supplier
from api.kit.context import Context

SYMPTOMS = (30, 22, 14, 20, 14)
"""How often tyres have the symptoms that the list of them begins with."""
_PIECES = text("""
select l.line_id, l.goods_id, b.customer_id, b.employee_id, b.department_id, b.business_date, n.brand_name,
    g.sale_price, g.purchase_price, r.bill_id as returned_by, r.business_date as returned_on, r.claim_no
from three_inbound_line l
join three_inbound b on b.bill_id = l.bill_id and b.company_id = :company
join goods on goods.goods_id = l.goods_id
join brand n on n.brand_id = goods.brand_id
join company_goods g on g.goods_id = l.goods_id and g.company_id = :company
left join (tire_back_line k join tire_back r on r.bill_id = k.bill_id) on k.source_line_id = l.line_id
order by b.business_date, l.line_id
""")


def make_claims(ctx: Context, group: DemoGroup, branch: DemoBranch, day: date) -> None:
    """Register each piece that came in; most are paid for, and of those sent back most are settled."""
    chance = Random(f"demo claims {branch.code}")
    pieces = ctx.conn.execute(_PIECES, {"company": branch.company_id}).all()
    registered = _register_pieces(ctx, group, branch, pieces, chance)
    paid: list[tuple[Row[Any], Draft]] = []
    back: defaultdict[int, list[tuple[Row[Any], dict[str, Any]]]] = defaultdict(list)
    for piece, line in zip(pieces, registered, strict=True):
        on = piece.business_date + timedelta(days=chance.randint(2, 12))
        if on > day or chance.random() < 0.07:
            continue
        rate = chance.choice((30, 40, 50, 60, 70, 80, 100))
        row = {
            "goods_id": piece.goods_id,
            "quantity": 1,
            "source_line_id": line,
            "judged_rate": rate,
            "amount": (piece.sale_price * rate / 100).quantize(Decimal(1)),
        }
        paid.append((piece, (_build_header(branch, piece, on) | {"total_amount": row["amount"]}, [row])))
        if piece.returned_by and chance.random() < 0.9:
            answered = (piece.purchase_price * rate * chance.randint(90, 102) / 10000).quantize(Decimal(1))
            back[piece.returned_by].append((piece, row | {"amount": answered}))
    insert_bills(ctx, CompanyClaim, CompanyClaimLine, "GSLP", [draft for _, draft in paid])
    insert_bills(
        ctx, FactoryClaim, FactoryClaimLine, "CJLP", list(_supplier_claims(branch, group, back, chance, day))
    )


def _register_pieces(
    ctx: Context, group: DemoGroup, branch: DemoBranch, pieces: Sequence[Row[Any]], chance: Random
) -> list[int]:
    symptoms: Sequence[int] = (
        ctx.conn.execute(select(Symptom.key()).order_by(Symptom.key()).limit(len(SYMPTOMS))).scalars().all()
    )
    drafts: list[Draft] = []
    for number, piece in enumerate(pieces, 1):
        row = {
            "goods_id": piece.goods_id,
            "quantity": 1,
            "supplier_id": _supplier_of(group, piece.brand_name),
            "symptom_id": chance.choices(symptoms, weights=SYMPTOMS)[0],
            "tire_number": f"{branch.code}{piece.business_date:%y}{number:05d}",
            "inbound_line_id": piece.line_id,
        }
        drafts.append((_build_header(branch, piece, piece.business_date), [row]))
    return insert_bills(ctx, GuaranteeRegister, GuaranteeRegisterLine, "SBDJ", drafts)


def _build_header(branch: DemoBranch, piece: Row[Any], on: date) -> dict[str, Any]:
    shared = {name: getattr(piece, name) for name in ("customer_id", "employee_id", "department_id")}
    return {"company_id": branch.company_id, "business_date": on, "total_quantity": 1, **shared}


def _supplier_of(group: DemoGroup, brand: str) -> int:
    key: int = group.suppliers[find_supplier(brand)]["supplier_id"]
    return key


def _supplier_claims(
    branch: DemoBranch,
    group: DemoGroup,
    back: dict[int, list[tuple[Row[Any], dict[str, Any]]]],
    chance: Random,
    day: date,
) -> Iterator[Draft]:
    """Yield the claims that a supplier settles, three to eight weeks after a return."""
    for answered in back.values():
        piece, _ = answered[0]
        on = piece.returned_on + timedelta(days=chance.randint(20, 55))
        if on <= day:
            rows = [row for _, row in answered]
            yield (
                {
                    "company_id": branch.company_id,
                    "business_date": on,
                    "supplier_id": _supplier_of(group, piece.brand_name),
                    "claim_no": piece.claim_no,
                    "total_quantity": len(rows),
                    "total_amount": sum(row["amount"] for row in rows),
                },
                rows,
            )
