"""Calls of supplier resources (供应商资源接口): changes of state."""

from __future__ import annotations

from typing import Any

from api.kit.context import Context
from api.kit.declaration.resource import ACTION_LABELS
from api.kit.http import endpoints
from api.kit.http.routing import build_router
from api.kit.http.schemas import Keys
from api.master.partners import supplier_resources
from api.master.partners.supplier_resources import SupplierResource

api = build_router()


def _mount_step(name: str, step: Any) -> None:
    def move(ctx: Context, body: Keys) -> Any:
        return step(ctx, body.ids)

    move.__doc__ = ACTION_LABELS[name]
    endpoints.declare_action(api, SupplierResource, name)(move)


_mount_step("cooperate", supplier_resources.start_cooperation)
_mount_step("suspend", supplier_resources.suspend_resources)
_mount_step("resume", supplier_resources.resume_resources)
