"""Reader of embedded reports in the browser: opens, sorts, pages, filters, exports."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

from playwright.sync_api import ConsoleMessage, Frame, Locator, Page, Request, Response, ViewportSize, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from reports.semantics.dashboards import COST, Board, Chart, Report, Tab
from reports.superset.chart_params import PAGE_LENGTH

HOLDER = ".dashboard-component-chart-holder"
IS_DRAWN = f"""() => {{
    const below = frameElement ? parent.innerHeight - frameElement.getBoundingClientRect().top : innerHeight;
    const seen = [...document.querySelectorAll('{HOLDER}')].filter((one) => {{
        const {{ top, bottom }} = one.getBoundingClientRect();
        return bottom > 0 && top < Math.min(innerHeight, below);
    }});
    return seen.length > 0 && seen.every((one) => one.querySelector('canvas, table, [class*="missing"], .ant-empty')
        && ![...one.querySelectorAll('.loading, [data-test="loading-indicator"], .ant-spin-spinning')].some(
            (sign) => sign.offsetParent));
}}"""
"""What a reader sees of the board is there; the rest is drawn when he comes to it."""
OPENED = "route => { history.pushState({}, '', route); dispatchEvent(new PopStateEvent('popstate')); }"
"""As a menu opens a page: the shell stays."""
# Figures and names may be Latin; these are Superset's own words.
ENGLISH = re.compile(
    r"\b(Loading|Error|Unexpected|Failed|Apply|Clear|Filters?|Search|Select|Show|Rows?|Records?|No results|No data"
    r"|Download|Export|Refresh|Sort|Page|Previous|Next|Summary|Total|Waiting|Query|More|options?|undefined|null"
    r"|NaN|N/A|Other)\b"
)
WORD = re.compile(r"[A-Za-z]{2,}")
OWN_TEXT = """() => {
    const rows = [...document.querySelectorAll('tbody')];
    rows.forEach((one) => { one.style.visibility = 'hidden'; });
    const text = document.body.innerText;
    rows.forEach((one) => { one.style.visibility = ''; });
    return text;
}"""
"""What a frame says itself, without the names and numbers in its tables."""
CUT = """() => [...document.querySelectorAll('[data-test-chart-name]')]
    .filter((card) => [...card.querySelectorAll('div')].some((one) => one.scrollWidth > one.clientWidth + 1
        && one.querySelector('table') && /auto|scroll/.test(getComputedStyle(one).overflowX)))
    .map((card) => card.dataset.testChartName)"""
"""The tables whose last columns are out of sight."""
TALL = """() => [...document.querySelectorAll('[data-test-chart-name] thead th')]
    .filter((heading) => heading.clientHeight > 50).map((heading) => heading.innerText)"""
"""The headings of tables that stand in more than two lines, or beside such."""
NOTHING = "没有数据"
TROUBLE = ("错误", "失败", "意外", "无法")
DATA = "/api/v1/chart/data"
WITHIN = 30_000
PHONE_SIZE: ViewportSize = {"width": 390, "height": 844}


@dataclass
class ReportReader:
    """A reader and his page; every failed answer is kept."""

    page: Page
    address: str
    failed: list[str] = field(default_factory=list)
    answers: list[Response] = field(default_factory=list)
    """What charts were answered since the report was opened."""

    def __post_init__(self) -> None:
        self.page.on("response", self._on_response)
        self.page.on("requestfailed", self._on_failed)
        self.page.on("console", self._on_console)
        # As with the switch of the stamp: newer figures would put another frame in the place of the one that is read.
        self.page.add_init_script("localStorage.setItem('reportFollowsData', 'false')")

    def _on_response(self, response: Response) -> None:
        if response.status >= 400:
            self.failed.append(f"{response.status} {response.request.method} {response.url[:200]}")
        elif DATA in response.url:
            self.answers.append(response)

    def _on_failed(self, request: Request) -> None:
        # A page that is left gives up what it still asks for.
        if "ERR_ABORTED" not in str(request.failure):
            self.failed.append(f"{request.failure} {request.method} {request.url[:200]}")

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.failed.append(f"console: {message.text[:300]}")

    def open(self, report: Report) -> None:
        """Open a report in a window that is high enough for all of it, unless it is a phone's: the rest isn't
        drawn."""
        width = (self.page.viewport_size or PHONE_SIZE)["width"]
        if width > PHONE_SIZE["width"]:
            self.page.set_viewport_size({"width": width, "height": max(map(window_height, report.tabs))})
        self.failed.clear()
        self.answers.clear()
        self.page.goto(f"{self.address}{report.route}")

    def await_figures(self, report: Report) -> None:
        """Open a report until there is something in it: snapshots know a new role once they are published
        again."""
        for _ in range(20):
            self.open(report)
            frame = self.open_tab(report, report.first_tab)
            if NOTHING not in frame.locator("body").inner_text():
                return
        raise AssertionError("没有发布知道新角色的快照")

    def open_tab(self, report: Report, tab: Tab) -> Frame:
        """Open a tab of a report and scroll through it to its end."""
        if len(report.tabs) > 1:
            self.page.get_by_role("tab", name=tab.label, exact=True).click()
        shown = self.page.locator(f"iframe[title='{report.label} {tab.label}']")
        expect(shown).to_have_attribute("src", re.compile("/embedded/.*role_id=[0-9]+$"))
        element = shown.element_handle()
        assert element is not None
        frame = element.content_frame()
        assert frame is not None
        frame.wait_for_url("**/embedded/**")
        self.wait_drawn(frame)
        for holder in frame.locator(HOLDER).all():
            holder.scroll_into_view_if_needed()
            self.wait_drawn(frame)
        frame.evaluate("scrollTo(0, 0)")
        return frame

    def wait_drawn(self, frame: Frame) -> None:
        frame.wait_for_selector(HOLDER, timeout=WITHIN)
        frame.wait_for_function(IS_DRAWN, timeout=WITHIN)

    def assert_sound(self, frame: Frame, board: Board, *, empty: bool = False) -> None:
        """Assert that all is in Chinese and nothing failed; only a card without a row says so.

        Of a report that is `empty` for its reader most cards say so.
        """
        # An empty figure's cell is drawn as a dash over its text.
        text = frame.evaluate("""() => {
            const empty = [...document.querySelectorAll('td.dt-is-null')];
            empty.forEach((cell) => { cell.style.display = 'none'; });
            const text = document.body.innerText;
            empty.forEach((cell) => { cell.style.display = ''; });
            return text;
        }""")
        assert not self.failed, self.failed
        assert not [word for word in TROUBLE if word in text], text[:2000]
        told, cards = text.count(NOTHING), frame.locator(HOLDER).count()
        assert told == len(self._without_rows(frame)), text[:2000]
        assert (2 * told > cards) is empty, (told, cards)
        assert not ENGLISH.findall(text), sorted(set(ENGLISH.findall(text)))
        foreign = set(WORD.findall(frame.evaluate(OWN_TEXT))) - set(
            WORD.findall(" ".join(declared_texts(board)))
        )
        assert not foreign, sorted(foreign)

    def assert_fits(self, frame: Frame) -> None:
        """Assert that all columns of all tables are in sight, under headings of two lines."""
        assert not frame.evaluate(CUT)
        assert not frame.evaluate(TALL)

    def _without_rows(self, frame: Frame) -> list[int]:
        """Return the charts of a frame whose last answer has no row."""
        last = dict(self._chart_answers(frame))
        return [chart for chart, results in last.items() if results[0]["rowcount"] == 0]

    def _chart_answers(self, frame: Frame) -> Iterator[tuple[int, list[dict[str, Any]]]]:
        """Yield the answers of each chart of a frame, in their order; filters request their values as well."""
        for answer in (one for one in self.answers if one.frame == frame):
            asked = (answer.request.post_data_json or {}).get("form_data", {})
            if "slice_id" in asked:
                yield asked["slice_id"], answer.json()["result"]

    def assert_sorts(self, frame: Frame, table: Chart, board: Board) -> None:
        """Assert that a table sorts by a figure, up and down."""
        label = board.dataset(table.dataset).metric(table.metrics[0]).label
        place = find_column(find_card(frame, table), table.metrics[0])
        header = find_card(frame, table).get_by_role("columnheader").filter(has_text=label).first
        orders = []
        for _ in range(2):
            self._click_and_wait(frame, table, header)
            orders.append(read_numbers(find_card(frame, table), place))
        one, other = orders
        assert (one, other) in (
            (sorted(one), sort_descending(other)),
            (sort_descending(one), sorted(other)),
        ), (label, orders)
        assert len(set(one)) < 2 or one != other, label

    def assert_pages(self, frame: Frame, table: Chart) -> None:
        """Assert that a table pages to the second page and back, where there is one."""
        shown = find_card(frame, table)
        second = shown.locator(".dt-pagination").get_by_role("button", name="2", exact=True)
        if second.count() == 0:
            return
        first = read_rows(shown)
        self._click_and_wait(frame, table, second)
        other = read_rows(shown)
        assert other and not [line for line in other if line in first], "两页有相同的行"
        self._click_and_wait(
            frame, table, shown.locator(".dt-pagination").get_by_role("button", name="1", exact=True)
        )
        assert read_rows(shown) == first

    def _click_and_wait(self, frame: Frame, table: Chart, button: Locator) -> None:
        """Click for other rows of a table: most request them, statements have them all."""
        if table.is_served:
            with self.page.expect_response(f"**{DATA}*"):
                button.click()
        else:
            button.click()
        self.wait_drawn(frame)

    def assert_takes_file(self, frame: Frame, table: Chart, board: Board) -> None:
        """Assert that the table is exported as CSV, with the words of its header."""
        find_card(frame, table).locator("button[id$='-controls']").click()
        frame.locator(".ant-dropdown-menu-submenu-title").filter(has_text="下载").hover()
        item = frame.locator(".ant-dropdown-menu-item").filter(has_text=re.compile("CSV", re.I)).first
        expect(item).to_be_visible()
        with self.page.expect_download() as taken:
            # Not by the mouse: on its way the menu may close again.
            item.dispatch_event("click")
        text = Path(taken.value.path()).read_bytes().decode("utf-8-sig")
        header, *lines = csv.reader(StringIO(text))
        dataset = board.dataset(table.dataset)
        labels = [
            column.label for column in dataset.columns if column.name in table.by and column.kind != "link"
        ]
        assert set(labels) <= set(header), header
        assert len(lines) == self._count(frame, table), "文件的行数不是表格所说的"
        assert "<" not in text
        self.page.keyboard.press("Escape")

    def assert_takes_no_file(self, frame: Frame, table: Chart) -> None:
        find_card(frame, table).locator("button[id$='-controls']").click()
        expect(frame.locator(".ant-dropdown-menu-item").first).to_be_visible()
        expect(frame.locator(".ant-dropdown-menu-submenu-title").filter(has_text="下载")).to_have_count(0)
        self.page.keyboard.press("Escape")

    def _count(self, frame: Frame, table: Chart) -> int:
        """Return the rows of a table on all its pages, by its answer and by its pages."""
        shown = find_card(frame, table)
        number = int(shown.get_attribute("data-test-chart-id") or 0)
        first, *others = [results for chart, results in self._chart_answers(frame) if chart == number][-1]
        counted = (one["data"][0]["rowcount"] for one in others if one["colnames"] == ["rowcount"])
        count: int = next(counted, first["rowcount"])
        buttons = shown.locator(".dt-pagination").get_by_role("button").all_inner_texts()
        pages = [int(text) for text in buttons if text.isdigit()]
        assert max(pages, default=1) == max(1, -(-count // PAGE_LENGTH)), (count, pages)
        return count

    def assert_filters(self, frame: Frame, table: Chart, board: Board) -> str | None:
        """Filter by the first row's value of a column, unless it came along from the tab before; assert that
        every row has it.

        Returns the value, None where no filter fits.
        """
        usable = [
            item
            for item in board.filters
            if item.column in table.by and not item.latest and table.key not in item.excludes
        ]
        if not usable:
            return None
        chosen = usable[-1]
        place = find_column(find_card(frame, table), chosen.column)
        value = read_rows(find_card(frame, table))[0][place]
        option = frame.locator(f".ant-select-dropdown:visible .ant-select-item-option[title='{value}']").first
        is_new = True
        for patience in (5_000, WITHIN):  # the bar may put a filter away while one types
            self._open_filter(frame, chosen.label)
            self.page.keyboard.type(value)
            try:
                option.wait_for(timeout=patience)
                is_new = "ant-select-item-option-selected" not in (option.get_attribute("class") or "")
                if is_new:
                    # Not by the mouse: what is scrolled to its pointer closes.
                    option.dispatch_event("click")
                break
            except PlaywrightTimeout:
                assert patience < WITHIN, f"{chosen.label}：{value} 选不到"
                self.page.keyboard.press("Escape")
        self.page.keyboard.press("Escape")
        if is_new:
            with self.page.expect_response(f"**{DATA}*"):
                frame.locator("[data-test='filter-bar__apply-button']").click()
        # What answered first may be the filter's own choice.
        for _ in range(WITHIN // 500):
            self.wait_drawn(frame)
            found = {cells[place] for cells in read_rows(find_card(frame, table))}
            if found == {value}:
                return value
            self.page.wait_for_timeout(500)
        raise AssertionError((chosen.label, value, found))

    def choose_days(self, frame: Frame, named: str) -> None:
        """Choose another range of days, by its name among the current ones."""
        frame.locator("[data-test='time-range-trigger']").click()
        frame.locator(".ant-radio-wrapper").filter(has_text=re.compile(f"^{named}$")).click()
        frame.locator("[data-test='date-filter-control__apply-button']").click()
        with self.page.expect_response(f"**{DATA}*"):
            frame.locator("[data-test='filter-bar__apply-button']").click()
        self.wait_drawn(frame)

    def _open_filter(self, frame: Frame, label: str) -> None:
        """Open a filter's box, which the bar may have hidden; it can be clicked once it is still."""
        box = frame.locator("form").filter(has=frame.get_by_text(label, exact=True))
        if not box.is_visible():
            frame.get_by_role("button", name="更多筛选").click()
            frame.locator(".ant-popover:not([class*='-zoom-'])").filter(has=box).wait_for()
        box.locator(".ant-select").click()

    def save_picture(self, place: Path, name: str) -> None:
        """Save a picture, once the charts have drawn their lines to the end."""
        picture = b""
        for _ in range(20):
            before, picture = picture, self.page.screenshot()
            if picture == before:
                break
        (place / f"{name}.png").write_bytes(picture)


