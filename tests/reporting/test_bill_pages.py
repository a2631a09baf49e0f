"""Links of reports to bills open the page on which the product shows the bill."""

from __future__ import annotations

import api.catalogue  # noqa: F401
from api.kit import registry
from reports.catalogue.parts import BILL_PAGES


def test_pages_of_bills_are_those_of_the_product():
    routes = registry.see_routes()
    assert {prefix: routes[prefix] for prefix in BILL_PAGES} == BILL_PAGES
