"""Commission schemes (提成方案): a salesperson's rate on collected sales, by person and goods.

`api.reporting.lists.receipts.commissions` computes the amounts and chooses the scheme where several fit. For
months that
its company has closed a scheme cannot change.
"""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

from sqlalchemy import Row, func, select, text
from sqlalchemy.dialects.postgresql import ExcludeConstraint
from sqlalchemy.orm import Mapped

from api.kit.context import Context
from api.kit.declaration.fields import (
    date_field,
    enabled_field,
    enum_field,
    key_field,
    rate_field,
    reference_field,
    text_field,
    textarea_field,
)
from api.kit.declaration.resource import READ, WRITE, Declaration, Drill, Menu, Resource
from api.kit.declaration.validation_rules import PERCENT
from api.kit.errors import InvalidInput, Refusal
from api.kit.storage.validation import Problems

REVENUE, PROFIT = 1, 2
BASES = {REVENUE: "按销售收入", PROFIT: "按销售毛利"}
SCOPE_COLUMNS = ("company_id", "employee_id", "brand_id", "goods_type_id")
"""Columns that define the scope of a scheme; empty means all."""
COMMISSIONS = "/report/commissiondetail"
_CLOSED = """
select (max(to_date(period, 'YYYY-MM')) + interval '1 month - 1 day')::date from accounting_period
where company_id = %s and status = 1
"""


class CommissionScheme(Resource):
    """提成方案"""

    __tablename__ = "commission_scheme"
    # Ranges of one number each: whole numbers have no index of this kind of their own.
    __table_args__ = (
        ExcludeConstraint(
            *(
                (text(f"int8range(coalesce({name}, 0), coalesce({name}, 0), '[]')"), "=")
                for name in SCOPE_COLUMNS
            ),
            (text("daterange(starts_on, ends_on, '[]')"), "&&"),
            where=text("enabled"),
            name="uq_commission_scheme_employee_id_brand_id_goods_type_id_starts_on",
        ),
    )
    declaration = Declaration(
        "提成方案",
        "v2/sales/CommissionScheme",
        "commission_scheme_name",
        routes={"list": "/sales/commissionScheme"},
        menu=Menu("销售管理", "提成", 10),
        actions=(*READ, *WRITE, "export"),
        drill=Drill("提成明细", COMMISSIONS, (("commission_scheme_id", "commission_scheme_id"),)),
        note=(
            "按收款核销计提：每笔核销按所核销销售单各商品的收入或毛利占比计算基数，乘以核销当日有效方案的比例。"
            "要改比例，请结束原方案，另建一个从次日起生效的方案；已结账月份的提成不再改变。"
            "同一商品有多个方案时只用一个：指定业务员的先于全部业务员的；其中指定品牌的先于商品类型的，类型取最近的一级，"
            "最后是全部商品的。收入不含税，毛利为负时提成相应扣减。"
        ),
        names_confidential=True,
    )

    commission_scheme_id: Mapped[int] = key_field()
    commission_scheme_name: Mapped[str] = text_field(
        "方案名称", required=True, search=True, max_length=60, width=200
    )
    company_id: Mapped[int] = reference_field("company", "公司", required=True, search=True)
    employee_id: Mapped[int | None] = reference_field(
        "employee", "业务员", within=("company_id",), search=True
    )
    brand_id: Mapped[int | None] = reference_field("brand", "品牌", search=True)
    goods_type_id: Mapped[int | None] = reference_field("goods_type", "商品类型", search=True)
    basis: Mapped[int] = enum_field("计提依据", BASES, default=REVENUE, search=True, width=110)
    rate: Mapped[Decimal] = rate_field("提成比例%", required=True, rule="positive", bounds=PERCENT, width=100)
    starts_on: Mapped[date] = date_field("生效日期", required=True, search=True, width=110)
    ends_on: Mapped[date | None] = date_field("失效日期", since="starts_on", search=True, width=110)
    enabled: Mapped[bool] = enabled_field()
    remark: Mapped[str | None] = textarea_field("备注", max_length=200)

    @classmethod
    def validate_row(cls, row: dict[str, Any]) -> None:
        if row.get("brand_id") and row.get("goods_type_id"):
            raise InvalidInput("品牌与商品类型只能选一项，都不选为全部商品")

    @classmethod
    def authorize(cls, ctx: Context, row: dict[str, Any], before: Row[Any] | None) -> None:
        """Forbid changes that affect closed months; on deletion `row` is the record as it is."""
        stored = before._asdict() if before is not None else {}
        after = {} if stored == row else row
        for company in {one["company_id"] for one in (stored, after) if one}:
            closed: date | None = ctx.conn.exec_driver_sql(_CLOSED, (company,)).scalar()
            if closed is not None and _list_terms(stored, closed) != _list_terms(after, closed):
                raise Refusal(
                    f"{closed:%Y-%m} 及以前已结账，其提成按原方案不变。要改提成，请把原方案的失效日期设为"
                    f" {closed} 或以后，再新增从次日起生效的方案"
                )

    @classmethod
    def validate_record(
        cls, ctx: Context, row: dict[str, Any], children: dict[str, list[dict[str, Any]]], problems: Problems
    ) -> None:
        """Forbid overlapping schemes of equal scope; concurrent saves are caught by the constraint."""
        if not row["enabled"]:
            return
        table = cls.table().c
        other = select(table.commission_scheme_name).where(
            table.enabled,
            *(table[name].is_not_distinct_from(row.get(name)) for name in SCOPE_COLUMNS),
            func.daterange(table.starts_on, table.ends_on, "[]").op("&&")(
                func.daterange(row["starts_on"], row.get("ends_on"), "[]")
            ),
            table.commission_scheme_id.is_distinct_from(row.get("commission_scheme_id")),
        )
        name = ctx.conn.execute(other.limit(1)).scalar()
        if name:
            problems.add(f"与提成方案“{name}”的业务员、商品范围相同且日期重叠，请先停用它或调整日期")


def _list_terms(row: dict[str, Any], until: date) -> tuple[Any, ...]:
    """Return the terms of a scheme for the days up to `until`; empty if it is not in force."""
    if not row or not row["enabled"] or row["starts_on"] > until:
        return ()
    return (
        *(row[name] or None for name in SCOPE_COLUMNS),
        *(row["basis"], row["rate"], row["starts_on"], min(row["ends_on"] or until, until)),
    )
