"""Tyre journal (胎号): the place of each numbered tyre, and the journal of its moves.

A number is at one place: in a warehouse at a (location, batch), with a partner, or out of use. Its journal
is append-only; every step starts where the one before ended, and a reversal is a step back that names what
it reverses.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, CheckConstraint, Identity, Index, SmallInteger, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from api.kit.storage.database import Base
from api.kit.storage.stamping import APPEND_ONLY
from api.ledger.integrity_checks import Check, register_checks
from api.ledger.tables import Journal

NOWHERE, STOCKED, CUSTOMER, SUPPLIER, SCRAPPED, LOST, ISSUED = range(7)
PLACE_COLUMNS = ("place", "company_id", "warehouse_id", "allocation_id", "batch_id", "party_id")
"""The columns that say where a number is; allocation and batch are 0 where there is none."""


class TyreNumber(Base):
    """A numbered tyre and its present place."""

    __tablename__ = "tire_number"
    __table_args__ = (
        CheckConstraint("place between 0 and 6", name="place"),
        CheckConstraint("(place = 1) = (warehouse_id is not null)", name="warehouse_id"),
        Index("ix_tire_number_stocked", "goods_id", "warehouse_id", postgresql_where=text("place = 1")),
        Index("ix_tire_number_pieces", text("text_pieces(number)"), postgresql_using="gin"),
        Index("ix_tire_number_company_id", "company_id"),
    )

    number_id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    number: Mapped[str] = mapped_column(Text, unique=True)
    goods_id: Mapped[int] = mapped_column(BigInteger)
    place: Mapped[int] = mapped_column(SmallInteger)
    company_id: Mapped[int] = mapped_column(BigInteger)
    warehouse_id: Mapped[int | None] = mapped_column(BigInteger)
    allocation_id: Mapped[int] = mapped_column(BigInteger, server_default="0")
    batch_id: Mapped[int] = mapped_column(BigInteger, server_default="0")
    party_id: Mapped[int | None] = mapped_column(BigInteger)


class TyreStep(Journal, Base):
    """A step of a number's life: from one place to another, by a line of a bill; `company_id` is where it ends."""

    __tablename__ = "tire_step"
    __table_args__ = (
        Index("ix_tire_step_bill", "bill_type", "bill_id"),
        Index("ix_tire_step_number_id", "number_id", "entry_id"),
        Index(
            "uq_tire_step_reverses", "reverses", unique=True, postgresql_where=text("reverses is not null")
        ),
        {"info": APPEND_ONLY},
    )

    entry_id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    number_id: Mapped[int] = mapped_column(BigInteger)
    goods_id: Mapped[int] = mapped_column(BigInteger)
    line_id: Mapped[int] = mapped_column(BigInteger)
    user_id: Mapped[int] = mapped_column(BigInteger)
    from_place: Mapped[int] = mapped_column(SmallInteger)
    from_company_id: Mapped[int] = mapped_column(BigInteger)
    from_warehouse_id: Mapped[int | None] = mapped_column(BigInteger)
    from_allocation_id: Mapped[int] = mapped_column(BigInteger)
    from_batch_id: Mapped[int] = mapped_column(BigInteger)
    from_party_id: Mapped[int | None] = mapped_column(BigInteger)
    place: Mapped[int] = mapped_column(SmallInteger)
    warehouse_id: Mapped[int | None] = mapped_column(BigInteger)
    allocation_id: Mapped[int] = mapped_column(BigInteger)
    batch_id: Mapped[int] = mapped_column(BigInteger)
    party_id: Mapped[int | None] = mapped_column(BigInteger)


def _same_place_sql(left: str, right: str, back: str = "") -> str:
    """Return SQL of whether two rows have the same place; with `back` the right one's previous place."""
    lefts = ", ".join(f"{left}.{name}" for name in PLACE_COLUMNS)
    rights = ", ".join(f"{right}.{back}{name}" for name in PLACE_COLUMNS)
    return f"(({lefts}) is not distinct from ({rights}))"


NOT_REVERSED = "s.reverses is null and not exists (select from tire_step r where r.reverses = s.entry_id)"

register_checks(
    Check(
        "tire_steps_go_forward",
        "胎号的履历按日期先后",
        f"""select t.number, s.bill_no, s.business_date, l.bill_no as later_no, l.business_date as later_date
        from tire_step s
        join tire_number t using (number_id)
        join tire_step l on l.number_id = s.number_id and l.entry_id > s.entry_id and l.business_date < s.business_date
            and l.reverses is null and not exists (select from tire_step r where r.reverses = l.entry_id)
        where {NOT_REVERSED}""",
    ),
    Check(
        "tire_number_is_last_step",
        "胎号所在位置 = 其履历的最后一步",
        f"""select t.number, t.place, t.warehouse_id, s.place as last_place, s.warehouse_id as last_warehouse_id,
            s.bill_no
        from tire_number t
        left join lateral (
            select s.* from tire_step s where s.number_id = t.number_id order by s.entry_id desc limit 1
        ) s on true
        where s.entry_id is null or not {_same_place_sql("t", "s")}
            or (s.goods_id <> t.goods_id and t.place <> {NOWHERE})""",
    ),
    Check(
        "tire_steps_connect",
        "胎号履历首尾相接：每一步从上一步结束的位置开始",
        f"""select s.number_id, s.entry_id, s.bill_no
        from tire_step s
        left join lateral (
            select b.* from tire_step b
            where b.number_id = s.number_id and b.entry_id < s.entry_id order by b.entry_id desc limit 1
        ) b on true
        where case when b.entry_id is null then s.from_place <> {NOWHERE}
            else not {_same_place_sql("b", "s", "from_")} end""",
    ),
    Check(
        "tire_numbers_within_stock",
        "各库位批次的在库胎号数不超过库存",
        f"""select t.warehouse_id, t.goods_id, t.allocation_id, t.batch_id, count(*) as numbers,
            coalesce(max(b.quantity), 0) as stock
        from tire_number t
        left join stock_balance b using (warehouse_id, goods_id, allocation_id, batch_id)
        where t.place = {STOCKED}
        group by t.warehouse_id, t.goods_id, t.allocation_id, t.batch_id
        having count(*) > coalesce(max(b.quantity), 0)""",
    ),
    Check(
        "tire_reversals_step_back",
        "胎号冲销回到原来的位置",
        f"""select r.entry_id, r.bill_no
        from tire_step r
        left join tire_step s on s.entry_id = r.reverses
        where r.reverses is not null and (
            s.entry_id is null or s.reverses is not null
            or (s.number_id, s.bill_type, s.bill_id, s.line_id) <> (r.number_id, r.bill_type, r.bill_id, r.line_id)
            or not {_same_place_sql("r", "s", "from_")} or not {_same_place_sql("s", "r", "from_")}
        )""",
    ),
)
