"""Calls of settings (参数接口) under the names of spec/3-rules.md 7.1, 7.2 and 7.4."""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any

from fastapi import Query
from pydantic import BaseModel
from sqlalchemy import select

from api.kit.context import Context
from api.kit.declaration import registry
from api.kit.declaration.document import Bill
from api.kit.errors import NotFound
from api.kit.http.routing import ANY_USER, build_router, call
from api.kit.http.schemas import Saved, info_model, save_model
from api.kit.storage import records
from api.master.organization import companies
from api.master.settings.settings import (
    AUDITED_ONLY,
    CONTROLS_BY_BILL_TYPE,
    ErpConfig,
    get_setting_kind,
    read_setting,
)

api = build_router()
Kind = Annotated[int, Query(ge=1, le=3, description="1 采购，2 销售，3 库存")]
Company = Annotated[int, Query(ge=0, le=2**62, description="0 = 本公司")]


class Setting(BaseModel):
    """Modes of a company's bills: 0 not controlled, 1 refused, 2 asked about; and which bills are printed."""

    type: int
    company_id: int
    price_mode: int
    overdue_mode: int
    credit_mode: int
    print_mode: int


class SettingOption(Setting):
    """Modes with the bill types they apply to, and the types that are printed only once audited."""

    ledger_name: str
    operations: dict[str, dict[str, int]]
    audited_prints: list[str]


def _read_setting(ctx: Context, type: int, company_id: int) -> dict[str, int]:
    company = company_id or ctx.principal.company_id
    if not ctx.principal.covers_company(company):
        raise NotFound("公司")
    return {"type": type, "company_id": company, **read_setting(ctx, company, type)}


@call(api, "GET", "open/BillSetting/getSettingInfo", right=ANY_USER, returns=Setting)
def get_setting_info(ctx: Context, type: Kind, company_id: Company = 0) -> Any:
    """单据设置"""
    return _read_setting(ctx, type, company_id)


@call(api, "GET", "open/BillSetting/getSettingInfoOption", right=ANY_USER, returns=SettingOption)
def get_setting_info_option(
    ctx: Context, type: Kind, company_id: Company = 0, repeat: Annotated[str, Query(max_length=10)] = ""
) -> Any:
    """单据设置: as the shell keeps it; `repeat` is the browser's own."""
    found = _read_setting(ctx, type, company_id)
    own = companies.Company.table()
    company = select(own.c.company_name).where(own.c.company_id == found["company_id"])
    bills = [
        cls for cls in registry.list_resources() if issubclass(cls, Bill) and get_setting_kind(cls) == type
    ]
    return {
        **found,
        "ledger_name": ctx.conn.execute(company).scalar_one(),
        "operations": {
            cls.name(): {name: found[name] for name in CONTROLS_BY_BILL_TYPE[cls.name()]}
            for cls in bills
            if cls.name() in CONTROLS_BY_BILL_TYPE
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
    return records.read_record(ctx, ErpConfig, _read_config_id(ctx))


def _add_config(ctx: Context, payload: Any) -> Any:
    """保存系统参数"""
    return {
        "id": records.edit_record(
            ctx, ErpConfig, _read_config_id(ctx), payload.model_dump(exclude_unset=True)
        )
    }


call(
    api,
    "POST",
    f"{ErpConfig.declaration.api}/addConfig",
    right=ErpConfig.right("edit"),
    returns=Saved,
    takes={"payload": partial(save_model, ErpConfig)},
    write=True,
)(_add_config)


def _read_config_id(ctx: Context) -> int:
    found: int = ctx.conn.execute(select(ErpConfig.erp_config_id).limit(1)).scalar_one()
    return found
