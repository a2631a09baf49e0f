"""Theme of reports (配色): colors of the shell (#409EFF) and matching series colors."""

from collections.abc import Iterable
from urllib.parse import quote

from reports.semantics.dashboards import HEAD
from reports.semantics.kpi_comparison import CHANGE_SUFFIX

PRIMARY = "#409EFF"
COLOR_SCHEME = "erp"
SEQUENTIAL_SCHEME = "erp_blue"

SERIES_COLORS = (PRIMARY, "#36CFC9", "#FFB547", "#7C8CF8", "#67C23A", "#9B6DFF", "#2B6CB0", "#F56C6C")
# From fresh to old, or from not due to long overdue.
BUCKET_COLORS = ("#67C23A", "#36CFC9", PRIMARY, "#FFB547", "#FF8F5C", "#F56C6C")
UNKNOWN, OTHERS, UNKNOWN_COLOR = "未知", "其他", "#C0C4CC"

COLOR_SCHEMES = [
    {
        "id": COLOR_SCHEME,
        "description": "",
        "label": "外壳配色",
        "isDefault": True,
        "colors": [
            *SERIES_COLORS,
            "#FF8F5C",
            "#22A699",
            "#C05FB0",
            "#909399",
            "#8FC7FF",
            "#9CE5DF",
            "#FFD99B",
            "#B9C1FB",
        ],
    }
]
SEQUENTIAL_SCHEMES = [
    {
        "id": SEQUENTIAL_SCHEME,
        "description": "",
        "label": "外壳蓝",
        "isDefault": True,
        "isDiverging": False,
        "colors": ["#ECF5FF", "#C6E2FF", "#8FC7FF", PRIMARY, "#2B6CB0", "#1D4E89"],
    }
]
FONT = (
    "'PingFang SC', 'Microsoft YaHei', 'Noto Sans CJK SC', 'Hiragino Sans GB', 'Helvetica Neue', Helvetica, Arial, "
    "sans-serif"
)
NAME = "报表中心"
# The shell's mark and the name beside it.
LOGO = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 124 32">'
    f'<rect width="32" height="32" rx="7" fill="{PRIMARY}"/>'
    '<circle cx="16" cy="16" r="9.5" fill="none" stroke="#fff" stroke-width="4"/>'
    '<circle cx="16" cy="16" r="3" fill="#fff"/>'
    f'<text x="42" y="23" font-size="20" font-family="sans-serif" fill="#303133">{NAME}</text></svg>'
)
# Buttons that choose all series, or the others, take the room of their names.
PLAIN_LEGEND = {"legend": {"selector": False, "itemWidth": 14, "itemHeight": 10, "itemGap": 8}}
ROOM_FOR_VALUES = 52
"""Pixels beside the longest bar."""
# One company, type or warehouse by itself would be a bar as wide as its chart.
SLIM = {"series": {"barMaxWidth": 36}}
# Names lie on all of the colors: a label is as large as its tile, and lightens it.
VEILED = {"series": {"label": {"backgroundColor": "rgba(255, 255, 255, .7)"}}}
THEME = {
    "token": {
        "brandAppName": NAME,
        "brandLogoAlt": NAME,
        "brandLogoUrl": f"data:image/svg+xml,{quote(LOGO)}",
        "brandLogoHeight": "26px",
        "brandLogoMargin": "13px 0",
        "brandLogoHref": "/",
        "colorPrimary": PRIMARY,
        "colorLink": PRIMARY,
        "colorError": "#F56C6C",
        "colorWarning": "#E6A23C",
        "colorSuccess": "#67C23A",
        "colorInfo": "#909399",
        "colorBgLayout": "#F5F7FA",
        "colorTextBase": "#303133",
        "borderRadius": 4,
        "fontUrls": [],
        "fontFamily": FONT,
        "echartsOptionsOverridesByChartType": {
            "echarts_timeseries_bar": {
                **PLAIN_LEGEND,
                **SLIM,
                "grid": {"right": ROOM_FOR_VALUES},
                "xAxis": {
                    "splitNumber": 3,
                    "axisLabel": {"hideOverlap": True, "width": 120, "overflow": "truncate"},
                },
                "yAxis": {"axisLabel": {"width": 200, "overflow": "truncate"}},
            },
            "echarts_timeseries_line": PLAIN_LEGEND,
            "mixed_timeseries": {**PLAIN_LEGEND, **SLIM},
            "pie": PLAIN_LEGEND,
            "treemap_v2": VEILED,
        },
    },
    "algorithm": "default",
}
FIGURES = f'[data-test-chart-name^="{HEAD}"]'
LINE = 20
# The figures at the head: the chosen period's are large, each beside how far it is from the others. On a phone they
# stand below each other, a column for each period: a line for the figure's name, one for it, and one for how far it is.
FIGURES_CSS = f"""
{FIGURES} th {{ border: 0 !important; background: none !important; font-weight: 400 !important; vertical-align: top; }}
{FIGURES} th svg {{ display: none; }}
{FIGURES} th:not([title*="Shift"])::after {{ content: attr(title); display: block; font-size: 11px; color: #A8ABB2; }}
{FIGURES} tr {{ background: none !important; }}
{FIGURES} td {{ border: 0 !important; color: #909399; white-space: nowrap; }}
{FIGURES} tr:first-child td {{ font-size: 21px; line-height: 30px; color: #303133; }}
{FIGURES} tr:first-child td:first-child {{ font-size: 14px; }}
{FIGURES} tr:first-child td[aria-labelledby$="{CHANGE_SUFFIX}"]::after {{ content: ""; }}
@media (max-width: 600px) {{
{FIGURES} div:has(> div > table), {FIGURES} div:has(> table) {{
  width: auto !important; height: auto !important; overflow: visible !important; scrollbar-gutter: auto !important;
}}
{FIGURES} div:has(> div > table) {{ position: relative; overflow-x: auto !important; }}
{FIGURES} div:has(> table > thead) {{ position: absolute; pointer-events: none; }}
{FIGURES} :is(tbody, tr) {{ display: flex; }}
{FIGURES} tr {{ flex: 1; flex-direction: column; }}
{FIGURES} table {{ display: block; width: auto !important; }}
{FIGURES} colgroup, {FIGURES} th::after {{ display: none !important; }}
{FIGURES} :is(th, td) {{
  height: {LINE}px !important; line-height: {LINE}px !important; padding: 0 2px !important; white-space: nowrap;
}}
{FIGURES} th {{ text-align: left !important; font-size: 12px; }}
{FIGURES} th[id$="{CHANGE_SUFFIX}"] * {{ color: #909399; }}
{FIGURES} th:first-child {{ visibility: hidden; }}
{FIGURES} th:not(:first-child, [id$="{CHANGE_SUFFIX}"]) {{ margin-bottom: {LINE}px; }}
{FIGURES} td {{ text-align: right !important; }}
{FIGURES} td:not(:first-child, [aria-labelledby$="{CHANGE_SUFFIX}"]) {{ margin-top: {LINE}px; }}
{FIGURES} td:not(.dt-is-null) {{ font-size: 12px !important; }}
{FIGURES} tr:first-child td:not(:first-child, .dt-is-null) {{ font-size: 14px !important; }}
}}
"""


