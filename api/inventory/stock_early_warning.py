"""Stock alarm settings (库存预警设置): who is responsible for a warehouse's limits, and which ones he is reminded
of."""

from __future__ import annotations

from sqlalchemy.orm import Mapped

from api.kit.declaration.fields import enabled_field, flag_field, key_field, reference_field, textarea_field
from api.kit.declaration.resource import Declaration, Menu, Resource


class StockEarlyWarning(Resource):
    """库存预警设置"""

    __tablename__ = "stock_early_warning"
    declaration = Declaration(
        "库存预警设置",
        "v2/inventory/StockEarlyWarning",
        "stock_early_warning_id",
        routes={"list": "/inventory/stockEarlyWarning"},
        menu=Menu("库存管理", "库存查询", 50),
    )

    stock_early_warning_id: Mapped[int] = key_field()
    company_id: Mapped[int] = reference_field("company", "公司", required=True, search=True, index=True)
    warehouse_id: Mapped[int] = reference_field(
        "warehouse", "仓库", required=True, within=("company_id",), search=True, index=True
    )
    employee_id: Mapped[int] = reference_field(
        "employee", "负责人", required=True, within=("company_id",), search=True, index=True
    )
    warns_below: Mapped[bool] = flag_field("低于最低库存时提醒", default=True, width=150)
    warns_above: Mapped[bool] = flag_field("高于最高库存时提醒", width=150)
    enabled: Mapped[bool] = enabled_field()
    remark: Mapped[str | None] = textarea_field("备注", max_length=200)
