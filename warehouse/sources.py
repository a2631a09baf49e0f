"""Sources (数据源): the tables and columns that enter the warehouse; others (passwords, phones, ids) are
never read.

A source is copied by transaction stamp (`row_xid`) and tombstones. Columns are named one by one on
purpose.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Source:
    """One Postgres table as the warehouse reads it; its first column is its key.

    `sums` are the numeric columns that reconciliation adds up; `track` the columns that identify, for a
    changed row, what has to be computed anew (written to change.<name>, before and after values); `label`
    marks a table whose changed rows rename rows of the marts.
    """

    name: str
    columns: tuple[str, ...]
    sums: tuple[str, ...] = ()
    track: tuple[str, ...] = ()
    label: bool = False

    @property
    def key(self) -> str:
        return self.columns[0]


def _label_source(name: str, *columns: str) -> Source:
    return Source(name, columns, label=True)


def _ledger_source(name: str, columns: str, *, sums: str, track: str = "") -> Source:
    return Source(name, tuple(columns.split()), tuple(sums.split()), tuple(track.split()))


def _bill_source(name: str, *more: str, track: str = "") -> Source:
    return Source(
        name=name,
        columns=(
            *("bill_id", "bill_no", "company_id", "business_date", "status", "department_id", "employee_id"),
            *("maker_id", *more),
        ),
        sums=("status",),
        track=("bill_id", "company_id", "business_date", *track.split()),
    )


def _bill_line_source(name: str, *more: str, track: str = "") -> Source:
    return Source(
        name=name,
        columns=(
            *("line_id", "bill_id", "goods_id", "quantity", "price", "amount", "no_tax_amount", "is_gift"),
            *more,
        ),
        sums=("quantity", "amount", "no_tax_amount"),
        track=("bill_id", "goods_id", *track.split()),
    )


def _quantity_line_source(name: str, *more: str) -> Source:
    """Return a source of lines of goods without a price of their own."""
    return Source(
        name=name,
        columns=("line_id", "bill_id", "goods_id", "quantity", *more),
        sums=("quantity", *(column for column in more if column == "amount")),
        track=("bill_id", "goods_id"),
    )


def _bill_part_source(name: str, *columns: str) -> Source:
    """Return a source of rows of a bill that are no goods at a price."""
    return Source(name, ("line_id", "bill_id", *columns), sums=("bill_id",), track=("bill_id",))


SOURCES: tuple[Source, ...] = (
    _label_source("company", "company_id", "company_name", "type", "province_id"),
    _label_source("department", "department_id", "department_name", "company_id"),
    _label_source("employee", "employee_id", "employee_name", "company_id", "department_id"),
    _label_source("warehouse", "warehouse_id", "warehouse_name", "company_id", "type"),
    _label_source("goods_type", "goods_type_id", "goods_type_name", "p_id", "level"),
    _label_source("brand", "brand_id", "brand_name"),
    _label_source("unit", "unit_id", "unit_name"),
    _label_source(
        "goods",
        *("goods_id", "goods_num", "goods_name", "goods_type_id", "brand_id", "unit_id"),
        *("specification_type", "pattern", "factory_code", "shorthand_code", "logogram", "barcode"),
    ),
    _label_source("goods_batch", "batch_id", "goods_id", "batch", "production_date"),
    _label_source("province", "province_id", "province_name"),
    _label_source("city", "city_id", "city_name"),
    _label_source("area", "area_id", "area_name"),
    _label_source(
        "customer",
        *("customer_id", "customer_name", "company_id", "employee_id"),
        *("province_id", "city_id", "area_id"),
    ),
    _label_source("supplier", "supplier_id", "supplier_name"),
    _label_source("receivables_mode", "receivables_mode_id", "receivables_mode_name"),
    _label_source("symptom", "symptom_id", "symptom_name"),
    Source(
        "commission_scheme",
        (
            *("commission_scheme_id", "commission_scheme_name", "company_id", "employee_id", "brand_id"),
            *("goods_type_id", "basis", "rate", "starts_on", "ends_on", "enabled"),
        ),
    ),
    Source("role", ("role_id", "role_name", "scope_kind", "own_kind", "sees_cost", "enabled")),
    Source("role_company", ("role_company_id", "role_id", "company_id")),
    Source("role_warehouse", ("role_warehouse_id", "role_id", "warehouse_id")),
    _ledger_source(
        "stock_ledger",
        "ledger_id company_id warehouse_id goods_id pool_id batch_id quantity amount bill_type bill_id bill_no line_id"
        " business_date first_date reverses corrects",
        sums="quantity amount",
        track="company_id goods_id business_date bill_type bill_id",
    ),
    Source(
        name="settlement_item",
        columns=(
            *("settlement_id", "company_id", "party_type", "party_id", "kind", "bill_type", "bill_id"),
            *("bill_no", "business_date", "due_date", "amount", "open_amount"),
        ),
        sums=("amount", "open_amount"),
        track=("settlement_id",),
    ),
    _ledger_source(
        "settlement_ledger",
        "entry_id settlement_id company_id party_type party_id amount entry waived bill_type bill_id bill_no"
        " business_date",
        sums="amount",
        track="entry_id settlement_id company_id party_type party_id bill_type bill_id",
    ),
    _bill_source("sales_outbound", "customer_id", "warehouse_id", track="customer_id"),
    _bill_line_source("sales_outbound_line", "order_line_id", track="order_line_id"),
    _bill_source("sales_return", "customer_id", "warehouse_id", track="customer_id"),
    _bill_line_source("sales_return_line", "order_line_id", "source_line_id", track="order_line_id"),
    _bill_source("sales_order", "customer_id", "warehouse_id", "delivery_date"),
    _bill_line_source("sales_order_line", "executed_quantity"),
    _bill_source("purchase_plan", "warehouse_id"),
    _bill_line_source("purchase_plan_line", "supplier_id", "executed_quantity"),
    _bill_source("purchase_order", "supplier_id", "warehouse_id", "delivery_date"),
    _bill_line_source("purchase_order_line", "executed_quantity"),
    _bill_source("purchase_inbound", "supplier_id", "warehouse_id", track="supplier_id"),
    _bill_line_source("purchase_inbound_line", "order_line_id", track="order_line_id"),
    _bill_source("purchase_return", "supplier_id", "warehouse_id", track="supplier_id"),
    _bill_line_source("purchase_return_line", "order_line_id", "source_line_id", track="order_line_id"),
    _bill_source("cost_adjustment", "warehouse_id"),
    _bill_part_source("cost_adjustment_line", "goods_id", "amount"),
    _bill_source("sales_delivery", "customer_id", "freight_amount"),
    Source(
        "business_target",
        (
            *("business_target_id", "company_id", "month"),
            *("sales_target", "profit_target", "receipts_target", "stock_target"),
        ),
        sums=("sales_target", "profit_target", "receipts_target", "stock_target"),
    ),
    Source("month_close", ("month_close_id", "company_id", "period", "status"), sums=("status",)),
    _bill_source("purchase_invoice", "supplier_id", "total_amount"),
    _bill_source(
        "supplier_rebate_policy",
        *("supplier_id", "policy_name", "cycle_months", "measure", "rebate_mode", "starts_on", "ends_on"),
    ),
    _bill_part_source("supplier_rebate_policy_tier", "starts_from", "rate", "unit_rebate", "quick_deduction"),
    _bill_part_source("supplier_rebate_policy_goods", "goods_id", "brand_id", "goods_type_id"),
    _bill_source("supplier_rebate", "supplier_id", "policy_id", "cycle_start", "amount", track="policy_id"),
    _bill_source("customer_receipt", "customer_id", "receivables_mode_id", "amount"),
    _bill_source("three_inbound", "customer_id", "warehouse_id", "reason"),
    _quantity_line_source("three_inbound_line"),
    _bill_source("three_outbound", "customer_id", "warehouse_id", "reason"),
    _quantity_line_source("three_outbound_line"),
    _bill_source("tire_back", "supplier_id", "warehouse_id", "claim_no"),
    _quantity_line_source("tire_back_line", "source_line_id"),
    _bill_source("guarantee_register", "customer_id", "total_quantity"),
    _quantity_line_source(
        "guarantee_register_line", "supplier_id", "symptom_id", "tire_number", "inbound_line_id"
    ),
    _bill_source("company_claim", "customer_id", "total_quantity", "total_amount"),
    _quantity_line_source("company_claim_line", "source_line_id", "judged_rate", "amount"),
    _bill_source("factory_claim", "supplier_id", "claim_no", "total_quantity", "total_amount"),
    _quantity_line_source("factory_claim_line", "source_line_id", "judged_rate", "amount"),
    Source("customer_rebate_policy", ("bill_id", "starts_on", "ends_on")),
    _bill_part_source("customer_rebate_policy_goods", "goods_id", "brand_id", "goods_type_id"),
    _bill_source("customer_rebate", "customer_id", "policy_id", "cycle_start", "cycle_end", "amount"),
    _bill_source(
        "pledge_contract", *("lender", "loan_amount", "haircut", "starts_on", "ends_on", "released_on")
    ),
    _quantity_line_source("pledge_contract_line", "price"),
    Source("sales_coupon", ("sales_coupon_id", "sales_coupon_name", "kind")),
    Source(
        "sales_coupon_grant",
        (
            *("sales_coupon_grant_id", "coupon_no", "sales_coupon_id", "company_id", "customer_id"),
            *("granted_on", "expires_on", "face_amount"),
        ),
        sums=("face_amount",),
    ),
    Source(
        "sales_coupon_use",
        ("sales_coupon_use_id", "sales_coupon_grant_id", "bill_id", "discount_amount"),
        sums=("discount_amount",),
    ),
)


def list_sources() -> tuple[Source, ...]:
    """Return every source, masters first."""
    return SOURCES
