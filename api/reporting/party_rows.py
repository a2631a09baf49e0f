"""Partners in reports (报表中的往来单位): customers and suppliers are told of in the same rows, each in its own words.

What a customer owes, or a supplier is owed, is positive; money in advance is negative.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sqlalchemy.orm import Mapped, MappedColumn, declared_attr

from api.kit.fields import money, ref
from api.kit.posting import PartyType
from api.reporting.published import Published


@dataclass(frozen=True, slots=True)
class Party:
    """A kind of partner: its words, and the routes of its summary and its statement."""

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


CUSTOMER = Party(
    "customer", "客户", "应收", "销售", "收款", "预收", "/report/customersumrpt", "/report/customerdetrpt"
)
SUPPLIER = Party(
    "supplier", "供应商", "应付", "采购", "付款", "预付", "/report/factorysumrpt", "/report/factorydetrpt"
)


class PartyRow(Published):
    """A report row about one partner of a company."""

    __abstract__ = True

    party: ClassVar[Party]

    company_id: Mapped[int] = ref("company", "公司", search=True, sort=-58)


def customer_column(**marks: Any) -> MappedColumn[int]:
    """The customer of a row."""
    marks = {"search": True, "index": True, "width": 200, "sort": -55} | marks
    return ref("customer", CUSTOMER.label, within=("company_id",), **marks)


def supplier_column() -> MappedColumn[int]:
    """The supplier of a row."""
    return ref("supplier", SUPPLIER.label, search=True, index=True, width=200, sort=-55)


def party_money(label: str, sort: int, **marks: Any) -> Any:
    """A column of money whose label is in the words of the class's party: `{0.owed}`."""
    return declared_attr(lambda cls: money(label.format(cls.party), sort=sort, **marks))


PARTY_KEY = "{0}.company_id * 4294967296 + {0}.{1}"
"""A whole number that stands for a partner of a company."""
