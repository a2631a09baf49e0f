"""Hand-written responses: each column names the declared fields that it repeats, or that it repeats none.

A field hidden on a screen is hidden there as well.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Annotated, Any, get_args

import pytest
from fastapi.routing import APIRoute
from pydantic import BaseModel

from api import catalogue
from api.kit.declaration import field_sources
from api.kit.http.routing import GatedEndpoint
from api.kit.scope import Principal
from api.kit.storage.projection import MASK, masked_names
from api.main import app
from api.reporting.lists.stock.stock_health import InventoryBigData

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
    "api.master.recognition.autofill_calls": "a paper that is read, a public register",
    "api.master.organization.map_service": "the provinces, cities and districts of the country",
    "api.master.settings.number_templates": "how bills are numbered, by their editor",
    "api.master.settings.setting_calls": "what forms do by a company's settings",
    "api.master.pricing.total_price": "sums of what was sent",
    "api.money.calls": "what stands against a close, for who closes",
    "api.printing": "pages that are masked where they are set, and templates",
    "api.reporting.superset_gateway.frame_calls": "addresses of frames that one may open",
    "api.reporting.snapshot.data_state": "how the worker stands",
    "api.reporting.superset_gateway.explore": "an address",
    "api.reporting.superset_gateway.dashboard_calls": "boards of one's own, and an address",
    "api.shell.workspace.bill_effects": "rows with the fields of each, masked by these",
    "api.shell.operations.backup_calls": "one's own task",
    "api.shell.files.export_calls": "files of one's own",
    "api.shell.operations.cleanup_calls": "counts, for who cleans up",
    "api.shell.workspace.log_changes": "what is masked change by change",
    "api.shell.workspace.announcement_calls": "messages to oneself, and their readers for their author",
    "api.shell.workspace.payment_links": "one's own payment, by its token",
    "api.shell.workspace.screen_plan": "screens to come",
    "api.shell.workspace.reminders": "reminders to oneself",
    "api.shell.workspace.preferences": "preferences of one's own",
    "api.shell.operations.recalculation_job": "a key",
    "api.shell.workspace.satisfaction_survey": "questions to oneself",
    "api.shell.workspace.survey_calls": "questions to oneself",
    "api.subscribing": "subscriptions of one's own",
}
"""Modules whose answers repeat no figure of others that is not masked where it is made, and what they tell instead."""


def iterate_models(kind: Any, seen: set[type[BaseModel]]) -> Iterator[type[BaseModel]]:
    """Return the models of a type, each once."""
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        if kind in seen:
            return
        seen.add(kind)
        yield kind
        for item in kind.model_fields.values():
            yield from iterate_models(item.annotation, seen)
    for part in get_args(kind):
        yield from iterate_models(part, seen)


def map_answered_models() -> Iterator[tuple[str, type[BaseModel]]]:
    """Return the models of all hand-written answers, each with a call that answers it."""
    seen: set[type[BaseModel]] = set()
    for route in app.routes:
        if isinstance(route, APIRoute) and isinstance(route.endpoint, GatedEndpoint):
            returns = route.endpoint.returns
            if not isinstance(returns, partial):
                yield from ((route.path, model) for model in iterate_models(returns, seen))


def is_plain(model: type[BaseModel]) -> bool:
    return any(model.__module__ == name or model.__module__.startswith(f"{name}.") for name in PLAIN)


def has_field_values(kind: Any) -> bool:
    """Return whether a column's type may hold a declared field's value: neither models nor booleans."""
    return kind is not bool and not list(iterate_models(kind, set()))


def test_every_column_says_what_it_tells() -> None:
    silent = [
        (path, f"{model.__module__}.{model.__name__}.{name}")
        for path, model in map_answered_models()
        if not is_plain(model)
        for name, item in model.model_fields.items()
        if has_field_values(item.annotation)
        and name not in STRUCTURE
        and not name.endswith(COUNTED)
        and not name.startswith("is_")
        and name not in dict(field_sources.list_marks(model))
    ]
    assert silent == []


def test_every_mark_names_declared_fields() -> None:
    marks = [
        mark
        for _, model in map_answered_models()
        for _, mark in field_sources.list_marks(model)
        if mark.fields
    ]
    assert len(marks) > 100
    for mark in marks:
        assert len(field_sources.resolve_fields(mark)) == len(mark.fields)


def test_modules_that_tell_nothing_are_still_there() -> None:
    found = {model.__module__ for _, model in map_answered_models()}
    assert [name for name in PLAIN if not any(f"{one}.".startswith(f"{name}.") for one in found)] == []


class SourceRow(BaseModel):
    key: int
    goods: Annotated[str, field_sources.from_fields("goods.goods_name")]
    worth: Annotated[str, field_sources.from_fields("stock_summary.quantity", "stock_summary.unit_cost")]


class SourcePage(BaseModel):
    data: list[SourceRow]
    best: SourceRow | None


def build_reader(*denied: tuple[str, str], sees_cost: bool = True) -> Principal:
    return Principal(1, "a", "a", 1, 1, sees_cost=sees_cost, denied_fields=frozenset(denied))


class TestMask:
    ANSWER = {
        "data": [{"key": 1, "goods": "轮胎", "worth": "5"}],
        "best": {"key": 1, "goods": "轮胎", "worth": "5"},
    }

    def test_who_sees_all_is_told_all(self) -> None:
        assert field_sources.mask_answer(SourcePage, self.ANSWER, build_reader()) is self.ANSWER

    @pytest.mark.parametrize(
        ("who", "hidden"),
        [
            (build_reader(("goods", "goods_name")), {"goods"}),
            (build_reader(("stock_summary", "quantity")), {"worth"}),
            (build_reader(sees_cost=False), {"worth"}),
            (build_reader(("goods", "goods_num")), set()),
        ],
    )
    def test_any_hidden_field_hides_its_column_at_every_depth(self, who: Principal, hidden: set[str]) -> None:
        masked = field_sources.mask_answer(SourcePage, self.ANSWER, who)
        for row in (*masked["data"], masked["best"]):
            assert {name for name, value in row.items() if value == MASK} == hidden
        assert self.ANSWER["best"]["goods"] == "轮胎", "what the call may keep stays as it was"


def test_what_a_hidden_ratio_is_worked_out_from_is_hidden_with_it() -> None:
    def masked(*names: str) -> frozenset[str]:
        denied = frozenset(("inventory_big_data", name) for name in names)
        principal = Principal(1, "", "", 1, 1, sees_cost=True, denied_fields=denied)
        return masked_names(InventoryBigData, "inventory_big_data", principal)

    assert masked("turnover_days") == {"turnover_days", "year_quantity_days", "year_sales_quantity"}
    assert masked("cover_days") == {"cover_days"}, "what stands in a column of its own stays"
