"""Calls of rebates beyond the declared ones (生成返利单): one for each direction."""

from __future__ import annotations

from typing import Any

from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.http.endpoints import declare_action
from api.kit.http.routing import build_router
from api.kit.http.schemas import Keys
from api.master.rebates import rebates
from api.master.rebates.rebate_accruals import RebateAccrual

api = build_router()


def _mount_generate(cls: type[RebateAccrual]) -> None:
    rebate = registry.get_resource(cls.direction.rebate)
    assert issubclass(rebate, rebates.Rebate)

    def generate(ctx: Context, body: Keys) -> Any:
        """生成返利单"""
        return rebates.generate_rebates(ctx, rebate, body.ids)

    declare_action(api, cls, "generate")(generate)


for cls in registry.list_resources():
    if issubclass(cls, RebateAccrual):
        _mount_generate(cls)
