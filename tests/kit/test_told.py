"""What answers that are written by hand tell: each column names the declared fields that it repeats, or says that it
repeats none; what is hidden on a screen is hidden there as well."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any, get_args

import pytest
from fastapi.routing import APIRoute
from pydantic import BaseModel

from api import catalogue
from api.kit import told
from api.kit.calls import Endpoint
from api.kit.projection import MASK, masks
from api.kit.scope import Principal
from api.main import app
from api.reporting.inventory_big_data import InventoryBigData

assert catalogue.__all__
PAGES = {"total", "current_page", "per_page", "last_page", "more", "next", "count"}
STRUCTURE = {"id", "key", "type", "url", "route", "routes", "by_value", "refreshed_at", *PAGES}
STRUCTURE |= {"day", "days", "first_day", "last_day", "status", "check_stock", "document_warning"}
"""What pages, links and days of a calendar are made of, by name."""
COUNTED = ("_id", "_count", "_change")
"""So end the names of keys, and of counts of what one may list."""
PLAIN = {
    "api.exporting": "what may be asked of a report, and files of one's own",
    "api.figures": "figures of reports that one may open, reminders of one's own, and remarks on such figures",
    "api.identity": "one's own login, and who may do what, for those who grant it",
    "api.importing": "one's own files, read back",
    "api.kit": "what declarations make and mask themselves, and the words of actions",
    "api.master.filling_calls": "a paper that is read, a public register",
    "api.master.map_service": "the provinces, cities and districts of the country",
    "api.master.number_templates": "how bills are numbered, by their editor",
    "api.master.setting_calls": "what forms do by a company's settings",
    "api.master.total_price": "sums of what was sent",
    "api.money.calls": "what stands against a close, for who closes",
    "api.printing": "pages that are masked where they are set, and templates",
    "api.reporting.calls": "addresses of frames that one may open",
    "api.reporting.data_state": "how the worker stands",
    "api.reporting.explore": "an address",
    "api.reporting.published_boards": "boards of one's own, and an address",
    "api.shell.bill_effects": "rows with the fields of each, masked by these",
    "api.shell.backup_calls": "one's own task",
    "api.shell.calls": "files of one's own",
    "api.shell.cleanup_calls": "counts, for who cleans up",
    "api.shell.log_changes": "what is masked change by change",
    "api.shell.message_calls": "messages to oneself, and their readers for their author",
    "api.shell.pay_center": "one's own payment, by its token",
    "api.shell.planned": "screens to come",
    "api.shell.popup_logs": "reminders to oneself",
    "api.shell.preferences": "preferences of one's own",
    "api.shell.recalculation_job": "a key",
    "api.shell.satisfaction": "questions to oneself",
    "api.shell.survey_calls": "questions to oneself",
    "api.subscribing": "subscriptions of one's own",
}
"""Modules whose answers repeat no figure of others that is not masked where it is made, and what they tell instead."""


def models(kind: Any, seen: set[type[BaseModel]]) -> Iterator[type[BaseModel]]:
    """The models of a type, each once."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        if kind in seen:
            return
        seen.add(kind)
        yield kind
        for item in kind.model_fields.values():
            yield from models(item.annotation, seen)
    for part in get_args(kind):
        yield from models(part, seen)


def answered() -> Iterator[tuple[str, type[BaseModel]]]:
    """The models of all hand-written answers, each with a call that answers it."""
    seen: set[type[BaseModel]] = set()
    for route in app.routes:
        if isinstance(route, APIRoute) and isinstance(route.endpoint, Endpoint):
            returns = route.endpoint.returns
            if not isinstance(returns, partial):
                yield from ((route.path, model) for model in models(returns, seen))


def is_plain(model: type[BaseModel]) -> bool:
    return any(model.__module__ == name or model.__module__.startswith(f"{name}.") for name in PLAIN)


def is_told(kind: Any) -> bool:
    """Whether a column's type holds something that a declared field may have: neither models nor yes and no."""
    return kind is not bool and not list(models(kind, set()))


def test_every_column_says_what_it_tells() -> None:
    silent = [
        (path, f"{model.__module__}.{model.__name__}.{name}")
        for path, model in answered()
        if not is_plain(model)
        for name, item in model.model_fields.items()
        if is_told(item.annotation)
        and name not in STRUCTURE
        and not name.endswith(COUNTED)
        and not name.startswith("is_")
        and name not in dict(told.marks_of(model))
    ]
    assert silent == []


def test_every_mark_names_declared_fields() -> None:
    marks = [mark for _, model in answered() for _, mark in told.marks_of(model) if mark.fields]
    assert len(marks) > 100
    for mark in marks:
        assert len(told.places_of(mark)) == len(mark.fields)


def test_modules_that_tell_nothing_are_still_there() -> None:
    found = {model.__module__ for _, model in answered()}
    assert [name for name in PLAIN if not any(f"{one}.".startswith(f"{name}.") for one in found)] == []


class Row(BaseModel):
    key: int
    goods: Annotated[str, told.of("goods.goods_name")]
    worth: Annotated[str, told.of("stock_summary.quantity", "stock_summary.unit_cost")]


class Page(BaseModel):
    data: list[Row]
    best: Row | None


def reader(*denied: tuple[str, str], sees_cost: bool = True) -> Principal:
    return Principal(1, "a", "a", 1, 1, sees_cost=sees_cost, denied_fields=frozenset(denied))


class TestMask:
    ANSWER = {
        "data": [{"key": 1, "goods": "轮胎", "worth": "5"}],
        "best": {"key": 1, "goods": "轮胎", "worth": "5"},
    }

    def test_who_sees_all_is_told_all(self) -> None:
        assert told.mask(Page, self.ANSWER, reader()) is self.ANSWER

    @pytest.mark.parametrize(
        ("who", "hidden"),
        [
            (reader(("goods", "goods_name")), {"goods"}),
            (reader(("stock_summary", "quantity")), {"worth"}),
            (reader(sees_cost=False), {"worth"}),
            (reader(("goods", "goods_num")), set()),
        ],
    )
    def test_any_hidden_field_hides_its_column_at_every_depth(self, who: Principal, hidden: set[str]) -> None:
        masked = told.mask(Page, self.ANSWER, who)
        for row in (*masked["data"], masked["best"]):
            assert {name for name, value in row.items() if value == MASK} == hidden
        assert self.ANSWER["best"]["goods"] == "轮胎", "what the call may keep stays as it was"


def test_what_a_hidden_ratio_is_worked_out_from_is_hidden_with_it() -> None:
    def masked(*names: str) -> frozenset[str]:
        denied = frozenset(("inventory_big_data", name) for name in names)
        principal = Principal(1, "", "", 1, 1, sees_cost=True, denied_fields=denied)
        return masks(InventoryBigData, "inventory_big_data", principal)

    assert masked("turnover_days") == {"turnover_days", "year_quantity_days", "year_sales_quantity"}
    assert masked("cover_days") == {"cover_days"}, "what stands in a column of its own stays"
