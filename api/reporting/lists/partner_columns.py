"""Partner columns of list reports (报表中的往来单位): customers and suppliers share rows, each with its
own labels.

Amounts that a customer owes, or a supplier is owed, are positive; advances are negative.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sqlalchemy.orm import Mapped, MappedColumn, declared_attr

from api.kit.declaration.fields import money_field, reference_field
from api.kit.declaration.posting import PartyType
from api.reporting.lists.list_report import ListReport


@dataclass(frozen=True, slots=True)
class PartnerKind:
    """A kind of partner: its labels, and the routes of its summary and its statement."""

    type: PartyType
    label: str
    owed: str
    delivery: str
    settled: str
    advance: str
    summary: str
    statement: str

    @property
    def key(self) -> str:
        return f"{self.type}_id"


CUSTOMER = PartnerKind(
    "customer", "客户", "应收", "销售", "收款", "预收", "/report/customersumrpt", "/report/customerdetrpt"
)
SUPPLIER = PartnerKind(
    "supplier", "供应商", "应付", "采购", "付款", "预付", "/report/factorysumrpt", "/report/factorydetrpt"
)


class PartnerRow(ListReport):
    """Base of report rows about one partner of a company."""

    __abstract__ = True

    party: ClassVar[PartnerKind]

    company_id: Mapped[int] = reference_field("company", "公司", search=True, sort=-58)


def customer_column(**marks: Any) -> MappedColumn[int]:
    """Return the customer column of a row."""
    marks = {"search": True, "index": True, "width": 200, "sort": -55} | marks
    return reference_field("customer", CUSTOMER.label, within=("company_id",), **marks)


def supplier_column() -> MappedColumn[int]:
    """Return the supplier column of a row."""
    return reference_field("supplier", SUPPLIER.label, search=True, index=True, width=200, sort=-55)


def partner_money(label: str, sort: int, **marks: Any) -> Any:
    """Return a money column whose label uses the words of the class's kind of partner: `{0.owed}`."""
    return declared_attr(lambda cls: money_field(label.format(cls.party), sort=sort, **marks))


PARTNER_KEY = "{0}.company_id * 4294967296 + {0}.{1}"
"""A whole number that stands for a partner of a company."""
