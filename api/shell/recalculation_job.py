"""The recalculation job (成本重算任务): asked for by a call, worked off by the job worker."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, Field

from api.kit.calls import call, router
from api.kit.consequences import Foreseen
from api.kit.context import Context
from api.kit.database import transact
from api.kit.endpoints import action
from api.money import cost_recalculation
from api.money.cost_recalculation import CostRecalculation
from api.shell import jobs, wake

api = router()


class Month(BaseModel):
    company_id: int = Field(ge=1, le=2**62)
    period: str = Field(max_length=100, description="起始会计期间 YYYY-MM")


class Started(BaseModel):
    recalculation_id: int


@call(
    api,
    "POST",
    "v2/system/CostRecalculate/getConsequence",
    right=CostRecalculation.right("start"),
    returns=Foreseen,
)
def get_consequence(ctx: Context, about: Month) -> Any:
    """成本重算的后果"""
    return cost_recalculation.foresee(ctx, about.company_id, about.period)


@action(api, CostRecalculation, "start", Started)
def start(ctx: Context, payload: Month) -> Any:
    """成本重算: from a month on; an unfinished run of that month goes on."""
    made = cost_recalculation.ask(ctx, payload.company_id, payload.period)
    jobs.defer_with(ctx.conn, "recalculate", recalculation_id=made)
    return {"recalculation_id": made}


@jobs.app.task(name="recalculate", pass_context=False)
def recalculate(recalculation_id: int) -> None:
    """Work a run off, unless another worker does."""
    if recalculation_id in transact(cost_recalculation.unattended):
        cost_recalculation.run(recalculation_id)
        wake.warehouse()


@jobs.app.periodic(cron="* * * * *")
@jobs.app.task(name="recalculate_unattended", queue=jobs.QUEUE, pass_context=False)
def recalculate_unattended(timestamp: int) -> None:
    """Take up what a killed worker left, within a minute."""
    for recalculation_id in transact(cost_recalculation.unattended):
        recalculate(recalculation_id)
