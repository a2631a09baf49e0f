"""Calls of rebates beyond the declared ones (生成返利单): one a direction."""

from __future__ import annotations

from typing import Any

from api.kit import registry
from api.kit.calls import router
from api.kit.context import Context
from api.kit.endpoints import action
from api.kit.schemas import Keys
from api.master import rebates
from api.master.rebate_accruals import RebateAccrual

api = router()


def _serve(cls: type[RebateAccrual]) -> None:
    rebate = registry.get(cls.direction.rebate)
    assert issubclass(rebate, rebates.Rebate)

    def generate(ctx: Context, body: Keys) -> Any:
        """生成返利单"""
        return rebates.generate(ctx, rebate, body.ids)

    action(api, cls, "generate")(generate)


for cls in registry.declared():
    if issubclass(cls, RebateAccrual):
        _serve(cls)
