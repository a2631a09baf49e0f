"""Pages of bills (单据页面): where a bill is seen, by its type, as the product declares it.

`bill_pages.csv` is written by `python -m api.bill_pages`; a test tells when it is out of date.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import NamedTuple

FILE = Path(__file__).with_suffix(".csv")


class BillPage(NamedTuple):
    """A row of the file: the prefix of a bill type, its page, and `yes` where it settles."""

    prefix: str
    page: str
    settles: str


def read_pages() -> list[BillPage]:
    """Read the file."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return [BillPage(**row) for row in csv.DictReader(file)]


BILL_PAGES = {bill.prefix: bill.page for bill in read_pages()}
SETTLING_BILLS = tuple(bill.prefix for bill in read_pages() if bill.settles)
"""Those that stand in the books of customers and suppliers."""
