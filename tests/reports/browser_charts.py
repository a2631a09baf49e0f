"""Drawn charts for tests: an analyst's charts on a board of his, as Chromium draws them."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from playwright.sync_api import Page, Response, Route, sync_playwright

from reports.catalogue import EXPLORER_HEADER
from tests.e2e.conftest import launch_browser
from tests.reports.explore_client import Analyst, sign_explorer
from tests.reports.guest_requests import DATA

WITHIN = 180
SIDE_BY_SIDE = 4
# All of a board is in sight at once: what leaves it is taken down again.
SIGHT = {"width": 1800, "height": 4200}
DRAWN = """() => Object.fromEntries([...document.querySelectorAll('[class*="dashboard-chart-id-"]')].map((holder) => {
  const options = new Set();
  for (const part of holder.querySelectorAll('div')) {
    const fiber = Object.keys(part).find((name) => name.startsWith('__reactFiber'));
    for (let at = part[fiber], up = 0; at && up < 6; at = at.return, up += 1)
      if (at.memoizedProps?.echartOptions) options.add(at.memoizedProps.echartOptions);
  }
  const drawn = [...options].at(-1);
  return [/dashboard-chart-id-(\\d+)/.exec(holder.className)[1], {
    series: [drawn?.series ?? []].flat().map(({ name, type, data }) => ({ name, type, data })),
    axes: [drawn?.xAxis ?? []].flat().map(({ data }) => data ?? []),
    lines: [...holder.querySelectorAll('tr')].map((line) => [...line.children].map((cell) => cell.innerText.trim())),
    text: holder.innerText,
    waits: Boolean(holder.querySelector('[data-test="loading-indicator"], .loading')),
  }];
}))"""


@contextmanager
def explorer_page(said: Mapping[str, Any]) -> Iterator[Page]:
    """Open a page of Chromium whose requests carry an explorer's token."""

    def introduce(route: Route) -> None:
        route.continue_(headers={**route.request.headers, EXPLORER_HEADER: sign_explorer(**said)})

    with sync_playwright() as playwright:
        browser = launch_browser(playwright)
        page = browser.new_page(viewport=SIGHT, locale="zh-CN", timezone_id="Asia/Shanghai")
        page.route("**/*", introduce)
        yield page
        browser.close()


def create_board(
    analyst: Analyst, title: str, dataset: int, forms: Mapping[str, Mapping[str, Any]]
) -> tuple[int, dict]:
    """Save a new board of charts of these forms.

    Return its number and those of the charts, by their names.
    """
    charts = {
        name: analyst.create_chart(
            f"{title} {name}",
            dataset,
            viz_type=form["viz_type"],
            params=json.dumps({"datasource": f"{dataset}__table", **form}),
            query_context=None,
        )
        for name, form in forms.items()
    }
    numbers = [*charts.values()]
    rows = [numbers[at : at + SIDE_BY_SIDE] for at in range(0, len(numbers), SIDE_BY_SIDE)]
    position: dict[str, Any] = {
        "DASHBOARD_VERSION_KEY": "v2",
        "ROOT_ID": {"type": "ROOT", "id": "ROOT_ID", "children": ["GRID_ID"]},
        "GRID_ID": {
            "type": "GRID",
            "id": "GRID_ID",
            "children": [f"ROW-{at}" for at in range(len(rows))],
            "parents": ["ROOT_ID"],
        },
    }
    for at, row in enumerate(rows):
        above = ["ROOT_ID", "GRID_ID"]
        children = [f"CHART-{number}" for number in row]
        meta = {"background": "BACKGROUND_TRANSPARENT"}
        position[f"ROW-{at}"] = {
            **{"type": "ROW", "id": f"ROW-{at}", "children": children, "parents": above, "meta": meta}
        }
        for number in row:
            position[f"CHART-{number}"] = {
                "type": "CHART",
                "id": f"CHART-{number}",
                "children": [],
                "parents": [*above, f"ROW-{at}"],
                "meta": {"chartId": number, "width": 12 // SIDE_BY_SIDE, "height": 40},
            }
    board = analyst.create_dashboard(title, position_json=json.dumps(position))
    for number in numbers:
        answer = analyst.ask("PUT", f"/api/v1/chart/{number}", {"dashboards": [board]})
        assert answer.status_code == 200, answer.text
    return board, charts


def read_drawn_board(page: Page, address: str, charts: Mapping[str, int]) -> dict[str, dict[str, Any]]:
    """Return the answer (`answers`) and the drawn parts of each chart of a board."""
    answers: dict[int, list[list[dict[str, Any]]]] = {}

    def record_answer(response: Response) -> None:
        if DATA in response.url:
            asked = json.loads(response.request.post_data or "{}")
            told = response.json()
            assert response.status == 200, told
            answers[asked["form_data"]["slice_id"]] = [query["data"] for query in told["result"]]

    page.on("response", record_answer)
    page.goto(address)

    def is_complete() -> bool:
        found = page.evaluate(DRAWN)
        return all(
            number in answers
            and (shown := found.get(str(number)))
            and not shown["waits"]
            and (shown["series"] or shown["lines"] or len(shown["text"].splitlines()) > 1)
            for number in charts.values()
        )

    until = time.monotonic() + WITHIN
    while not is_complete():
        assert time.monotonic() < until, f"{len(answers)} of {len(charts)} charts were answered"
        page.wait_for_timeout(300)
    page.remove_listener("response", record_answer)
    found = page.evaluate(DRAWN)
    return {name: {**found[str(number)], "answers": answers[number]} for name, number in charts.items()}