def _cell_selector(names: Iterable[str], kinds: tuple[str, ...] = ("td",)) -> str:
    ways = {"td": '[aria-labelledby="header-{}"]', "th": '[id="header-{}"]'}
    return ", ".join(f"{kind}{ways[kind].format(name)}" for kind in kinds for name in names)


def nowrap_css(headings: Iterable[str]) -> str:
    """Return CSS for headings that stay in one line.

    A table that is short of room narrows the others first.
    """
    return f"{_cell_selector(headings, ('th',))} {{ white-space: nowrap; }}\n"


def unwrapped_css(columns: Iterable[str]) -> str:
    """Format the rule that cells and headings of these columns stand in one line."""
    cells = _cell_selector(columns, ("td", "th"))
    return f"{cells} {{ white-space: nowrap; }}\n" if cells else ""


# A table of a few rows takes no more room than they need; the first is of one row.
FEW_ROWS = {2: 270, 4: 400}


def _height_css(more: int, height: int) -> str:
    kept = f":has({FIGURES}, .dt-pagination, tbody tr:nth-child({more}))"
    return f".resizable-container:has(tbody):not({kept}) {{ max-height: {height}px !important; }}"


DASHBOARD_CSS = (
    FIGURES_CSS
    + "\n".join(_height_css(more, height) for more, height in sorted(FEW_ROWS.items(), reverse=True))
    + """
.dashboard-content, .grid-container { background: #F5F7FA; }
.dashboard-component-chart-holder { border-radius: 6px; box-shadow: 0 1px 3px rgba(0, 0, 0, .06); }
.header-title { font-weight: 600; }
.chart-slice > * { flex-shrink: 0; }
.search-select-container, [data-test="dashboard-slice-refresh-tooltip"] { display: none; }
.cell-bar.positive { background-color: rgba(64, 158, 255, .2) !important; }
.dt-select-page-size:has([title="0"]) { visibility: hidden; }
td a { white-space: nowrap; }
.superset-chart-table :is(th, td) { text-wrap-style: balance; }
tfoot .anticon-info-circle { display: none; }
tfoot tr { box-shadow: 0 -1px #DCDFE6; }
td.dt-is-null, td.dt-is-null * { font-size: 0 !important; }
td.dt-is-null::after { content: "—"; font-size: 12px; color: #C0C4CC; }
"""
)
