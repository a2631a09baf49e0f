"""Helpers for report subscriptions: add, change, run and read them as a user."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from email.message import EmailMessage
from typing import Any

import openpyxl
from sqlalchemy import text

from api.exporting import report_job
from api.subscribing import delivery_jobs
from reports.catalogue import find_report
from tests.support.client import Answer
from tests.support.fixtures import Site

PREFIX, SCHEMES = "v2/report/Subscription", "v2/open/UserPreference"
SUBSCRIPTION = {"code": "CustomerProfit", "tab": "all", "rhythm": "day", "hour": 8, "way": "message"}


def execute_sql(site: Site, statement: str, **values: Any) -> None:
    with site.engine.begin() as conn:
        conn.execute(text(statement), values)


def add_subscription(site: Site, user: str = "manager_a", **changes: Any) -> Answer:
    return site.as_(user).post(f"{PREFIX}/add", {**SUBSCRIPTION, **changes})


def create_due_subscription(site: Site, user: str = "manager_a", **changes: Any) -> int:
    answer = add_subscription(site, user, **changes)
    assert answer.ok, answer
    execute_sql(
        site,
        "update report_subscription set next_at = now() - interval '3 days' where subscription_id = :key",
        key=answer.data["id"],
    )
    key: int = answer.data["id"]
    return key


def edit_subscription(site: Site, key: int, **changes: Any) -> Answer:
    return site.as_("manager_a").post(f"{PREFIX}/edit", {**SUBSCRIPTION, "subscription_id": key, **changes})


def save_scheme(site: Site, filters: Any, user: str = "manager_a") -> None:
    body = {
        "kind": "scheme",
        "screen": "report_CustomerProfit/all",
        "name": "我的",
        "value": {"filters": filters},
    }
    assert site.as_(user).post(f"{SCHEMES}/save", body).ok


def list_deliveries(site: Site, key: int) -> list[Any]:
    with site.engine.connect() as conn:
        query = "select * from report_delivery where subscription_id = :key order by delivery_id"
        return list(conn.execute(text(query), {"key": key}))


def run_and_write(site: Site, key: int) -> Any:
    """Run a subscription, write its file, and return its delivery."""
    delivery_jobs.run_subscription(subscription_id=key)
    *_, delivery = list_deliveries(site, key)
    report_job.export_report(export_id=delivery.export_id)
    return delivery


def run_and_send(site: Site, key: int) -> Any:
    delivery_jobs.deliver_report(delivery_id=run_and_write(site, key).delivery_id)
    return list_deliveries(site, key)[-1]


def list_subscriptions(site: Site, user: str = "manager_a") -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = site.as_(user).get(f"{PREFIX}/getMine").data["data"]
    return found


def list_reminders(site: Site, user: str = "manager_a") -> list[str]:
    return [row["content"] for row in site.as_(user).get("v2/open/Message/getPopUplogList").data]


def read_attachment(letter: EmailMessage) -> list[list[Any]]:
    [file] = letter.iter_attachments()
    book = openpyxl.load_workbook(io.BytesIO(file.get_content()))
    return [[cell.value for cell in row] for row in book.worksheets[0].iter_rows()]


@contextmanager
def without_right(site: Site) -> Iterator[None]:
    report = find_report("CustomerProfit")
    assert report
    role = {"role": site.world.role_manager_a, "code": report.export_right}
    renew = "update role set version = version + 1 where role_id = :role"
    execute_sql(site, "delete from role_right where role_id = :role and code = :code", **role)
    execute_sql(site, renew, role=role["role"])
    try:
        yield
    finally:
        execute_sql(site, "insert into role_right (role_id, code) values (:role, :code)", **role)
        execute_sql(site, renew, role=role["role"])


@contextmanager
def without_cost(site: Site) -> Iterator[None]:
    change = "update role set sees_cost = :sees, version = version + 1 where role_id = :role"
    execute_sql(site, change, sees=False, role=site.world.role_manager_a)
    try:
        yield
    finally:
        execute_sql(site, change, sees=True, role=site.world.role_manager_a)


@contextmanager
def impersonated_by(site: Site, imitator: str, user: str = "manager_a") -> Iterator[None]:
    """Turn a user's session into a simulated login of another user, who sees less."""
    change = "update user_session set imitator_id = :imitator where user_id = :user"
    who = site.world.ids
    execute_sql(site, change, imitator=who[f"user_{imitator}"], user=who[f"user_{user}"])
    try:
        yield
    finally:
        execute_sql(site, change, imitator=None, user=who[f"user_{user}"])


def run_twice(work: Callable[[], Any]) -> None:
    with ThreadPoolExecutor(2) as workers:
        for done in [workers.submit(work) for _ in range(2)]:
            done.result()
