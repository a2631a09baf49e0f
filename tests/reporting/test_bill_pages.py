"""Links of reports to bills open the page on which the product shows the bill."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from api.bill_pages import render_pages
from api.inventory.other_outbound import OtherOutbound
from api.kit.declaration import registry
from api.kit.declaration.posting import Postings, WriteOff
from reports.semantics.bill_pages import BILL_PAGES, FILE, SETTLING_BILLS
from reports.semantics.report_builders import bill_link


def test_pages_of_bills_are_those_of_the_product():
    """`python -m api.bill_pages` writes them."""
    assert FILE.read_text("utf-8") == render_pages()
    assert registry.map_see_routes() == BILL_PAGES


def test_links_lead_to_every_bill_that_stands_in_partners_books():
    """Freight of a transfer is owed to its carrier."""
    assert {"XSCK", "CGRK", "KHSK", "GYFK", "DBRK"} <= {*SETTLING_BILLS}
    assert {*bill_link().pages} == {BILL_PAGES[prefix] for prefix in SETTLING_BILLS}


def test_a_bill_that_settles_and_does_not_say_so_is_not_posted(monkeypatch):
    monkeypatch.setattr(OtherOutbound, "postings", lambda doc: Postings(write_offs=(WriteOff(1, 1),)))
    with pytest.raises(ValueError, match="OtherOutbound settles"):
        OtherOutbound.require_postings(SimpleNamespace())
