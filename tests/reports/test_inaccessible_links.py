"""A column of links that a reader may follow nowhere is not in his tables."""

from __future__ import annotations

from reports.catalogue import find_report
from reports.semantics.dashboards import COST
from reports.superset.assets import list_dashboards
from reports.superset.chart_params import chart_params
from reports.superset_patches.link_access import hide_closed_links

RECEIVABLE = find_report("accountsReceivable").first_tab.board(COST)


def list_link_visibility(key: str, *closed: str) -> dict[str, object]:
    chart = RECEIVABLE.chart(key)
    form = chart_params(chart, RECEIVABLE.dataset(chart.dataset))
    config = hide_closed_links({"form_data": form}, {*closed})["form_data"]["column_config"]
    return {name: column.get("visible") for name, column in config.items() if name.endswith("_link")}


def test_columns_are_left_out_once_all_their_pages_are_closed():
    assert list_link_visibility("compared") == {"detail_link": None}
    assert list_link_visibility("compared", "/report/customerdetrpt") == {"detail_link": False}
    some, *others = RECEIVABLE.dataset(RECEIVABLE.chart("bills").dataset).column("bill_link").pages
    assert others and list_link_visibility("bills", some) == {"bill_link": None, "detail_link": None}
    assert list_link_visibility("bills", some, *others) == {"bill_link": False, "detail_link": None}


def test_every_link_of_a_table_says_where_it_leads():
    links = 0
    for placed in list_dashboards():
        for chart in placed.board.tables:
            for pages in chart_params(chart.on_screen, placed.board.dataset(chart.dataset))[
                "link_pages"
            ].values():
                assert pages and {*pages} <= {*placed.board.pages}
                links += 1
    assert links > 50
