"""Calls of supplier resources (供应商资源接口) under the names of spec/3-rules.md 7.4, and their changes of state."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query

from api.kit import records
from api.kit.calls import call, router
from api.kit.context import Context
from api.kit.endpoints import typed
from api.kit.errors import Refusal
from api.kit.schemas import BatchAnswer, Keys, Saved, info_model, save_model
from api.kit.validation import as_key
from api.master import supplier_resources
from api.master.supplier_resources import SupplierResource

api = router()
PREFIX = SupplierResource.declaration.api


@call(
    api,
    "GET",
    f"{PREFIX}/getSupplierInfo",
    right=SupplierResource.right("list"),
    returns=info_model(SupplierResource),
)
def get_supplier_info(ctx: Context, id: Annotated[int, Query(ge=0, le=2**62)]) -> Any:
    """供应商资源详情"""
    return records.info(ctx, SupplierResource, id)


def _add(ctx: Context, payload: Any) -> Any:
    """新增供应商资源"""
    return {"id": records.add(ctx, SupplierResource, payload.model_dump(exclude_unset=True))}


def _edit(ctx: Context, payload: Any) -> Any:
    """修改供应商资源"""
    wanted = as_key(payload.id)
    if wanted is None:
        raise Refusal("请选择要修改的记录")
    return {"id": records.edit(ctx, SupplierResource, wanted, payload.model_dump(exclude_unset=True))}


for _name, _right, _handler in (("addSupplier", "add", _add), ("editSupplier", "edit", _edit)):
    call(api, "POST", f"{PREFIX}/{_name}", right=SupplierResource.right(_right), returns=Saved, write=True)(
        typed(_handler, payload=save_model(SupplierResource))
    )


@call(
    api,
    "POST",
    f"{PREFIX}/delSupplier",
    right=SupplierResource.right("del"),
    returns=BatchAnswer,
    write=True,
)
def del_supplier(ctx: Context, body: Keys) -> Any:
    """删除供应商资源"""
    return records.delete(ctx, SupplierResource, body.ids)


def _step(name: str, label: str, step: Any) -> None:
    def move(ctx: Context, body: Keys) -> Any:
        return step(ctx, body.ids)

    move.__doc__ = label
    call(
        api, "POST", f"{PREFIX}/{name}", right=SupplierResource.right(name), returns=BatchAnswer, write=True
    )(move)


_step("cooperate", "转为供应商", supplier_resources.cooperate)
_step("suspend", "停用", supplier_resources.suspend)
_step("resume", "启用", supplier_resources.resume)
