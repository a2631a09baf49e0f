"""Translations of Superset (中文): texts of the interface that its language pack lacks or renders wrongly.

The frames load the pack as a static file, so the completed pack is answered in its place.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

from flask import Flask, Response, request

from reports.superset_patches.explore_translations import EXPLORE_TRANSLATIONS

PACK_PATH = "/superset/language_pack/zh/"
# What the packaged pack lacks or renders wrongly (its “Summary” reads 星期日, its “Last queried at” 上一季度).
CORRECTIONS = {
    "Summary": "合计",
    "Search by": "搜索列",
    "entries per page": "条/页",
    "entries": "条",
    "Show entries per page": "每页条数",
    "Show %s entries": "每页 %s 条",
    "Select page size": "每页条数",
    "More Options": "更多操作",
    "Data Export Options": "导出方式",
    "Export Current View": "导出当前页",
    "Export All Data": "导出全部",
    "Export screenshot (jpeg)": "导出图片",
    "Search %s records": "在 %s 条记录中搜索",
    "%s record": "%s 条记录",
    "No matching records found": "没有匹配的记录",
    "No records found": "没有记录",
    "Others": "其他",
    "N/A": "—",
    "No data": "—",
    "All": "全部",
    "Data error": "数据错误",
    "Choose...": "请选择",
    "Select all": "全选",
    "Select All": "全选",
    "Select all (%s)": "全选 (%s)",
    "Deselect all": "全不选",
    "More filters": "更多筛选",
    "Waiting on %s": "正在等待 %s",
    "Waiting on database...": "正在取数…",
    "Waiting for data": "正在等待数据",
    "Loading": "加载中",
    "Fetching data...": "正在取数…",
    "Loading filter values": "正在取筛选项",
    "Awaiting filter selection": "请先选择筛选项",
    "Filter only displays values relevant to selections made in other filters.": "只列出与其他筛选相符的值。",
    "Applied filters (%s)": "已用筛选 (%s)",
    "Applied filters (%d)": "已用筛选 (%d)",
    "Applied filters: %s": "已用筛选：%s",
    "Shift + Click to sort by multiple columns": "按住 Shift 点击可按多列排序",
    "Failed to load chart data": "图表取数失败",
    "Failed to load chart data.": "图表取数失败。",
    "No results match your filter criteria": "没有符合筛选的数据",
    "No results were returned for this query": "没有数据",
    # Of lists without a filter: one's own charts and boards.
    "No Data": "还没有内容，点右上角的“＋”新建",
    "There is currently no information to display.": "如果设了筛选，请放宽后再看。",
    "Make sure that the controls are configured properly "
    "and the datasource contains data for the selected time range": "所选条件下没有数据，请放宽筛选。",
    "Fullscreen is not supported in this browser.": "此浏览器不支持全屏。",
    "+ %s more": "另有 %s 项",
    "Something went wrong with embedded authentication. Check the dev console for details.": (
        "报表验证失败，请重新打开本页。"
    ),
    "Unexpected error": "意外错误",
    "Last queried at": "取数时间",
    # Of the filter of days: the packed pack takes “Current month” for a currency.
    "Last": "最近",
    "Previous": "上期",
    "Current": "本期",
    "Custom": "自定义",
    "Advanced": "高级",
    "No filter": "不限",
    "Last day": "昨天",
    "Last week": "最近7天",
    "Last month": "最近1个月",
    "Last quarter": "最近3个月",
    "Last year": "最近1年",
    "previous calendar week": "上周",
    "previous calendar month": "上月",
    "previous calendar quarter": "上季度",
    "previous calendar year": "上年",
    "Current day": "今天",
    "Current week": "本周",
    "Current month": "本月",
    "Current quarter": "本季度",
    "Current year": "本年",
    "Edit time range": "选择日期",
    "Range type": "怎样选",
    "Actual time range": "实际日期",
    "Configure Time Range: Last...": "最近（截至昨天）",
    "Configure Time Range: Previous...": "上一个完整的",
    "Configure Time Range: Current...": "当前的",
    "Configure custom time range": "自定义起止",
    "Configure Advanced Time Range ": "自定义起止",
    "Start (inclusive)": "开始（含当天）",
    "End (exclusive)": "结束（不含当天）",
    "Weeks %s": "周%s",
    "Years %s": "年%s",
    "Midnight": "今天",
    "Add to tabs": "放到标签页",
    "Select a tab": "选择标签页",
}


@cache
def build_language_pack() -> bytes:
    """Return the language pack of the frames, completed."""
    import superset

    path = Path(superset.__file__).parent / "translations" / "zh" / "LC_MESSAGES" / "messages.json"
    pack = json.loads(path.read_text("utf-8"))
    words = pack["locale_data"]["superset"]
    words.update({text: [chinese] for text, chinese in {**EXPLORE_TRANSLATIONS, **CORRECTIONS}.items()})
    for text, chinese in words.items():
        # The shell's word for it.
        if isinstance(chinese, list):
            words[text] = [one.replace("过滤器", "筛选").replace("过滤", "筛选") for one in chinese]
    return json.dumps(pack, ensure_ascii=False, separators=(",", ":")).encode()


def install_translations(app: Flask) -> None:
    """Install a handler that answers the pack's address before Superset's own view does."""

    def answer_pack() -> Response | None:
        if request.path != PACK_PATH:
            return None
        response = Response(build_language_pack(), mimetype="application/json")
        response.cache_control.public = True
        response.cache_control.max_age = 3600
        response.add_etag()
        return response.make_conditional(request)

    app.before_request(answer_pack)
