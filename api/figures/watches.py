"""What is watched (预警内容): a figure of a report under kept filters, checked by the same rules when it is saved and
each time that it is looked at."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import urlencode

from sqlalchemy import Connection

from api.exporting import reports
from api.exporting.asked import Asked, ReportExport
from api.exporting.head import filter_words
from api.exporting.opening import opened
from api.exporting.rows import settled
from api.figures.found import Figure, find_figure, value_of
from api.kit.context import Context
from api.kit.errors import Forbidden, Refusal
from api.subscribing.wishes import Wish, asked_by
from reports.catalogue import find_report
from reports.ways_down import LONGEST, TOO_MANY


@dataclass(frozen=True)
class Watched:
    """A figure as its watcher asks for it."""

    wish: Wish
    body: ReportExport
    asked: Asked
    figure: Figure

    @contextmanager
    def opened(self, ctx: Context) -> Iterator[Connection]:
        """Where it is read."""
        with opened(ctx, self.asked) as (source, _):
            yield source

    def value(self, source: Connection) -> float | None:
        return value_of(self.asked, self.figure, source)

    def filters(self, source: Connection) -> str:
        """What it is filtered by, in words."""
        heeded = self.asked.board.filters_of(self.figure.chart)
        return filter_words(self.asked, heeded, settled(self.asked, source))

    def url(self) -> str:
        """The way down: the report under these filters."""
        return address_of(self.wish, self.body)

    def lack(self) -> str:
        """What is said beside an address that lacks some of the filters."""
        return "" if is_whole(self.wish, self.body) else f"；{TOO_MANY}"


def watched(ctx: Context, wish: Wish, key: str) -> Watched:
    """The figure of a key for the user of `ctx`. Raises a Refusal that says why he can't have it."""
    try:
        reports.require_view(ctx, wish.code)
    except Forbidden:
        raise Forbidden("您没有查看此报表的权限") from None
    body = asked_by(ctx, wish)
    asked = reports.shown(ctx, body)
    figure = find_figure(asked.board, key)
    if figure is None:
        raise Refusal("报表上没有这个数字，或您没有看它的权限，请另选一个")
    return Watched(wish, body, asked, figure)


def address_of(wish: Wish, body: ReportExport) -> str:
    """A report's page under the filters of a wish: a frame by the name that they are kept under, a list by them as far
    as an address carries them."""
    route = reports.require_known(wish.code).route
    query = ""
    for name, value in _page_params(wish, body).items():
        longer = "&".join(filter(None, (query, urlencode({name: value}))))
        if len(longer) <= LONGEST:
            query = longer
    return f"{route}?{query}" if query else route


def is_whole(wish: Wish, body: ReportExport) -> bool:
    """Whether the address of a wish carries all of its filters."""
    return len(urlencode(_page_params(wish, body))) <= LONGEST


def _page_params(wish: Wish, body: ReportExport) -> dict[str, str]:
    if find_report(wish.code):
        return {"report_tab": wish.tab, **({"scheme": wish.scheme} if wish.scheme else {})}
    return {name: ",".join(filter(None, values)) for name, values in body.filters.items()}
