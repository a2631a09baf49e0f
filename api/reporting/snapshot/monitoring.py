"""Monitoring metrics (监控指标): `/metrics` in Prometheus' text format, protected by a token; works
without the database."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import accumulate
from typing import Any

from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from api.kit.settings import read_settings
from api.reporting.snapshot import data_freshness
from warehouse import refresh_history

PATH = "/metrics"


async def serve_metrics(request: Request) -> Response:
    """Answer with the metrics; 401 without the token `ERP_METRICS_TOKEN`, wherever the request comes from."""
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    wanted = read_settings().metrics_token
    if scheme.lower() != "bearer" or not secrets.compare_digest(given.strip().encode(), wanted.encode()):
        return Response("需要监控令牌\n", 401, {"www-authenticate": "Bearer"}, "text/plain")
    return Response(await run_in_threadpool(generate_latest, _registry), media_type=CONTENT_TYPE_LATEST)


class RefreshCollector(Collector):
    """The refresh worker's metrics, read from its files at each scrape: every API process reports the same."""

    def describe(self) -> list[Metric]:
        return []

    def collect(self) -> Iterator[Metric]:
        shown, totals = data_freshness.read_state(), data_freshness.read_history()["totals"]
        waiting = shown["waiting_since"]
        yield from _build_gauges(
            (
                "lag_seconds",
                "Commit of the oldest change of the last publication to its publication",
                shown["lag"],
            ),
            (
                "waiting_seconds",
                "Age of the oldest change that is read and not published",
                (datetime.now(UTC) - waiting).total_seconds() if waiting else 0,
            ),
            ("snapshot_number", "Number of the published snapshot", shown["snapshot"]),
            ("last_success_timestamp_seconds", "When a cycle last succeeded", _to_epoch(shown["last_ok"])),
            (
                "checked_timestamp_seconds",
                "When the worker last looked for news",
                _to_epoch(shown["checked_at"]),
            ),
            ("failing_cycles", "Failures since the last success", shown["failures"]),
        )
        yield CounterMetricFamily("erp_warehouse_rows", "Rows read", totals["rows"])
        yield CounterMetricFamily("erp_warehouse_failures", "Cycles that failed", totals["failures"])
        yield CounterMetricFamily(
            "erp_warehouse_mended", "Cycles that put published figures right", totals["mended"]
        )
        edges = [*(str(bound) for bound in refresh_history.BOUNDS), "+Inf"]
        yield HistogramMetricFamily(
            "erp_warehouse_cycle_seconds",
            "Cycles that published",
            buckets=list(zip(edges, accumulate(totals["within"]), strict=True)),
            sum_value=totals["seconds"],
        )
        yield from _build_test_metrics(shown)


def _build_gauges(*figures: tuple[str, str, float | None]) -> Iterator[Metric]:
    """Yield a gauge for each figure; unknown ones are left out."""
    for name, about, value in figures:
        if value is not None:
            yield GaugeMetricFamily(f"erp_warehouse_{name}", about, value)


def _build_test_metrics(shown: dict[str, Any]) -> Iterator[Metric]:
    failed = shown["failed_tests"]
    ran = GaugeMetricFamily("erp_dbt_tests", "Tests of the last cycle that ran some", labels=["result"])
    ran.add_metric(["pass"], shown["tests"] - len(failed))
    ran.add_metric(["fail"], len(failed))
    yield ran
    rows = GaugeMetricFamily("erp_dbt_test_failed_rows", "Rows that a failed test found", labels=["test"])
    for test in failed:
        rows.add_metric([test["name"]], test["rows"])
    yield rows


def _to_epoch(at: datetime | None) -> float | None:
    return None if at is None else at.timestamp()


_registry = CollectorRegistry(auto_describe=False)
_registry.register(RefreshCollector())
