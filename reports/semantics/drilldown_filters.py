"""Drilldown filters (下钻筛选): the filters of the pages that links open, and the keys of the reports' columns.

Plain data, standard library only. A table's link has the keys of its row in its expression; further
conditions on the row's figures are added to it (`reports.superset.drilldown_links`): the filters of the board,
the names
by which the table is grouped, a dataset's limits. So the list behind a figure is of the figure's rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

NOBODY = "-1"
"""Key that pages are given for rows without a record."""
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
class DrilldownFilter:
    """A filter of pages by key, found by the names in a report's row.

    `parameter` is its name in an address, `names` the reports' columns that name the record, the broadest
    first, `rows` the query of the records. Of a tree the nodes stand for all below them, by the column of
    their `parent`. `extra_columns` choose records too, without naming them.
    """

    parameter: str
    names: tuple[str, ...]
    rows: str
    parent: str = ""
    extra_columns: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.names, *self.extra_columns)

    def name_of(self, row: Mapping[str, object]) -> str:
        """Return a record's name: the narrowest that it has."""
        return next((str(row[name]) for name in reversed(self.names) if row[name]), "")


DRILLDOWN_FILTERS = (
    DrilldownFilter("company_id", ("company_name",), "dim_company", extra_columns=("company_type",)),
    DrilldownFilter("warehouse_id", ("warehouse_name",), "dim_warehouse"),
    DrilldownFilter("department_id", ("department_name",), "dim_department"),
    DrilldownFilter("employee_id", ("employee_name",), "dim_employee"),
    DrilldownFilter("customer_id", ("customer_name",), "dim_customer"),
    DrilldownFilter("supplier_id", ("supplier_name",), "supplier"),
    DrilldownFilter("goods_id", ("goods_num",), "dim_goods"),
    DrilldownFilter("brand_id", ("brand_name",), "brand"),
    DrilldownFilter("goods_type_id", ("type1_name", "type2_name", "type3_name"), _TYPES, parent="p_id"),
    DrilldownFilter("symptom_id", ("symptom_name",), "symptom"),
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
"""Parameters that the linked lists understand."""


def find_drilldown_filter(column: str) -> DrilldownFilter | None:
    """Return the filter of a report's column, or None."""
    return next((way for way in DRILLDOWN_FILTERS if column in way.columns), None)
