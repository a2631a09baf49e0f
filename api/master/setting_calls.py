"""Calls of settings (参数接口) under the names of spec/3-rules.md 7.1, 7.2 and 7.4."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel
from sqlalchemy import select

from api.kit import records, registry
from api.kit.calls import ANY_USER, call, router
from api.kit.context import Context
from api.kit.document import Bill
from api.kit.errors import NotFound
from api.kit.schemas import Saved, info_model, save_model
from api.master import organisation
from api.master.settings import AUDITED_ONLY, HELD, ErpConfig, kind_of, setting

api = router()
Kind = Annotated[int, Query(ge=1, le=3, description="1 采购，2 销售，3 库存")]
Company = Annotated[int, Query(ge=0, le=2**62, description="0 = 本公司")]


class Setting(BaseModel):
    """What an audit of a company's bills does: 0 nothing, 1 refuses, 2 asks whether to go on; and what is printed."""

    type: int
    company_id: int
    price_mode: int
    overdue_mode: int
    credit_mode: int
    print_mode: int


class SettingOption(Setting):
    """A setting with what it is about: each bill type's own modes, and the types that are printed once audited."""

    ledger_name: str
    operations: dict[str, dict[str, int]]
    audited_prints: list[str]


def _setting(ctx: Context, type: int, company_id: int) -> dict[str, int]:
    company = company_id or ctx.principal.company_id
    if not ctx.principal.reaches(company):
        raise NotFound("公司")
    return {"type": type, "company_id": company, **setting(ctx, company, type)}


@call(api, "GET", "open/BillSetting/getSettingInfo", right=ANY_USER, returns=Setting)
def get_setting_info(ctx: Context, type: Kind, company_id: Company = 0) -> Any:
    """单据设置"""
    return _setting(ctx, type, company_id)


@call(api, "GET", "open/BillSetting/getSettingInfoOption", right=ANY_USER, returns=SettingOption)
def get_setting_info_option(
    ctx: Context, type: Kind, company_id: Company = 0, repeat: Annotated[str, Query(max_length=10)] = ""
) -> Any:
    """单据设置: as the shell keeps it; `repeat` is the browser's own."""
    found = _setting(ctx, type, company_id)
    own = organisation.Company.table()
    company = select(own.c.company_name).where(own.c.company_id == found["company_id"])
    bills = [cls for cls in registry.declared() if issubclass(cls, Bill) and kind_of(cls) == type]
    return {
        **found,
        "ledger_name": ctx.conn.execute(company).scalar_one(),
        "operations": {
            cls.name(): {name: found[name] for name in HELD[cls.name()]}
            for cls in bills
            if cls.name() in HELD
        },
        "audited_prints": [cls.name() for cls in bills] if found["print_mode"] == AUDITED_ONLY else [],
    }


@call(
    api,
    "GET",
    f"{ErpConfig.declaration.api}/getConfig",
    right=ErpConfig.right("list"),
    returns=partial(info_model, ErpConfig),
)
def get_config(ctx: Context) -> Any:
    """系统参数"""
    return records.info(ctx, ErpConfig, _only(ctx))


def _add_config(ctx: Context, payload: Any) -> Any:
    """保存系统参数"""
    return {"id": records.edit(ctx, ErpConfig, _only(ctx), payload.model_dump(exclude_unset=True))}


call(
    api,
    "POST",
    f"{ErpConfig.declaration.api}/addConfig",
    right=ErpConfig.right("edit"),
    returns=Saved,
    takes={"payload": partial(save_model, ErpConfig)},
    write=True,
)(_add_config)


def _only(ctx: Context) -> int:
    found: int = ctx.conn.execute(select(ErpConfig.erp_config_id).limit(1)).scalar_one()
    return found
