"""Recalculation job (成本重算任务): its calls, and the job that runs it."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from api.kit.context import Context
from api.kit.http.consequences import Foreseen
from api.kit.http.endpoints import declare_action
from api.kit.http.routing import build_router, call
from api.kit.storage.database import run_transaction
from api.money import cost_recalculation
from api.money.cost_recalculation import CostRecalculation
from api.shell import jobs
from api.shell.operations import refresh_notifier

api = build_router()


class RecalculationMonth(BaseModel):
    company_id: int = Field(ge=1, le=2**62)
    period: str = Field(max_length=100, description="起始会计期间 YYYY-MM")


class RecalculationRun(BaseModel):
    recalculation_id: int


@call(
    api,
    "POST",
    "v2/system/CostRecalculate/getConsequence",
    right=CostRecalculation.right("start"),
    returns=Foreseen,
)
def get_consequence(ctx: Context, about: RecalculationMonth) -> Any:
    """成本重算的后果"""
    return cost_recalculation.describe_consequence(ctx, about.company_id, about.period)


@declare_action(api, CostRecalculation, "start", RecalculationRun)
def start_recalculation(ctx: Context, payload: RecalculationMonth) -> Any:
    """成本重算: from a month on; an unfinished run of that month goes on."""
    made = cost_recalculation.request_run(ctx, payload.company_id, payload.period)
    jobs.defer_in_transaction(ctx.conn, "recalculate", recalculation_id=made)
    return {"recalculation_id": made}


@jobs.app.task(name="recalculate", pass_context=False)
def run_recalculation(recalculation_id: int) -> None:
    """Run a recalculation, unless another worker does."""
    if recalculation_id in run_transaction(cost_recalculation.list_abandoned_runs):
        cost_recalculation.work_off_run(recalculation_id)
        refresh_notifier.notify_refresh_worker()


@jobs.app.periodic(cron="* * * * *")
@jobs.app.task(name="recalculate_unattended", queue=jobs.QUEUE, pass_context=False)
def recover_recalculations(timestamp: int) -> None:
    """Run the recalculations that a killed worker left, within a minute."""
    for recalculation_id in run_transaction(cost_recalculation.list_abandoned_runs):
        run_recalculation(recalculation_id)
