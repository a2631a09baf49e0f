"""往下看的路：链接通向的页面能按什么筛选，报表的列在那里叫什么、键从哪里找。纯数据，只用标准库。

A table's link has what its row is made of in its expression; what else narrows the row's figures is added to it
(`reports.ways_down`): the filters of the board, the names by which the table is told apart, what a dataset is limited
to. So the list behind a figure is of the figure's rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

NOBODY = "-1"
"""What a page is asked for rows that name nobody; of what nobody has there are none."""
_TYPES = (
    "(select t.goods_type_id, t.p_id, "
    "case t.level when 1 then t.goods_type_name when 2 then p.goods_type_name else g.goods_type_name end "
    "as type1_name, "
    "case t.level when 2 then t.goods_type_name when 3 then p.goods_type_name else '' end as type2_name, "
    "case t.level when 3 then t.goods_type_name else '' end as type3_name "
    "from goods_type as t left join goods_type as p on t.p_id = p.goods_type_id "
    "left join goods_type as g on p.p_id = g.goods_type_id)"
)


@dataclass(frozen=True)
class Way:
    """A filter of pages by key: the columns of reports that say what is chosen, the broadest name first, and the rows
    of the snapshot that have them beside the key. Of a tree the nodes stand for all below them, by the column of their
    `parent`. By what has no name of its own, `besides`, records are chosen too."""

    asked: str
    names: tuple[str, ...]
    rows: str
    parent: str = ""
    besides: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.names, *self.besides)

    def name_of(self, row: Mapping[str, object]) -> str:
        """What a record is called: by the narrowest name that it has."""
        return next((str(row[name]) for name in reversed(self.names) if row[name]), "")


WAYS = (
    Way("company_id", ("company_name",), "dim_company", besides=("company_type",)),
    Way("warehouse_id", ("warehouse_name",), "dim_warehouse"),
    Way("department_id", ("department_name",), "dim_department"),
    Way("employee_id", ("employee_name",), "dim_employee"),
    Way("customer_id", ("customer_name",), "dim_customer"),
    Way("supplier_id", ("supplier_name",), "supplier"),
    Way("goods_id", ("goods_num",), "dim_goods"),
    Way("brand_id", ("brand_name",), "brand"),
    Way("goods_type_id", ("type1_name", "type2_name", "type3_name"), _TYPES, parent="p_id"),
    Way("symptom_id", ("symptom_name",), "symptom"),
)
PLACE = ("company_id", "warehouse_id")
KIND = ("goods_id", "brand_id", "goods_type_id")
STAFF = ("department_id", "employee_id")
GUARANTEE = (*PLACE, *KIND, *STAFF, "customer_id", "supplier_id", "symptom_id")
PAGES: Mapping[str, tuple[str, ...]] = {
    "/report/salesdetrpt": (*PLACE, *KIND, *STAFF, "customer_id"),
    "/report/purchasedetrpt": (*PLACE, *KIND, *STAFF, "supplier_id"),
    "/report/receiptdetrpt": ("company_id", *STAFF, "customer_id"),
    "/report/customerdetrpt": ("company_id", "customer_id"),
    "/report/factorydetrpt": ("company_id", "supplier_id"),
    "/report/aftersalesdetrpt": GUARANTEE,
    "/report/threepacketslaims": GUARANTEE,
    "/inventory/stockmoves": (*PLACE, *KIND),
    "/inventory/inventorysummer": (*PLACE, *KIND),
    "/purchase/orderdetail": (*PLACE, *STAFF, "goods_id", "supplier_id"),
    "/purchase/rebatedetail": ("company_id", *STAFF, "supplier_id"),
    "/purchase/rebatelines": ("company_id", "goods_id", "supplier_id"),
    "/MoneyManagement/RebateManagement/RebateManagementSee": ("company_id", "supplier_id"),
}
"""What the lists that links open are asked for, of what reports are filtered and told apart by."""


def way_of(column: str) -> Way | None:
    """The way of a report's column, if it has one."""
    return next((way for way in WAYS if column in way.columns), None)
