"""Framed reports in a real browser, complete: from the click on the menu's address until every chart in sight is drawn.

Cold: the browser has kept nothing, neither the report platform's code nor an answer; warm: the report was open before,
its tab was closed, and some seconds later it is opened again. Both with the shell already open, as a reader has it.
Target: 2.5 s cold, 1 s warm, as medians of the reports.
Runs against a product with the demo group: `ERP_E2E_ADDRESS=http://127.0.0.1:8000 python -m tests.bench.frames [code …]`;
without an address it starts one. Exits with 1 where a bound is passed.
"""

from __future__ import annotations

import statistics
import sys
import time

from playwright.sync_api import Browser, Page, sync_playwright

from reports.catalogue import find_report
from reports.semantics.dashboards import Report
from tests.bench._targets import require_targets
from tests.bench.browser import open_page, running_product
from tests.e2e import conftest
from tests.e2e.report_reader import HOLDER, IS_DRAWN, OPENED

REPORTS = (
    *("BusinessDailyReport", "OperatingRevenue", "BestSeller", "CommodityProfit"),
    *("CustomerProfit", "warehouseTurnover", "inventoryAgingReport", "accountsReceivable"),
)
ROUNDS = 3
COLD, WARM = 2500.0, 1000.0
"""Milliseconds."""
LOOK = 3_000
WITHIN = 60_000


def close_report(page: Page, report: Report) -> None:
    """Go back home with the report's tab closed, and wait a little."""
    page.wait_for_timeout(LOOK)
    page.evaluate(OPENED, "/home")
    page.get_by_label(f"关闭{report.label}").click()
    page.locator(f"iframe[title^='{report.label}']").wait_for(state="detached")
    page.wait_for_timeout(LOOK)


def open_report(page: Page, report: Report) -> float:
    """Open a report and return the milliseconds until it is complete."""
    started = time.perf_counter()
    page.evaluate(OPENED, report.route)
    tab = report.first_tab
    shown = page.locator(f"iframe[title='{report.label} {tab.label}']")
    shown.wait_for(timeout=WITHIN)
    element = shown.element_handle()
    frame = element.content_frame() if element else None
    assert frame is not None
    frame.wait_for_selector(HOLDER, timeout=WITHIN)
    frame.wait_for_function(IS_DRAWN, timeout=WITHIN)
    assert not frame.evaluate("navigator.webdriver"), "such a browser is given all charts at once"
    return (time.perf_counter() - started) * 1000


def measure_report(browser: Browser, address: str, report: Report) -> tuple[float, float]:
    """Return the medians of opening in fresh browsers, and of opening again in the same ones."""
    cold, warm = [], []
    for _ in range(ROUNDS):
        page = open_page(browser, address)
        page.get_by_text("今日销售").wait_for()
        page.wait_for_timeout(LOOK)
        cold.append(open_report(page, report))
        close_report(page, report)
        warm.append(open_report(page, report))
        page.context.close()
    return statistics.median(cold), statistics.median(warm)


def main() -> None:
    reports = [report for code in (sys.argv[1:] or REPORTS) if (report := find_report(code))]
    with running_product() as address, sync_playwright() as playwright:
        browser = conftest.launch_browser(playwright)
        found = []
        for report in reports:
            cold, warm = measure_report(browser, address, report)
            found.append((cold, warm))
            print(f"{report.label:　<10} cold {cold:8.0f} ms   warm {warm:8.0f} ms", flush=True)
        browser.close()
    cold, warm = (statistics.median(times) for times in zip(*found, strict=True))
    require_targets(
        {
            f"a framed report complete in the browser under {COLD:.0f} ms cold: {cold:.0f} ms": cold < COLD,
            f"and under {WARM:.0f} ms warm: {warm:.0f} ms": warm < WARM,
        }
    )


if __name__ == "__main__":
    main()
