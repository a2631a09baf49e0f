"""Pages of bills (单据页面): writes where each bill type is seen, for the reports that link to bills.

python -m api.bill_pages
"""

from __future__ import annotations

import csv
import io

from api import catalogue
from api.kit.declaration import registry
from reports.semantics.bill_pages import FILE, BillPage

assert catalogue.__all__


def list_pages() -> list[BillPage]:
    """List the bill types that have a page, by prefix."""
    bills = registry.map_prefixes()
    return [
        BillPage(prefix, page, "yes" if (bill := bills[prefix].bill) and bill.settles else "")
        for prefix, page in sorted(registry.map_see_routes().items())
    ]


def render_pages() -> str:
    """Render the whole file."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(BillPage._fields)
    writer.writerows(list_pages())
    return text.getvalue()


if __name__ == "__main__":
    FILE.write_text(render_pages(), "utf-8")