def window_height(tab: Tab) -> int:
    """Return the window height that shows a tab to its end below the filter bar: its frame has nine tenths of
    the window."""
    return 150 + (110 + sum(row.height * 8 + 16 for row in tab.board(COST).rows)) * 10 // 9


def declared_texts(board: Board) -> Iterator[str]:
    """Yield the texts that the catalogue declares for a board."""
    for chart in board.charts:
        yield chart.title
    for item in board.filters:
        yield from (item.label, item.hint, *item.default)
    for dataset in board.datasets:
        yield from (column.label for column in dataset.columns)
        yield from (
            text for metric in dataset.metrics for text in (metric.label, metric.heading, metric.note)
        )
        yield from dataset.buckets


def find_card(frame: Frame, chart: Chart) -> Locator:
    return frame.locator(f"[data-test-chart-name='{chart.title}']")


def read_rows(card: Locator) -> list[list[str]]:
    """Return the table's rows as they are shown."""
    found: list[list[str]] = card.locator("tbody tr").evaluate_all(
        "lines => lines.map(line => [...line.cells].map(cell => cell.innerText.trim()))"
    )
    return found


def find_column(card: Locator, name: str) -> int:
    """Return the position of a column: some are not shown to all."""
    names: list[str] = card.locator("thead th").evaluate_all("cells => cells.map(cell => cell.id)")
    return names.index(f"header-{name}")


def read_numbers(card: Locator, place: int) -> list[float]:
    """Return a column's figures; empty ones are left out, they are last in either order."""
    texts = [cells[place] for cells in read_rows(card)]
    return [float(re.sub("[,%+]", "", text)) for text in texts if re.search("[0-9]", text)]


def sort_descending(figures: list[float]) -> list[float]:
    return sorted(figures, reverse=True)
