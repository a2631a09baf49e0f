"""Calls of supplier resources (供应商资源接口): their changes of state."""

from __future__ import annotations

from typing import Any

from api.kit import endpoints
from api.kit.calls import router
from api.kit.context import Context
from api.kit.resource import ACTION_LABELS
from api.kit.schemas import Keys
from api.master import supplier_resources
from api.master.supplier_resources import SupplierResource

api = router()


def _step(name: str, step: Any) -> None:
    def move(ctx: Context, body: Keys) -> Any:
        return step(ctx, body.ids)

    move.__doc__ = ACTION_LABELS[name]
    endpoints.action(api, SupplierResource, name)(move)


_step("cooperate", supplier_resources.cooperate)
_step("suspend", supplier_resources.suspend)
_step("resume", supplier_resources.resume)
